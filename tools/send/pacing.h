/*
 * Computes when each datagram is due, on an absolute schedule: a late datagram does not delay the
 * next one, so the mean rate is exact while the machine is fast enough. Pure; any thread.
 *
 * Datagram i (from 0) is due i / rate seconds after the start. All datagrams of a burst are due
 * together with its first one.
 */
#ifndef SLUICE_TOOLS_SEND_PACING_H
#define SLUICE_TOOLS_SEND_PACING_H

#include <stdint.h>

#define PACING_RATE_MAX 1000000000u

struct pacing {
    uint64_t rate;  /* datagrams a second, at most PACING_RATE_MAX; 0 means as fast as possible */
    uint64_t burst; /* number of datagrams due together, at least 1 */
    uint64_t total; /* number of all datagrams */
};

/*
 * Makes a schedule of at most `count` datagrams that are all due before `duration_ns`. If `rate` or
 * `duration_ns` is 0, the duration does not limit it.
 */
struct pacing pacing_make(uint64_t rate, uint64_t burst, uint64_t count, uint64_t duration_ns);

/* Returns the number of datagrams due `elapsed_ns` after the start. */
uint64_t pacing_due(const struct pacing *pacing, uint64_t elapsed_ns);

/* Returns the nanoseconds after the start at which datagram `index` is due. */
uint64_t pacing_time(const struct pacing *pacing, uint64_t index);

#endif
