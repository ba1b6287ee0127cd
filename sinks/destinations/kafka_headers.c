#include "sinks/destinations/kafka_headers.h"

#include <string.h>

#include "sinks/destinations/message_id.h"

#define ARGUMENTS 7 /* topic, partition, value, key, token, flags, headers */
#define HEADERS   4

void kafka_headers_init(struct kafka_headers *headers, unsigned wanted)
{
    headers->wanted = wanted;
    headers->collector[0] = '\0';
    if ((wanted & HEADER_COLLECTOR) != 0)
        host_name(headers->collector);
}

static rd_kafka_resp_err_t headers_add(const struct kafka_library *library,
                                       rd_kafka_headers_t *list, const char *name,
                                       const char *value)
{
    return value == NULL ? RD_KAFKA_RESP_ERR_NO_ERROR
                         : library->header_add(list, name, -1, value, (ssize_t)strlen(value));
}

static rd_kafka_resp_err_t headers_fill(const struct kafka_headers *headers,
                                        const struct kafka_library *library,
                                        rd_kafka_headers_t *list,
                                        const struct delivery_block *block, size_t record)
{
    char id[MESSAGE_ID_SIZE];
    rd_kafka_resp_err_t error = RD_KAFKA_RESP_ERR_NO_ERROR;
    if ((headers->wanted & HEADER_SCHEMA) != 0)
        error = headers_add(library, list, "schema", block->schema);
    if (error == RD_KAFKA_RESP_ERR_NO_ERROR && (headers->wanted & HEADER_LISTENER) != 0)
        error = headers_add(library, list, "listener", block->listener);
    if (error == RD_KAFKA_RESP_ERR_NO_ERROR && (headers->wanted & HEADER_COLLECTOR) != 0)
        error = headers_add(library, list, "collector", headers->collector);
    if (error == RD_KAFKA_RESP_ERR_NO_ERROR && (headers->wanted & HEADER_NUMBER) != 0) {
        message_id(id, block, record);
        error = headers_add(library, list, "number", id);
    }
    return error;
}

static rd_kafka_resp_err_t headers_produce(const struct kafka_library *library,
                                           rd_kafka_t *producer, rd_kafka_topic_t *topic,
                                           const rd_kafka_message_t *message, int flags,
                                           rd_kafka_headers_t *list)
{
    const rd_kafka_vu_t arguments[ARGUMENTS] = {
        {.vtype = RD_KAFKA_VTYPE_RKT, .u.rkt = topic},
        {.vtype = RD_KAFKA_VTYPE_PARTITION, .u.i32 = RD_KAFKA_PARTITION_UA},
        {.vtype = RD_KAFKA_VTYPE_VALUE, .u.mem = {message->payload, message->len}},
        {.vtype = RD_KAFKA_VTYPE_KEY, .u.mem = {message->key, message->key_len}},
        {.vtype = RD_KAFKA_VTYPE_OPAQUE, .u.ptr = message->_private},
        {.vtype = RD_KAFKA_VTYPE_MSGFLAGS, .u.i = flags},
        {.vtype = RD_KAFKA_VTYPE_HEADERS, .u.headers = list},
    };
    rd_kafka_error_t *error = library->produceva(producer, arguments, ARGUMENTS);
    if (error == NULL)
        return RD_KAFKA_RESP_ERR_NO_ERROR;
    rd_kafka_resp_err_t code = library->error_code(error);
    library->error_destroy(error);
    return code;
}

/*
 * The headers are passed as a list, because librdkafka 2.0.2 frees single headers twice if it
 * refuses the message after creating it. The library takes over the list only if it accepts the
 * message.
 */
rd_kafka_resp_err_t kafka_headers_produce(const struct kafka_headers *headers,
                                          const struct kafka_library *library, rd_kafka_t *producer,
                                          rd_kafka_topic_t *topic,
                                          const rd_kafka_message_t *message, int flags,
                                          const struct delivery_block *block, size_t record)
{
    rd_kafka_headers_t *list = library->headers_new(HEADERS);
    rd_kafka_resp_err_t error = headers_fill(headers, library, list, block, record);
    if (error == RD_KAFKA_RESP_ERR_NO_ERROR)
        error = headers_produce(library, producer, topic, message, flags, list);
    if (error != RD_KAFKA_RESP_ERR_NO_ERROR)
        library->headers_destroy(list);
    return error;
}
