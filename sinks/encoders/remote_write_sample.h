/*
 * A value of a series between remote-write's encode and its request.
 *
 * In a block it is a struct remote_write_sample, the labels of its series as in a TimeSeries of
 * WriteRequest (field 1, ordered by name, including __name__), and its unit, also a field. A block
 * is not aligned: a head is copied. Used by the sink's thread.
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
    SAMPLE_UNIT = WIRE_TAG(3, WIRE_LENGTH), /* of no message: after the labels in a block */
};

struct remote_write_sample {
    int64_t time_ms; /* since 1970 UTC */
    double value;
    uint32_t size;        /* of all of it, including this head; in bytes, like the next one */
    uint32_t labels_size; /* after the head; the unit follows them */
    uint32_t labels;      /* how many */
    uint16_t type;        /* enum remote_write_type */
    uint16_t first;       /* 1: the first value of a sample; 0: a further one */
};

static inline struct remote_write_sample remote_write_sample_load(const char *at)
{
    struct remote_write_sample sample;
    memcpy(&sample, at, sizeof sample);
    return sample;
}

/* Size of the smallest one: it has the label __name__, with one letter. */
#define REMOTE_WRITE_SMALLEST (sizeof(struct remote_write_sample) + 15 + 2)

/*
 * Whether a complete one begins at `at`, in `left` arbitrary bytes; this check is sufficient for
 * all readers of it.
 */
bool remote_write_sample_is_whole(const char *at, size_t left);

#endif
