/*
 * Adds headers to messages. The library allocates and copies each header, so a message with headers
 * takes it more than twice the time of a message without.
 */
#ifndef SLUICE_SINKS_DESTINATIONS_KAFKA_HEADERS_H
#define SLUICE_SINKS_DESTINATIONS_KAFKA_HEADERS_H

#include <stddef.h>

#include "collector/contract/broker_options.h"
#include "collector/contract/delivery.h"
#include "collector/platform/machine.h"
#include "sinks/destinations/kafka_library.h"

struct kafka_headers {
    unsigned wanted; /* bits of enum message_header */
    char collector[HOST_NAME_SIZE];
};

void kafka_headers_init(struct kafka_headers *headers, unsigned wanted);

/*
 * Hands over a message with the headers of record number `record` of the block. `flags` are those
 * of rd_kafka_produce. Returns RD_KAFKA_RESP_ERR_NO_ERROR, or why the library refused the message.
 */
rd_kafka_resp_err_t kafka_headers_produce(const struct kafka_headers *headers,
                                          const struct kafka_library *library, rd_kafka_t *producer,
                                          rd_kafka_topic_t *topic,
                                          const rd_kafka_message_t *message, int flags,
                                          const struct delivery_block *block, size_t record);

#endif
