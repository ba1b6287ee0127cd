/*
 * An encoder: records in, bytes out.
 *
 * An interface. sinks/encoders/ implements it, one file a format, and sinks/sinks.c lists all of
 * them; any encoder works on any destination. After create and begin, only the sink's thread calls
 * an encoder.
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
#include "collector/platform/output_file.h"
#include "collector/text/output.h"

enum sink_view {
    VIEW_AUTO,    /* samples of a schema that has them, else the message */
    VIEW_SAMPLE,  /* one line per metric value; only for schemas that have samples */
    VIEW_MESSAGE, /* one line per message */
    VIEW_RECORD, /* one line per item (next_item of struct schema_ops); only of schemas with them */
};

/* What view= calls them, NULL at the end. */
extern const char *const sink_view_names[];

/* Which buckets of a histogram are written where they are Prometheus's; else at most so many. */
#define BUCKETS_ALL     UINT64_C(0)
#define BUCKETS_CHANGED UINT64_MAX /* those that say something: classic_buckets.h */

/* The least number that a histogram of any kind can be merged to, and more than any has. */
#define BUCKETS_LEAST 8
#define BUCKETS_MOST  100000

/* The encoder keys of a sink's URL. */
struct encoder_options {
    enum sink_view view;
    struct json_style json;
    struct sample_rules rules; /* their lists outlive the encoder */
    const char *host;    /* what %{hostname} stands for; NULL: this machine's name. Outlives it */
    uint64_t buckets;    /* BUCKETS_ALL, BUCKETS_CHANGED or a number */
    uint64_t max_amplification; /* encoder_allows; 0: records may have any size */
    bool counter_suffix;        /* names of counters end with "_total" */
    bool colour;         /* of one for people: it is for a terminal that takes colours */
};

/* Whether encoders of one format with these options write the same. */
bool encoder_options_equal(const struct encoder_options *a, const struct encoder_options *b);

/* A record of no more bytes than this is written whatever max_amplification is. */
#define AMPLIFICATION_FREE ((size_t)64 * 1024)

/*
 * Whether a record may have `bytes` bytes when it is written: at most max_amplification times the
 * bytes of its message. Formats that repeat labels on each line make much of a small message (a
 * histogram's buckets), so that one sender could fill a disk with little traffic.
 */
bool encoder_allows(const struct encoder_options *options, const struct record *record,
                    size_t bytes);

struct encoder;

/* Bytes of working memory that an encoder may take when it is made; the memory plan counts them. */
#define ENCODER_SCRATCH_SIZE ((size_t)512 * 1024)

/* The most bytes of a file that an encoder arranges. */
#define ARRANGED_SIZE ((size_t)2 * 1024 * 1024)

/* Bytes that a file may have to begin with. */
#define ENCODER_HEAD_SIZE ((size_t)1024)

/* What a record left in the output: lines, and the metric values that stand in them one by one. */
struct encoded {
    size_t lines;
    size_t samples;
    size_t json_fallbacks; /* values without a form in the JSON mapping (schema.h: write_json) */
    size_t left_out;       /* samples that there was no place for in the file (arrange) */
    size_t arranged; /* of an encoder that arranges: bytes, at most, that it takes of a file */
};

/* Adds up what records left. */
static inline void encoded_add(struct encoded *sum, const struct encoded *one)
{
    sum->lines += one->lines;
    sum->samples += one->samples;
    sum->json_fallbacks += one->json_fallbacks;
    sum->left_out += one->left_out;
    sum->arranged += one->arranged;
}

/* One shape in which records are sent as the body of an HTTP request. The texts are literals. */
struct request_shape {
    const char *content_type;     /* the header of that name */
    const char *content_encoding; /* the same; NULL: none, and a body may be compressed */
    const char *header;           /* a further one, "Name: value"; NULL: none */
};

/*
 * How what an encoder has appended becomes the body of one request. Pure functions, for any thread:
 * they need no encoder, so that what comes back from a disk can be sent, too.
 */
struct encoder_request {
    const struct request_shape *shapes; /* the one that every receiver takes comes first */
    size_t shape_count;

    /* Bytes of working memory that `write` needs for `size` bytes. NULL: none. */
    size_t (*scratch)(size_t size);

    /* The most bytes of a body of `size` bytes. */
    size_t (*bound)(size_t size);

    /*
     * Appends the body of one or several whole records, `size` bytes that the encoder has appended.
     * Returns false where they are no such thing.
     */
    bool (*write)(size_t shape, const char *bytes, size_t size, void *scratch, struct output *out);
};

struct encoder_ops {
    const char *name;    /* of format= */
    const char *media_type; /* of its lines; NULL: bytes of no registered type */
    bool needs_samples;  /* it writes samples alone: only for schemas that have them, no messages */
    bool passes_otlp;    /* but messages of OTLP's schemas (is_otlp of struct schema_ops), too */
    bool needs_packets;  /* it writes whole datagrams: the records' packets */
    bool relayed;        /* what it writes is a datagram's own bytes: for relays, and they for it */
    bool overwrites;     /* a reader keeps one of a sample that comes twice: it may come again */
    bool requests_alone; /* what it writes is sent as requests over HTTP, and is nothing else */
    bool has_buckets;    /* histograms become Prometheus's buckets */
    bool has_suffixes;   /* names of counters may get Prometheus's suffix */
    bool binary;         /* no lines of text: not for a terminal, no views, and torn otherwise */
    bool for_people;     /* lines for a terminal, which gets no control character that was sent */

    /* Returns NULL where memory is short. */
    struct encoder *(*create)(const struct encoder_options *options);
    void (*destroy)(struct encoder *encoder);

    /*
     * Appends what a file begins with, whole lines of at most ENCODER_HEAD_SIZE bytes, always the
     * same. It is no record and counts as no line. Called once, before the thread starts. NULL: a
     * file begins with its first record.
     */
    void (*begin)(struct encoder *encoder, struct output *out);

    /*
     * Appends the record's lines, each ended by a newline (or, of a binary format, what stands for
     * a line), and returns how many. No line and nothing appended: the record leaves none. What
     * does not fit makes `out` overflow, and the caller takes back what was appended. What is
     * appended depends on the record and the options alone: sinks with the same options share it,
     * so that an encoder is not given all records of its sink.
     */
    struct encoded (*encode)(struct encoder *encoder, const struct listener *listener,
                             const struct record *record, struct output *out);

    /*
     * Appends to `out` the whole file that a block of `size` bytes becomes, in at most
     * ARRANGED_SIZE bytes, and returns what is in it. The block holds what `encode` has appended
     * for records whose `arranged` sum up to no more than that (of one record it never is more); it
     * is altered. Nothing is allocated. NULL: what is encoded is what is written. An encoder that
     * arranges is for files alone, and has no head.
     */
    struct encoded (*arrange)(struct encoder *encoder, char *block, size_t size,
                              struct output *out);

    /* How records are sent over HTTP. NULL: as they were appended. */
    const struct encoder_request *request;

    /* How far a file that an earlier run has left is whole. NULL where requests_alone is. */
    output_whole *whole;

    /* Whether a line of a file can be one of its own. NULL: it is binary, or requests_alone. */
    output_line *line;

    /*
     * A torn record cannot be told from other bytes by what is in it: in a file without a whole
     * record nothing is taken for one.
     */
    bool unmarked;
};

/* Every implementation begins with this. */
struct encoder {
    const struct encoder_ops *ops;
};

#endif
