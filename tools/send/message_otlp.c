/*
 * Makes messages of OTLP metrics, logs and traces. Field numbers are those of proto/otlp. OTLP has
 * no sequence numbers, so the number of a datagram is the value of the first metric, or the span ID
 * of the first log record or span.
 *
 * Each message is one resource with one scope. The parts that a stamp changes are at the end of a
 * metric, record or span, in fields of a fixed size.
 */
#include <string.h>

#include "proto/reading/wire.h"
#include "tools/send/message.h"

#define SERVICE "sluice-send"

/* The functions for one kind of element in a scope: metrics, log records or spans. */
struct item {
    void (*put)(struct output *out, const struct message_plan *plan, size_t index, uint64_t number);

    /* Overwrites the time at the end of an element, and the number in the first element. */
    void (*stamp)(uint8_t *end, bool is_first, uint64_t number, uint64_t time_ns);
};

/* --- common to metrics, logs and traces ------------------------------------------------------- */

static void put_attribute(struct output *out, unsigned field, const char *key, const char *value,
                          size_t padding)
{
    size_t attribute = wire_begin(out, field);
    wire_text(out, 1, key);
    size_t any = wire_begin(out, 2);
    wire_padded_text(out, 1, value, padding);
    wire_end(out, any);
    wire_end(out, attribute);
}

static void put_sender(struct output *out, const struct text *sender)
{
    size_t attribute = wire_begin(out, 1);
    wire_text(out, 1, "service.instance.id");
    size_t any = wire_begin(out, 2);
    wire_bytes(out, 1, sender->data, sender->size);
    wire_end(out, any);
    wire_end(out, attribute);
}

static void put_resource(struct output *out, const struct message_plan *plan)
{
    size_t resource = wire_begin(out, 1);
    put_attribute(out, 1, "service.name", SERVICE, 0);
    put_sender(out, &plan->sender);
    put_attribute(out, 1, "host.name", "web-01", plan->padding);
    wire_end(out, resource);
}

static void put_scope(struct output *out, const struct message_plan *plan)
{
    size_t scope = wire_begin(out, 1);
    wire_text(out, 1, SERVICE);
    wire_padded_text(out, 2, "1", plan->padding2);
    wire_end(out, scope);
}

/* Encodes a message. Its times are written later, by the function `stamp`. */
static void encode(const struct item *item, const struct message_plan *plan, uint64_t number,
                   struct output *out)
{
    size_t of_resource = wire_begin(out, 1);
    put_resource(out, plan);
    size_t of_scope = wire_begin(out, 2);
    put_scope(out, plan);
    for (size_t i = 0; i < plan->samples && !out->overflow; i++) {
        size_t begun = wire_begin(out, 2);
        item->put(out, plan, i, i == 0 ? number : i);
        wire_end(out, begun);
    }
    wire_end(out, of_scope);
    wire_end(out, of_resource);
}

/* Reads a tag of one byte and a length, and moves *at past both. Returns the length. */
static size_t enter(uint8_t **at)
{
    size_t size = 0;
    ++*at;
    for (unsigned shift = 0;; shift += 7) {
        uint8_t byte = *(*at)++;
        size |= (size_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return size;
    }
}

static void skip(uint8_t **at)
{
    size_t size = enter(at);
    *at += size;
}

static void stamp(const struct item *item, uint8_t *bytes, uint64_t number, uint64_t time_ns)
{
    uint8_t *at = bytes;
    enter(&at); /* into the only field of the message */
    skip(&at);  /* over the resource */
    size_t size = enter(&at);
    uint8_t *end = at + size;
    skip(&at); /* over the scope */
    for (bool is_first = true; at < end; is_first = false) {
        skip(&at);
        item->stamp(at, is_first, number, time_ns);
    }
}

/* --- metrics ---------------------------------------------------------------------------------- */

static void put_point(struct output *out, const struct metric *metric, const char *label,
                      double value)
{
    size_t point = wire_begin(out, 1);
    put_attribute(out, 7, metric->label, label, 0);
    wire_fixed64(out, 3, 0);
    wire_double(out, 4, value);
    wire_end(out, point);
}

static void put_metric(struct output *out, const struct message_plan *plan, size_t index,
                       uint64_t number)
{
    (void)plan;
    const struct metric *metric = metric_at(index);
    char label[METRIC_LABEL_SIZE];
    metric_label(index, label);
    wire_text(out, 1, metric->name);
    wire_text(out, 3, metric->unit);
    size_t data = wire_begin(out, metric->counter ? 7 : 5);
    if (metric->counter) {
        wire_varint(out, 2, 2); /* CUMULATIVE */
        wire_varint(out, 3, 1); /* is_monotonic */
    }
    put_point(out, metric, label, index == 0 ? (double)number : metric->value);
    wire_end(out, data);
}

/*
 * Overwrites the last two fields of a metric: time_unix_nano and, in the first metric, as_double.
 */
static void stamp_metric(uint8_t *end, bool is_first, uint64_t number, uint64_t time_ns)
{
    double value = (double)number;
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    wire_put_fixed64(end - 17, time_ns);
    if (is_first)
        wire_put_fixed64(end - 8, bits);
}

/* --- logs and traces -------------------------------------------------------------------------- */

#define SPAN_ID_SIZE  8
#define TRACE_ID_SIZE 16

static void put_id(uint8_t *at, uint64_t number)
{
    for (int i = 0; i < SPAN_ID_SIZE; i++)
        at[i] = (uint8_t)(number >> (56 - 8 * i));
}

static void put_ids(struct output *out, unsigned trace_field, unsigned span_field, uint64_t number)
{
    static const uint8_t trace[TRACE_ID_SIZE] = {SERVICE};
    uint8_t span[SPAN_ID_SIZE];
    put_id(span, number);
    wire_bytes(out, trace_field, trace, sizeof trace);
    wire_bytes(out, span_field, span, sizeof span);
}

static void put_log_record(struct output *out, const struct message_plan *plan, size_t index,
                           uint64_t number)
{
    (void)plan;
    const struct metric *metric = metric_at(index);
    char label[METRIC_LABEL_SIZE];
    metric_label(index, label);
    wire_varint(out, 2, 9); /* INFO */
    wire_text(out, 3, "INFO");
    size_t body = wire_begin(out, 5);
    wire_text(out, 1, metric->name);
    wire_end(out, body);
    put_attribute(out, 6, metric->label, label, 0);
    put_ids(out, 9, 10, number);
    wire_fixed64(out, 1, 0);
}

/* Overwrites the last two fields of a record: time_unix_nano and, in the first record, span_id. */
static void stamp_log_record(uint8_t *end, bool is_first, uint64_t number, uint64_t time_ns)
{
    wire_put_fixed64(end - 8, time_ns);
    if (is_first)
        put_id(end - 9 - SPAN_ID_SIZE, number);
}

#define SPAN_NS 1000000 /* duration of a span in nanoseconds */

static void put_span(struct output *out, const struct message_plan *plan, size_t index,
                     uint64_t number)
{
    (void)plan;
    const struct metric *metric = metric_at(index);
    char label[METRIC_LABEL_SIZE];
    metric_label(index, label);
    wire_text(out, 5, metric->name);
    wire_varint(out, 6, 2); /* SERVER */
    put_attribute(out, 9, metric->label, label, 0);
    put_ids(out, 1, 2, number);
    wire_fixed64(out, 7, 0);
    wire_fixed64(out, 8, 0);
}

/* Overwrites the last fields of a span: its start, its end and, in the first span, span_id. */
static void stamp_span(uint8_t *end, bool is_first, uint64_t number, uint64_t time_ns)
{
    wire_put_fixed64(end - 8, time_ns);
    wire_put_fixed64(end - 17, time_ns - SPAN_NS);
    if (is_first)
        put_id(end - 18 - SPAN_ID_SIZE, number);
}

/* --- the shapes ------------------------------------------------------------------------------- */

#define OTLP_SHAPE(id, schema, put_item, stamp_item)                                               \
    static const struct item id##_item = {put_item, stamp_item};                                   \
                                                                                                   \
    static void encode_##id(const struct message_plan *plan, uint64_t number, uint64_t time_ns,    \
                            struct output *out)                                                    \
    {                                                                                              \
        (void)time_ns;                                                                             \
        encode(&id##_item, plan, number, out);                                                     \
    }                                                                                              \
                                                                                                   \
    static void stamp_##id(const struct message_plan *plan, uint8_t *bytes, size_t size,           \
                           uint64_t number, uint64_t time_ns)                                      \
    {                                                                                              \
        (void)plan;                                                                                \
        (void)size;                                                                                \
        stamp(&id##_item, bytes, number, time_ns);                                                 \
    }                                                                                              \
                                                                                                   \
    const struct message_shape message_##id = {                                                    \
        .name = schema,                                                                            \
        .member = 1,                                                                               \
        .encode = encode_##id,                                                                     \
        .stamp = stamp_##id,                                                                       \
    }

OTLP_SHAPE(otlp, "otlp", put_metric, stamp_metric);
OTLP_SHAPE(otlp_logs, "otlp-logs", put_log_record, stamp_log_record);
OTLP_SHAPE(otlp_traces, "otlp-traces", put_span, stamp_span);
