/*
 * The sender of the bench: a separate process, on its own processor if there are two, that sends
 * telemetry datagrams to a port of 127.0.0.1. CMake selects the implementation in tools/platform/.
 *
 * Plain: each datagram is sent at its due time. The sender polls the clock without sleeping, and
 * sends one datagram at a time while it is in time, up to 64 in a call when it is late. Segmenting:
 * up to 64 datagrams in one buffer that the kernel splits (UDP_SEGMENT).
 */
#ifndef SLUICE_TOOLS_BENCH_LOAD_H
#define SLUICE_TOOLS_BENCH_LOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/base/error.h"
#include "tools/bench/traffic.h"

struct load_plan {
    const struct traffic *traffic;
    uint64_t rate; /* datagrams a second; 0: as fast as it can */
    int64_t duration_ns;
    bool segmenting;
    uint16_t port;
    uint64_t first_number; /* of its messages */
    int cpu;               /* -1: any */
};

struct load_result {
    uint64_t sent;
    double seconds;
};

/* Sends all datagrams and waits for the end. Returns 0, or -1 with `error` filled. */
int load_send(const struct load_plan *plan, struct load_result *result, struct error *error);

#endif
