/* Tests OpenMetrics files, each of which is made from several records of the built-in schemas. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "proto/schemas.h"
#include "sinks/encoders/encoders.h"
#include "tests/support/proto/otlp_wire.h"
#include "tests/support/proto/telemetry_builder.h"
#include "tests/support/sinks/encoding.h"
#include "tests/support/sinks/sample_encoding.h"
#include "tests/support/test.h"

typedef Sluice__Telemetry__Sample Sample;
typedef Sluice__Telemetry__Histogram Histogram;

#define CUMULATIVE SLUICE__TELEMETRY__KIND__CUMULATIVE_COUNTER
#define DELTA      SLUICE__TELEMETRY__KIND__DELTA_COUNTER

#define ARRIVAL " 1700000000.123456789\n"
#define END     "# EOF\n"

static char block[ARRANGED_SIZE];
static size_t block_size;
static struct encoded sum;
static char file[ARRANGED_SIZE + 1];

static int open_telemetry(void **state)
{
    block_size = 0;
    sum = (struct encoded){0};
    return open_samples(state, &schema_telemetry, &encoder_openmetrics);
}

static int open_otlp(void **state)
{
    block_size = 0;
    sum = (struct encoded){0};
    return open_samples(state, &schema_otlp, &encoder_openmetrics);
}

static void keep_record(struct encoding *encoding)
{
    encoding_assert_whole_or_overflow(encoding);
    memcpy(block + block_size, encoding->text, encoding->size);
    block_size += encoding->size;
    sum.samples += encoding->samples;
    sum.lines += encoding->lines;
    sum.arranged += encoding->arranged;
}

static void keep_built(struct encoding *encoding)
{
    telemetry_end(&builder);
    assert_true(encoding_decode(encoding, builder.datagram, builder.size));
    keep_record(encoding);
    telemetry_begin(&builder);
}

static void keep_wire(struct encoding *encoding)
{
    assert_true(encoding_decode(encoding, wire.bytes, wire.size));
    keep_record(encoding);
    wire_clear(&wire);
}

/*
 * Asserts that the block is arranged to this file, and that the file has at most the size that was
 * reported for its records.
 */
static struct encoded assert_file(struct encoding *encoding, const char *expected)
{
    struct output out = {.data = file, .capacity = sum.arranged};
    struct encoded told = encoding->ops->arrange(encoding->encoder, block, block_size, &out);
    assert_false(out.overflow);
    file[out.used] = '\0';
    assert_string_equal(file, expected);
    assert_int_equal(told.samples + told.left_out, sum.samples);
    block_size = 0;
    sum = (struct encoded){0};
    return told;
}

static struct encoded assert_built(struct encoding *encoding, const char *expected)
{
    keep_built(encoding);
    return assert_file(encoding, expected);
}

static struct encoded assert_wire(struct encoding *encoding, const char *expected)
{
    keep_wire(encoding);
    return assert_file(encoding, expected);
}

static Sample *add(const char *name, double value, int64_t time_ns)
{
    Sample *sample = telemetry_add_double(&builder, name, value);
    sample->time_unix_nano = (uint64_t)time_ns;
    return sample;
}

static Sample *add_counter(const char *name, double value)
{
    Sample *sample = telemetry_add_double(&builder, name, value);
    sample->kind = CUMULATIVE;
    return sample;
}

/* --- types ------------------------------------------------------------------------------------ */

TEST_WITH(each_kind_of_number_has_its_type, open_telemetry, close_encoding)
{
    add_counter("hits", 3);
    telemetry_add_double(&builder, "level", -0.5);
    telemetry_add_double(&builder, "step", 2)->kind = DELTA;
    assert_built(*state, "# TYPE hits counter\nhits_total 3" ARRIVAL
                         "# TYPE level gauge\nlevel -0.5" ARRIVAL
                         "# TYPE step unknown\nstep 2" ARRIVAL END);
}

TEST_WITH(a_counter_that_is_called_total_has_its_name_once, open_telemetry, close_encoding)
{
    add_counter("a.hits_total", 3);
    add_counter("_total", 4);
    assert_built(*state, "# TYPE _total counter\n_total_total 4" ARRIVAL
                         "# TYPE a_hits counter\na_hits_total 3" ARRIVAL END);
}

TEST_WITH(a_value_that_no_counter_has_is_of_unknown_type, open_telemetry, close_encoding)
{
    add_counter("a", -1);
    add_counter("b", (double)NAN);
    add_counter("c", (double)INFINITY);
    assert_built(*state, "# TYPE a unknown\na -1" ARRIVAL "# TYPE b unknown\nb NaN" ARRIVAL
                         "# TYPE c counter\nc_total +Inf" ARRIVAL END);
}

TEST_WITH(a_sum_that_may_fall_is_a_gauge_and_one_of_no_temporality_is_unknown, open_otlp,
          close_encoding)
{
    for (int i = 0; i < 3; i++) {
        struct otlp_metric metric = otlp_metric_begin(&wire, OTLP_SUM, i == 0 ? "a" : "b");
        size_t point = wire_begin(&wire, OTLP_POINTS);
        wire_fixed64(&wire, OTLP_NUMBER_INT, 7);
        wire_end(&wire, point);
        if (i == 0)
            wire_uint(&wire, OTLP_TEMPORALITY, OTLP_CUMULATIVE);
        wire_uint(&wire, OTLP_MONOTONIC, i != 0);
        otlp_metric_end(&wire, &metric);
    }
    assert_int_equal(
        assert_wire(*state, "# TYPE a gauge\na 7" ARRIVAL "# TYPE b unknown\nb 7" ARRIVAL END)
            .left_out,
        1);
}

TEST_WITH(a_unit_is_written_where_the_name_ends_with_it, open_telemetry, close_encoding)
{
    add_counter("io_bytes_total", 1)->unit = telemetry_text("bytes");
    telemetry_add_double(&builder, "a_s", 1);
    telemetry_add_double(&builder, "a_s", 1)->unit = telemetry_text("s");
    telemetry_add_label(&builder, "k", "v");
    telemetry_add_double(&builder, "b_s", 1)->unit = telemetry_text("ms");
    telemetry_add_double(&builder, "bytes", 1)->unit = telemetry_text("bytes");
    telemetry_add_double(&builder, "c_s", 1)->unit = telemetry_text("{s}");
    assert_built(*state,
                 "# TYPE a_s gauge\n# UNIT a_s s\na_s 1" ARRIVAL "a_s{k=\"v\"} 1" ARRIVAL
                 "# TYPE b_s gauge\nb_s 1" ARRIVAL "# TYPE bytes gauge\nbytes 1" ARRIVAL
                 "# TYPE c_s gauge\nc_s 1" ARRIVAL
                 "# TYPE io_bytes counter\n# UNIT io_bytes bytes\nio_bytes_total 1" ARRIVAL END);
}

/* --- times ------------------------------------------------------------------------------------ */

TEST_WITH(a_time_has_the_decimals_that_it_needs, open_telemetry, close_encoding)
{
    add("n", 1, 1);
    add("n", 2, INT64_C(1000000000));
    add("n", 3, INT64_C(1700000000250000000));
    add("n", 4, INT64_C(1700000000999999999));
    add("n", 5, INT64_MAX);
    assert_built(*state, "# TYPE n gauge\nn 1 0.000000001\nn 2 1\nn 3 1700000000.25\n"
                         "n 4 1700000000.999999999\nn 5 9223372036.854775807\n" END);
}

TEST_WITH(a_time_before_1970_has_a_sign, open_telemetry, close_encoding)
{
    struct encoding *encoding = *state;
    static const int64_t times[] = {-1, -1000000000, -1500000000, INT64_MIN};
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        encoding->record.received_ns = times[i];
        telemetry_add_double(&builder, "n", (double)i);
        keep_built(encoding);
    }
    assert_file(encoding, "# TYPE n gauge\nn 3 -9223372036.854775808\nn 2 -1.5\nn 1 -1\n"
                          "n 0 -0.000000001\n" END);
}

/* --- order ------------------------------------------------------------------------------------ */

TEST_WITH(families_metrics_and_points_stand_together_in_order, open_telemetry, close_encoding)
{
    add("b", 1, 2000000000);
    telemetry_add_label(&builder, "k", "2");
    add("a", 2, 1000000000);
    add("b", 3, 3000000000);
    telemetry_add_label(&builder, "k", "1");
    keep_built(*state);
    add("b", 4, 1000000000);
    telemetry_add_label(&builder, "k", "1");
    add("ab", 5, 1000000000);
    add("b", 6, 1000000000);
    telemetry_add_label(&builder, "k", "2");
    keep_built(*state);
    assert_int_equal(
        assert_file(*state, "# TYPE a gauge\na 2 1\n# TYPE ab gauge\nab 5 1\n# TYPE b gauge\n"
                            "b{k=\"1\"} 4 1\nb{k=\"1\"} 3 3\nb{k=\"2\"} 6 1\nb{k=\"2\"} 1 2\n" END)
            .lines,
        6);
}

TEST_WITH(labels_in_any_order_are_one_metric, open_telemetry, close_encoding)
{
    static const char *const keys[][3] = {{"b", "a", "ab"}, {"ab", "b", "a"}, {"a", "ab", "b"}};
    for (int i = 0; i < 3; i++) {
        add("n", i, (3 - i) * INT64_C(1000000000));
        for (int j = 0; j < 3; j++)
            telemetry_add_label(&builder, keys[i][j], keys[i][j]);
    }
    assert_built(*state,
                 "# TYPE n gauge\nn{a=\"a\",ab=\"ab\",b=\"b\"} 2 1\n"
                 "n{a=\"a\",ab=\"ab\",b=\"b\"} 1 2\nn{a=\"a\",ab=\"ab\",b=\"b\"} 0 3\n" END);
}

TEST_WITH(the_last_of_two_values_in_one_millisecond_counts, open_telemetry, close_encoding)
{
    add("n", 1, INT64_C(1700000000250000000));
    add("n", 2, INT64_C(1700000000250000000));
    add("n", 3, INT64_C(1700000000251000000));
    telemetry_add_label(&builder, "other", "series");
    keep_built(*state);
    add("n", 4, INT64_C(1700000000250999000));
    add("n", 5, INT64_C(1700000000251000000));
    add("n", 6, INT64_C(1700000000250000001));
    keep_built(*state);
    struct encoded told =
        assert_file(*state, "# TYPE n gauge\nn 4 1700000000.250999\nn 5 1700000000.251\n"
                            "n{other=\"series\"} 3 1700000000.251\n" END);
    assert_int_equal(told.left_out, 3);
    assert_int_equal(told.samples, 3);
    assert_int_equal(told.lines, 3);
}

/*
 * Prometheus reads a time as a double, which rounds the last nanoseconds before a millisecond up to
 * that millisecond. So both samples have the same time, and the first one is left out.
 */
TEST_WITH(a_time_that_is_read_as_the_next_millisecond_is_in_that, open_telemetry, close_encoding)
{
    add("n", 1, INT64_C(1700000000250999999));
    add("n", 2, INT64_C(1700000000251000000));
    assert_int_equal(assert_built(*state, "# TYPE n gauge\nn 2 1700000000.251\n" END).left_out, 1);
}

/* --- names that conflict ---------------------------------------------------------------------- */

TEST_WITH(of_two_types_with_one_name_one_is_called_by_its_type, open_telemetry, close_encoding)
{
    telemetry_add_double(&builder, "n_s", 1)->kind = DELTA;
    telemetry_add_double(&builder, "n_s", 2)->unit = telemetry_text("s");
    add_counter("n_s", 3)->unit = telemetry_text("s");
    assert_built(*state, "# TYPE n_s counter\n# UNIT n_s s\nn_s_total 3" ARRIVAL
                         "# TYPE n_s_gauge gauge\nn_s_gauge 2" ARRIVAL
                         "# TYPE n_s_unknown unknown\nn_s_unknown 1" ARRIVAL END);
}

TEST_WITH(a_family_that_is_called_as_samples_of_another_is_called_by_its_type, open_telemetry,
          close_encoding)
{
    Histogram histogram = SLUICE__TELEMETRY__HISTOGRAM__INIT;
    add_counter("a", 1);
    telemetry_add_double(&builder, "a_total", 2);
    telemetry_add_double(&builder, "b_gsum", 3);
    telemetry_add_double(&builder, "b_sum", 4);
    Sample *sample = telemetry_add_sample(&builder, "b");
    sample->value_case = SLUICE__TELEMETRY__SAMPLE__VALUE_HISTOGRAM_VALUE;
    sample->histogram_value = &histogram;
    sample->kind = DELTA;
    telemetry_add_double(&builder, "c_count", 5);
    assert_built(
        *state,
        "# TYPE a counter\na_total 1" ARRIVAL "# TYPE a_total_gauge gauge\na_total_gauge 2" ARRIVAL
        "# TYPE b gaugehistogram\nb_bucket{le=\"+Inf\"} 0" ARRIVAL "b_gcount 0" ARRIVAL
        "b_gsum 0" ARRIVAL "# TYPE b_gsum_gauge gauge\nb_gsum_gauge 3" ARRIVAL
        "# TYPE b_sum gauge\nb_sum 4" ARRIVAL "# TYPE c_count gauge\nc_count 5" ARRIVAL END);
}

TEST_WITH(a_family_without_any_name_left_is_left_out, open_telemetry, close_encoding)
{
    add_counter("n", 1);
    telemetry_add_double(&builder, "n", 2);
    add_counter("n_gauge", 3);
    struct encoded told =
        assert_built(*state, "# TYPE n counter\nn_total 1" ARRIVAL
                             "# TYPE n_gauge counter\nn_gauge_total 3" ARRIVAL END);
    assert_int_equal(told.left_out, 1);
    assert_int_equal(told.lines, 2);
}

TEST_WITH(a_name_that_another_gets_may_be_that_of_its_own_family, open_telemetry, close_encoding)
{
    add_counter("n", 1);
    telemetry_add_double(&builder, "n", 2);
    telemetry_add_double(&builder, "n_gauge", 3);
    telemetry_add_label(&builder, "k", "v");
    assert_built(*state,
                 "# TYPE n counter\nn_total 1" ARRIVAL "# TYPE n_gauge gauge\nn_gauge 2" ARRIVAL
                 "n_gauge{k=\"v\"} 3" ARRIVAL END);
}

/* --- histograms and summaries ----------------------------------------------------------------- */

static void put_histogram(bool delta, bool has_sum, double total, const double bounds[2],
                          const uint64_t counts[3], uint64_t count)
{
    struct otlp_metric metric = otlp_metric_begin(&wire, OTLP_HISTOGRAM, "n");
    size_t point = wire_begin(&wire, OTLP_POINTS);
    wire_fixed64(&wire, OTLP_COUNT, count);
    if (has_sum)
        wire_double(&wire, OTLP_POINT_SUM, total);
    for (int i = 0; i < 3; i++)
        wire_fixed64(&wire, OTLP_HISTOGRAM_COUNTS, counts[i]);
    for (int i = 0; i < 2; i++)
        wire_double(&wire, OTLP_HISTOGRAM_BOUNDS, bounds[i]);
    otlp_put_attribute(&wire, OTLP_HISTOGRAM_ATTRIBUTES, "le", "mine");
    wire_end(&wire, point);
    wire_uint(&wire, OTLP_TEMPORALITY, delta ? OTLP_DELTA : OTLP_CUMULATIVE);
    otlp_metric_end(&wire, &metric);
}

#define BUCKET(le, count)   "n_bucket{exported_le=\"mine\",le=\"" le "\"} " count ARRIVAL
#define PART(suffix, value) "n" suffix "{exported_le=\"mine\"} " value ARRIVAL
static const uint64_t counts[] = {1, 2, 4};

TEST_WITH(a_histogram_has_buckets_and_a_count_beside_its_sum, open_otlp, close_encoding)
{
    static const double bounds[] = {0, 100};
    put_histogram(false, true, 1.5, bounds, counts, 7);
    assert_wire(*state, "# TYPE n histogram\n" BUCKET("0.0", "1") BUCKET("100.0", "3")
                            BUCKET("+Inf", "7") PART("_count", "7") PART("_sum", "1.5") END);
    put_histogram(false, false, 0, bounds, counts, 7);
    assert_wire(*state, "# TYPE n histogram\n" BUCKET("0.0", "1") BUCKET("100.0", "3")
                            BUCKET("+Inf", "7") END);
    put_histogram(false, true, (double)NAN, bounds, counts, 7);
    assert_wire(*state, "# TYPE n histogram\n" BUCKET("0.0", "1") BUCKET("100.0", "3")
                            BUCKET("+Inf", "7") END);
}

TEST_WITH(a_delta_is_a_gaugehistogram, open_otlp, close_encoding)
{
    static const double bounds[] = {0, 100};
    put_histogram(true, true, 1.5, bounds, counts, 7);
    assert_wire(*state, "# TYPE n gaugehistogram\n" BUCKET("0.0", "1") BUCKET("100.0", "3")
                            BUCKET("+Inf", "7") PART("_gcount", "7") PART("_gsum", "1.5") END);
}

TEST_WITH(only_a_gauge_may_have_a_sum_with_bounds_below_zero, open_otlp, close_encoding)
{
    static const double below[] = {-1, 100};
    static const double above[] = {1, 100};
#define BUCKETS(first) BUCKET(first, "1") BUCKET("100.0", "3") BUCKET("+Inf", "7")
    put_histogram(false, true, 1.5, below, counts, 7);
    assert_wire(*state, "# TYPE n histogram\n" BUCKETS("-1.0") END);
    put_histogram(true, true, -1.5, below, counts, 7);
    assert_wire(*state, "# TYPE n gaugehistogram\n" BUCKETS("-1.0") PART("_gcount", "7")
                            PART("_gsum", "-1.5") END);
    put_histogram(true, true, -1.5, above, counts, 7);
    assert_wire(*state, "# TYPE n gaugehistogram\n" BUCKETS("1.0") END);
}

TEST_WITH(no_bucket_holds_more_than_all_of_them, open_otlp, close_encoding)
{
    static const double bounds[] = {0, 100};
    put_histogram(false, false, 0, bounds, counts, 2);
    assert_wire(*state, "# TYPE n histogram\n" BUCKET("0.0", "1") BUCKET("100.0", "2")
                            BUCKET("+Inf", "2") END);
}

static void put_quantile(double quantile, double value)
{
    size_t begun = wire_begin(&wire, OTLP_SUMMARY_QUANTILES);
    wire_double(&wire, OTLP_QUANTILE, quantile);
    wire_double(&wire, OTLP_QUANTILE_VALUE, value);
    wire_end(&wire, begun);
}

TEST_WITH(a_summary_has_each_quantile_once_and_only_what_may_be_one, open_otlp, close_encoding)
{
    struct otlp_metric metric = otlp_metric_begin(&wire, OTLP_SUMMARY, "n");
    size_t point = wire_begin(&wire, OTLP_POINTS);
    wire_fixed64(&wire, OTLP_COUNT, 3);
    wire_double(&wire, OTLP_POINT_SUM, 6);
    otlp_put_attribute(&wire, OTLP_SUMMARY_ATTRIBUTES, "k", "v");
    put_quantile(1, 0.25);
    put_quantile(1.5, 1);
    put_quantile((double)NAN, 1);
    put_quantile(0.5, -1);
    put_quantile(0.99, (double)NAN);
    put_quantile(1, 0.5);
    wire_end(&wire, point);
    otlp_metric_end(&wire, &metric);
    assert_wire(*state, "# TYPE n summary\nn{k=\"v\",quantile=\"1.0\"} 0.25" ARRIVAL
                        "n{k=\"v\",quantile=\"0.99\"} NaN" ARRIVAL "n_count{k=\"v\"} 3" ARRIVAL
                        "n_sum{k=\"v\"} 6" ARRIVAL END);
}

TEST_WITH(a_sum_of_a_summary_is_not_below_zero, open_otlp, close_encoding)
{
    struct otlp_metric metric = otlp_metric_begin(&wire, OTLP_SUMMARY, "n");
    size_t point = wire_begin(&wire, OTLP_POINTS);
    wire_double(&wire, OTLP_POINT_SUM, -6);
    wire_end(&wire, point);
    otlp_metric_end(&wire, &metric);
    assert_wire(*state, "# TYPE n summary\nn_count 0" ARRIVAL END);
}

/* --- files ------------------------------------------------------------------------------------ */

TEST_WITH(a_record_that_no_file_could_hold_is_too_large, open_telemetry, close_encoding)
{
    static char name[60000];
    static double bounds[40];
    static uint64_t zeros[41];
    Histogram histogram = SLUICE__TELEMETRY__HISTOGRAM__INIT;
    memset(name, 'n', sizeof name - 1);
    for (int i = 0; i < 40; i++)
        bounds[i] = i;
    histogram.bounds = bounds;
    histogram.n_bounds = 40;
    histogram.counts = zeros;
    histogram.n_counts = 41;
    Sample *sample = telemetry_add_sample(&builder, name);
    sample->value_case = SLUICE__TELEMETRY__SAMPLE__VALUE_HISTOGRAM_VALUE;
    sample->histogram_value = &histogram;
    telemetry_end(&builder);
    assert_true(encoding_decode(*state, builder.datagram, builder.size));
    assert_true(encoding_overflows(*state, ARRANGED_SIZE));
}

static size_t whole(const char *text, bool at_start, bool *foreign)
{
    return encoder_openmetrics.whole((const uint8_t *)text, strlen(text), at_start, foreign);
}

TEST(a_file_is_whole_or_nothing)
{
    static const char all[] = "# TYPE n gauge\nn{a=\"# EOF\"} 1 2\n# EOF\n";
    char cut[sizeof all];
    bool foreign;
    assert_int_equal(whole(all, true, &foreign), sizeof all - 1);
    assert_false(foreign);
    for (size_t size = 0; size < sizeof all - 1; size++) {
        memcpy(cut, all, size);
        cut[size] = '\0';
        assert_int_equal(whole(cut, true, &foreign), 0);
        assert_false(foreign);
    }
}

TEST(a_file_of_another_kind_is_foreign)
{
    bool foreign;
    assert_int_equal(whole("{\"a\":1}\n", true, &foreign), 0);
    assert_true(foreign);
    assert_int_equal(whole("n 1 2\n# EOF\n", true, &foreign), 0);
    assert_true(foreign);
    assert_int_equal(whole("# TYPE n gauge\n# EOF\n", false, &foreign), 0);
    assert_true(foreign);
}
