/*
 * What a listener's datagrams mean: bytes in, a message or the reason why not; and the samples and
 * the JSON that a message holds.
 *
 * An interface. proto/ implements it, one file a schema, and lists all of them in proto/schemas.c;
 * nothing on this side of it knows a protobuf type. Once made, a schema is immutable, does no I/O,
 * keeps nothing of what it is given, and may be used by any number of threads.
 */
#ifndef SLUICE_COLLECTOR_CONTRACT_SCHEMA_H
#define SLUICE_COLLECTOR_CONTRACT_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/arena.h"
#include "collector/base/error.h"
#include "collector/contract/decode_failure.h"
#include "collector/contract/framing.h"
#include "collector/text/output.h"
#include "collector/text/text.h"

struct schema;

enum decode_result {
    DECODE_OK,
    DECODE_TOO_DEEP,  /* nested deeper than SCHEMA_MAX_DEPTH */
    DECODE_TOO_LARGE, /* the arena was too small for the decoded message */
    DECODE_MALFORMED, /* no such message */
};

/* Levels of messages and groups below the outermost one; as protobuf's other implementations. */
#define SCHEMA_MAX_DEPTH 100

/*
 * What a user wrote of a schema. The texts are the caller's, needed only until create returns;
 * NULL: not given. Paths are those of fields: "a.b.c", an extension's as "[its.full.name]".
 */
struct schema_options {
    const char *source;                       /* the name of a built-in one, or a file */
    const char *message;                      /* of a file: full name of the outermost message */
    const char *nested;                       /* of a file: bytes fields that hold messages */
    const char *sequence, *sequence_key;      /* of a file: the sender's number, and who it is */
    const char *name, *value, *time, *labels; /* of a file: how samples are read */
};

/* What a datagram's bytes turned out to be. */
struct decoded {
    const void *message;           /* for the schema's operations; NULL: none */
    size_t unknown_fields;         /* of it and of all that it holds */
    struct decode_failure failure; /* written only where there is no message */
};

/* How many of a message's fields, at all levels, a schema knows. */
struct schema_fields {
    size_t known; /* values of those that are no messages themselves */
    size_t unknown;
};

/* The arena was too small for what a schema adds to the message. Returns DECODE_TOO_LARGE. */
static inline enum decode_result decoded_no_room(struct decoded *out)
{
    *out = (struct decoded){.failure = {.cause = CAUSE_NO_ROOM}};
    return DECODE_TOO_LARGE;
}

/* The numbers that a sender put on its datagram (see collector/senders/sequence.h). */
struct datagram_sequence {
    struct text sender;
    uint64_t boot_id;
    uint64_t number;
};

/* What a number is. Of a histogram or a summary its type says enough. */
enum sample_kind {
    SAMPLE_GAUGE,          /* the value now */
    SAMPLE_COUNTER,        /* a sum that only grows, but for a restart */
    SAMPLE_UPDOWN_COUNTER, /* a sum that falls as well */
};

/* What a sum or a histogram covers. */
enum sample_temporality {
    SAMPLE_NO_TEMPORALITY, /* not given, or, as with a gauge, there is none */
    SAMPLE_CUMULATIVE,     /* all since start_time_ns */
    SAMPLE_DELTA,          /* since the sample before */
};

enum sample_value_type {
    SAMPLE_DOUBLE,
    SAMPLE_FLOAT, /* a double that was sent as a 32-bit float */
    SAMPLE_INT64,
    SAMPLE_UINT64,
    SAMPLE_HISTOGRAM,
    SAMPLE_EXPONENTIAL_HISTOGRAM,
    SAMPLE_SUMMARY,
};

/* What is known of all values together; what is not given is 0. */
struct sample_totals {
    uint64_t count;
    bool has_sum, has_min, has_max;
    double sum, min, max;
};

/* As it was sent: a sender may break what is said here of bounds and counts. */
struct sample_histogram {
    struct sample_totals totals;
    const double *bounds; /* upper, inclusive, ascending */
    size_t bound_count;
    const uint64_t *counts; /* one more than the bounds, or none at all */
    size_t count_count;
};

/*
 * With base = 2^(2^-scale), counts[i] is how many values lie above base^(offset+i) and not above
 * base^(offset+i+1); below zero the same of their magnitudes.
 */
struct sample_buckets {
    int32_t offset;
    const uint64_t *counts;
    size_t count_count;
};

struct sample_exponential_histogram {
    struct sample_totals totals;
    int32_t scale;
    uint64_t zero_count;   /* values no farther from zero than the threshold */
    double zero_threshold; /* 0 or more */
    struct sample_buckets positive, negative;
};

/* Its quantiles are walked by next_quantile. */
struct sample_summary {
    struct sample_totals totals;
};

/* So many of the values, as a share of 1, are not above this one; 0 is the least, 1 the largest. */
struct sample_quantile {
    double quantile;
    double value;
};

/* One metric value. Its texts live as long as the message. */
struct sample {
    struct text name;
    enum sample_kind kind;
    enum sample_temporality temporality;
    enum sample_value_type type;
    union {
        double number; /* SAMPLE_DOUBLE and SAMPLE_FLOAT */
        int64_t int64;
        uint64_t uint64;
        struct sample_histogram histogram;
        struct sample_exponential_histogram exponential_histogram;
        struct sample_summary summary;
    } value;
    struct text unit;      /* empty: not given */
    int64_t time_ns;       /* nanoseconds since 1970 UTC; 0: not given, the arrival counts */
    int64_t start_time_ns; /* since when a cumulative value counts; 0: not given */
    size_t index;          /* the schema's own: where the sample stands in its message, */
    size_t outer[3];       /* and where what it is nested in does, the outermost first */
};

/* One of the values that a sample sums up, and where it was measured. */
struct sample_exemplar {
    enum sample_value_type type; /* SAMPLE_DOUBLE or SAMPLE_INT64 */
    union {
        double number;
        int64_t int64;
    } value;
    int64_t time_ns;               /* nanoseconds since 1970 UTC; 0: not given */
    struct text trace_id, span_id; /* bytes, mostly 16 and 8; empty: not given */
    size_t index;                  /* the schema's own: where it stands in its sample */
};

struct label {
    struct text key; /* lives as long as the message, also where its value had to be made */
    struct text value;

    /*
     * Not NULL: this label and those that follow it belong to this part of the message, and each of
     * its samples has them, in this order, after its own. Who walks sets it to NULL before each
     * step.
     */
    const void *shared;
};

/*
 * A place in a walk, zero at its beginning but for `scratch`: room for texts that have to be made
 * first (a number as a label's value). Such a text stands until the walk goes on or ends, which
 * gives its bytes back; walks that share a scratch arena may so be nested. A walk that is given up
 * before its end leaves them to the caller. A text that does not fit is empty and sets
 * scratch->exhausted: what was walked cannot be written then.
 */
struct schema_cursor {
    size_t stage; /* the schema's own, as index and outer are */
    size_t index;
    size_t outer[3];
    struct arena *scratch;
    size_t made; /* bytes of scratch that the last step took */
};

/* How the protobuf JSON mapping is written. */
struct json_style {
    bool proto_names;   /* the .proto file's names rather than lowerCamelCase */
    bool int64_numbers; /* 64-bit integers as numbers rather than strings */
    bool show_unknown;  /* fields that the schema does not know, too */
};

/* Bytes that an answer has at most. */
#define SCHEMA_ANSWER_MOST 128

struct schema_ops {
    const char *name;
    bool accepts_empty; /* a zero-length datagram is a valid message */

    /* The text of its .proto file; NULL: it has several, or the user's. */
    const unsigned char *proto;
    const size_t *proto_size;

    /* How its messages stand in a stream where nothing else is said; FRAMING_DATAGRAM: not known.
     */
    enum framing stream_framing;

    bool is_otlp;          /* its messages are requests of OpenTelemetry's protocol, */
    const char *otlp_path; /* which are posted there: "/v1/logs" (OTLP 1, "OTLP/HTTP Request") */

    enum otlp_udp_signal otlp_udp; /* which requests of OTLP over UDP are its messages */

    /* Returns 0, or -1 with `error` filled, which says what is wrong with the options or the file.
     */
    int (*create)(const struct schema_options *options, struct schema **out, struct error *error);
    /* By whichever thread used it last. NULL is allowed. */
    void (*destroy)(struct schema *schema);

    /*
     * Decodes `size` bytes into `arena` and fills `out`. The message may refer to `data`, which
     * must live as long. On any other result than DECODE_OK out->message is NULL, out->failure says
     * why, and the arena's `used` is as it was.
     */
    enum decode_result (*decode)(const struct schema *schema, const uint8_t *data, size_t size,
                                 struct arena *arena, struct decoded *out);

    /* The next sample of the message, or false at the end. Only where the schema has samples. */
    bool (*next_sample)(const struct schema *schema, const void *message,
                        struct schema_cursor *cursor, struct sample *sample);

    /* The next label of a sample; the first of two with the same key is the one that counts. */
    bool (*next_label)(const struct schema *schema, const void *message,
                       const struct sample *sample, struct schema_cursor *cursor,
                       struct label *label);

    /* The next quantile of a sample that is a SAMPLE_SUMMARY. NULL: the schema has none of those.
     */
    bool (*next_quantile)(const struct schema *schema, const void *message,
                          const struct sample *sample, struct schema_cursor *cursor,
                          struct sample_quantile *quantile);

    /* The next exemplar of a sample, and the next label of one. NULL: the schema has none. */
    bool (*next_exemplar)(const struct schema *schema, const void *message,
                          const struct sample *sample, struct schema_cursor *cursor,
                          struct sample_exemplar *exemplar);
    bool (*next_exemplar_label)(const struct schema *schema, const void *message,
                                const struct sample *sample, const struct sample_exemplar *exemplar,
                                struct schema_cursor *cursor, struct label *label);

    /*
     * The next item of the message: a log record, a span, whatever it is a list of; false at the
     * end. *time_ns is when it was, 0 where it does not say. NULL: it is no list of items.
     */
    bool (*next_item)(const struct schema *schema, const void *message,
                      struct schema_cursor *cursor, int64_t *time_ns);

    /*
     * Appends the item that `cursor` is at, and what it belongs to, as members of a JSON object,
     * none of which stands twice. `out` overflows also where that takes too long to decide.
     */
    void (*write_item)(const struct schema *schema, const void *message,
                       struct schema_cursor *cursor, struct output *out);

    /*
     * Appends the message in the protobuf JSON mapping. Returns how many values have no form there
     * (a Timestamp out of range, an Any of an unknown type) and stand as their plain fields.
     * `scratch`, which is left as it was, is room for the decoded content of an Any.
     */
    size_t (*write_json)(const struct schema *schema, const void *message,
                         const struct json_style *style, struct arena *scratch, struct output *out);

    /* Counts its fields. It takes as long as walking over all of the message. */
    struct schema_fields (*count_fields)(const struct schema *schema, const void *message);

    /*
     * Appends the message in the protobuf wire format, unknown fields included, to `out` (which
     * overflows like any output).
     */
    void (*write_protobuf)(const struct schema *schema, const void *message, struct output *out);

    /* Reads the sender's numbers; false where the datagram carries none. NULL: the schema has none.
     */
    bool (*sequence)(const struct schema *schema, const void *message,
                     struct datagram_sequence *sequence);

    /*
     * Writes what answers a message that came in a stream, at most SCHEMA_ANSWER_MOST bytes without
     * a frame, and returns how many: of `message`, which was taken, or, where that is NULL, of one
     * that was refused for the reason `why`. NULL: nothing is answered.
     */
    size_t (*answer)(const void *message, const char *why, uint8_t *to);

    /*
     * Whether two schemas of these operations read the same numbers of the same senders from every
     * message. NULL: they always do.
     */
    bool (*same_numbers)(const struct schema *a, const struct schema *b);
};

/* Every implementation begins with this. */
struct schema {
    const struct schema_ops *ops;
    const char *name; /* of a built-in one as in its ops; else the full name of its message */
    bool has_samples; /* next_sample and what walks its samples may be called */
};

#endif
