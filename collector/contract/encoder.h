/*
 * An encoder turns records into bytes.
 *
 * An interface. Each file in sinks/encoders/ implements it for one format, and sinks/sinks.c lists
 * them; any encoder works with any destination. After create and begin, only the sink's thread
 * calls an encoder.
 */
#ifndef SLUICE_COLLECTOR_CONTRACT_ENCODER_H
#define SLUICE_COLLECTOR_CONTRACT_ENCODER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/contract/listener.h"
#include "collector/contract/record.h"
#include "collector/contract/sample_rules.h"
#include "collector/contract/schema.h"
#include "collector/contract/series_limits.h"
#include "collector/platform/output_file.h"
#include "collector/text/output.h"

enum sink_view {
    VIEW_AUTO,    /* VIEW_SAMPLE if the schema has samples, otherwise VIEW_MESSAGE */
    VIEW_SAMPLE,  /* one line per metric value; only for schemas that have samples */
    VIEW_MESSAGE, /* one line per message */
    VIEW_RECORD,  /* one line per item (next_item of struct schema_ops); only for schemas that have
                     items */
};

/* The values of view= by enum sink_view, then NULL. */
extern const char *const sink_view_names[];

/* Which histograms become native histograms of Prometheus. */
enum native_histograms {
    NATIVE_OFF,
    NATIVE_EXPONENTIAL, /* exponential histograms */
    NATIVE_ALL,         /* exponential histograms, and explicit histograms as native histograms with
                         * custom buckets */
};

/* The values of native_histograms= by enum native_histograms, then NULL. */
extern const char *const native_histograms_names[];

/*
 * Values of buckets=, which selects the buckets of a histogram that are written. Any other value is
 * the maximum number of buckets.
 */
#define BUCKETS_ALL UINT64_C(0)
#define BUCKETS_CHANGED                                                                            \
    UINT64_MAX /* buckets whose count differs from the previous bucket's: classic_buckets.h */

/*
 * The range of a maximum number of buckets. Every histogram can be merged to BUCKETS_LEAST buckets,
 * and has fewer than BUCKETS_MOST.
 */
#define BUCKETS_LEAST 8
#define BUCKETS_MOST  100000

struct series_guard;

/* Bytes that format=protobuf writes before each message, in place of its length (schema_id=). */
#define MESSAGE_HEAD_MOST 64
struct message_head {
    size_t size; /* 0: each message follows its length */
    uint8_t bytes[MESSAGE_HEAD_MOST];
};

/* The encoder keys of a sink's URL. */
struct encoder_options {
    enum sink_view view;
    struct json_style json;
    struct sample_rules rules; /* the lists outlive the encoder */
    /* The value of %{hostname}; NULL: this machine's name. Outlives the encoder. */
    const char *host;
    uint64_t buckets;           /* BUCKETS_ALL, BUCKETS_CHANGED or a maximum number */
    uint64_t max_amplification; /* see encoder_allows; 0 means no limit */
    bool counter_suffix;        /* append "_total" to the names of counters */
    enum native_histograms native;
    bool float_numbers; /* write integers as floats (encoders with has_typed_numbers) */
    bool exemplars;     /* write exemplars (encoders with has_native) */
    bool sender_column; /* a column for the sender's name (encoders with has_columns) */
    struct message_head head;
    bool colour; /* for a terminal with colours (encoders with for_people) */
    struct series_limits limits;

    /*
     * The sink's guard, which applies `limits` and outlives the encoder. NULL if there are no
     * limits.
     */
    struct series_guard *series;
};

/* Encoded records up to this size (bytes) are exempt from max_amplification. */
#define AMPLIFICATION_FREE ((size_t)64 * 1024)

/*
 * Returns true if a record may have `bytes` encoded bytes: at most max_amplification times the size
 * of its message. Formats that repeat labels on each line turn a small message (a histogram's
 * buckets) into much output. Without this limit one sender could fill a disk with little traffic.
 */
bool encoder_allows(const struct encoder_options *options, const struct record *record,
                    size_t bytes);

struct encoder;

/* Sizes in bytes of working memory, and of the cache of an encoder that caches parts. */
#define ENCODER_SCRATCH_SIZE ((size_t)512 * 1024)
#define ENCODER_CACHE_SIZE   ((size_t)576 * 1024)

/* The maximum number of bytes of a file from `arrange`. */
#define ARRANGED_SIZE ((size_t)2 * 1024 * 1024)

/* The maximum number of bytes of a file's head (`begin`). */
#define ENCODER_HEAD_SIZE ((size_t)1024)

/* The numbers of lines and samples that a record was encoded to. */
struct encoded {
    size_t lines;
    size_t samples;
    /* Values that the JSON mapping cannot represent (schema.h: write_json). */
    size_t json_fallbacks;
    size_t left_out; /* samples for which the file has no room (arrange) or the format has no
                        form */
    size_t joined;   /* labels whose values were joined because their names became equal */
    /* Numbers of samples that were left out: those of a series beyond max_series=, and those with a
     * time outside the limits. */
    size_t series_refused, out_of_time;
    size_t time_replaced; /* samples written with the arrival time instead of their own */
    size_t arranged;      /* for `arrange`: maximum number of bytes that the record takes in the
                             file */
};

static inline void encoded_add(struct encoded *sum, const struct encoded *one)
{
    sum->lines += one->lines;
    sum->samples += one->samples;
    sum->json_fallbacks += one->json_fallbacks;
    sum->left_out += one->left_out;
    sum->joined += one->joined;
    sum->series_refused += one->series_refused;
    sum->out_of_time += one->out_of_time;
    sum->time_replaced += one->time_replaced;
    sum->arranged += one->arranged;
}

/* One way to write the body of an HTTP request. The strings are literals. */
struct request_shape {
    const char *content_type;     /* the header Content-Type */
    const char *content_encoding; /* the header Content-Encoding; NULL: none, and the destination
                                     may compress the body */
    const char *header;           /* another header, "Name: value"; NULL: none */
};

/*
 * Converts encoded records to the body of one request. The functions are pure; any thread. They
 * need no encoder, because blocks from a spill (records on disk) are sent without one.
 */
struct encoder_request {
    const struct request_shape *shapes; /* every receiver accepts the first shape */
    size_t shape_count;

    /*
     * Returns the bytes of working memory that `write` needs for `size` bytes. NULL if it needs
     * none.
     */
    size_t (*scratch)(size_t size);

    /* Returns an upper bound of the body's bytes for `size` encoded bytes. */
    size_t (*bound)(size_t size);

    /*
     * Appends the body for `size` bytes, which are one or more whole records from the encoder.
     * Returns false if the bytes are not in the encoder's format.
     */
    bool (*write)(size_t shape, const char *bytes, size_t size, void *scratch, struct output *out);
};

struct encoder_ops {
    const char *name;       /* the value of format= */
    const char *media_type; /* media type of its lines; NULL if no type is registered */
    bool needs_samples;     /* it writes only samples, not messages, so it is only for schemas that
                               have samples */
    bool passes_otlp;    /* with needs_samples: it also writes messages of OTLP schemas (is_otlp of
                            struct schema_ops) */
    bool needs_packets;  /* it writes whole datagrams (`packet` of struct record) */
    bool relayed;        /* it writes the datagrams themselves: for relays, and only for them */
    bool overwrites;     /* readers keep only one copy of a repeated sample, so a block can be sent
                          * twice without harm */
    bool requests_alone; /* its output can only be sent as HTTP requests */
    bool has_buckets;    /* histograms become Prometheus buckets */
    bool has_suffixes;   /* supports counter_suffix */
    bool has_typed_numbers; /* supports float_numbers: its numbers have types */
    bool has_native;        /* supports native and exemplars */
    bool has_columns;       /* supports sender_column */
    bool has_head;          /* supports head */
    bool has_json;          /* supports json: it writes messages as JSON */
    bool caches_parts;      /* it copies parts of earlier lines (ENCODER_CACHE_SIZE) */
    bool binary;            /* its output is not lines of text: it is not for terminals, and has no
                             * views */
    bool for_people; /* writes lines for a terminal, without the sender's control characters */

    /* Returns NULL if memory is short. */
    struct encoder *(*create)(const struct encoder_options *options);
    void (*destroy)(struct encoder *encoder);

    /*
     * Appends the head of a file: whole lines of at most ENCODER_HEAD_SIZE bytes, the same bytes
     * for every file. The head is not counted as lines. Called once, before the thread starts. NULL
     * if files have no head.
     */
    void (*begin)(struct encoder *encoder, struct output *out);

    /*
     * Appends the record's lines, each with its newline (a binary format: its frames), and returns
     * the counts. A record without lines appends no bytes. If the lines do not fit, `out` overflows
     * and the caller removes them. The output depends only on the record and the options.
     */
    struct encoded (*encode)(struct encoder *encoder, const struct listener *listener,
                             const struct record *record, struct output *out);

    /*
     * Appends to `out` the file for a block of `size` bytes, at most ARRANGED_SIZE bytes, and
     * returns the counts. The block contains the output of `encode` for records whose `arranged`
     * add up to at most ARRANGED_SIZE (one record never exceeds it). Modifies the block. Does not
     * allocate memory. An encoder with `arrange` is only for files and has no head. NULL if blocks
     * are written as they are.
     */
    struct encoded (*arrange)(struct encoder *encoder, char *block, size_t size,
                              struct output *out);

    /* Conversion for HTTP requests. NULL if blocks are sent as they are. */
    const struct encoder_request *request;

    /* Finds the whole records in a file of an earlier run. NULL if requests_alone is set. */
    output_whole *whole;

    /*
     * Returns true if a line of a file is in the encoder's format. NULL if binary or requests_alone
     * is set.
     */
    output_line *line;

    /*
     * Set if a torn record cannot be told from other bytes. If a file then has no whole record,
     * none of its bytes count as a torn record.
     */
    bool unmarked;
};

/* The first member of every implementation. */
struct encoder {
    const struct encoder_ops *ops;
};

/* Returns the maximum number of bytes that create may allocate; part of the memory plan. */
static inline size_t encoder_memory(const struct encoder_ops *ops)
{
    return ENCODER_SCRATCH_SIZE + (ops->caches_parts ? ENCODER_CACHE_SIZE : 0);
}

#endif
