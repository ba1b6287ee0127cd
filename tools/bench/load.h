/*
 * The sender of the bench: a process of its own, on a processor of its own where there are two,
 * that sends telemetry datagrams to ports of 127.0.0.1. CMake picks the implementation under
 * tools/platform/.
 *
 * Plain: each datagram goes at its due time, for which the sender watches the clock without ever
 * sleeping; one at a time while it is in time, up to 64 in a call when it is behind. Segmenting: up
 * to 64 datagrams of one size, at most 64 KiB, in one buffer that the kernel cuts (UDP_SEGMENT).
 * Over TCP: as plain, each message after its length in four bytes (framing=length32); a send waits
 * where the receiver does not read.
 *
 * Lifecycle: load_start, any number of load_sent and load_ended, load_finish or
 * load_abandon. One thread.
 */
#ifndef SLUICE_TOOLS_BENCH_LOAD_H
#define SLUICE_TOOLS_BENCH_LOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/error.h"
#include "tools/bench/traffic.h"

#define LOAD_PORTS_MOST   64
#define LOAD_SOURCES_MOST 65000

struct load_plan {
    const struct traffic *traffic;
    uint64_t rate; /* datagrams a second; 0: as fast as it can */
    int64_t duration_ns;
    bool segmenting;
    const uint16_t *ports; /* it goes round over them */
    size_t port_count;
    size_t connections;    /* over TCP, to the first port; it goes round over them; 0: over UDP */
    uint32_t sources;      /* addresses that it sends from in turn; 0: one, the system's choice */
    uint64_t first_number; /* of each source's messages */
    int cpu;               /* -1: any */

    /* Datagrams of another metric that show how late they are in the file; 0: none. */
    uint64_t probe_rate;
    const char *file; /* where their lines appear */
};

struct load_result {
    uint64_t sent; /* probes included */
    uint64_t probes;
    uint64_t last_number; /* the greatest given to a message; 0: none was sent */
    double seconds;

    /* Of the probes whose line was seen: nanoseconds from send to line, in no order; freed by the
     * caller (free). */
    double *latencies;
    size_t latency_count;
    double look_ns; /* between two looks at the file: 99 of 100 were not farther apart */
};

struct load_run;

/* Returns 0, or -1 with `error` filled. */
int load_start(struct load_run **out, const struct load_plan *plan, struct error *error);

/* How many it has sent so far, and whether it has ended. */
uint64_t load_sent(const struct load_run *run);
bool load_ended(struct load_run *run);

/* Waits for its end, and frees it. Returns 0, or -1 with `error` filled: it could not send. */
int load_finish(struct load_run *run, struct load_result *result, struct error *error);

/* Ends it at once, and frees it. */
void load_abandon(struct load_run *run);

#endif
