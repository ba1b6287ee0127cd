#include "sinks/destinations/kafka_headers.h"

#include <string.h>

#include "sinks/destinations/message_id.h"

#define ARGUMENTS 9 /* topic, partition, value, key, what it carries, four headers */

void kafka_headers_init(struct kafka_headers *headers, unsigned wanted)
{
    headers->wanted = wanted;
    headers->collector[0] = '\0';
    if ((wanted & HEADER_COLLECTOR) != 0)
        host_name(headers->collector);
}

static rd_kafka_vu_t header(const char *name, const char *value)
{
    rd_kafka_vu_t made = {.vtype = RD_KAFKA_VTYPE_HEADER};
    made.u.header.name = name;
    made.u.header.val = value;
    made.u.header.size = (ssize_t)strlen(value);
    return made;
}

rd_kafka_resp_err_t kafka_headers_produce(const struct kafka_headers *headers,
                                          const struct kafka_library *library, rd_kafka_t *producer,
                                          rd_kafka_topic_t *topic,
                                          const rd_kafka_message_t *message,
                                          const struct delivery_block *block, size_t record)
{
    char id[MESSAGE_ID_SIZE];
    rd_kafka_vu_t arguments[ARGUMENTS] = {
        {.vtype = RD_KAFKA_VTYPE_RKT, .u.rkt = topic},
        {.vtype = RD_KAFKA_VTYPE_PARTITION, .u.i32 = RD_KAFKA_PARTITION_UA},
        {.vtype = RD_KAFKA_VTYPE_VALUE, .u.mem = {message->payload, message->len}},
        {.vtype = RD_KAFKA_VTYPE_KEY, .u.mem = {message->key, message->key_len}},
        {.vtype = RD_KAFKA_VTYPE_OPAQUE, .u.ptr = message->_private},
    };
    size_t count = 5;
    if ((headers->wanted & HEADER_SCHEMA) != 0 && block->schema != NULL)
        arguments[count++] = header("schema", block->schema);
    if ((headers->wanted & HEADER_LISTENER) != 0 && block->listener != NULL)
        arguments[count++] = header("listener", block->listener);
    if ((headers->wanted & HEADER_COLLECTOR) != 0)
        arguments[count++] = header("collector", headers->collector);
    if ((headers->wanted & HEADER_NUMBER) != 0) {
        message_id(id, block, record);
        arguments[count++] = header("number", id);
    }
    rd_kafka_error_t *error = library->produceva(producer, arguments, count);
    if (error == NULL)
        return RD_KAFKA_RESP_ERR_NO_ERROR;
    rd_kafka_resp_err_t code = library->error_code(error);
    library->error_destroy(error);
    return code;
}
