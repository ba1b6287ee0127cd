/*
 * One run: starts a receiver, warms it up, sends, stops it, and compares what was received with
 * what was sent. One thread.
 */
#ifndef SLUICE_TOOLS_BENCH_RUN_H
#define SLUICE_TOOLS_BENCH_RUN_H

#include "tools/bench/bench.h"
#include "tools/bench/traffic.h"

struct run_plan {
    const struct contender *who;
    const struct traffic *traffic;
    uint64_t rate; /* datagrams a second; 0: as fast as the sender can */
    int64_t duration_ns;
    bool segmenting;
};

struct run_result {
    double rate;   /* the sender's actual rate, in datagrams a second */
    uint64_t sent; /* these include the warm-up */
    uint64_t received;
    uint64_t kernel_drops; /* as counted by the kernel */
    uint64_t lost;         /* sent and not received, or received and not written */
    double cpu_ns;         /* processor time of each datagram received after the warm-up */
    size_t peak_memory;    /* bytes */
};

/*
 * Returns 0, or -1 with `error` filled: a process did not start or end, a signal was caught, or the
 * numbers do not add up: a ledger does not balance, or datagrams are neither received nor dropped.
 */
int run_once(const struct bench *bench, const struct run_plan *plan, struct run_result *result,
             struct error *error);

#endif
