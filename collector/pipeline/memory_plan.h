/*
 * How the memory budget is divided: first the fixed needs of each thread, the rest as batches for
 * the rings. Pure arithmetic.
 */
#ifndef SLUICE_COLLECTOR_PIPELINE_MEMORY_PLAN_H
#define SLUICE_COLLECTOR_PIPELINE_MEMORY_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/error.h"

/*
 * The default budget in bytes, to which the needs of `control`, `senders`, `reserved`,
 * `rate_limits`, `source_memory`, `spread_window` and larger batches are added;
 * and the least capacity of a ring with it, in batches per thread that fills it.
 */
#define MEMORY_DEFAULT       ((uint64_t)24 * 1024 * 1024)
#define MEMORY_DEFAULT_RING  64
/* The least capacity of a ring with an explicit budget; and the one below which a start warns. */
#define MEMORY_SMALLEST_RING 4
#define MEMORY_SHORT_RING    16

/* Senders whose sequence numbers are followed at the same time. */
#define MEMORY_SENDERS 16384

struct memory_needs {
    size_t receivers;        /* threads that serve sockets */
    size_t fan_outs;         /* of the receivers: one for each, or one for all */
    size_t producers;        /* sources with threads of their own: each has a fan-out */
    size_t producer_threads; /* threads of these sources */
    uint64_t source_memory;  /* bytes of sources (reassembly, connections) */
    size_t sinks;
    uint64_t sink_memory;     /* bytes of all sinks (sink_thread_memory) */
    bool dead_letters;        /* are kept */
    size_t rate_limits;       /* listeners with rate_limit= */
    bool control;             /* records can be tapped */
    bool senders;             /* senders are reported */
    uint64_t reserved;        /* bytes of parts outside the pipeline: control and metrics */
    uint32_t spread_window;   /* numbers per sender with spread=datagram (sequence.h); 0: unused */
    uint64_t large_batch;     /* bytes of a large batch; 0: the usual size */
    size_t ingests;           /* pairs of a thread and a listener: each may have one open batch */
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
 * Divides `budget` bytes (0: MEMORY_DEFAULT, or more if the rings would be too short). Returns 0,
 * or -1 with `error` filled (EXIT_CODE_CONFIG) if the budget is too small; the error names the
 * least that is enough.
 */
int memory_plan_make(struct memory_plan *plan, uint64_t budget, const struct memory_needs *needs,
                     struct error *error);

#endif
