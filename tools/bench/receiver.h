/*
 * Runs a receiver of the bench: a process that receives on a port of 127.0.0.1. It is the collector
 * or a null receiver, and has a processor of its own if there are two. CMake selects the
 * implementation in tools/platform/. One thread.
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
    const char *program; /* path of the collector; NULL: sluice in the folder of this program */
    const char *folder;  /* for the receiver's output */
    size_t receive_buffer;
    int cpu; /* the receiver's processor; -1 means any */
};

struct receiver_counts {
    uint64_t received;     /* datagrams */
    uint64_t kernel_drops; /* according to the socket: datagrams, or with gro=on buffers of several
                              datagrams */
    uint64_t unwritten;    /* records that the sink did not write, for any reason */
};

/* Starts a receiver and waits until its port is open. Returns 0, or -1 with `error` filled. */
int bench_receiver_start(struct bench_receiver **out, const struct receiver_plan *plan,
                         struct error *error);

uint16_t bench_receiver_port(const struct bench_receiver *receiver);

/* Fills *counts with the counts so far. Returns 0, or -1 with `error` filled. */
int bench_receiver_count(struct bench_receiver *receiver, struct receiver_counts *counts,
                         struct error *error);

/* Returns the processor time of all threads of the receiver so far, in nanoseconds. */
int64_t bench_receiver_cpu_ns(const struct bench_receiver *receiver);

/* Returns the receiver's peak memory in bytes. */
size_t bench_receiver_peak_memory(const struct bench_receiver *receiver);

/*
 * Ends and frees the receiver, and fills *counts with its final counts. Returns 0, or -1 with
 * `error` filled if it did not end properly or its ledger does not balance.
 */
int bench_receiver_stop(struct bench_receiver *receiver, struct receiver_counts *counts,
                        struct error *error);

/* Ends the receiver immediately and frees it. */
void bench_receiver_abandon(struct bench_receiver *receiver);

#endif
