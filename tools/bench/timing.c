#include "tools/bench/timing.h"

#include <stddef.h>

#include "collector/platform/clock.h"

double timing_round(void (*once)(void *context), void *context, int64_t round_ns)
{
    int64_t start = clock_monotonic_ns();
    int64_t end = start;
    size_t turns = 0;
    for (size_t step = 1; end - start < round_ns; step *= 2) {
        for (size_t i = 0; i < step; i++)
            once(context);
        turns += step;
        end = clock_monotonic_ns();
    }
    return (double)(end - start) / (double)turns;
}
