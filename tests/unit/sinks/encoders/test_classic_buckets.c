/*
 * Tests writing histograms of both kinds as classic buckets, each of which counts all values up to
 * its bound.
 */
#include <math.h>
#include <stdio.h>

#include "sinks/encoders/classic_buckets.h"
#include "tests/support/base/random_number.h"
#include "tests/support/test.h"

#define assert_buckets(sample, ...)                                                                \
    assert_walk((sample), (const double[][2]){__VA_ARGS__},                                        \
                sizeof((const double[][2]){__VA_ARGS__}) / sizeof(double[2]))

static void assert_walk(const struct sample *sample, const double (*expected)[2], size_t count)
{
    struct classic_buckets walk;
    struct classic_bucket bucket;
    size_t found = 0;
    classic_buckets_begin(&walk, sample, BUCKETS_ALL);
    while (classic_buckets_next(&walk, &bucket)) {
        if (found == count)
            fail_msg("one more bucket: %.17g", bucket.bound);
        if (bucket.bound != expected[found][0] || (double)bucket.count != expected[found][1])
            fail_msg("bucket %zu is %.17g: %llu", found, bucket.bound,
                     (unsigned long long)bucket.count);
        assert_false(signbit(bucket.bound) && bucket.bound == 0);
        found++;
    }
    assert_int_equal(found, count);
    assert_false(classic_buckets_next(&walk, &bucket));
}

static void assert_no_buckets(const struct sample *sample)
{
    assert_walk(sample, NULL, 0);
}

static struct sample histogram_of(const double *bounds, size_t bound_count, const uint64_t *counts,
                                  size_t count_count)
{
    return (struct sample){.type = SAMPLE_HISTOGRAM,
                           .value.histogram = {.bounds = bounds,
                                               .bound_count = bound_count,
                                               .counts = counts,
                                               .count_count = count_count}};
}

/* --- histograms with explicit bounds ---------------------------------------------------------- */

TEST(each_bound_counts_all_below_it)
{
    const double bounds[] = {-1, 0.5, 10};
    const uint64_t counts[] = {1, 20, 0, 4000};
    struct sample sample = histogram_of(bounds, 3, counts, 4);
    assert_buckets(&sample, {-1, 1}, {0.5, 21}, {10, 21});
}

TEST(without_bounds_there_are_no_buckets)
{
    const uint64_t counts[] = {7};
    struct sample sample = histogram_of(NULL, 0, NULL, 0);
    assert_no_buckets(&sample);
    sample = histogram_of(NULL, 0, counts, 1);
    assert_no_buckets(&sample);
}

TEST(counts_that_do_not_go_with_the_bounds_are_none)
{
    const double bounds[] = {1, 2};
    const uint64_t counts[] = {1, 2, 3, 4};
    for (size_t count = 0; count <= 4; count++) {
        struct sample sample = histogram_of(bounds, 2, counts, count);
        if (count != 3)
            assert_no_buckets(&sample);
    }
}

TEST(bounds_out_of_order_are_part_of_the_next)
{
    const double bounds[] = {-(double)INFINITY, 1, 1, 0, (double)NAN, 2, (double)INFINITY};
    const uint64_t counts[] = {1, 1, 1, 1, 1, 1, 1, 1};
    struct sample sample = histogram_of(bounds, 7, counts, 8);
    assert_buckets(&sample, {1, 2}, {2, 6});
}

TEST(counts_beyond_all_counting_stay_at_the_most)
{
    const double bounds[] = {-0.0, 1};
    const uint64_t counts[] = {UINT64_MAX - 1, 5, 5};
    struct sample sample = histogram_of(bounds, 2, counts, 3);
    assert_buckets(&sample, {0, (double)(UINT64_MAX - 1)}, {1, (double)UINT64_MAX});
}

/* --- exponential histograms ------------------------------------------------------------------- */

static struct sample exponential(int32_t scale)
{
    return (struct sample){.type = SAMPLE_EXPONENTIAL_HISTOGRAM,
                           .value.exponential_histogram.scale = scale};
}

static void set_buckets(struct sample_buckets *buckets, int32_t offset, const uint64_t *counts,
                        size_t count)
{
    *buckets = (struct sample_buckets){offset, counts, count};
}

TEST(positive_buckets_begin_with_their_lower_bound)
{
    const uint64_t counts[] = {3, 0, 1};
    struct sample sample = exponential(0);
    sample.value.exponential_histogram.zero_count = 2;
    set_buckets(&sample.value.exponential_histogram.positive, 1, counts, 3);
    assert_buckets(&sample, {0, 2}, {2, 2}, {4, 5}, {8, 5}, {16, 6});
    set_buckets(&sample.value.exponential_histogram.positive, -2, counts, 3);
    assert_buckets(&sample, {0, 2}, {0.25, 2}, {0.5, 5}, {1, 5}, {2, 6});
}

TEST(the_scale_sets_the_width_of_buckets)
{
    const uint64_t counts[] = {1, 1};
    struct sample sample = exponential(1);
    set_buckets(&sample.value.exponential_histogram.positive, 0, counts, 2);
    assert_buckets(&sample, {0, 0}, {1, 0}, {1.4142135623730951, 1}, {2, 2});
    sample.value.exponential_histogram.scale = -1;
    assert_buckets(&sample, {0, 0}, {1, 0}, {4, 1}, {16, 2});
    sample.value.exponential_histogram.scale = -2;
    assert_buckets(&sample, {0, 0}, {1, 0}, {16, 1}, {256, 2});
}

/*
 * Each bound of a coarser scale is also a bound of a finer one. So a bound keeps its series when a
 * sender changes its scale.
 */
TEST(bounds_of_a_finer_scale_hold_those_of_a_coarser_one)
{
    static const uint64_t counts[40];
    for (int32_t scale = -10; scale < 20; scale++) {
        struct sample coarse = exponential(scale);
        struct sample fine = exponential(scale + 1);
        set_buckets(&coarse.value.exponential_histogram.positive, -10, counts, 20);
        set_buckets(&fine.value.exponential_histogram.positive, -20, counts, 40);
        struct classic_buckets of_coarse, of_fine;
        struct classic_bucket bucket, finer;
        classic_buckets_begin(&of_coarse, &coarse, BUCKETS_ALL);
        classic_buckets_begin(&of_fine, &fine, BUCKETS_ALL);
        while (classic_buckets_next(&of_coarse, &bucket)) {
            do
                assert_true(classic_buckets_next(&of_fine, &finer));
            while (finer.bound < bucket.bound);
            assert_true(finer.bound == bucket.bound);
        }
    }
}

TEST(below_zero_buckets_ascend_to_it)
{
    const uint64_t negative[] = {1, 20};
    const uint64_t positive[] = {4000};
    struct sample sample = exponential(0);
    struct sample_exponential_histogram *histogram = &sample.value.exponential_histogram;
    histogram->zero_count = 300;
    histogram->zero_threshold = 0.25;
    /* One value is from -4 to -2, and 20 are from -8 to -4. */
    set_buckets(&histogram->negative, 1, negative, 2);
    set_buckets(&histogram->positive, 0, positive, 1);
    assert_buckets(&sample, {-8, 0}, {-4, 20}, {-2, 21}, {0.25, 321}, {1, 321}, {2, 4321});
}

TEST(bounds_that_no_double_holds_are_part_of_the_next)
{
    const uint64_t counts[] = {1, 2, 4};
    struct sample sample = exponential(-10); /* the base is 2^1024 */
    struct sample_exponential_histogram *histogram = &sample.value.exponential_histogram;
    set_buckets(&histogram->negative, -2, counts, 3);
    set_buckets(&histogram->positive, -2, counts, 3);
    assert_buckets(&sample, {-1, 4}, {-0x1p-1024, 6}, {0, 7}, {0x1p-1024, 8}, {1, 10});
}

TEST(any_scale_and_offset_give_bounds_that_ascend)
{
    static const int32_t values[] = {
        INT32_MIN, INT32_MIN + 1, -1101, -1075, -11,           0,
        20,        1074,          1100,  1101,  INT32_MAX - 1, INT32_MAX};
    static const uint64_t counts[3] = {1, 1, 1};
    size_t many = sizeof values / sizeof values[0];
    for (size_t i = 0; i < many * many; i++) {
        struct sample sample = exponential(values[i / many]);
        struct sample_exponential_histogram *histogram = &sample.value.exponential_histogram;
        set_buckets(&histogram->negative, values[i % many], counts, 3);
        set_buckets(&histogram->positive, values[i % many], counts, 3);
        struct classic_buckets walk;
        struct classic_bucket bucket;
        double last = -(double)INFINITY;
        classic_buckets_begin(&walk, &sample, BUCKETS_ALL);
        while (classic_buckets_next(&walk, &bucket)) {
            assert_true(bucket.bound > last && bucket.bound < (double)INFINITY);
            assert_true(bucket.count <= 6);
            last = bucket.bound;
        }
    }
}

TEST(a_threshold_that_is_no_number_is_no_bound)
{
    const uint64_t counts[] = {1};
    struct sample sample = exponential(0);
    sample.value.exponential_histogram.zero_count = 5;
    sample.value.exponential_histogram.zero_threshold = (double)NAN;
    set_buckets(&sample.value.exponential_histogram.positive, 0, counts, 1);
    assert_buckets(&sample, {1, 5}, {2, 6});
}

/* --- chosen buckets --------------------------------------------------------------------------- */

static void assert_chosen(const struct sample *sample, uint64_t choice, const double (*expected)[2],
                          size_t count)
{
    struct classic_buckets walk;
    struct classic_bucket bucket;
    size_t found = 0;
    classic_buckets_begin(&walk, sample, choice);
    for (; classic_buckets_next(&walk, &bucket); found++) {
        assert_true(found < count);
        assert_true(bucket.bound == expected[found][0]);
        assert_true((double)bucket.count == expected[found][1]);
    }
    assert_int_equal(found, count);
}

TEST(of_changed_buckets_those_stay_that_bound_values)
{
    const double bounds[] = {1, 2, 3, 4, 5, 6, 7, 8};
    const uint64_t counts[] = {0, 0, 0, 5, 0, 0, 1, 0, 0};
    struct sample sample = histogram_of(bounds, 8, counts, 9);
    sample.value.histogram.totals.count = 6;
    const double expected[][2] = {{1, 0}, {3, 0}, {4, 5}, {6, 5}, {7, 6}};
    assert_chosen(&sample, BUCKETS_CHANGED, expected, 5);
    sample.value.histogram.totals.count = 7; /* one value is above all bounds */
    const double above[][2] = {{1, 0}, {3, 0}, {4, 5}, {6, 5}, {7, 6}, {8, 6}};
    assert_chosen(&sample, BUCKETS_CHANGED, above, 6);
}

TEST(of_explicit_bounds_every_so_many_th_stays_and_the_last_one)
{
    double bounds[20];
    uint64_t counts[21];
    for (size_t i = 0; i < 20; i++) {
        bounds[i] = (double)i + 1;
        counts[i] = 1;
    }
    counts[20] = 1;
    struct sample sample = histogram_of(bounds, 20, counts, 21);
    const double expected[][2] = {{3, 3}, {6, 6}, {9, 9}, {12, 12}, {15, 15}, {18, 18}, {20, 20}};
    assert_chosen(&sample, 8, expected, 7);
}

TEST(an_exponential_histogram_loses_its_scale)
{
    uint64_t counts[16];
    for (size_t i = 0; i < 16; i++)
        counts[i] = 1;
    struct sample sample = exponential(2);
    set_buckets(&sample.value.exponential_histogram.positive, -3, counts, 16); /* up to 2^(13/4) */
    const double expected[][2] = {{0, 0}, {0.5, 0}, {1, 3}, {2, 7}, {4, 11}, {8, 15}, {16, 16}};
    assert_chosen(&sample, 8, expected, 7);
}

/* --- random histograms ------------------------------------------------------------------------ */

#define MOST 400

struct full {
    struct classic_bucket list[2 * MOST + 8];
    size_t count;
};

static void walk_all(const struct sample *sample, uint64_t choice, struct full *full)
{
    struct classic_buckets walk;
    full->count = 0;
    classic_buckets_begin(&walk, sample, choice);
    while (classic_buckets_next(&walk, &full->list[full->count]))
        full->count++;
}

static uint64_t counted_to(const struct full *full, double bound)
{
    uint64_t count = 0;
    for (size_t i = 0; i < full->count && full->list[i].bound <= bound; i++)
        count = full->list[i].count;
    return count;
}

/*
 * Computes a quantile as Prometheus does (bucketQuantile in promql/quantile.go). `total` is the
 * count of the last bucket.
 */
static double quantile_of(const struct full *full, uint64_t total, double q)
{
    double rank = q * (double)total;
    size_t b = 0;
    if (full->count == 0 || total == 0)
        return (double)NAN;
    while (b < full->count && (double)full->list[b].count < rank)
        b++;
    if (b == full->count)
        return full->list[b - 1].bound;
    if (b == 0 && full->list[0].bound <= 0)
        return full->list[0].bound;
    double start = b > 0 ? full->list[b - 1].bound : 0;
    double below = b > 0 ? (double)full->list[b - 1].count : 0;
    return start +
           (full->list[b].bound - start) * (rank - below) / ((double)full->list[b].count - below);
}

static void assert_same(double a, double b)
{
    assert_true(a == b || (isnan(a) && isnan(b)));
}

static void check_choices(const struct sample *sample, uint64_t total)
{
    static struct full full, chosen;
    walk_all(sample, BUCKETS_ALL, &full);
    walk_all(sample, BUCKETS_CHANGED, &chosen);
    for (size_t i = 0; i < chosen.count; i++)
        assert_int_equal(chosen.list[i].count, counted_to(&full, chosen.list[i].bound));
    for (int i = 0; i <= 100; i++)
        assert_same(quantile_of(&chosen, total, i / 100.0), quantile_of(&full, total, i / 100.0));
    for (uint64_t most = BUCKETS_LEAST; most < 100; most = most * 3 / 2) {
        walk_all(sample, most, &chosen);
        assert_true(chosen.count + 1 <= most);
        for (size_t i = 0; i < chosen.count; i++)
            assert_int_equal(chosen.list[i].count, counted_to(&full, chosen.list[i].bound));
        if (full.count != 0 && sample->type == SAMPLE_HISTOGRAM)
            assert_int_equal(chosen.list[chosen.count - 1].count, full.list[full.count - 1].count);
    }
}

/* Makes counts that are mostly 0, as in real histograms. Returns their sum. */
static uint64_t random_counts(uint64_t *random, uint64_t *counts, size_t count)
{
    uint64_t total = 0;
    for (size_t i = 0; i < count; i++)
        total += counts[i] = next_below(random, 4) == 0 ? next_below(random, 1000) : 0;
    return total;
}

TEST(what_each_bound_counts_is_the_same_for_each_choice)
{
    static uint64_t negative[MOST], positive[MOST];
    static double bounds[MOST];
    uint64_t random = 4711;
    for (int round = 0; round < 2000; round++) {
        size_t below = next_below(&random, MOST), above = next_below(&random, MOST);
        struct sample sample = exponential((int32_t)next_below(&random, 15));
        struct sample_exponential_histogram *histogram = &sample.value.exponential_histogram;
        histogram->zero_count = next_below(&random, 3);
        uint64_t total = histogram->zero_count + random_counts(&random, negative, below) +
                         random_counts(&random, positive, above);
        set_buckets(&histogram->negative, (int32_t)next_below(&random, 1000) - 500, negative,
                    below);
        set_buckets(&histogram->positive, (int32_t)next_below(&random, 1000) - 500, positive,
                    above);
        histogram->totals.count = total;
        check_choices(&sample, total);
        double bound = (double)next_below(&random, 100) - 50;
        for (size_t i = 0; i < above; i++)
            bounds[i] = bound += 1 + (double)next_below(&random, 5);
        if (above == 0)
            continue;
        sample = histogram_of(bounds, above - 1, positive, above);
        sample.value.histogram.totals.count = 0;
        for (size_t i = 0; i < above; i++)
            sample.value.histogram.totals.count += positive[i];
        check_choices(&sample, sample.value.histogram.totals.count);
    }
}
