#include "tools/bench/statistics.h"

#include <math.h>
#include <stdlib.h>

/* Values are looked at in parts of at most so many: no bench has more rounds. */
#define VALUES_MOST 1000

static int compare(const void *a, const void *b)
{
    double left = *(const double *)a;
    double right = *(const double *)b;
    if (isnan(left) || isnan(right))
        return (isnan(left) != 0) - (isnan(right) != 0);
    return (left > right) - (left < right);
}

/* Puts them in order, NaN last, and returns how many are no NaN. */
static size_t sort(double *values, size_t count)
{
    qsort(values, count, sizeof *values, compare);
    while (count != 0 && isnan(values[count - 1]))
        count--;
    return count;
}

struct spread spread_of(const double *values, size_t count)
{
    double sorted[VALUES_MOST];
    if (count > VALUES_MOST)
        count = VALUES_MOST;
    for (size_t i = 0; i < count; i++)
        sorted[i] = values[i];
    count = sort(sorted, count);
    if (count == 0)
        return (struct spread){(double)NAN, (double)NAN, (double)NAN};
    return (struct spread){.median = (sorted[(count - 1) / 2] + sorted[count / 2]) / 2,
                           .least = sorted[0],
                           .most = sorted[count - 1]};
}

struct spread spread_of_ratios(const double *values, const double *yardstick, size_t count)
{
    double ratios[VALUES_MOST];
    if (count > VALUES_MOST)
        count = VALUES_MOST;
    for (size_t i = 0; i < count; i++)
        ratios[i] = yardstick[i] == 0 ? (double)NAN : values[i] / yardstick[i];
    return spread_of(ratios, count);
}
