/*
 * Makes one run: starts a receiver, warms it up, sends datagrams to it, stops it, and compares the
 * number of received datagrams with the number sent. One thread.
 */
#ifndef SLUICE_TOOLS_BENCH_RUN_H
#define SLUICE_TOOLS_BENCH_RUN_H

#include "tools/bench/bench.h"
#include "tools/bench/traffic.h"

struct run_plan {
    const struct contender *who;
    const struct traffic *traffic;
    uint64_t rate; /* datagrams a second; 0 means as fast as possible */
    int64_t duration_ns;
    bool segmenting;
};

struct run_result {
    double rate;   /* datagrams sent in a second */
    uint64_t sent; /* this and the counts below include the warm-up */
    uint64_t received;
    uint64_t kernel_drops; /* by the kernel's count */
    uint64_t lost;         /* datagrams not received, and records not written */
    double cpu_ns;         /* for each datagram received after the warm-up */
    size_t peak_memory;    /* in bytes */
};

/*
 * Returns 0, or -1 with `error` filled: a process did not start or end, a signal was caught, a
 * ledger does not balance, or datagrams are missing that the kernel did not drop.
 */
int run_once(const struct bench *bench, const struct run_plan *plan, struct run_result *result,
             struct error *error);

#endif
