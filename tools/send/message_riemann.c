/*
 * Makes messages of proto/riemann.proto; field numbers are those of that file. Riemann has no
 * sequence numbers, so the number of a datagram is the metric of its first event.
 */
#include <string.h>

#include "proto/reading/wire.h"
#include "tools/send/message.h"

#define MICROSECONDS_SIZE 8 /* bytes of a time as a varint, for the years 1987 to 4253 */

/* The size of the last two fields of an event: time_micros and metric_d, each with its tag. */
#define EVENT_END_SIZE (1 + MICROSECONDS_SIZE + 1 + 8)

static void put_attribute(struct output *out, const char *key, const char *value)
{
    size_t attribute = wire_begin(out, 9);
    wire_text(out, 1, key);
    wire_text(out, 2, value);
    wire_end(out, attribute);
}

/* Appends an event. Its time is the largest one of eight bytes, until a stamp overwrites it. */
static void put_event(struct output *out, const struct message_plan *plan, size_t index,
                      double value)
{
    const struct metric *metric = metric_at(index);
    char label[METRIC_LABEL_SIZE];
    metric_label(index, label);

    size_t event = wire_begin(out, 6);
    wire_padded_text(out, 2, "ok", index == 0 ? plan->padding2 : 0);
    wire_text(out, 3, metric->name);
    wire_bytes(out, 4, plan->sender.data, plan->sender.size);
    wire_padded_text(out, 5, metric->unit, index == 0 ? plan->padding : 0);
    wire_text(out, 7, "sluice-send");
    wire_float(out, 8, 60);
    put_attribute(out, metric->label, label);
    wire_varint(out, 10, (UINT64_C(1) << 7 * MICROSECONDS_SIZE) - 1);
    wire_double(out, 14, value);
    wire_end(out, event);
}

static void encode(const struct message_plan *plan, uint64_t number, uint64_t time_ns,
                   struct output *out)
{
    (void)time_ns;
    for (size_t i = 0; i < plan->samples && !out->overflow; i++)
        put_event(out, plan, i, i == 0 ? (double)number : metric_at(i)->value);
}

static size_t event_size(const uint8_t *at, size_t *used)
{
    size_t size = 0;
    *used = 1;
    for (unsigned shift = 0;; shift += 7) {
        uint8_t byte = at[(*used)++];
        size |= (size_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return size;
    }
}

static void stamp(const struct message_plan *plan, uint8_t *bytes, size_t size, uint64_t number,
                  uint64_t time_ns)
{
    (void)plan;
    double value = (double)number;
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    for (size_t at = 0; at < size;) {
        size_t used;
        size_t event = event_size(bytes + at, &used);
        size_t end = at + used + event;
        uint8_t *last = bytes + end - EVENT_END_SIZE;
        wire_put_varint(last + 1, time_ns / 1000);
        if (at == 0)
            wire_put_fixed64(last + 1 + MICROSECONDS_SIZE + 1, bits);
        at = end;
    }
}

const struct message_shape message_riemann = {
    .name = "riemann",
    .member = 6,
    .encode = encode,
    .stamp = stamp,
};
