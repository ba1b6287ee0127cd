#include "tools/bench/statistics.h"

#include <math.h>
#include <stdlib.h>

void series_add(struct series *series, double value)
{
    if (series->count < SERIES_MOST)
        series->values[series->count++] = value;
}

static int compare(const void *a, const void *b)
{
    double left = *(const double *)a;
    double right = *(const double *)b;
    if (isnan(left) || isnan(right))
        return (isnan(left) != 0) - (isnan(right) != 0);
    return (left > right) - (left < right);
}

struct spread spread_of(const struct series *series)
{
    struct series sorted = *series;
    size_t count = sorted.count;
    qsort(sorted.values, count, sizeof sorted.values[0], compare);
    while (count != 0 && isnan(sorted.values[count - 1]))
        count--;
    if (count == 0)
        return (struct spread){(double)NAN, (double)NAN, (double)NAN};
    return (struct spread){
        .median = (sorted.values[(count - 1) / 2] + sorted.values[count / 2]) / 2,
        .least = sorted.values[0],
        .most = sorted.values[count - 1],
    };
}

struct spread spread_of_ratios(const struct series *series, const struct series *yardstick)
{
    struct series ratios = {.count = 0};
    for (size_t i = 0; i < series->count; i++)
        series_add(&ratios, yardstick->values[i] == 0 ? (double)NAN
                                                      : series->values[i] / yardstick->values[i]);
    return spread_of(&ratios);
}
