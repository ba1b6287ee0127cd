/*
 * The messages that sluice-send sends, one kind for each schema.
 *
 * A message is encoded once and then stamped: the number and the time of each datagram are put into
 * a copy of its bytes. It is encoded again only when the number needs more bytes. Every message
 * contains its sender, and its metrics are those of a fixed table, so that a run can be repeated.
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

/* The content to encode. */
struct message_plan {
    struct text sender; /* at most 100 bytes; the caller's */
    uint64_t boot_id;
    size_t samples;    /* metrics in a message */
    struct text given; /* for message_given: its bytes, the caller's */
    size_t size;       /* exact size in bytes; 0: unpadded */
    size_t padding;    /* bytes added to its longest text to reach that size */
    size_t padding2;   /* added to a second text for sizes that the first padding skips */
};

/* How the messages of one schema are made. */
struct message_shape {
    const char *name; /* the schema's */

    /* The field number, 1 to 15, of a repeated message field. */
    uint8_t member;

    /* Appends the message with this number and time (nanoseconds since 1970 UTC). */
    void (*encode)(const struct message_plan *plan, uint64_t number, uint64_t time_ns,
                   struct output *out);

    /* Overwrites the number, which must have the encoded size, and the time. */
    void (*stamp)(const struct message_plan *plan, uint8_t *bytes, size_t size, uint64_t number,
                  uint64_t time_ns);
};

/* All synthetic messages, by the schema's name; ends with NULL. */
extern const struct message_shape *const message_shapes[];

/* Each is in its own file; those of OTLP share one. */
extern const struct message_shape message_telemetry;
extern const struct message_shape message_riemann;
extern const struct message_shape message_otlp;
extern const struct message_shape message_otlp_logs;
extern const struct message_shape message_otlp_traces;

/* Not in the list: sends the bytes of the plan unchanged. */
extern const struct message_shape message_given;

/*
 * Writes the beginning of every telemetry datagram, where the stamp of message_telemetry expects
 * it.
 */
void message_telemetry_begin(const struct message_plan *plan, uint64_t number, uint64_t time_ns,
                             struct output *out);

/* A metric of the table: its name, and the label that distinguishes metrics of that name. */
struct metric {
    const char *name;
    const char *unit;  /* UCUM */
    const char *label; /* its value is a number, a different one in each pass through the table */
    double value;
    bool counter; /* cumulative counter, otherwise gauge */
};

/* The metric of sample `index` of a message; the table repeats. */
const struct metric *metric_at(size_t index);

/*
 * Writes the value of that sample's label as decimal digits to the METRIC_LABEL_SIZE bytes of
 * `text`.
 */
#define METRIC_LABEL_SIZE 24
size_t metric_label(size_t index, char *text);

struct message_template {
    const struct message_shape *shape;
    struct message_plan plan;
    uint8_t *bytes;
    size_t size;
    size_t capacity;
    size_t number_size; /* of the encoded number, as a varint */
};

/*
 * Makes the template. `last_number` is the largest number that will be stamped; plan->size must
 * have room for it. Returns 0, or -1 with `error` filled: it does not fit in a datagram or in that
 * size (EXIT_CODE_USAGE), or out of memory (EXIT_CODE_INTERNAL). Clear it in either case.
 */
int message_template_init(struct message_template *made, const struct message_shape *shape,
                          const struct message_plan *plan, uint64_t last_number,
                          struct error *error);

/*
 * Writes the message with this number and time to `bytes`, which has room for UDP_PAYLOAD_MAX
 * bytes, and returns its size. Numbers must not exceed last_number, nor have a shorter varint than
 * an earlier one.
 */
size_t message_template_stamp(struct message_template *message, uint64_t number, uint64_t time_ns,
                              uint8_t *bytes);

/* Frees the memory, but not the struct. */
void message_template_clear(struct message_template *message);

#endif
