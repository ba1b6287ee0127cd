/* The time, in nanoseconds. */
#ifndef SLUICE_COLLECTOR_PLATFORM_CLOCK_H
#define SLUICE_COLLECTOR_PLATFORM_CLOCK_H

#include <stdint.h>

/* Nanoseconds of a clock that never goes back. */
int64_t clock_monotonic_ns(void);

/* Nanoseconds since 1970 UTC. */
int64_t clock_wall_ns(void);

#endif
