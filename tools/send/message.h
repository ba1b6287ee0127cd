/*
 * The messages that sluice-send sends: one kind for each schema.
 *
 * A message is encoded once and then stamped: the number and the time of each datagram are written
 * into a copy of the encoded bytes. The message is encoded again only when the number needs more
 * bytes. Every message contains its sender. Its metrics come from a fixed table, so that a run can
 * be repeated.
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

/* The content of the messages of one sender. */
struct message_plan {
    struct text sender; /* at most 100 bytes; belongs to the caller */
    uint64_t boot_id;
    size_t samples;    /* number of metrics in a message */
    struct text given; /* the bytes of message_given; belongs to the caller */
    size_t size;       /* size of the message in bytes; 0: unpadded */
    size_t reserved;   /* bytes of a datagram that the message leaves free, for its seal */
    size_t padding;    /* bytes added to the longest text to reach `size` */
    size_t padding2;   /* bytes added to a second text, for a size that `padding` skips */
};

/* How the messages of one schema are made. */
struct message_shape {
    const char *name; /* name of the schema */

    /* Number of a repeated field (1 to 15) with messages as elements. */
    uint8_t member;

    /* Appends the message with this number and time (nanoseconds since 1970 UTC) to `out`. */
    void (*encode)(const struct message_plan *plan, uint64_t number, uint64_t time_ns,
                   struct output *out);

    /*
     * Overwrites the number and the time in an encoded message. The new number must have the same
     * encoded size as the old one.
     */
    void (*stamp)(const struct message_plan *plan, uint8_t *bytes, size_t size, uint64_t number,
                  uint64_t time_ns);
};

/*
 * The shapes of all synthetic messages, each with the name of its schema. The list ends with NULL.
 */
extern const struct message_shape *const message_shapes[];

/* Each shape is in its own file; only those of OTLP share a file. */
extern const struct message_shape message_telemetry;
extern const struct message_shape message_riemann;
extern const struct message_shape message_otlp;
extern const struct message_shape message_otlp_logs;
extern const struct message_shape message_otlp_traces;

/* The shape of a message that is sent unchanged: the bytes `given` of the plan. Not in the list. */
extern const struct message_shape message_given;

/*
 * Writes the fields that begin every telemetry datagram. The stamp of message_telemetry relies on
 * their order and sizes.
 */
void message_telemetry_begin(const struct message_plan *plan, uint64_t number, uint64_t time_ns,
                             struct output *out);

/*
 * A metric of the fixed table: its name, and a label that distinguishes metrics with the same name.
 */
struct metric {
    const char *name;
    const char *unit;  /* UCUM */
    const char *label; /* key of a label; the value is the number of passes through the table */
    double value;
    bool counter; /* a cumulative counter; false: a gauge */
};

/* Returns the metric for sample `index` of a message. The table repeats after its last metric. */
const struct metric *metric_at(size_t index);

/*
 * Writes the label's value for sample `index` to `text`, as decimal digits. `text` has
 * METRIC_LABEL_SIZE bytes. Returns the length.
 */
#define METRIC_LABEL_SIZE 24
size_t metric_label(size_t index, char *text);

struct message_template {
    const struct message_shape *shape;
    struct message_plan plan;
    uint8_t *bytes;
    size_t size;
    size_t capacity;
    size_t number_size; /* bytes that the number takes as a varint */
};

/*
 * Makes the template. `last_number` is the largest number that will be stamped: plan->size must
 * have room for a message with this number. Returns 0, or -1 with `error` filled: the message does
 * not fit in a datagram, or cannot have that size (EXIT_CODE_USAGE), or out of memory
 * (EXIT_CODE_INTERNAL). The caller clears the template in either case.
 */
int message_template_init(struct message_template *made, const struct message_shape *shape,
                          const struct message_plan *plan, uint64_t last_number,
                          struct error *error);

/*
 * Writes the message with this number and time to `bytes`, which has room for UDP_PAYLOAD_MAX
 * bytes, and returns its size. A number must not exceed last_number, and its varint must not be
 * shorter than that of an earlier number.
 */
size_t message_template_stamp(struct message_template *message, uint64_t number, uint64_t time_ns,
                              uint8_t *bytes);

/* Frees the memory, but not the struct. */
void message_template_clear(struct message_template *message);

#endif
