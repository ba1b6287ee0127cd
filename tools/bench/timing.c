#include "tools/bench/timing.h"

#include <stdlib.h>

#include "collector/thread.h"

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

static int compare(const void *a, const void *b)
{
    double left = *(const double *)a;
    double right = *(const double *)b;
    return (left > right) - (left < right);
}

double timing_median(double *times, size_t count)
{
    qsort(times, count, sizeof *times, compare);
    return times[count / 2];
}
