/*
 * Runs the sender of the bench: a separate process that sends telemetry datagrams to a port of
 * 127.0.0.1. It has a processor of its own if there are two. CMake selects the implementation in
 * tools/platform/.
 *
 * A plain sender sends each datagram at its due time, and polls the clock without sleeping. It
 * sends one datagram in a call, or up to 64 if it is late. A segmenting sender puts up to 64
 * datagrams into one buffer, which the kernel splits (UDP_SEGMENT).
 */
#ifndef SLUICE_TOOLS_BENCH_LOAD_H
#define SLUICE_TOOLS_BENCH_LOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/base/error.h"
#include "tools/bench/traffic.h"

struct load_plan {
    const struct traffic *traffic;
    uint64_t rate; /* datagrams a second; 0 means as fast as possible */
    int64_t duration_ns;
    bool segmenting;
    uint16_t port;
    uint64_t first_number; /* number of the first message */
    int cpu;               /* the sender's processor; -1 means any */
};

struct load_result {
    uint64_t sent;
    double seconds;
};

/* Returns after the sender has ended: 0, or -1 with `error` filled. */
int load_send(const struct load_plan *plan, struct load_result *result, struct error *error);

#endif
