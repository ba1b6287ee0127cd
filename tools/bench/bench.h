/*
 * What a part of the bench works with: what was asked for, what is known of the machine, and where
 * to say what it found. One thread.
 */
#ifndef SLUICE_TOOLS_BENCH_BENCH_H
#define SLUICE_TOOLS_BENCH_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/error.h"
#include "tools/bench/contender.h"
#include "tools/bench/machine.h"
#include "tools/bench/report.h"
#include "tools/bench/scratch.h"
#include "tools/bench/targets.h"

#define BENCH_CAPTURES_MOST 32
#define BENCH_PARTS_MOST    16

struct settings {
    const char *captures[BENCH_CAPTURES_MOST];
    size_t capture_count;
    bool wanted[BENCH_PARTS_MOST]; /* by the index in bench_parts */
    bool quick;
    bool quiet;
    bool json;
    uint64_t rounds;
    uint64_t round_ns; /* of a round of traffic */
    struct contenders contenders;
    const char *collector; /* NULL: beside this program */
    const char *scratch;   /* NULL: where the system has such things */
    uint64_t receive_buffer;
};

struct bench {
    struct settings settings;
    struct machine machine;
    struct report report;
    struct targets targets;
    char folder[SCRATCH_PATH_SIZE]; /* for what is written meanwhile */
};

/* How long a round of a stage that runs by itself takes: no traffic has to settle there. */
static inline int64_t bench_stage_ns(const struct bench *bench)
{
    return (int64_t)(bench->settings.round_ns / 20);
}

struct part {
    const char *name;

    /* Returns 0, or -1 with `error` filled. */
    int (*run)(struct bench *bench, struct error *error);
};

/* All parts, in their order; one without a name ends them. */
extern const struct part bench_parts[];

/* One file each. */
int part_decode(struct bench *bench, struct error *error);
int part_encode(struct bench *bench, struct error *error);
int part_stages(struct bench *bench, struct error *error);
int part_receive(struct bench *bench, struct error *error);
int part_rates(struct bench *bench, struct error *error);

#endif
