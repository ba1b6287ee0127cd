/*
 * The messages that sluice-send sends, one kind for each schema.
 *
 * A message is encoded once and then stamped: the number and the time of each datagram are put into
 * a copy of its bytes. It is encoded anew only when the number outgrows its place. Every message
 * names its sender, and its metrics are those of a fixed table, so that a run can be repeated.
 *
 * Lifecycle: message_template_init, stamp, clear. One thread per template.
 */
#ifndef SLUICE_TOOLS_SEND_MESSAGE_H
#define SLUICE_TOOLS_SEND_MESSAGE_H

#include <stddef.h>
#include <stdint.h>

#include "collector/base/error.h"
#include "collector/contract/schema.h"
#include "collector/text/output.h"

/* What to encode. */
struct message_plan {
    struct text sender; /* at most 100 bytes; the caller's */
    uint64_t boot_id;
    size_t samples;    /* metrics in a message */
    struct text given; /* of message_given: its bytes, the caller's */
    size_t size;       /* bytes that it is to have exactly; 0: as it comes */
    size_t padding;    /* bytes added to its longest text, to reach that size */
    size_t padding2;   /* and to another one, for the sizes that a length's own size skips */
};

/* How one schema's messages are made. */
struct message_shape {
    const char *name; /* the schema's */

    /* The number of a repeated field, 1 to 15, whose elements are messages. */
    uint8_t member;

    /* Appends the message with this number and time (nanoseconds since 1970 UTC). */
    void (*encode)(const struct message_plan *plan, uint64_t number, uint64_t time_ns,
                   struct output *out);

    /* Puts a number, as large in bytes as the one encoded, and a time in their places. */
    void (*stamp)(const struct message_plan *plan, uint8_t *bytes, size_t size, uint64_t number,
                  uint64_t time_ns);
};

/* All synthetic ones, by the schema's name; NULL at the end. */
extern const struct message_shape *const message_shapes[];

/* One file each, or one for all of OTLP's. */
extern const struct message_shape message_telemetry;
extern const struct message_shape message_riemann;
extern const struct message_shape message_otlp;
extern const struct message_shape message_otlp_logs;
extern const struct message_shape message_otlp_traces;

/* Not in the list: the bytes that the plan gives, unchanged. */
extern const struct message_shape message_given;

/* What every telemetry datagram begins with, and the stamp of message_telemetry finds there. */
void message_telemetry_begin(const struct message_plan *plan, uint64_t number, uint64_t time_ns,
                             struct output *out);

/* A metric of the table: what is measured, and the label that distinguishes such metrics.
 */
struct metric {
    const char *name;
    const char *unit;  /* UCUM */
    const char *label; /* its value is a number, one for each turn through the table */
    double value;
    bool counter; /* a cumulative count, else a gauge */
};

/* The metric of sample `index` of a message; the table begins again as often as needed. */
const struct metric *metric_at(size_t index);

/* The value of that sample's label: decimal digits, in the METRIC_LABEL_SIZE bytes of `text`. */
#define METRIC_LABEL_SIZE 24
size_t metric_label(size_t index, char *text);

struct message_template {
    const struct message_shape *shape;
    struct message_plan plan;
    uint8_t *bytes;
    size_t size;
    size_t capacity;
    size_t number_size; /* of the number encoded, as a varint */
};

/*
 * Makes the template; `last_number` is the greatest it will be asked for, which plan->size must
 * have room for. Returns 0, or -1 with `error` filled: it does not fit a datagram or that size
 * (EXIT_CODE_USAGE), or no memory (EXIT_CODE_INTERNAL). It is to be cleared in either case.
 */
int message_template_init(struct message_template *made, const struct message_shape *shape,
                          const struct message_plan *plan, uint64_t last_number,
                          struct error *error);

/*
 * Writes the message with this number and time to `bytes`, which has room for UDP_PAYLOAD_MAX of
 * them, and returns its size. Numbers up to last_number only, none smaller in bytes than before.
 */
size_t message_template_stamp(struct message_template *message, uint64_t number, uint64_t time_ns,
                              uint8_t *bytes);

/* Frees what it holds, not the struct. */
void message_template_clear(struct message_template *message);

#endif
