/*
 * The datagrams that measure latency: telemetry messages of a metric of their own, whose time is
 * when they were sent, and their lines in a file of JSON. Pure; any thread.
 */
#ifndef SLUICE_TOOLS_BENCH_PROBE_H
#define SLUICE_TOOLS_BENCH_PROBE_H

#include <stddef.h>
#include <stdint.h>

#include "tools/send/message.h"

/* How such messages are made; a plan's samples do not matter, there is one. */
extern const struct message_shape probe_shape;

/*
 * Looks for probes in `size` bytes of whole lines that were seen at `now_ns` (since 1970 UTC), and
 * writes how many nanoseconds before that each was sent to `latencies`, at most `most` of them.
 * Returns how many. They must not be older than a day.
 */
size_t probe_find(const char *lines, size_t size, int64_t now_ns, double *latencies, size_t most);

#endif
