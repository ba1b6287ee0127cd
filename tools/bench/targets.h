/*
 * What the collector is to reach, beside what was measured. Each is a ratio of two things of one
 * run, or a number of bytes. One thread.
 */
#ifndef SLUICE_TOOLS_BENCH_TARGETS_H
#define SLUICE_TOOLS_BENCH_TARGETS_H

#include <stdbool.h>
#include <stddef.h>

#include "tools/bench/contender.h"
#include "tools/bench/report.h"
#include "tools/bench/statistics.h"

enum target {
    TARGET_METRIC1_1000,
    TARGET_METRIC1_5000,
    TARGET_METRIC1_20000,
    TARGET_METRIC1_BLOCKING,
    TARGET_METRIC1_PAUSE,
    TARGET_BATCH20_PAUSE,
    TARGET_PLAIN_RATE,
    TARGET_SEGMENTING_RATE,
    TARGET_MEMORY, /* MiB */
    TARGETS
};

struct targets {
    struct {
        enum target target;
        const char *who; /* lives as long as this */
        struct spread found;
    } items[TARGETS * CONTENDERS_MOST];
    size_t count;
};

/* Notes what was found of one of them, for one collector. */
void targets_add(struct targets *targets, enum target target, const char *who, struct spread found);

/* Whether a median is within the bound. */
bool target_met(enum target target, double value);

/* The table of all that were noted; nothing where none was. */
void targets_report(const struct targets *targets, struct report *report);

#endif
