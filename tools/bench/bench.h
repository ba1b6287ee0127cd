/*
 * The input of a part of the bench: the settings, and facts about the machine. One thread.
 */
#ifndef SLUICE_TOOLS_BENCH_BENCH_H
#define SLUICE_TOOLS_BENCH_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/error.h"
#include "tools/bench/contender.h"
#include "tools/bench/machine.h"
#include "tools/bench/scratch.h"
#include "tools/bench/statistics.h"

#define BENCH_PARTS_MOST 8

struct settings {
    bool wanted[BENCH_PARTS_MOST]; /* by the index in bench_parts */
    bool quick;
    uint64_t rounds;   /* at most SERIES_MOST */
    uint64_t round_ns; /* for a round of traffic */
    struct contenders contenders;
    const char *collector; /* NULL: in the folder of this program */
    const char *scratch;   /* NULL: the system's folder for temporary files */
    uint64_t receive_buffer;
};

struct bench {
    struct settings settings;
    struct machine machine;
    char folder[SCRATCH_PATH_SIZE]; /* for files written during the run */
};

/* Duration of a round of a stage that runs by itself, without traffic. */
static inline int64_t bench_stage_ns(const struct bench *bench)
{
    return (int64_t)(bench->settings.round_ns / 20);
}

/* Measures and prints the results. Returns 0, or -1 with `error` filled. */
typedef int bench_part(struct bench *bench, struct error *error);

/* Each is in its own file. */
bench_part part_decode, part_encode, part_stages, part_receive, part_rates;

/* All parts, in order; a part without a name ends the list. */
extern const struct part {
    const char *name;
    bench_part *run;
} bench_parts[];

#endif
