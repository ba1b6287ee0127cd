/*
 * How the memory budget is divided: what each thread needs whatever happens, and the rest in
 * batches for the rings. Pure arithmetic; everything it names is allocated once, at start.
 */
#ifndef SLUICE_COLLECTOR_PIPELINE_MEMORY_PLAN_H
#define SLUICE_COLLECTOR_PIPELINE_MEMORY_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/error.h"

/*
 * What the budget is when none is given, with what `control`, `senders`, `reserved`, `rate_limits`,
 * `source_memory`, `encoding_memory`, `spread_window` and larger batches need on top of it; and the
 * least that a ring then holds, in batches, for each thread that fills it.
 */
#define MEMORY_DEFAULT       ((uint64_t)24 * 1024 * 1024)
#define MEMORY_DEFAULT_RING  64
/* The least that a ring may hold when the budget is given; and what is so short that a start says
 * so. */
#define MEMORY_SMALLEST_RING 4
#define MEMORY_SHORT_RING    16

/* Senders whose sequence is followed at a time. */
#define MEMORY_SENDERS 16384

struct memory_needs {
    size_t receivers;        /* threads that serve sockets */
    size_t fan_outs;         /* that they have: each its own, or all one */
    size_t producers;        /* sources with threads of their own: each has a fan-out */
    size_t producer_threads; /* that they have */
    uint64_t source_memory;  /* bytes that they take */
    size_t sinks;
    uint64_t sink_memory;     /* bytes that all sinks take (sink_thread_memory) */
    uint64_t encoding_memory; /* bytes that they take to encode once (encoding_group_memory) */
    bool dead_letters;        /* are kept */
    size_t rate_limits;       /* listeners that have one */
    bool control;             /* somebody may watch what passes */
    bool senders;             /* somebody may ask who sends */
    uint64_t reserved;        /* bytes that parts outside the pipeline take, which serve who asks */
    uint32_t spread_window;   /* numbers of each sender that is spread (sequence.h); 0: none is */
    uint64_t large_batch;     /* bytes of a large batch; 0: as usual */
    size_t ingests; /* pairs of a thread and a listener on it: each may hold one open batch */
};

struct memory_plan {
    size_t ring_capacity; /* batches, of each ring */
    size_t small_batches;
    size_t large_batches;
    size_t large_batch; /* bytes of each of these */
    size_t senders;
    uint32_t spread_window;
    uint64_t total;  /* bytes that the plan allocates */
    uint64_t enough; /* the budget with which each ring would hold MEMORY_DEFAULT_RING batches */
};

/*
 * Divides `budget` bytes (0: MEMORY_DEFAULT, or more where the rings would be too short). Returns
 * 0, or -1 with `error` filled (EXIT_CODE_CONFIG) where the budget is too small, saying what is
 * enough.
 */
int memory_plan_make(struct memory_plan *plan, uint64_t budget, const struct memory_needs *needs,
                     struct error *error);

#endif
