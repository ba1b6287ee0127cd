/*
 * Divides the memory budget: the fixed needs of each thread come first, and the batches of the
 * rings get the rest. Pure arithmetic.
 */
#ifndef SLUICE_COLLECTOR_PIPELINE_MEMORY_PLAN_H
#define SLUICE_COLLECTOR_PIPELINE_MEMORY_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/error.h"

/*
 * The default budget in bytes; the needs of optional features are added to it. With this budget a
 * ring has room for at least MEMORY_DEFAULT_RING batches per thread that fills it.
 */
#define MEMORY_DEFAULT       ((uint64_t)24 * 1024 * 1024)
#define MEMORY_DEFAULT_RING  64
/*
 * With an explicit budget: the least capacity of a ring in batches, and the capacity below which
 * the program logs a warning when it starts.
 */
#define MEMORY_SMALLEST_RING 4
#define MEMORY_SHORT_RING    16

/* Number of senders whose sequence numbers are tracked at the same time. */
#define MEMORY_SENDERS 16384

struct memory_needs {
    size_t receivers;        /* number of threads that serve sockets */
    size_t fan_outs;         /* number of fan-outs of the receivers: one for each receiver, or one
                              * for all */
    size_t producers;        /* number of sources that have their own threads and their own
                              * fan-out */
    size_t producer_threads; /* number of threads of these sources */
    uint64_t source_memory;  /* bytes for sources (reassembly, connections) */
    size_t sinks;
    uint64_t sink_memory;   /* bytes of all sinks (sink_thread_memory) */
    uint64_t series_memory; /* the part of sink_memory for the tables of max_series= and max_age= */
    bool dead_letters;      /* dead letters are kept */
    size_t rate_limits;     /* number of listeners with rate_limit= */
    bool control;           /* clients can watch records (--control) */
    bool senders;           /* a report of the senders is kept */
    uint64_t reserved;      /* bytes of parts outside the pipeline: control and metrics */
    uint32_t spread_window; /* size of a window with spread=datagram (sequence.h), or 0 if unused */
    uint64_t large_batch;   /* bytes of a batch that has room for the longest message; 0: batches of
                             * the usual size are enough */
    size_t ingests;         /* number of pairs of a thread and a listener that it serves; each pair
                             * may have one open batch */
};

/* The bytes of a plan, by what they are for. */
struct memory_parts {
    uint64_t queues;        /* batches of the usual size: open ones, and those in queues */
    uint64_t large_batches; /* batches for messages that do not fit into those */
    uint64_t listeners;     /* datagrams being received, connections, parts of messages, sessions */
    uint64_t senders;       /* sequence numbers, rate limits, the report of senders */
    uint64_t sinks;
    uint64_t rest; /* dead letters, --control, --metrics */
};

struct memory_plan {
    struct memory_parts parts;
    size_t ring_capacity; /* batches in each ring */
    size_t small_batches;
    size_t large_batches;
    size_t large_batch; /* bytes of each large batch */
    size_t senders;
    uint32_t spread_window;
    size_t fan_outs; /* number of fan-outs; each has a ring to every sink */
    uint64_t total;  /* bytes that the plan allocates: the sum of `parts` */
    uint64_t enough; /* the budget in bytes with which each ring would hold MEMORY_DEFAULT_RING
                      * batches */
};

/*
 * Divides `budget` bytes (0: MEMORY_DEFAULT, or more if the rings would be too short). Returns 0,
 * or -1 with `error` filled (EXIT_CODE_CONFIG) if the budget is too small; the error names the
 * least that is enough.
 */
int memory_plan_make(struct memory_plan *plan, uint64_t budget, const struct memory_needs *needs,
                     struct error *error);

/*
 * Writes the total and the parts to `text`, in MiB. Cuts the text to `size` bytes with its NUL;
 * MEMORY_PLAN_TEXT_SIZE bytes are always enough.
 */
#define MEMORY_PLAN_TEXT_SIZE 256
void memory_plan_describe(const struct memory_plan *plan, char *text, size_t size);

/* Sinks that share the plan's batches with sinks that reloads have removed. */
struct memory_sharers {
    size_t kept;       /* sinks that are older than the removal */
    size_t successors; /* sinks that reloads have added since the removal */
    uint64_t held;     /* batches that the removed sinks still hold */
};

/* Limits of rings while removed sinks hold batches. */
struct memory_share {
    size_t kept;       /* limit of each ring to a kept sink, in batches: at least half of the plan's
                        * limit */
    size_t successors; /* limit of each ring to a successor, in batches */
    uint64_t extra;    /* batches to allocate in addition to the plan's */
};

/*
 * Divides the batches of all rings among the present sinks: the small batches or, with `large`, the
 * large ones. Batches that the removed sinks hold are subtracted. The successors' part is then
 * reduced by the number of batches that the removed sinks hold, but at most by half. This is a
 * reserve, because the next reload can remove the successors while they hold batches. A successor's
 * ring gets at least MEMORY_SHORT_RING small batches or one large batch, so `extra` can grow with
 * each reload.
 */
struct memory_share memory_plan_share(const struct memory_plan *plan, bool large,
                                      const struct memory_sharers *sharers);

#endif
