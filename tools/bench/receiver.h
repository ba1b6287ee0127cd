/*
 * A process that receives on ports of 127.0.0.1: a null receiver or the collector, on a processor
 * of its own where there are two. CMake picks the implementation under tools/platform/.
 *
 * Lifecycle: bench_receiver_start, whatever else, bench_receiver_stop or bench_receiver_abandon.
 * One thread.
 */
#ifndef SLUICE_TOOLS_BENCH_RECEIVER_H
#define SLUICE_TOOLS_BENCH_RECEIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/error.h"
#include "tools/bench/contender.h"

struct bench_receiver;

struct receiver_plan {
    const struct contender *who;
    const char *program;   /* the collector; NULL: sluice, in this program's own folder */
    const char *folder;    /* for what it writes */
    size_t listeners;      /* 1 to LOAD_PORTS_MOST; one that blocks has one */
    size_t receivers;      /* of each; the collector's, where its keys name none; 0: one */
    bool spread;           /* the collector: each datagram to any of its receivers */
    bool stream;           /* the collector: over TCP, its messages as load.h says */
    size_t sinks;          /* 1 to 16; of the collector */
    const char *sink_keys; /* more of them, for each sink; NULL: none */
    bool pipe;             /* its one sink writes to a named pipe, which somebody else reads */
    size_t receive_buffer;
    int cpu; /* -1: any */
};

struct receiver_counts {
    uint64_t received;     /* datagrams */
    uint64_t kernel_drops; /* as the socket reports them: with UDP_GRO buffers, not datagrams */
    uint64_t unwritten;    /* records that a sink did not write, for whatever reason */
};

/* Returns when its ports are open: 0, or -1 with `error` filled. */
int bench_receiver_start(struct bench_receiver **out, const struct receiver_plan *plan,
                         struct error *error);

const uint16_t *bench_receiver_ports(const struct bench_receiver *receiver, size_t *count);

/* The file, or named pipe, that its first sink writes; NULL: none. */
const char *bench_receiver_file(const struct bench_receiver *receiver);

/* What it has received so far. Returns 0, or -1 with `error` filled. */
int bench_receiver_count(struct bench_receiver *receiver, struct receiver_counts *counts,
                         struct error *error);

/* Processor time of all its threads. */
int64_t bench_receiver_cpu_ns(const struct bench_receiver *receiver);

/* Bytes of memory that it has now, and that it had at most. */
size_t bench_receiver_memory(const struct bench_receiver *receiver);
size_t bench_receiver_peak_memory(const struct bench_receiver *receiver);

/*
 * Ends it and frees it. Returns 0 with what it received in all, or -1 with `error` filled: it did
 * not end as it should, or its ledger does not balance.
 */
int bench_receiver_stop(struct bench_receiver *receiver, struct receiver_counts *counts,
                        struct error *error);

/* Ends it at once, and frees it; NULL is allowed. */
void bench_receiver_abandon(struct bench_receiver *receiver);

#endif
