/*
 * Makes the messages of sluice-send: one kind for each schema.
 *
 * A message is encoded once and then stamped: the number and the time of each datagram are written
 * into a copy of the encoded bytes. It is encoded again only when the number needs more bytes.
 * Every message contains its sender. Its metrics are from a fixed table, so that a run can be
 * repeated.
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
    struct text sender; /* at most 100 bytes; owned by the caller */
    uint64_t boot_id;
    size_t samples;    /* number of metrics in a message */
    struct text given; /* bytes of message_given; owned by the caller */
    size_t size;       /* bytes of the message; 0: unpadded */
    size_t reserved;   /* bytes of a datagram to leave free for its seal */
    size_t padding;    /* bytes added to the longest text to reach `size` */
    size_t padding2;   /* bytes added to a second text, for sizes that `padding` cannot reach */
};

/* Makes the messages of one schema. */
struct message_shape {
    const char *name; /* name of the schema */

    /* The number (1 to 15) of a field that is a list of messages. */
    uint8_t member;

    /* Appends the message with the number and the time (nanoseconds since 1970 UTC). */
    void (*encode)(const struct message_plan *plan, uint64_t number, uint64_t time_ns,
                   struct output *out);

    /*
     * Overwrites the number and the time in an encoded message. Both numbers must have the same
     * encoded size.
     */
    void (*stamp)(const struct message_plan *plan, uint8_t *bytes, size_t size, uint64_t number,
                  uint64_t time_ns);
};

/* The shapes of all synthetic messages, ending with NULL. */
extern const struct message_shape *const message_shapes[];

/* Each of these is in its own file, except that those of OTLP share one. */
extern const struct message_shape message_telemetry;
extern const struct message_shape message_riemann;
extern const struct message_shape message_otlp;
extern const struct message_shape message_otlp_logs;
extern const struct message_shape message_otlp_traces;

/* Sends the bytes `given` of the plan unchanged. It is not in the list message_shapes. */
extern const struct message_shape message_given;

/*
 * Writes the first fields of every telemetry datagram. The stamp of message_telemetry relies on
 * their order and sizes.
 */
void message_telemetry_begin(const struct message_plan *plan, uint64_t number, uint64_t time_ns,
                             struct output *out);

/* A metric of the fixed table. The label distinguishes metrics with the same name. */
struct metric {
    const char *name;
    const char *unit;  /* UCUM */
    const char *label; /* key of the label; its value is the number of passes through the table */
    double value;
    bool counter; /* a cumulative counter; otherwise a gauge */
};

/*
 * Returns the metric for sample `index` of a message. After its last row, the table begins again.
 */
const struct metric *metric_at(size_t index);

/*
 * Writes the value of the label for sample `index` to `text`, in decimal digits. `text` has
 * METRIC_LABEL_SIZE bytes. Returns the length of the value.
 */
#define METRIC_LABEL_SIZE 24
size_t metric_label(size_t index, char *text);

struct message_template {
    const struct message_shape *shape;
    struct message_plan plan;
    uint8_t *bytes;
    size_t size;
    size_t capacity;
    size_t number_size; /* bytes of the number as a varint */
};

/*
 * Makes the template. `last_number` is the largest number to stamp; a message with it must not
 * exceed plan->size. Returns 0, or -1 with `error` filled: the message does not fit in a datagram,
 * or cannot have that size (EXIT_CODE_USAGE), or out of memory (EXIT_CODE_INTERNAL). The caller
 * clears the template in both cases.
 */
int message_template_init(struct message_template *made, const struct message_shape *shape,
                          const struct message_plan *plan, uint64_t last_number,
                          struct error *error);

/*
 * Writes the message with the number and the time to `bytes`, which has UDP_PAYLOAD_MAX bytes.
 * Returns its size. A number must not exceed last_number, and its varint must not be shorter than
 * that of an earlier number.
 */
size_t message_template_stamp(struct message_template *message, uint64_t number, uint64_t time_ns,
                              uint8_t *bytes);

/* Frees the memory, but not the struct. */
void message_template_clear(struct message_template *message);

#endif
