/* Determines the outcome of a message from librdkafka's report. Pure; any thread. */
#ifndef SLUICE_SINKS_DESTINATIONS_KAFKA_OUTCOME_H
#define SLUICE_SINKS_DESTINATIONS_KAFKA_OUTCOME_H

#include <librdkafka/rdkafka.h>
#include <stdbool.h>

#include "collector/contract/delivery.h"

struct kafka_outcome {
    enum delivery_outcome result;
    enum delivery_reason reason; /* for DELIVERY_REFUSED */
    bool by_itself;              /* refused, and the only message of its request */
    const char *why;             /* for messages to people; set by the caller */
};

/* Returns the outcome of a message that the library refused when it was handed over. */
struct kafka_outcome kafka_outcome_unsent(rd_kafka_resp_err_t error);

/* Returns the outcome of a message from its delivery report. */
struct kafka_outcome kafka_outcome_reported(rd_kafka_msg_status_t status,
                                            rd_kafka_resp_err_t error);

/* Returns true if the library does not know the topic or partition (yet). */
bool kafka_outcome_is_missing_topic(rd_kafka_resp_err_t error);

#endif
