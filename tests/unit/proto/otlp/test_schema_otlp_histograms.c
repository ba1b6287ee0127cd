#include <math.h>
#include <string.h>

#include "proto/schemas.h"
#include "tests/support/proto/decoding.h"
#include "tests/support/proto/otlp_samples.h"
#include "tests/support/proto/otlp_wire.h"
#include "tests/support/test.h"

/* --- histograms ------------------------------------------------------------------------------- */

static void put_packed_64(uint32_t field, const uint64_t *values, size_t count)
{
    static struct wire packed;
    wire_clear(&packed);
    for (size_t i = 0; i < count; i++)
        for (size_t byte = 0; byte < 8; byte++)
            wire_raw(&packed, &(uint8_t){(uint8_t)(values[i] >> 8 * byte)}, 1);
    wire_bytes(&wire, field, packed.bytes, packed.size);
}

static void put_histogram(void)
{
    wire_fixed64(&wire, OTLP_START, START);
    wire_fixed64(&wire, OTLP_TIME, TIME);
    wire_fixed64(&wire, OTLP_COUNT, 6);
    wire_double(&wire, OTLP_POINT_SUM, 12.5);
    put_packed_64(OTLP_HISTOGRAM_COUNTS, (const uint64_t[]){1, 2, UINT64_MAX}, 3);
    wire_double(&wire, OTLP_HISTOGRAM_BOUNDS, 0.5); /* not packed, as some senders write it */
    wire_double(&wire, OTLP_HISTOGRAM_BOUNDS, 2);
    wire_double(&wire, OTLP_HISTOGRAM_MIN, 0);
    wire_double(&wire, OTLP_HISTOGRAM_MAX, 9);
}

static void a_histogram_reports_its_buckets(void **state)
{
    struct otlp_metric metric = otlp_metric_begin(&wire, OTLP_HISTOGRAM, "latency");
    size_t point = wire_begin(&wire, OTLP_POINTS);
    put_histogram();
    wire_end(&wire, point);
    wire_uint(&wire, OTLP_TEMPORALITY, OTLP_DELTA);
    otlp_metric_end(&wire, &metric);

    struct sample sample = only_sample(*state);
    const struct sample_histogram *histogram = &sample.value.histogram;
    assert_int_equal(sample.type, SAMPLE_HISTOGRAM);
    assert_int_equal(sample.temporality, SAMPLE_DELTA);
    assert_true(sample.time_ns == (int64_t)TIME);
    assert_true(sample.start_time_ns == (int64_t)START);
    assert_int_equal(histogram->totals.count, 6);
    assert_true(histogram->totals.has_sum && histogram->totals.sum == 12.5);
    assert_true(histogram->totals.has_min && histogram->totals.min == 0.0);
    assert_true(histogram->totals.has_max && histogram->totals.max == 9.0);
    assert_int_equal(histogram->bound_count, 2);
    assert_true(histogram->bounds[0] == 0.5 && histogram->bounds[1] == 2.0);
    assert_int_equal(histogram->count_count, 3);
    assert_true(histogram->counts[0] == 1 && histogram->counts[2] == UINT64_MAX);
}

static void assert_totals_not_reported(const struct sample_totals *totals)
{
    assert_int_equal(totals->count, 0);
    assert_false(totals->has_sum || totals->has_min || totals->has_max);
    assert_true(totals->sum == 0.0 && totals->min == 0.0 && totals->max == 0.0);
}

static void a_histogram_reports_nothing_that_was_not_sent(void **state)
{
    put_metric(OTLP_HISTOGRAM, "latency", put_nothing);
    struct sample sample = only_sample(*state);
    assert_int_equal(sample.type, SAMPLE_HISTOGRAM);
    assert_int_equal(sample.temporality, SAMPLE_NO_TEMPORALITY);
    assert_int_equal(sample.time_ns, 0);
    assert_totals_not_reported(&sample.value.histogram.totals);
    assert_int_equal(sample.value.histogram.bound_count, 0);
    assert_int_equal(sample.value.histogram.count_count, 0);
}

static void put_odd_sum(void)
{
    wire_double(&wire, OTLP_POINT_SUM, (double)NAN);
    wire_double(&wire, OTLP_HISTOGRAM_MAX, (double)INFINITY);
}

static void a_sum_that_is_no_number_was_given_all_the_same(void **state)
{
    put_metric(OTLP_HISTOGRAM, "latency", put_odd_sum);
    struct sample sample = only_sample(*state);
    const struct sample_totals *totals = &sample.value.histogram.totals;
    assert_true(totals->has_sum && isnan(totals->sum));
    assert_true(totals->has_max && isinf(totals->max));
    assert_false(totals->has_min);
}

static void put_exponential(void)
{
    wire_fixed64(&wire, OTLP_START, START);
    wire_fixed64(&wire, OTLP_TIME, TIME);
    wire_fixed64(&wire, OTLP_COUNT, 7);
    wire_double(&wire, OTLP_POINT_SUM, -1.5);
    wire_sint(&wire, OTLP_EXPONENTIAL_SCALE, -10);
    wire_fixed64(&wire, OTLP_EXPONENTIAL_ZEROS, 2);
    size_t buckets = wire_begin(&wire, OTLP_EXPONENTIAL_POSITIVE);
    wire_sint(&wire, OTLP_BUCKETS_OFFSET, INT32_MIN);
    wire_bytes(&wire, OTLP_BUCKETS_COUNTS, "\x01\x00\xac\x02", 4); /* packed varints */
    wire_end(&wire, buckets);
    buckets = wire_begin(&wire, OTLP_EXPONENTIAL_NEGATIVE);
    wire_sint(&wire, OTLP_BUCKETS_OFFSET, 3);
    wire_uint(&wire, OTLP_BUCKETS_COUNTS, UINT64_MAX);
    wire_end(&wire, buckets);
    wire_double(&wire, OTLP_EXPONENTIAL_MIN, -9);
    wire_double(&wire, OTLP_EXPONENTIAL_MAX, 0);
    wire_double(&wire, OTLP_EXPONENTIAL_THRESHOLD, 1e-9);
}

static void an_exponential_histogram_reports_its_buckets(void **state)
{
    struct otlp_metric metric = otlp_metric_begin(&wire, OTLP_EXPONENTIAL_HISTOGRAM, "latency");
    size_t point = wire_begin(&wire, OTLP_POINTS);
    put_exponential();
    wire_end(&wire, point);
    wire_uint(&wire, OTLP_TEMPORALITY, OTLP_CUMULATIVE);
    otlp_metric_end(&wire, &metric);

    struct sample sample = only_sample(*state);
    const struct sample_exponential_histogram *histogram = &sample.value.exponential_histogram;
    assert_int_equal(sample.type, SAMPLE_EXPONENTIAL_HISTOGRAM);
    assert_int_equal(sample.temporality, SAMPLE_CUMULATIVE);
    assert_true(sample.time_ns == (int64_t)TIME && sample.start_time_ns == (int64_t)START);
    assert_int_equal(histogram->totals.count, 7);
    assert_true(histogram->totals.has_sum && histogram->totals.sum == -1.5);
    assert_true(histogram->totals.has_min && histogram->totals.min == -9.0);
    assert_true(histogram->totals.has_max && histogram->totals.max == 0.0);
    assert_int_equal(histogram->scale, -10);
    assert_int_equal(histogram->zero_count, 2);
    assert_true(histogram->zero_threshold == 1e-9);
    assert_true(histogram->positive.offset == INT32_MIN);
    assert_int_equal(histogram->positive.count_count, 3);
    assert_true(histogram->positive.counts[0] == 1 && histogram->positive.counts[2] == 300);
    assert_int_equal(histogram->negative.offset, 3);
    assert_int_equal(histogram->negative.count_count, 1);
    assert_true(histogram->negative.counts[0] == UINT64_MAX);
}

static void an_exponential_histogram_reports_nothing_that_was_not_sent(void **state)
{
    put_metric(OTLP_EXPONENTIAL_HISTOGRAM, "latency", put_nothing);
    struct sample sample = only_sample(*state);
    const struct sample_exponential_histogram *histogram = &sample.value.exponential_histogram;
    assert_int_equal(sample.type, SAMPLE_EXPONENTIAL_HISTOGRAM);
    assert_totals_not_reported(&histogram->totals);
    assert_int_equal(histogram->positive.count_count, 0);
    assert_int_equal(histogram->negative.count_count, 0);
    assert_int_equal(histogram->negative.offset, 0);
}

/* --- summaries -------------------------------------------------------------------------------- */

static void put_quantile(double quantile, double value)
{
    size_t begun = wire_begin(&wire, OTLP_SUMMARY_QUANTILES);
    wire_double(&wire, OTLP_QUANTILE, quantile);
    wire_double(&wire, OTLP_QUANTILE_VALUE, value);
    wire_end(&wire, begun);
}

static void put_summary(void)
{
    wire_fixed64(&wire, OTLP_START, START);
    wire_fixed64(&wire, OTLP_TIME, TIME);
    wire_fixed64(&wire, OTLP_COUNT, 100);
    wire_double(&wire, OTLP_POINT_SUM, 12.5);
    put_quantile(0.5, 1);
    wire_bytes(&wire, OTLP_SUMMARY_QUANTILES, "", 0); /* both fields have the default 0 */
    put_quantile(1, (double)INFINITY);
}

static void a_summary_reports_its_quantiles(void **state)
{
    struct decoding *decoding = *state;
    put_metric(OTLP_SUMMARY, "size", put_summary);
    struct sample sample = only_sample(decoding);
    assert_int_equal(sample.type, SAMPLE_SUMMARY);
    assert_int_equal(sample.temporality, SAMPLE_NO_TEMPORALITY);
    assert_true(sample.time_ns == (int64_t)TIME && sample.start_time_ns == (int64_t)START);
    const struct sample_totals *totals = &sample.value.summary.totals;
    assert_int_equal(totals->count, 100);
    assert_true(totals->has_sum && totals->sum == 12.5);
    assert_false(totals->has_min || totals->has_max);

    static const struct sample_quantile expected[] = {{0.5, 1}, {0, 0}, {1, (double)INFINITY}};
    struct schema_cursor cursor = {0};
    struct sample_quantile quantile;
    for (size_t i = 0; i < 3; i++) {
        assert_true(schema_otlp.next_quantile(decoding->schema, decoding->message, &sample, &cursor,
                                              &quantile));
        assert_true(quantile.quantile == expected[i].quantile);
        assert_true(quantile.value == expected[i].value);
    }
    assert_false(schema_otlp.next_quantile(decoding->schema, decoding->message, &sample, &cursor,
                                           &quantile));
}

static void every_cut_of_a_request_is_decoded_or_malformed(void **state)
{
    put_metric(OTLP_HISTOGRAM, "latency", put_histogram);
    assert_decodes_to(*state, &wire, DECODE_OK);
    for (size_t size = 1; size < wire.size; size++)
        assert_int_equal(decoding_run(*state, wire.bytes, size), DECODE_MALFORMED);
}

#define otlp(test) cmocka_unit_test_setup_teardown(test, open_otlp, close_decoding)

int main(void)
{
    const struct CMUnitTest tests[] = {
        otlp(a_histogram_reports_its_buckets),
        otlp(a_histogram_reports_nothing_that_was_not_sent),
        otlp(a_sum_that_is_no_number_was_given_all_the_same),
        otlp(an_exponential_histogram_reports_its_buckets),
        otlp(an_exponential_histogram_reports_nothing_that_was_not_sent),
        otlp(a_summary_reports_its_quantiles),
        otlp(every_cut_of_a_request_is_decoded_or_malformed),
    };
    return cmocka_run_group_tests_name("schema otlp, histograms", tests, NULL, NULL);
}
