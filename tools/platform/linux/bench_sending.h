/*
 * What the bench's sender does in its own process, and what it reports to the bench. Of this folder
 * only.
 */
#ifndef SLUICE_TOOLS_PLATFORM_LINUX_BENCH_SENDING_H
#define SLUICE_TOOLS_PLATFORM_LINUX_BENCH_SENDING_H

#include <stdatomic.h>

#include "tools/bench/load.h"

/* Written by the sender; but for `sent`, read when it has ended. */
struct sending_shared {
    _Atomic uint64_t sent;
    uint64_t probes;
    uint64_t last_number;
    int64_t elapsed_ns; /* from the first datagram's due time to the last one sent */
    double look_ns;
    bool failed;
    struct error failure;
    size_t latency_count;
    size_t latencies_most;
    double latencies[];
};

/* Sends all of the plan. */
void sending_run(const struct load_plan *plan, struct sending_shared *shared);

#endif
