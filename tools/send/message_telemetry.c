/* Makes messages of proto/telemetry.proto; field numbers are those of that file. */
#include "proto/reading/wire.h"
#include "tools/send/message.h"

static void put_label(struct output *out, unsigned number, const char *key, const char *value,
                      size_t padding)
{
    size_t label = wire_begin(out, number);
    wire_text(out, 1, key);
    wire_padded_text(out, 2, value, padding);
    wire_end(out, label);
}

static void put_sample(struct output *out, size_t index)
{
    const struct metric *metric = metric_at(index);
    char label[METRIC_LABEL_SIZE];
    metric_label(index, label);

    size_t sample = wire_begin(out, 6);
    wire_text(out, 1, metric->name);
    if (metric->counter)
        wire_varint(out, 2, 1); /* CUMULATIVE_COUNTER */
    if (metric->counter)
        wire_varint(out, 5, (uint64_t)metric->value);
    else
        wire_double(out, 3, metric->value);
    wire_text(out, 7, metric->unit);
    put_label(out, 10, metric->label, label, 0);
    wire_end(out, sample);
}

void message_telemetry_begin(const struct message_plan *plan, uint64_t number, uint64_t time_ns,
                             struct output *out)
{
    wire_bytes(out, 1, plan->sender.data, plan->sender.size);
    wire_fixed64(out, 2, plan->boot_id);
    wire_varint(out, 3, number);
    wire_fixed64(out, 4, time_ns);
}

static void encode(const struct message_plan *plan, uint64_t number, uint64_t time_ns,
                   struct output *out)
{
    message_telemetry_begin(plan, number, time_ns, out);
    put_label(out, 5, "host", "web-01", plan->padding2);
    put_label(out, 5, "region", "eu-west-1", plan->padding);
    for (size_t i = 0; i < plan->samples && !out->overflow; i++)
        put_sample(out, i);
}

static void stamp(const struct message_plan *plan, uint8_t *bytes, size_t size, uint64_t number,
                  uint64_t time_ns)
{
    (void)size;
    /*
     * This skips sender_id with its tag and length, boot_id with its tag, and the tag of sequence.
     */
    uint8_t *at = bytes + 2 + plan->sender.size + 9 + 1;
    at += wire_put_varint(at, number);
    wire_put_fixed64(at + 1, time_ns);
}

const struct message_shape message_telemetry = {
    .name = "telemetry",
    .member = 6,
    .encode = encode,
    .stamp = stamp,
};
