/*
 * What the small stages between decoding and the file cost: a double as text, a batch's way through
 * a ring, a block's way into a file; each beside what would do the same with less care. One thread.
 */
#ifndef SLUICE_TOOLS_BENCH_STAGES_H
#define SLUICE_TOOLS_BENCH_STAGES_H

#include <stddef.h>
#include <stdint.h>

#include "collector/base/error.h"

#define STAGES_MOST 16

struct stage_cost {
    const char *name;
    const char *unit;   /* what the time is for */
    double nanoseconds; /* the median of the rounds */
    double least;
    double most;
};

/*
 * Measures in `rounds` rounds of at least `round_ns` nanoseconds for each stage, the stages in
 * turn; files are made in `folder` and removed. Returns how many stages there are, or -1 with
 * `error` filled.
 */
int stages_measure(const char *folder, size_t rounds, int64_t round_ns,
                   struct stage_cost costs[STAGES_MOST], struct error *error);

#endif
