#include "sinks/encoders/classic_buckets.h"

#include <math.h>

/* What the next bound adds to those below it. */
struct step {
    double bound;
    uint64_t count;
};

static bool explicit_step(const struct sample_histogram *histogram, size_t index, struct step *step)
{
    if (index >= histogram->bound_count || histogram->count_count != histogram->bound_count + 1)
        return false;
    *step = (struct step){histogram->bounds[index], histogram->counts[index]};
    return true;
}

/* Beyond this a bucket below or above 1 is wider than all doubles, or narrower than any two. */
#define SCALE_LIMIT 1100

/*
 * base^index, where base = 2^(2^-scale). An index of one scale and its double in the next finer one
 * give the same number: it is computed from the same exponent of 2.
 */
static double exponential_bound(int32_t scale, int64_t index)
{
    int limited = scale > SCALE_LIMIT    ? SCALE_LIMIT
                  : scale < -SCALE_LIMIT ? -SCALE_LIMIT
                                         : (int)scale;
    return exp2(ldexp((double)index, -limited));
}

/* Below zero, from the lowest bucket up; of each the bound that is nearer to zero. */
static bool negative_step(const struct sample_exponential_histogram *histogram, size_t index,
                          struct step *step)
{
    const struct sample_buckets *buckets = &histogram->negative;
    if (buckets->count_count == 0 || index > buckets->count_count)
        return false;
    size_t bucket = buckets->count_count - index;
    step->bound = -exponential_bound(histogram->scale, buckets->offset + (int64_t)bucket);
    step->count = index == 0 ? 0 : buckets->counts[bucket];
    if (step->bound == 0)
        step->bound = (double)NAN; /* too near to zero to differ from it */
    return true;
}

static bool positive_step(const struct sample_exponential_histogram *histogram, size_t index,
                          struct step *step)
{
    const struct sample_buckets *buckets = &histogram->positive;
    if (buckets->count_count == 0 || index > buckets->count_count)
        return false;
    step->bound = exponential_bound(histogram->scale, buckets->offset + (int64_t)index);
    step->count = index == 0 ? 0 : buckets->counts[index - 1];
    return true;
}

static bool exponential_step(const struct sample_exponential_histogram *histogram, size_t index,
                             struct step *step)
{
    if (negative_step(histogram, index, step))
        return true;
    size_t negative = histogram->negative.count_count;
    index -= negative == 0 ? 0 : negative + 1;
    if (index == 0) {
        *step = (struct step){histogram->zero_threshold, histogram->zero_count};
        return true;
    }
    return positive_step(histogram, index - 1, step);
}

void classic_buckets_begin(struct classic_buckets *walk, const struct sample *sample)
{
    *walk = (struct classic_buckets){.sample = sample, .last = -(double)INFINITY};
}

bool classic_buckets_next(struct classic_buckets *walk, struct classic_bucket *bucket)
{
    const struct sample *sample = walk->sample;
    struct step step;
    while (sample->type == SAMPLE_HISTOGRAM
               ? explicit_step(&sample->value.histogram, walk->next, &step)
               : exponential_step(&sample->value.exponential_histogram, walk->next, &step)) {
        walk->next++;
        walk->count = step.count > UINT64_MAX - walk->count ? UINT64_MAX : walk->count + step.count;
        if (!(step.bound > walk->last && step.bound < (double)INFINITY)) /* NaN, too */
            continue;
        walk->last = step.bound;
        /* The sum makes a negative zero a positive one. */
        *bucket = (struct classic_bucket){step.bound + 0.0, walk->count};
        return true;
    }
    return false;
}
