/*
 * A sample between openmetrics' encode and its arrange: its sort keys, and its lines.
 *
 * In a block it is a struct openmetrics_sample, the name of its family, room for a longer name, and
 * its lines without the family's name. A block is not aligned: a head is copied out and in. Used by
 * the sink's thread.
 */
#ifndef SLUICE_SINKS_ENCODERS_OPENMETRICS_SAMPLE_H
#define SLUICE_SINKS_ENCODERS_OPENMETRICS_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "collector/contract/encoder.h"

/* The types of families, in the order of precedence for a name. */
enum openmetrics_type {
    OPENMETRICS_COUNTER,
    OPENMETRICS_GAUGE,
    OPENMETRICS_HISTOGRAM,
    OPENMETRICS_GAUGEHISTOGRAM,
    OPENMETRICS_SUMMARY,
    OPENMETRICS_UNKNOWN,
    OPENMETRICS_TYPES,
};

/* The largest growth of a family's name by its type: "_gaugehistogram". */
#define OPENMETRICS_NAME_ROOM 16

struct openmetrics_sample {
    int64_t time_ns;    /* since 1970 UTC */
    uint32_t size;      /* of all of it, including this head; in bytes, like the following ones */
    uint32_t name_size; /* of its family, after the head */
    uint32_t unit_size; /* of the unit at the name's end; 0: none */
    uint32_t labels_at, labels_size; /* from the head's first byte; ordered by name */
    uint32_t lines_at;               /* the same for its lines, which are last */
    uint32_t lines;                  /* how many */
    uint16_t type;                   /* enum openmetrics_type */
    bool renamed;
    bool left_out;
};

static inline struct openmetrics_sample openmetrics_sample_load(const char *at)
{
    struct openmetrics_sample sample;
    memcpy(&sample, at, sizeof sample);
    return sample;
}

static inline void openmetrics_sample_store(char *at, const struct openmetrics_sample *sample)
{
    memcpy(at, sample, sizeof *sample);
}

/* The longest text before a family's lines, without its name (twice) and its unit. */
#define OPENMETRICS_COMMENTS (sizeof "# TYPE  gaugehistogram\n# UNIT  \n" - 1)

/* The largest size of the sample in a file: its lines, and the text before a family's. */
static inline size_t openmetrics_sample_arranged(const struct openmetrics_sample *sample)
{
    size_t name = sample->name_size + (size_t)OPENMETRICS_NAME_ROOM;
    return sample->size - sample->lines_at + (sample->lines + (size_t)2) * name +
           sample->unit_size + OPENMETRICS_COMMENTS;
}

/* The largest number of samples in a file: even the smallest takes this size. */
#define OPENMETRICS_MOST_SAMPLES                                                                   \
    (ARRANGED_SIZE / ((size_t)3 * OPENMETRICS_NAME_ROOM + OPENMETRICS_COMMENTS))

#endif
