#include "sinks/destinations/kafka_outcome.h"

#include <stddef.h>

/*
 * Permanent errors. After any other error the records are sent again: brokers may become reachable,
 * and a missing topic or partition may be created later.
 */
static const struct {
    rd_kafka_resp_err_t error;
    enum delivery_reason reason;
} refusals[] = {
    {RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE, DELIVERY_TOO_LARGE},
    {RD_KAFKA_RESP_ERR_INVALID_MSG_SIZE, DELIVERY_TOO_LARGE},
    {RD_KAFKA_RESP_ERR_RECORD_LIST_TOO_LARGE, DELIVERY_TOO_LARGE},
    {RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED, DELIVERY_DENIED},
    {RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED, DELIVERY_DENIED},
    {RD_KAFKA_RESP_ERR_TRANSACTIONAL_ID_AUTHORIZATION_FAILED, DELIVERY_DENIED},
    {RD_KAFKA_RESP_ERR_TOPIC_EXCEPTION, DELIVERY_REJECTED},
    {RD_KAFKA_RESP_ERR_INVALID_MSG, DELIVERY_REJECTED},
    {RD_KAFKA_RESP_ERR_INVALID_TIMESTAMP, DELIVERY_REJECTED},
    {RD_KAFKA_RESP_ERR_INVALID_RECORD, DELIVERY_REJECTED},
    {RD_KAFKA_RESP_ERR_POLICY_VIOLATION, DELIVERY_REJECTED},
    {RD_KAFKA_RESP_ERR__INVALID_ARG, DELIVERY_REJECTED},
};

struct kafka_outcome kafka_outcome_unsent(rd_kafka_resp_err_t error)
{
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++)
        if (refusals[i].error == error)
            return (struct kafka_outcome){.result = DELIVERY_REFUSED, .reason = refusals[i].reason};
    return (struct kafka_outcome){.result = DELIVERY_NOT_SENT};
}

bool kafka_outcome_is_missing_topic(rd_kafka_resp_err_t error)
{
    return error == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART ||
           error == RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC ||
           error == RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION;
}

struct kafka_outcome kafka_outcome_reported(rd_kafka_msg_status_t status, rd_kafka_resp_err_t error)
{
    if (status == RD_KAFKA_MSG_STATUS_PERSISTED)
        return (struct kafka_outcome){.result = DELIVERY_ACKNOWLEDGED};
    if (status == RD_KAFKA_MSG_STATUS_POSSIBLY_PERSISTED)
        return (struct kafka_outcome){.result = DELIVERY_UNKNOWN};
    return kafka_outcome_unsent(error);
}
