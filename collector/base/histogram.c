#include "collector/base/histogram.h"

#define US UINT64_C(1000)
#define MS UINT64_C(1000000)
#define S  UINT64_C(1000000000)

const uint64_t histogram_times[HISTOGRAM_BOUNDS] = {
    10 * US, 25 * US, 50 * US,  100 * US, 250 * US, 500 * US, 1 * MS,    2500 * US, 5 * MS, 10 * MS,
    25 * MS, 50 * MS, 100 * MS, 250 * MS, 500 * MS, 1 * S,    2500 * MS, 5 * S,     10 * S, 30 * S,
};

const uint64_t histogram_counts[HISTOGRAM_BOUNDS] = {
    0,   1,    2,    4,    8,    16,    32,    64,    128,    256,
    512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072, 262144,
};

void histogram_add_to(const struct histogram *histogram, struct histogram_totals *totals)
{
    for (size_t i = 0; i <= HISTOGRAM_BOUNDS; i++)
        totals->ranges[i] += counter_read(&histogram->ranges[i]);
    totals->sum += counter_read(&histogram->sum);
}
