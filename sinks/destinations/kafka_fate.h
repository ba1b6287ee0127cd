/*
 * What became of a message, by what librdkafka reports of it. Pure; any thread.
 */
#ifndef SLUICE_SINKS_DESTINATIONS_KAFKA_FATE_H
#define SLUICE_SINKS_DESTINATIONS_KAFKA_FATE_H

#include <librdkafka/rdkafka.h>
#include <stdbool.h>

#include "collector/contract/delivery.h"

struct kafka_fate {
    enum delivery_fate fate;
    enum delivery_reason reason; /* of DELIVERY_REFUSED */
};

/* Of a message that produce did not take. */
struct kafka_fate kafka_fate_unsent(rd_kafka_resp_err_t error);

/* Of one with a delivery report. */
struct kafka_fate kafka_fate_reported(rd_kafka_msg_status_t status, rd_kafka_resp_err_t error);

/* Whether the topic, or its partition, is not there now, as far as the library knows. */
bool kafka_fate_topic_is_missing(rd_kafka_resp_err_t error);

#endif
