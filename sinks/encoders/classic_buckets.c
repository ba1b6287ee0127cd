#include "sinks/encoders/classic_buckets.h"

#include <math.h>

/* A bound, and the number of values in the bucket below it. */
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

/*
 * The limit of scales, positive and negative; scales beyond it are computed as if they were the
 * limit. At the limit, a bucket next to 1 is narrower than the distance between two doubles, or one
 * bucket has all doubles above 1.
 */
#define SCALE_LIMIT 1100

/*
 * Returns base^index, where base = 2^(2^-scale). Index i returns exactly the same number as index
 * 2i of the next finer scale, because both are computed from the same exponent of 2.
 */
static double exponential_bound(int64_t scale, int64_t index)
{
    int limited = scale > SCALE_LIMIT    ? SCALE_LIMIT
                  : scale < -SCALE_LIMIT ? -SCALE_LIMIT
                                         : (int)scale;
    return exp2(ldexp((double)index, -limited));
}

/*
 * The buckets after merging each 2^shift neighbours into one: the index of the first merged bucket
 * at the reduced scale, and their number.
 */
struct merged {
    int64_t first;
    size_t count;
};

static int64_t shift_down(int64_t index, unsigned shift)
{
    return index < 0 ? ~(~index >> shift) : index >> shift;
}

static struct merged merged_of(const struct sample_buckets *buckets, unsigned shift)
{
    if (buckets->count_count == 0)
        return (struct merged){0, 0};
    int64_t first = shift_down(buckets->offset, shift);
    int64_t last = shift_down(buckets->offset + (int64_t)buckets->count_count - 1, shift);
    return (struct merged){first, (size_t)(last - first) + 1};
}

static uint64_t classic_buckets_add(uint64_t a, uint64_t b)
{
    return b > UINT64_MAX - a ? UINT64_MAX : a + b;
}

/* Returns the number of values in the merged bucket with this index. */
static uint64_t merged_count(const struct sample_buckets *buckets, unsigned shift, int64_t index)
{
    const int64_t width = (int64_t)1 << shift;
    int64_t from = index * width - buckets->offset;
    int64_t to = from + width;
    uint64_t count = 0;
    if (to > (int64_t)buckets->count_count)
        to = (int64_t)buckets->count_count;
    for (int64_t i = from > 0 ? from : 0; i < to; i++)
        count = classic_buckets_add(count, buckets->counts[i]);
    return count;
}

/*
 * Sets *step to bound number `index` of the negative buckets, in ascending order, with the count of
 * the bucket below that bound. Bound 0 is the lower bound of the lowest bucket, with count 0.
 * Returns false after the last bound.
 */
static bool negative_step(const struct classic_buckets *walk, size_t index, struct step *step)
{
    const struct sample_exponential_histogram *histogram =
        &walk->sample->value.exponential_histogram;
    const struct merged merged = merged_of(&histogram->negative, walk->shift);
    if (merged.count == 0 || index > merged.count)
        return false;
    int64_t bucket = merged.first + (int64_t)(merged.count - index);
    step->bound = -exponential_bound((int64_t)histogram->scale - walk->shift, bucket);
    step->count = index == 0 ? 0 : merged_count(&histogram->negative, walk->shift, bucket);
    if (step->bound == 0)
        step->bound = (double)NAN; /* an underflow: next_bucket skips it */
    return true;
}

static bool positive_step(const struct classic_buckets *walk, size_t index, struct step *step)
{
    const struct sample_exponential_histogram *histogram =
        &walk->sample->value.exponential_histogram;
    const struct merged merged = merged_of(&histogram->positive, walk->shift);
    if (merged.count == 0 || index > merged.count)
        return false;
    int64_t bucket = merged.first + (int64_t)index;
    step->bound = exponential_bound((int64_t)histogram->scale - walk->shift, bucket);
    step->count = index == 0 ? 0 : merged_count(&histogram->positive, walk->shift, bucket - 1);
    return true;
}

static bool exponential_step(const struct classic_buckets *walk, size_t index, struct step *step)
{
    const struct sample_exponential_histogram *histogram =
        &walk->sample->value.exponential_histogram;
    if (negative_step(walk, index, step))
        return true;
    size_t negative = merged_of(&histogram->negative, walk->shift).count;
    index -= negative == 0 ? 0 : negative + 1;
    if (index == 0) {
        *step = (struct step){histogram->zero_threshold, histogram->zero_count};
        return true;
    }
    return positive_step(walk, index - 1, step);
}

/* --- choosing buckets ------------------------------------------------------------------------- */

static size_t bucket_count(const struct sample_exponential_histogram *histogram, unsigned shift)
{
    size_t negative = merged_of(&histogram->negative, shift).count;
    size_t positive = merged_of(&histogram->positive, shift).count;
    return negative + (negative != 0) + 1 + positive + (positive != 0) + 1;
}

/*
 * Returns the smallest shift with which there are at most `most` buckets. There always is one: with
 * at most two buckets on each side of zero, the number is at most BUCKETS_LEAST.
 */
static unsigned shift_for(const struct sample_exponential_histogram *histogram, uint64_t most)
{
    unsigned shift = 0;
    while (bucket_count(histogram, shift) > most && shift < 40)
        shift++;
    return shift;
}

static bool is_number(uint64_t choice)
{
    return choice != BUCKETS_ALL && choice != BUCKETS_CHANGED;
}

/*
 * Returns true if the explicit bound is kept. Kept bounds are evenly spread and include the last
 * one.
 */
static bool stays(const struct classic_buckets *walk, size_t index)
{
    uint64_t count = walk->sample->value.histogram.bound_count;
    uint64_t most = walk->choice - 1;
    if (walk->sample->type != SAMPLE_HISTOGRAM || !is_number(walk->choice) || count <= most)
        return true;
    return (index + 1) * most / count != index * most / count;
}

static const struct sample_totals *totals_of(const struct sample *sample)
{
    return sample->type == SAMPLE_HISTOGRAM ? &sample->value.histogram.totals
                                            : &sample->value.exponential_histogram.totals;
}

static bool next_bucket(struct classic_buckets *walk, struct classic_bucket *bucket)
{
    const struct sample *sample = walk->sample;
    struct step step;
    while (sample->type == SAMPLE_HISTOGRAM
               ? explicit_step(&sample->value.histogram, walk->next, &step)
               : exponential_step(walk, walk->next, &step)) {
        size_t index = walk->next++;
        walk->count = classic_buckets_add(walk->count, step.count);
        if (!(step.bound > walk->last && step.bound < (double)INFINITY)) /* false for NaN, too */
            continue;
        if (!stays(walk, index))
            continue;
        walk->last = step.bound;
        /* -0.0 becomes +0.0 */
        *bucket = (struct classic_bucket){step.bound + 0.0, walk->count};
        return true;
    }
    return false;
}

/* Finds the next bound at which a bucket with values begins or ends. */
static bool next_changed(struct classic_buckets *walk, struct classic_bucket *bucket)
{
    while (walk->has_ahead) {
        bool first = !walk->begun;
        uint64_t below = walk->below;
        *bucket = walk->ahead;
        walk->has_ahead = next_bucket(walk, &walk->ahead);
        uint64_t above = walk->has_ahead ? walk->ahead.count : totals_of(walk->sample)->count;
        walk->begun = true;
        walk->below = bucket->count;
        if (first || bucket->count != below || bucket->count != above)
            return true;
    }
    return false;
}

unsigned classic_buckets_shift(const struct sample *sample, uint64_t choice)
{
    return is_number(choice) ? shift_for(&sample->value.exponential_histogram, choice) : 0;
}

void classic_buckets_begin(struct classic_buckets *walk, const struct sample *sample,
                           uint64_t choice)
{
    *walk = (struct classic_buckets){.sample = sample, .choice = choice, .last = -(double)INFINITY};
    if (sample->type != SAMPLE_HISTOGRAM)
        walk->shift = classic_buckets_shift(sample, choice);
    if (choice == BUCKETS_CHANGED)
        walk->has_ahead = next_bucket(walk, &walk->ahead);
}

bool classic_buckets_next(struct classic_buckets *walk, struct classic_bucket *bucket)
{
    return walk->choice == BUCKETS_CHANGED ? next_changed(walk, bucket) : next_bucket(walk, bucket);
}
