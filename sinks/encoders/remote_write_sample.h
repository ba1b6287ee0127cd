/*
 * A value of a series between remote-write's encode and its request.
 *
 * In a block a value consists of a struct remote_write_sample (its head), the labels of its series
 * as in a TimeSeries of WriteRequest (field 1, ordered by name, including __name__), and its unit,
 * which is also a field. A block is not aligned, so a head is copied. Used by the sink's thread.
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
    SAMPLE_UNIT = WIRE_TAG(3, WIRE_LENGTH), /* a field of no message; in a block it follows the
                                               labels */
};

struct remote_write_sample {
    int64_t time_ms; /* since 1970 UTC */
    double value;
    uint32_t size;        /* bytes of the whole sample, including this head */
    uint32_t labels_size; /* bytes of the labels, which follow the head; the unit follows them */
    uint32_t labels;      /* number of labels */
    uint16_t type;        /* enum remote_write_type */
    uint16_t first;       /* 1: the first value made from a sample; 0: a further value */
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
 * Returns whether a complete sample begins at `at`, in `left` arbitrary bytes. Readers of the
 * sample need no other check.
 */
bool remote_write_sample_is_whole(const char *at, size_t left);

#endif
