/*
 * A process that receives on a port of 127.0.0.1: a null receiver or the collector, on a processor
 * of its own where there are two. CMake picks the implementation under tools/platform/.
 *
 * Lifecycle: bench_receiver_start, whatever else, bench_receiver_stop or bench_receiver_abandon.
 * One thread.
 */
#ifndef SLUICE_TOOLS_BENCH_RECEIVER_H
#define SLUICE_TOOLS_BENCH_RECEIVER_H

#include <stddef.h>
#include <stdint.h>

#include "collector/base/error.h"
#include "tools/bench/contender.h"

struct bench_receiver;

struct receiver_plan {
    const struct contender *who;
    const char *program; /* the collector; NULL: sluice, in this program's own folder */
    const char *folder;  /* for what it writes */
    size_t receive_buffer;
    int cpu; /* -1: any */
};

struct receiver_counts {
    uint64_t received;     /* datagrams */
    uint64_t kernel_drops; /* as the socket reports them: with gro=on buffers, not datagrams */
    uint64_t unwritten;    /* records that the sink did not write, for whatever reason */
};

/* Returns when its port is open: 0, or -1 with `error` filled. */
int bench_receiver_start(struct bench_receiver **out, const struct receiver_plan *plan,
                         struct error *error);

uint16_t bench_receiver_port(const struct bench_receiver *receiver);

/* What it has received so far. Returns 0, or -1 with `error` filled. */
int bench_receiver_count(struct bench_receiver *receiver, struct receiver_counts *counts,
                         struct error *error);

/* Processor time of all its threads. */
int64_t bench_receiver_cpu_ns(const struct bench_receiver *receiver);

/* Bytes of memory that it had at most. */
size_t bench_receiver_peak_memory(const struct bench_receiver *receiver);

/*
 * Ends it and frees it. Returns 0 with what it received in all, or -1 with `error` filled: it did
 * not end as it should, or its ledger does not balance.
 */
int bench_receiver_stop(struct bench_receiver *receiver, struct receiver_counts *counts,
                        struct error *error);

/* Ends it at once, and frees it. */
void bench_receiver_abandon(struct bench_receiver *receiver);

#endif
