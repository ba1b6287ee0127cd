/*
 * Defines a sample in a block of the encoder `openmetrics`, as encode() writes it and arrange()
 * reads it.
 *
 * It consists of a struct openmetrics_sample (its head, with the sort keys), the name of its
 * family, room for a longer name, and its lines without the family's name. A block is not aligned,
 * so a head must be copied. For the sink's thread.
 */
#ifndef SLUICE_SINKS_ENCODERS_OPENMETRICS_SAMPLE_H
#define SLUICE_SINKS_ENCODERS_OPENMETRICS_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "collector/contract/encoder.h"

/* The types of families. If two have the same name, the first type keeps it. */
enum openmetrics_type {
    OPENMETRICS_COUNTER,
    OPENMETRICS_GAUGE,
    OPENMETRICS_HISTOGRAM,
    OPENMETRICS_GAUGEHISTOGRAM,
    OPENMETRICS_SUMMARY,
    OPENMETRICS_UNKNOWN,
    OPENMETRICS_TYPES,
};

/* Room for the longest suffix that a type adds to a family's name: "_gaugehistogram". */
#define OPENMETRICS_NAME_ROOM 16

struct openmetrics_sample {
    int64_t time_ns;    /* since 1970 UTC */
    uint32_t size;      /* size of the whole sample with this head; all sizes are in bytes */
    uint32_t name_size; /* size of the family's name, which follows the head */
    uint32_t unit_size; /* size of the unit at the end of the name; 0 means no unit */
    uint32_t labels_at,
        labels_size;   /* offset from the beginning of the head; the labels are ordered by name */
    uint32_t lines_at; /* offset of the lines, which are at the end */
    uint32_t lines;    /* number of lines */
    uint16_t type;     /* enum openmetrics_type */
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

/*
 * The maximum size of the "# TYPE" and "# UNIT" lines of a family, without its name (twice) and its
 * unit.
 */
#define OPENMETRICS_COMMENTS (sizeof "# TYPE  gaugehistogram\n# UNIT  \n" - 1)

/*
 * Returns the maximum size of the sample in a file: its lines, and the comment lines of its family.
 */
static inline size_t openmetrics_sample_arranged(const struct openmetrics_sample *sample)
{
    size_t name = sample->name_size + (size_t)OPENMETRICS_NAME_ROOM;
    return sample->size - sample->lines_at + (sample->lines + (size_t)2) * name +
           sample->unit_size + OPENMETRICS_COMMENTS;
}

/* The maximum number of samples in a file. The divisor is the minimum size of a sample. */
#define OPENMETRICS_MOST_SAMPLES                                                                   \
    (ARRANGED_SIZE / ((size_t)3 * OPENMETRICS_NAME_ROOM + OPENMETRICS_COMMENTS))

#endif
