/*
 * Computes when each datagram is due, on an absolute schedule: a late datagram does not delay the
 * next, so the mean rate is exact while the machine can keep up. Pure; any thread.
 *
 * Datagram i (from 0) is due at i / rate or, in bursts of b, together with the first of its burst.
 */
#ifndef SLUICE_TOOLS_SEND_PACING_H
#define SLUICE_TOOLS_SEND_PACING_H

#include <stdint.h>

#define PACING_RATE_MAX 1000000000u

struct pacing {
    uint64_t rate;  /* datagrams per second, at most PACING_RATE_MAX; 0: as fast as possible */
    uint64_t burst; /* datagrams due together, at least 1 */
    uint64_t total; /* datagrams in all */
};

/*
 * Makes the schedule of at most `count` datagrams, the last one due before `duration_ns`. 0, or no
 * rate: no such limit.
 */
struct pacing pacing_make(uint64_t rate, uint64_t burst, uint64_t count, uint64_t duration_ns);

/* Returns how many datagrams are due `elapsed_ns` after the start. */
uint64_t pacing_due(const struct pacing *pacing, uint64_t elapsed_ns);

/* Nanoseconds after the start at which datagram `index` is due. */
uint64_t pacing_time(const struct pacing *pacing, uint64_t index);

#endif
