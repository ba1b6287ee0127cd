/* Defines the settings of the bench and its parts. One thread. */
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
    bool wanted[BENCH_PARTS_MOST]; /* by index in bench_parts */
    bool quick;
    uint64_t rounds;   /* number of rounds; at most SERIES_MOST */
    uint64_t round_ns; /* duration of a round with traffic, in nanoseconds */
    struct contenders contenders;
    const char *collector; /* path; NULL: sluice in the folder of this program */
    /* The parent of the folder for files. NULL means the system's folder for temporary files. */
    const char *scratch;
    uint64_t receive_buffer;
};

struct bench {
    struct settings settings;
    struct machine machine;
    char folder[SCRATCH_PATH_SIZE]; /* the folder for files */
};

/* Returns the duration of a round without traffic: 1/20 of a round with traffic. */
static inline int64_t bench_stage_ns(const struct bench *bench)
{
    return (int64_t)(bench->settings.round_ns / 20);
}

/* Measures one part of the bench and prints the results. Returns 0, or -1 with `error` filled. */
typedef int bench_part(struct bench *bench, struct error *error);

/* The parts of the bench. Each one is in its own file, such as part_decode.c. */
bench_part part_decode, part_encode, part_stages, part_receive, part_rates;

/* All parts in order. The list ends with a part without a name. */
extern const struct part {
    const char *name;
    bench_part *run;
} bench_parts[];

#endif
