#include "tools/bench/traffic.h"

const struct traffic traffic_metric1 = {"metric1", 1, 117};
const struct traffic traffic_batch20 = {"batch20", 20, 1140};

int traffic_template(const struct traffic *traffic, struct message_template *made,
                     struct error *error)
{
    const struct message_plan plan = {
        .sender = {"bench/1", 7},
        .boot_id = UINT64_C(1767225600000000000),
        .samples = traffic->samples,
        .size = traffic->size,
    };
    return message_template_init(made, &message_telemetry, &plan, UINT32_MAX, error);
}

int traffic_datagram(const struct traffic *traffic, uint8_t bytes[TRAFFIC_SIZE_MOST],
                     struct error *error)
{
    struct message_template made = {0};
    int result = traffic_template(traffic, &made, error);
    if (result == 0)
        message_template_stamp(&made, TRAFFIC_FIRST_NUMBER, UINT64_C(1767225600000000000), bytes);
    message_template_clear(&made);
    return result;
}
