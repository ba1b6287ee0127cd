/*
 * One run: a receiver is started, warmed up, sent to, and ended, and what it received is held
 * against what was sent. One thread.
 */
#ifndef SLUICE_TOOLS_BENCH_RUN_H
#define SLUICE_TOOLS_BENCH_RUN_H

#include "tools/bench/bench.h"
#include "tools/bench/load.h"
#include "tools/bench/receiver.h"

struct run_plan {
    const struct contender *who;
    const struct traffic *traffic;
    uint64_t rate; /* datagrams a second; 0: as fast as the sender can */
    int64_t duration_ns;
    bool segmenting;
    size_t listeners;      /* 0: one */
    size_t receivers;      /* of the collector; 0: one */
    bool spread;           /* each datagram to any of these */
    size_t connections;    /* of the collector, over TCP; 0: over UDP */
    size_t sinks;          /* 0: one */
    uint32_t sources;      /* 0: one */
    uint64_t probe_rate;   /* 0: no probes; else the contender writes a file */
    const char *sink_keys; /* more of them, for each sink; NULL: none */
    bool pipe;             /* with probes: a named pipe instead of the file */
};

struct run_result {
    double rate;   /* that the sender came to; datagrams a second */
    uint64_t sent; /* warm-up included, as are those below */
    uint64_t received;
    uint64_t kernel_drops;   /* as the kernel counts them */
    uint64_t lost;           /* sent and not received, or received and not written */
    double cpu_ns;           /* processor time for each datagram received after the warm-up */
    size_t peak_memory;      /* bytes */
    struct load_result load; /* the latencies are the caller's to free */
};

/*
 * Returns 0, or -1 with `error` filled: something did not start or end, a signal was caught, or the
 * numbers do not add up: a ledger does not balance, or datagrams are neither received nor dropped.
 */
int run_once(const struct bench *bench, const struct run_plan *plan, struct run_result *result,
             struct error *error);

/*
 * Waits until a receiver has what it was sent and nothing more to do, ten seconds at most; *counts
 * is what it has then, and *cpu_ns its processor time before it reported that. Returns 0, or -1
 * with `error` filled.
 */
int run_await_counts(struct bench_receiver *receiver, uint64_t sent, struct receiver_counts *counts,
                     int64_t *cpu_ns, struct error *error);

/* What stands for an empty number in a plan. */
static inline size_t run_at_least_one(size_t count)
{
    return count == 0 ? 1 : count;
}

#endif
