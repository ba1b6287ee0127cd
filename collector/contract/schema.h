/*
 * A schema decodes the bytes of a datagram to a message, and reads samples and JSON from the
 * message.
 *
 * An interface. proto/ implements it, one file for each schema, and lists them in proto/schemas.c;
 * no code outside proto/ depends on protobuf types. A schema is immutable, does no I/O, keeps no
 * reference to its arguments, and may be used by any number of threads.
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
    DECODE_TOO_LARGE, /* the arena is too small for the decoded message */
    DECODE_MALFORMED, /* not a message of the schema */
};

/*
 * The maximum number of levels of messages and groups below the outermost message; protobuf's other
 * implementations have the same limit.
 */
#define SCHEMA_MAX_DEPTH 100

/*
 * The settings of a schema. The strings are owned by the caller and needed only until create
 * returns; NULL: not given. Field paths are "a.b.c", with extensions as "[its.full.name]".
 */
struct schema_options {
    const char *source;  /* name of a built-in schema, or a file or folder */
    const char *message; /* schema from a file: full name of the outermost message */
    const char *nested;  /* schema from a file: bytes fields that contain messages */
    const char *sequence,
        *sequence_key; /* schema from a file: fields of the sequence number and the sender */
    const char *name, *value, *time, *labels; /* schema from a file: how samples are read */
    bool text_samples; /* if `value` ends with "*", texts that are not labels also become samples */
};

/* The result of decoding. */
struct decoded {
    const void *message;       /* argument of the schema's operations; NULL: decoding failed */
    size_t unknown_fields;     /* number of unknown fields in the message and all nested
                                  messages */
    size_t series_repeated;    /* samples whose name and labels are those of an earlier
                                  sample */
    struct text repeated_name; /* name of the first of these samples; valid as long as `message` */
    struct decode_failure failure; /* valid only if `message` is NULL */
};

/* The numbers of fields in a message, at all levels. */
struct schema_fields {
    size_t known; /* values of fields that the schema knows; messages are not counted, only their
                     fields */
    size_t unknown;
};

/* An extension field of a message that no .proto file declares. */
struct schema_undeclared {
    uint32_t number;
    const char *message; /* full name of the message type */
};

/*
 * Fills *out when the arena is too small for data that the schema adds to the message. Returns
 * DECODE_TOO_LARGE.
 */
static inline enum decode_result decoded_no_room(struct decoded *out)
{
    *out = (struct decoded){.failure = {.cause = CAUSE_NO_ROOM}};
    return DECODE_TOO_LARGE;
}

/* The sequence number of a datagram (collector/senders/sequence.h). */
struct datagram_sequence {
    struct text sender;
    uint64_t boot_id;
    uint64_t number;
    bool wraps; /* 0 follows 2^32 - 1; the same for all messages of a schema */
};

/* The meaning of a sample's number. Not used for histograms and summaries. */
enum sample_kind {
    SAMPLE_GAUGE,          /* the current value */
    SAMPLE_COUNTER,        /* a sum that only increases, except at a restart */
    SAMPLE_UPDOWN_COUNTER, /* a sum that may also decrease */
};

/* The period that a sum or a histogram covers. */
enum sample_temporality {
    SAMPLE_NO_TEMPORALITY, /* not given, or not applicable (a gauge) */
    SAMPLE_CUMULATIVE,     /* since start_time_ns */
    SAMPLE_DELTA,          /* since the previous sample */
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

/* Totals of all values in a sample; a count of 0 means not given. */
struct sample_totals {
    uint64_t count;
    bool has_sum, has_min, has_max;
    double sum, min, max;
};

/*
 * A histogram as the sender sent it. It is not checked, so it may violate the comments on bounds
 * and counts.
 */
struct sample_histogram {
    struct sample_totals totals;
    const double *bounds; /* upper bounds, inclusive, ascending */
    size_t bound_count;
    const uint64_t *counts; /* one count more than bounds, or no counts */
    size_t count_count;
};

/*
 * The buckets of an exponential histogram. With base = 2^(2^-scale), counts[i] is the number of
 * values above base^(offset+i) and at most base^(offset+i+1). Buckets of negative values count
 * magnitudes.
 */
struct sample_buckets {
    int32_t offset;
    const uint64_t *counts;
    size_t count_count;
};

struct sample_exponential_histogram {
    struct sample_totals totals;
    int32_t scale;
    uint64_t zero_count;   /* values whose magnitude is at most zero_threshold */
    double zero_threshold; /* 0 or more */
    struct sample_buckets positive, negative;
};

/* A summary. next_quantile reads its quantiles. */
struct sample_summary {
    struct sample_totals totals;
};

/* `value` is the quantile (0 to 1) of the sample's values: 0 is the minimum, 1 the maximum. */
struct sample_quantile {
    double quantile;
    double value;
};

/* One metric value. Its texts are valid as long as the message. */
struct sample {
    struct text name;
    enum sample_kind kind;
    enum sample_temporality temporality;
    enum sample_value_type type;
    union {
        double number; /* SAMPLE_DOUBLE or SAMPLE_FLOAT */
        int64_t int64;
        uint64_t uint64;
        struct sample_histogram histogram;
        struct sample_exponential_histogram exponential_histogram;
        struct sample_summary summary;
    } value;
    struct text unit;        /* empty: the sender gave no unit */
    struct text description; /* empty: the sender gave no description */
    bool missing;            /* the sender has reported that there is no value any more; the number,
                              * or the counts, are 0 */
    int64_t time_ns;       /* nanoseconds since 1970 UTC; 0 means not given, use the arrival time */
    int64_t start_time_ns; /* start of a cumulative value, or 0 if not given */
    size_t index;          /* for the schema's use: position of the sample in its message */
    size_t outer[3];       /* positions of its enclosing elements, the outermost first */
};

/* One of the measurements that a sample summarises, with its trace. */
struct sample_exemplar {
    enum sample_value_type type; /* SAMPLE_DOUBLE or SAMPLE_INT64 */
    union {
        double number;
        int64_t int64;
    } value;
    int64_t time_ns;               /* nanoseconds since 1970 UTC, or 0 if not given */
    struct text trace_id, span_id; /* binary, usually 16 and 8 bytes; empty: not given */
    size_t index;                  /* for the schema's use: position in its sample */
};

struct label {
    struct text key; /* valid as long as the message is, also if `value` is in scratch */
    struct text value;

    /*
     * If not NULL, this label and the labels after it belong to this part of the message. All
     * samples of the part have these labels in this order, after their own labels. The caller sets
     * it to NULL before each step.
     */
    const void *shared;
};

/*
 * The position of an iteration. Set all members to zero before the first step, except `scratch`,
 * the arena for texts that must be formatted (a number as a label's value). Such a text is valid
 * until the next step, which frees its bytes. Iterations that share an arena may therefore be
 * nested. A caller that ends an iteration early must free the last step's bytes (`made`). If a text
 * does not fit, it is empty and scratch->exhausted is set; the caller must then not write the
 * element.
 */
struct schema_cursor {
    size_t stage; /* stage, index and outer are for the schema's use */
    size_t index;
    size_t outer[3];
    struct arena *scratch;
    size_t made;  /* bytes of scratch used by the last step */
    bool missing; /* set by the caller: next_sample also returns samples with `missing` set */
};

/* Options of the protobuf JSON mapping. */
struct json_style {
    bool proto_names;   /* field names as in the .proto file, not lowerCamelCase */
    bool int64_numbers; /* 64-bit integers as numbers, not strings */
    bool show_unknown;  /* include fields that the schema does not know */
};

/* The maximum number of bytes that a schema's `answer` writes. */
#define SCHEMA_ANSWER_MOST 128

struct schema_ops {
    const char *name;
    bool accepts_empty; /* a zero-length datagram is a valid message */

    /*
     * The text of the schema's .proto file. NULL if the schema is from a file, or has several
     * .proto files.
     */
    const unsigned char *proto;
    const size_t *proto_size;

    /* The default framing in streams; FRAMING_DATAGRAM if there is no default. */
    enum framing stream_framing;

    bool is_otlp;          /* its messages are OTLP requests */
    const char *otlp_path; /* path of its requests: "/v1/logs" (OTLP 1, "OTLP/HTTP Request") */

    enum otlp_udp_signal otlp_udp; /* its signal in OTLP over UDP */

    /* Returns 0, or -1 with `error` filled: the options or the file are invalid. */
    int (*create)(const struct schema_options *options, struct schema **out, struct error *error);
    /* Called by the last thread that uses the schema. NULL is allowed. */
    void (*destroy)(struct schema *schema);

    /*
     * Decodes `size` bytes into `arena` and fills `out`. The message may refer to `data`, which
     * must live as long as the message. If the result is not DECODE_OK, out->message is NULL,
     * out->failure is filled, and the arena's `used` is unchanged.
     */
    enum decode_result (*decode)(const struct schema *schema, const uint8_t *data, size_t size,
                                 struct arena *arena, struct decoded *out);

    /*
     * Reads the next sample of the message; returns false at the end. Called only if the schema has
     * samples.
     */
    bool (*next_sample)(const struct schema *schema, const void *message,
                        struct schema_cursor *cursor, struct sample *sample);

    /*
     * Reads the next label of a sample; returns false at the end. If several labels have the same
     * key, only the first one is valid.
     */
    bool (*next_label)(const struct schema *schema, const void *message,
                       const struct sample *sample, struct schema_cursor *cursor,
                       struct label *label);

    /*
     * Sets *bytes to bytes of the message that determine a sample's own labels: samples of this
     * schema with the same bytes have the same labels. If the sample is NULL, they determine the
     * labels that all samples of the message share and that follow their own. Returns false if the
     * message has no such bytes. NULL if the schema has no such messages.
     */
    bool (*label_bytes)(const void *message, const struct sample *sample, struct text *bytes);

    /*
     * Reads the next quantile of a SAMPLE_SUMMARY; returns false at the end. NULL if the schema has
     * no summaries.
     */
    bool (*next_quantile)(const struct schema *schema, const void *message,
                          const struct sample *sample, struct schema_cursor *cursor,
                          struct sample_quantile *quantile);

    /*
     * Read the next exemplar of a sample, and the next label of an exemplar; return false at the
     * end. NULL if the schema has no exemplars.
     */
    bool (*next_exemplar)(const struct schema *schema, const void *message,
                          const struct sample *sample, struct schema_cursor *cursor,
                          struct sample_exemplar *exemplar);
    bool (*next_exemplar_label)(const struct schema *schema, const void *message,
                                const struct sample *sample, const struct sample_exemplar *exemplar,
                                struct schema_cursor *cursor, struct label *label);

    /*
     * Moves to the next item of the message (a log record, a span); returns false at the end.
     * *time_ns is the item's time, or 0 if not given. NULL if messages are not lists of items.
     */
    bool (*next_item)(const struct schema *schema, const void *message,
                      struct schema_cursor *cursor, int64_t *time_ns);

    /*
     * Appends the current item of `cursor` and its enclosing elements as members of a JSON object;
     * each name appears once. `out` also overflows if the search for repeated names takes too long.
     */
    void (*write_item)(const struct schema *schema, const void *message,
                       struct schema_cursor *cursor, struct output *out);

    /*
     * Appends the message in the protobuf JSON mapping. Values that the mapping cannot represent (a
     * Timestamp out of range, an Any of an unknown type) are written as plain fields; returns their
     * number. `scratch` is used for the content of an Any and restored.
     */
    size_t (*write_json)(const struct schema *schema, const void *message,
                         const struct json_style *style, struct arena *scratch, struct output *out);

    /* Counts the fields of the message, which it visits completely. */
    struct schema_fields (*count_fields)(const struct schema *schema, const void *message);

    /*
     * Finds a field of the message that is an extension without a declaration; returns false if
     * there is none. The schema owns the text in *out. NULL if messages have no extensions.
     */
    bool (*find_undeclared)(const struct schema *schema, const void *message,
                            struct schema_undeclared *out);

    /*
     * Appends the message in the protobuf wire format, including unknown fields, to `out` (which
     * overflows like any output).
     */
    void (*write_protobuf)(const struct schema *schema, const void *message, struct output *out);

    /*
     * Reads the sequence number; returns false if the datagram has no number. NULL if the schema
     * has no sequence numbers.
     */
    bool (*sequence)(const struct schema *schema, const void *message,
                     struct datagram_sequence *sequence);

    /*
     * Returns the name that the sender gives itself, or an empty text. NULL if messages have no
     * such name.
     */
    struct text (*sender_id)(const struct schema *schema, const void *message);

    /*
     * Writes the answer to a message from a stream, without a frame, and returns its size, at most
     * SCHEMA_ANSWER_MOST bytes. If `message` is not NULL it was accepted; if it is NULL, a message
     * was refused for the reason `why`. NULL if the protocol has no answers.
     */
    size_t (*answer)(const void *message, const char *why, uint8_t *to);

    /*
     * Returns true if the schemas `a` and `b`, which share these operations, read the same sequence
     * numbers and senders from every message. NULL if that is always true.
     */
    bool (*same_numbers)(const struct schema *a, const struct schema *b);
};

/* The first member of every implementation. */
struct schema {
    const struct schema_ops *ops;
    /* The name in `ops` for a built-in schema, otherwise the full name of its message. */
    const char *name;
    bool has_samples; /* the functions that read samples may be called */
    /* A problem of its files that does not prevent their use, for the log; otherwise NULL. */
    const char *warning;
};

#endif
