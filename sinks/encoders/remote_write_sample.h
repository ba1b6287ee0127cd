/*
 * Defines a value of a series in a block of the encoder `remote-write`, from which a request is
 * made later.
 *
 * It consists of a struct remote_write_sample (its head), the labels of its series as in a
 * TimeSeries of WriteRequest (field 1, ordered by name, with __name__), and further fields in the
 * order of their numbers (enum below). A block is not aligned, so a head must be copied. For the
 * sink's thread.
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
    SERIES_LABELS = WIRE_TAG(1, WIRE_LENGTH), /* as in a TimeSeries of WriteRequest */
    LABEL_NAME = WIRE_TAG(1, WIRE_LENGTH),
    LABEL_VALUE = WIRE_TAG(2, WIRE_LENGTH),

    /* These fields belong to no message. They follow the labels in a block. */
    SAMPLE_UNIT = WIRE_TAG(3, WIRE_LENGTH),  /* always present; may be empty */
    SAMPLE_HELP = WIRE_TAG(4, WIRE_LENGTH),  /* if present, not empty */
    SAMPLE_START = WIRE_TAG(5, WIRE_VARINT), /* milliseconds since 1970 UTC */
    SAMPLE_NATIVE =
        WIRE_TAG(6, WIRE_LENGTH), /* the fields of a native histogram (native_histogram.h) */
    SAMPLE_EXEMPLAR = WIRE_TAG(7, WIRE_LENGTH), /* repeated: an Exemplar of WriteRequest */

    EXEMPLAR_LABELS = WIRE_TAG(1, WIRE_LENGTH),
    EXEMPLAR_VALUE = WIRE_TAG(2, WIRE_FIXED64),
    EXEMPLAR_TIME = WIRE_TAG(3, WIRE_VARINT),
};

enum {
    REMOTE_WRITE_FIRST = 1,  /* the first value of a sample */
    REMOTE_WRITE_NATIVE = 2, /* a native histogram; `value` is not used */
};

struct remote_write_sample {
    int64_t time_ms; /* since 1970 UTC */
    double value;
    uint32_t size;        /* bytes of the value, with head, labels and fields */
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

/* The minimum size of a value in a block. It has the label __name__, with one letter. */
#define REMOTE_WRITE_SMALLEST (sizeof(struct remote_write_sample) + 15 + 2)

/* The fields of a value that follow its labels, as positions in the block; NULL if absent. */
struct remote_write_fields {
    const char *unit, *help; /* position of the length, which is before the text */
    int64_t start_ms;        /* 0: unknown */
    const char *histogram;   /* position of the length, which is before the histogram */
    const char *exemplars;   /* tag of the first exemplar; `end` if there are none */
    const char *end;         /* end of the value */
};

/* Returns the fields of a complete sample. */
struct remote_write_fields remote_write_sample_fields(const char *at);

/* An exemplar of a sample, as positions in the block. */
struct remote_write_exemplar {
    const char *labels, *labels_end; /* the fields EXEMPLAR_LABELS */
    const char *end;                 /* end of the exemplar; its value and time follow the labels */
};

/*
 * Reads the exemplar at *at and moves *at to the next one. Returns false if *at is `end`. The value
 * must be complete.
 */
bool remote_write_next_exemplar(const char **at, const char *end,
                                struct remote_write_exemplar *exemplar);

/*
 * Returns true if a complete value begins at `at`, in `left` arbitrary bytes. Readers of the value
 * need no other check.
 */
bool remote_write_sample_is_whole(const char *at, size_t left);

#endif
