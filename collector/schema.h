/*
 * What a listener's datagrams mean: bytes in, a message or the reason why not; and the samples and
 * the JSON that a message holds.
 *
 * An interface. proto/ implements it, one file a schema, and lists all of them in proto/schemas.c;
 * nothing on this side of it knows a protobuf type. A schema is immutable once made, does no I/O,
 * keeps nothing of what it is given, and may be used by any number of threads.
 */
#ifndef SLUICE_COLLECTOR_SCHEMA_H
#define SLUICE_COLLECTOR_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/arena.h"
#include "collector/text/output.h"

struct schema;

/* Bytes that belong to somebody else; no NUL at the end, any bytes inside. */
struct text {
    const char *data;
    size_t size;
};

enum decode_result {
    DECODE_OK,
    DECODE_TOO_DEEP,  /* nested deeper than SCHEMA_MAX_DEPTH */
    DECODE_TOO_LARGE, /* the arena was too small for the decoded message */
    DECODE_MALFORMED, /* no such message */
};

/* Levels of messages and groups below the outermost one; as protobuf's other implementations. */
#define SCHEMA_MAX_DEPTH 100

/* The numbers that a sender put on its datagram (see collector/sequence.h). */
struct datagram_sequence {
    struct text sender;
    uint64_t boot_id;
    uint64_t number;
};

enum sample_kind { SAMPLE_GAUGE, SAMPLE_CUMULATIVE, SAMPLE_DELTA };

enum sample_value_type {
    SAMPLE_DOUBLE,
    SAMPLE_FLOAT, /* a double that was sent as a 32-bit float */
    SAMPLE_INT64,
    SAMPLE_UINT64,
    SAMPLE_HISTOGRAM,
};

struct sample_histogram {
    uint64_t count;
    double sum;
    bool has_min, has_max;
    double min, max;
    const double *bounds; /* upper, inclusive, ascending */
    size_t bound_count;
    const uint64_t *counts; /* one more than the bounds, or none at all */
    size_t count_count;
};

/* One metric value. Its texts live as long as the message. */
struct sample {
    struct text name;
    enum sample_kind kind;
    enum sample_value_type type;
    union {
        double number; /* SAMPLE_DOUBLE and SAMPLE_FLOAT */
        int64_t int64;
        uint64_t uint64;
        struct sample_histogram histogram;
    } value;
    struct text unit;      /* empty: not told */
    int64_t time_ns;       /* nanoseconds since 1970 UTC; 0: not told, the arrival counts */
    int64_t start_time_ns; /* since when a cumulative value counts; 0: not told */
    size_t index;          /* the schema's own: where the sample stands in its message */
};

struct label {
    struct text key;
    struct text value;
};

/* A place in a walk, all zero at its beginning. Its meaning is the schema's own. */
struct schema_cursor {
    size_t stage;
    size_t index;
};

/* How the protobuf JSON mapping is written. */
struct json_style {
    bool proto_names;   /* the .proto file's names rather than lowerCamelCase */
    bool int64_numbers; /* 64-bit integers as numbers rather than strings */
};

struct schema_ops {
    const char *name;
    bool accepts_empty; /* a zero-length datagram is a valid message */

    /* Makes and frees a schema. create returns NULL where memory is short. */
    struct schema *(*create)(void);
    void (*destroy)(struct schema *schema);

    /*
     * Decodes `size` bytes into `arena` and sets *message. `scratch` is for what the decoder needs
     * only while it runs; it is empty before and after. On any other result than DECODE_OK
     * *message is NULL and the arena's `used` is as it was.
     */
    enum decode_result (*decode)(const struct schema *schema, const uint8_t *data, size_t size,
                                 struct arena *arena, struct arena *scratch, const void **message);

    /* The next sample of the message, or false at the end. */
    bool (*next_sample)(const struct schema *schema, const void *message,
                        struct schema_cursor *cursor, struct sample *sample);

    /* The next label of a sample; the first of two with the same key is the one that counts. */
    bool (*next_label)(const struct schema *schema, const void *message,
                       const struct sample *sample, struct schema_cursor *cursor,
                       struct label *label);

    /* Appends the message in the protobuf JSON mapping. */
    void (*write_json)(const struct schema *schema, const void *message,
                       const struct json_style *style, struct output *out);

    /*
     * Appends the message in the protobuf wire format, unknown fields included, to `out` (which
     * overflows like any output).
     */
    void (*write_protobuf)(const struct schema *schema, const void *message, struct output *out);

    /* Reads the sender's numbers; false where the datagram carries none. NULL: the schema has none.
     */
    bool (*sequence)(const struct schema *schema, const void *message,
                     struct datagram_sequence *sequence);
};

/* Every implementation begins with this. */
struct schema {
    const struct schema_ops *ops;
};

#endif
