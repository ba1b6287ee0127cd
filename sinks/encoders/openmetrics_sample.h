/*
 * A sample between openmetrics' encode and its arrange: what samples are sorted by, and the lines
 * that they become.
 *
 * It lies in a block as a struct openmetrics_sample, the name of its family, room for a longer
 * name, and its lines without the family's name in front. Nothing in a block is aligned: a head is
 * copied out and in. Used by the sink's thread.
 */
#ifndef SLUICE_SINKS_ENCODERS_OPENMETRICS_SAMPLE_H
#define SLUICE_SINKS_ENCODERS_OPENMETRICS_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "collector/contract/encoder.h"

/* The types of families, in the order in which they claim a name that several have. */
enum openmetrics_type {
    OPENMETRICS_COUNTER,
    OPENMETRICS_GAUGE,
    OPENMETRICS_HISTOGRAM,
    OPENMETRICS_GAUGEHISTOGRAM,
    OPENMETRICS_SUMMARY,
    OPENMETRICS_UNKNOWN,
    OPENMETRICS_TYPES,
};

/* The most that a family's name grows where its type is put after it: "_gaugehistogram". */
#define OPENMETRICS_NAME_ROOM 16

struct openmetrics_sample {
    int64_t time_ns;    /* since 1970 UTC */
    uint32_t size;      /* of all of it, this head included; in bytes, as all that follow */
    uint32_t name_size; /* of its family, after the head */
    uint32_t unit_size; /* of the unit at the name's end; 0: there is none */
    uint32_t labels_at, labels_size; /* from the head's first byte; in the order of their names */
    uint32_t lines_at;               /* the same of its lines, which end with it */
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

/* What stands before a family's lines, but for its name (twice) and its unit, at its longest. */
#define OPENMETRICS_COMMENTS (sizeof "# TYPE  gaugehistogram\n# UNIT  \n" - 1)

/* The most bytes of a file that the sample takes: its lines, and what stands before a family's. */
static inline size_t openmetrics_sample_arranged(const struct openmetrics_sample *sample)
{
    size_t name = sample->name_size + (size_t)OPENMETRICS_NAME_ROOM;
    return sample->size - sample->lines_at + (sample->lines + (size_t)2) * name +
           sample->unit_size + OPENMETRICS_COMMENTS;
}

/* So many samples, at most, become one file: even the smallest takes that much of it. */
#define OPENMETRICS_MOST_SAMPLES                                                                   \
    (ARRANGED_SIZE / ((size_t)3 * OPENMETRICS_NAME_ROOM + OPENMETRICS_COMMENTS))

#endif
