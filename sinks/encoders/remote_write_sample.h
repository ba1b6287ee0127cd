/*
 * A value of a series between remote-write's encode and its request.
 *
 * In a block a value consists of a struct remote_write_sample (its head), the labels of its series
 * as in a TimeSeries of WriteRequest (field 1, ordered by name, including __name__), and fields of
 * its own, in the order of their numbers (enum below). A block is not aligned, so a head is copied.
 * Used by the sink's thread.
 */
#ifndef SLUICE_SINKS_ENCODERS_REMOTE_WRITE_SAMPLE_H
#define SLUICE_SINKS_ENCODERS_REMOTE_WRITE_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "collector/base/wire.h"

/* From Metadata in io.prometheus.write.v2. */
enum remote_write_type {
    REMOTE_WRITE_UNSPECIFIED,
    REMOTE_WRITE_COUNTER,
    REMOTE_WRITE_GAUGE,
    REMOTE_WRITE_HISTOGRAM,
    REMOTE_WRITE_GAUGEHISTOGRAM,
    REMOTE_WRITE_SUMMARY,
};

enum {
    SERIES_LABELS = WIRE_TAG(1, WIRE_LENGTH), /* of WriteRequest's TimeSeries */
    LABEL_NAME = WIRE_TAG(1, WIRE_LENGTH),
    LABEL_VALUE = WIRE_TAG(2, WIRE_LENGTH),

    /* Fields of no message, which follow the labels in a block. */
    SAMPLE_UNIT = WIRE_TAG(3, WIRE_LENGTH),      /* always there, may be empty */
    SAMPLE_HELP = WIRE_TAG(4, WIRE_LENGTH),      /* not empty */
    SAMPLE_START = WIRE_TAG(5, WIRE_VARINT),     /* milliseconds since 1970 UTC */
    SAMPLE_NATIVE = WIRE_TAG(6, WIRE_LENGTH), /* of a native histogram: native_histogram.h */
    SAMPLE_EXEMPLAR = WIRE_TAG(7, WIRE_LENGTH),  /* any number: an Exemplar of WriteRequest */

    EXEMPLAR_LABELS = WIRE_TAG(1, WIRE_LENGTH),
    EXEMPLAR_VALUE = WIRE_TAG(2, WIRE_FIXED64),
    EXEMPLAR_TIME = WIRE_TAG(3, WIRE_VARINT),
};

enum {
    REMOTE_WRITE_FIRST = 1, /* the first value made from a sample */
    REMOTE_WRITE_NATIVE = 2, /* a native histogram; `value` is not used */
};

struct remote_write_sample {
    int64_t time_ms; /* since 1970 UTC */
    double value;
    uint32_t size;        /* bytes of the whole sample, including this head */
    uint32_t labels_size; /* bytes of the labels, which follow the head */
    uint32_t labels;      /* number of labels */
    uint16_t type;        /* enum remote_write_type */
    uint16_t flags;       /* REMOTE_WRITE_FIRST, REMOTE_WRITE_NATIVE */
};

static inline struct remote_write_sample remote_write_sample_load(const char *at)
{
    struct remote_write_sample sample;
    memcpy(&sample, at, sizeof sample);
    return sample;
}

/* Size of the smallest sample in a block. It has the label __name__, with one letter. */
#define REMOTE_WRITE_SMALLEST (sizeof(struct remote_write_sample) + 15 + 2)

/*
 * The fields of a sample that follow its labels, as positions in the block; NULL: the field is
 * absent.
 */
struct remote_write_fields {
    const char *unit, *help; /* position of the text's length, which precedes the text */
    int64_t start_ms;        /* 0: not known */
    const char *histogram;   /* position of its length, which precedes it */
    const char *exemplars;   /* tag of the first exemplar; `end`: there are none */
    const char *end;         /* of the sample */
};

/* Returns the fields of a complete sample. */
struct remote_write_fields remote_write_sample_fields(const char *at);

/* An exemplar of a sample, as positions in the block. */
struct remote_write_exemplar {
    const char *labels, *labels_end; /* fields EXEMPLAR_LABELS */
    const char *end;                 /* of the exemplar, whose value and time follow the labels */
};

/*
 * Reads the exemplar at *at and moves *at to the next one. Returns false if *at is `end`. The
 * exemplar is of a complete sample.
 */
bool remote_write_next_exemplar(const char **at, const char *end,
                                struct remote_write_exemplar *exemplar);

/*
 * Returns whether a complete sample begins at `at`, in `left` arbitrary bytes. Readers of the
 * sample need no other check.
 */
bool remote_write_sample_is_whole(const char *at, size_t left);

#endif
