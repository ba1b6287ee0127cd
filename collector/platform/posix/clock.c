/* Implements the clocks of collector/platform/clock.h with clock_gettime(2). */
#include "collector/platform/clock.h"

#include <time.h>

int64_t clock_monotonic_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return clock_monotonic_ns_of(now.tv_sec, now.tv_nsec);
}

int64_t clock_wall_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return clock_wall_ns_of(now.tv_sec, now.tv_nsec);
}
