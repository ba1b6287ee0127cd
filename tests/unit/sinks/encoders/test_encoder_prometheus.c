/* Tests the Prometheus text format from datagrams of the built-in schemas. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "proto/generated/riemann.pb-c.h"
#include "proto/schemas.h"
#include "sinks/encoders/encoders.h"
#include "tests/support/proto/otlp_wire.h"
#include "tests/support/proto/telemetry_builder.h"
#include "tests/support/sinks/encoding.h"
#include "tests/support/sinks/sample_encoding.h"
#include "tests/support/test.h"

typedef Sluice__Telemetry__Sample Sample;
typedef Sluice__Telemetry__Histogram Histogram;

#define ARRIVAL " 1700000000123\n"
#define FFFD    "\xef\xbf\xbd"

static int open_telemetry(void **state)
{
    return open_samples(state, &schema_telemetry, &encoder_prometheus);
}

static int open_riemann(void **state)
{
    return open_samples(state, &schema_riemann, &encoder_prometheus);
}

static int open_otlp(void **state)
{
    return open_samples(state, &schema_otlp, &encoder_prometheus);
}

/* --- numbers ---------------------------------------------------------------------------------- */

TEST_WITH(a_number_is_a_line, open_telemetry, close_encoding)
{
    Sample *sample = telemetry_add_sample(&builder, "uint");
    sample->value_case = SLUICE__TELEMETRY__SAMPLE__VALUE_UINT_VALUE;
    sample->uint_value = UINT64_MAX;
    sample = telemetry_add_sample(&builder, "int");
    sample->value_case = SLUICE__TELEMETRY__SAMPLE__VALUE_INT_VALUE;
    sample->int_value = INT64_MIN;
    telemetry_add_double(&builder, "double", 0.1);
    telemetry_add_double(&builder, "double", -1e300);
    assert_builder_gives(*state,
                         "uint 18446744073709551615" ARRIVAL "int -9223372036854775808" ARRIVAL
                         "double 0.1" ARRIVAL "double -1e+300" ARRIVAL);
    assert_int_equal(((struct encoding *)*state)->lines, 4);
    assert_int_equal(((struct encoding *)*state)->samples, 4);
}

TEST_WITH(a_counter_keeps_its_name, open_telemetry, close_encoding)
{
    telemetry_add_double(&builder, "hits", 1)->kind = SLUICE__TELEMETRY__KIND__CUMULATIVE_COUNTER;
    telemetry_add_double(&builder, "hits", 2)->unit = telemetry_text("By");
    assert_builder_gives(*state, "hits 1" ARRIVAL "hits 2" ARRIVAL);
}

static int open_suffixed(void **state)
{
    static const struct encoder_options options = {.counter_suffix = true};
    *state = encoding_create(&schema_telemetry, &encoder_prometheus, &options);
    return 0;
}

TEST_WITH(where_asked_a_cumulative_counter_ends_with_total, open_suffixed, close_encoding)
{
    static const struct {
        const char *name;
        Sluice__Telemetry__Kind kind;
        const char *line;
    } cases[] = {
        {"hits", SLUICE__TELEMETRY__KIND__CUMULATIVE_COUNTER, "hits_total 1" ARRIVAL},
        {"hits_total", SLUICE__TELEMETRY__KIND__CUMULATIVE_COUNTER, "hits_total 1" ARRIVAL},
        {"hits.total", SLUICE__TELEMETRY__KIND__CUMULATIVE_COUNTER, "hits_total 1" ARRIVAL},
        {"hits\xc3\xb6total", SLUICE__TELEMETRY__KIND__CUMULATIVE_COUNTER, "hits_total 1" ARRIVAL},
        {"subtotal", SLUICE__TELEMETRY__KIND__CUMULATIVE_COUNTER, "subtotal_total 1" ARRIVAL},
        {"total", SLUICE__TELEMETRY__KIND__CUMULATIVE_COUNTER, "total_total 1" ARRIVAL},
        {"", SLUICE__TELEMETRY__KIND__CUMULATIVE_COUNTER, "__total 1" ARRIVAL},
        {"hits", SLUICE__TELEMETRY__KIND__DELTA_COUNTER, "hits 1" ARRIVAL},
        {"hits", SLUICE__TELEMETRY__KIND__GAUGE, "hits 1" ARRIVAL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        telemetry_begin(&builder);
        telemetry_add_double(&builder, cases[i].name, 1)->kind = cases[i].kind;
        assert_builder_gives(*state, cases[i].line);
    }
}

TEST_WITH(numbers_that_are_not_finite_have_their_own_words, open_telemetry, close_encoding)
{
    telemetry_add_double(&builder, "a", (double)NAN);
    telemetry_add_double(&builder, "b", (double)INFINITY);
    telemetry_add_double(&builder, "c", -(double)INFINITY);
    assert_builder_gives(*state, "a NaN" ARRIVAL "b +Inf" ARRIVAL "c -Inf" ARRIVAL);
}

TEST_WITH(a_float_is_the_shortest_of_its_width, open_riemann, close_encoding)
{
    static const struct {
        float value;
        const char *expected;
    } cases[] = {{0.1f, "f 0.1" ARRIVAL},
                 {(float)NAN, "f NaN" ARRIVAL},
                 {-(float)INFINITY, "f -Inf" ARRIVAL}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint8_t datagram[64];
        Sluice__Riemann__Event event = SLUICE__RIEMANN__EVENT__INIT;
        Sluice__Riemann__Event *events[] = {&event};
        Sluice__Riemann__Msg msg = SLUICE__RIEMANN__MSG__INIT;
        event.has_metric_f = event.has_service = 1;
        event.metric_f = cases[i].value;
        event.service = telemetry_text("f");
        msg.n_events = 1;
        msg.events = events;
        assert_true(encoding_decode(*state, datagram, sluice__riemann__msg__pack(&msg, datagram)));
        assert_string_equal(encoding_write(*state), cases[i].expected);
    }
}

TEST_WITH(the_time_is_the_millisecond_that_has_begun, open_riemann, close_encoding)
{
    static const struct {
        int64_t micros;
        const char *expected;
    } cases[] = {{1999, "n 0 1\n"},
                 {2000, "n 0 2\n"},
                 {999, "n 0 0\n"},
                 {-1, "n 0 -1\n"},
                 {-1000, "n 0 -1\n"},
                 {-1001, "n 0 -2\n"},
                 {1700000000999999, "n 0 1700000000999\n"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint8_t datagram[64];
        Sluice__Riemann__Event event = SLUICE__RIEMANN__EVENT__INIT;
        Sluice__Riemann__Event *events[] = {&event};
        Sluice__Riemann__Msg msg = SLUICE__RIEMANN__MSG__INIT;
        event.has_metric_d = event.has_service = event.has_time_micros = 1;
        event.time_micros = cases[i].micros;
        event.service = telemetry_text("n");
        msg.n_events = 1;
        msg.events = events;
        assert_true(encoding_decode(*state, datagram, sluice__riemann__msg__pack(&msg, datagram)));
        assert_string_equal(encoding_write(*state), cases[i].expected);
    }
}

/* --- histograms and summaries ----------------------------------------------------------------- */

TEST_WITH(a_histogram_is_its_buckets_its_sum_and_its_count, open_telemetry, close_encoding)
{
    double bounds[] = {0.005, 1, 2};
    uint64_t counts[] = {1, 2, 0, 4};
    Histogram histogram = SLUICE__TELEMETRY__HISTOGRAM__INIT;
    histogram.count = 7;
    histogram.sum = 1.5;
    histogram.n_bounds = 3;
    histogram.bounds = bounds;
    histogram.n_counts = 4;
    histogram.counts = counts;
    histogram.has_min_case = SLUICE__TELEMETRY__HISTOGRAM__HAS_MIN_MIN;
    Sample *sample = telemetry_add_sample(&builder, "http.latency");
    sample->value_case = SLUICE__TELEMETRY__SAMPLE__VALUE_HISTOGRAM_VALUE;
    sample->histogram_value = &histogram;
    telemetry_add_label(&builder, "host", "web1");
    telemetry_add_label(&builder, "a.b", "\"");
#define LABELS "host=\"web1\",a_b=\"\\\"\""
    assert_builder_gives(*state, "http_latency_bucket{" LABELS ",le=\"0.005\"} 1" ARRIVAL
                                 "http_latency_bucket{" LABELS ",le=\"1\"} 3" ARRIVAL
                                 "http_latency_bucket{" LABELS ",le=\"2\"} 3" ARRIVAL
                                 "http_latency_bucket{" LABELS ",le=\"+Inf\"} 7" ARRIVAL
                                 "http_latency_sum{" LABELS "} 1.5" ARRIVAL
                                 "http_latency_count{" LABELS "} 7" ARRIVAL);
    assert_int_equal(((struct encoding *)*state)->lines, 6);
    assert_int_equal(((struct encoding *)*state)->samples, 1);
}

TEST_WITH(a_histogram_without_a_sum_has_none, open_otlp, close_encoding)
{
    struct otlp_metric metric = otlp_metric_begin(&wire, OTLP_HISTOGRAM, "n");
    wire_bytes(&wire, OTLP_POINTS, "", 0);
    size_t point = wire_begin(&wire, OTLP_POINTS);
    wire_fixed64(&wire, OTLP_COUNT, 2);
    wire_double(&wire, OTLP_POINT_SUM, (double)NAN);
    wire_end(&wire, point);
    otlp_metric_end(&wire, &metric);
    assert_wire_gives(*state,
                      "n_bucket{le=\"+Inf\"} 0" ARRIVAL "n_count 0" ARRIVAL
                      "n_bucket{le=\"+Inf\"} 2" ARRIVAL "n_sum NaN" ARRIVAL "n_count 2" ARRIVAL);
}

TEST_WITH(an_exponential_histogram_has_the_bounds_of_its_scale, open_otlp, close_encoding)
{
    struct otlp_metric metric = otlp_metric_begin(&wire, OTLP_EXPONENTIAL_HISTOGRAM, "n");
    size_t point = wire_begin(&wire, OTLP_POINTS);
    wire_fixed64(&wire, OTLP_COUNT, 10);
    wire_sint(&wire, OTLP_EXPONENTIAL_SCALE, 1);
    wire_fixed64(&wire, OTLP_EXPONENTIAL_ZEROS, 4);
    size_t buckets = wire_begin(&wire, OTLP_EXPONENTIAL_POSITIVE);
    wire_bytes(&wire, OTLP_BUCKETS_COUNTS, "\x02\x01", 2);
    wire_end(&wire, buckets);
    buckets = wire_begin(&wire, OTLP_EXPONENTIAL_NEGATIVE);
    wire_sint(&wire, OTLP_BUCKETS_OFFSET, 2);
    wire_uint(&wire, OTLP_BUCKETS_COUNTS, 3);
    wire_end(&wire, buckets);
    wire_end(&wire, point);
    otlp_metric_end(&wire, &metric);
    assert_wire_gives(
        *state, "n_bucket{le=\"-2.8284271247461903\"} 0" ARRIVAL "n_bucket{le=\"-2\"} 3" ARRIVAL
                "n_bucket{le=\"0\"} 7" ARRIVAL "n_bucket{le=\"1\"} 7" ARRIVAL
                "n_bucket{le=\"1.4142135623730951\"} 9" ARRIVAL "n_bucket{le=\"2\"} 10" ARRIVAL
                "n_bucket{le=\"+Inf\"} 10" ARRIVAL "n_count 10" ARRIVAL);
}

static void put_quantile(double quantile, double value)
{
    size_t begun = wire_begin(&wire, OTLP_SUMMARY_QUANTILES);
    wire_double(&wire, OTLP_QUANTILE, quantile);
    wire_double(&wire, OTLP_QUANTILE_VALUE, value);
    wire_end(&wire, begun);
}

TEST_WITH(a_summary_is_its_quantiles_its_sum_and_its_count, open_otlp, close_encoding)
{
    struct otlp_metric metric = otlp_metric_begin(&wire, OTLP_SUMMARY, "n");
    size_t point = wire_begin(&wire, OTLP_POINTS);
    wire_fixed64(&wire, OTLP_COUNT, 3);
    wire_double(&wire, OTLP_POINT_SUM, 6);
    otlp_put_attribute(&wire, OTLP_SUMMARY_ATTRIBUTES, "k", "v");
    put_quantile(0, 0.25);
    put_quantile(0.99, (double)NAN);
    wire_end(&wire, point);
    wire_bytes(&wire, OTLP_POINTS, "", 0);
    otlp_metric_end(&wire, &metric);
    assert_wire_gives(*state, "n{k=\"v\",quantile=\"0\"} 0.25" ARRIVAL
                              "n{k=\"v\",quantile=\"0.99\"} NaN" ARRIVAL "n_sum{k=\"v\"} 6" ARRIVAL
                              "n_count{k=\"v\"} 3" ARRIVAL "n_sum 0" ARRIVAL "n_count 0" ARRIVAL);
}

/* --- labels ----------------------------------------------------------------------------------- */

TEST_WITH(the_first_of_two_labels_with_the_same_key_counts, open_telemetry, close_encoding)
{
    telemetry_add_label(&builder, "host", "shared");
    telemetry_add_label(&builder, "zone", "shared");
    telemetry_add_double(&builder, "n", 1);
    telemetry_add_label(&builder, "host", "own");
    telemetry_add_label(&builder, "host", "own again");
    telemetry_add_double(&builder, "n", 2);
    assert_builder_gives(*state, "n{host=\"own\",zone=\"shared\"} 1" ARRIVAL
                                 "n{host=\"shared\",zone=\"shared\"} 2" ARRIVAL);
}

/*
 * If several keys become the same label name, their values are joined in the order of these keys.
 * OpenTelemetry requires this.
 */
TEST_WITH(values_of_keys_that_become_the_same_are_joined, open_telemetry, close_encoding)
{
    struct encoding *encoding = *state;
    telemetry_add_double(&builder, "n", 1);
    telemetry_add_label(&builder, "a__b", "5");
    telemetry_add_label(&builder, "a_b", "3");
    telemetry_add_label(&builder, "a.b", "1");
    telemetry_add_label(&builder, "a:b", "2");
    telemetry_add_label(&builder, "a.b", "first counts");
    telemetry_add_label(&builder,
                        "a\xc3\xa9"
                        "b",
                        "\"4");
    telemetry_add_double(&builder, "m", 1);
    telemetry_add_label(&builder, "a.b", "1");
    assert_builder_gives(*state,
                         "n{a__b=\"5\",a_b=\"1;2;3;\\\"4\"} 1" ARRIVAL "m{a_b=\"1\"} 1" ARRIVAL);
    assert_int_equal(encoding->joined, 3);
}

TEST_WITH(a_shared_label_is_joined_to_one_of_the_sample, open_telemetry, close_encoding)
{
    telemetry_add_label(&builder, "a_b", "shared");
    telemetry_add_label(&builder, "zone", "z");
    telemetry_add_double(&builder, "n", 1);
    telemetry_add_label(&builder, "a.b", "own");
    telemetry_add_double(&builder, "n", 2);
    telemetry_add_double(&builder, "n", 3);
    assert_builder_gives(*state, "n{a_b=\"own;shared\",zone=\"z\"} 1" ARRIVAL
                                 "n{a_b=\"shared\",zone=\"z\"} 2" ARRIVAL
                                 "n{a_b=\"shared\",zone=\"z\"} 3" ARRIVAL);
}

/* An empty label does not count, so the other label with this key is written. */
TEST_WITH(an_empty_label_is_left_out, open_telemetry, close_encoding)
{
    telemetry_add_label(&builder, "a.b", "shared");
    telemetry_add_double(&builder, "n", 1);
    telemetry_add_label(&builder, "a_b", "");
    telemetry_add_label(&builder, "", "x");
    telemetry_add_double(&builder, "n", 2);
    telemetry_add_label(&builder, "", "");
    assert_builder_gives(*state, "n{a_b=\"shared\"} 1" ARRIVAL "n{a_b=\"shared\"} 2" ARRIVAL);
    telemetry_add_double(&builder, "n", 1);
    telemetry_add_label(&builder, "a", "");
    assert_builder_gives(*state, "n 1" ARRIVAL);
}

TEST_WITH(labels_called_as_the_format_s_own_get_another_name, open_telemetry, close_encoding)
{
    telemetry_add_label(&builder, "le", "1");
    telemetry_add_label(&builder, "__name__", "2");
    telemetry_add_label(&builder, "exported_le", "3");
    telemetry_add_label(&builder, "quantile", "4");
    Histogram histogram = SLUICE__TELEMETRY__HISTOGRAM__INIT;
    Sample *sample = telemetry_add_sample(&builder, "h");
    sample->value_case = SLUICE__TELEMETRY__SAMPLE__VALUE_HISTOGRAM_VALUE;
    sample->histogram_value = &histogram;
    telemetry_add_double(&builder, "n", 1);
#undef LABELS
#define LABELS "exported___name__=\"2\",exported_le=\"3;1\",quantile=\"4\""
    assert_builder_gives(
        *state, "h_bucket{" LABELS ",le=\"+Inf\"} 0" ARRIVAL "h_sum{" LABELS "} 0" ARRIVAL
                "h_count{" LABELS "} 0" ARRIVAL
                "n{le=\"1\",exported___name__=\"2\",exported_le=\"3\",quantile=\"4\"} 1" ARRIVAL);
}

/* --- text of any bytes ------------------------------------------------------------------------ */

static const struct {
    const char *bytes;
    const char *name;
    const char *label;
    const char *value;
} texts[] = {
    {"Az_09", "Az_09", "Az_09", "Az_09"},
    {":a:b", ":a:b", "_a_b", ":a:b"},
    {"http.server-duration/ms", "http_server_duration_ms", "http_server_duration_ms",
     "http.server-duration/ms"},
    {"9lives", "_9lives", "_9lives", "9lives"},
    {"a\"b\\c\nd", "a_b_c_d", "a_b_c_d", "a\\\"b\\\\c\\nd"},
    {"\\", "_", "_", "\\\\"},
    {"\x01\r\t\x7f", "____", "____", "\x01\r\t\x7f"},
    {"a\xc2\x9b[m", "a__m", "a__m", "a\xc2\x9b[m"},
    {"caf\xc3\xa9 \xf0\x9f\x98\x80", "caf___", "caf___", "caf\xc3\xa9 \xf0\x9f\x98\x80"},
    {"\xff", "_", "_", FFFD},
    {"x\xe2\x82", "x_", "x_", "x" FFFD},
    {"\xed\xa0\x80", "___", "___", FFFD FFFD FFFD},
    {"", "_", NULL, NULL},
};

TEST_WITH(any_bytes_in_any_text_give_one_line, open_riemann, close_encoding)
{
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        uint8_t datagram[256];
        char expected[256];
        Sluice__Riemann__Event event = SLUICE__RIEMANN__EVENT__INIT;
        Sluice__Riemann__Event *events[] = {&event};
        Sluice__Riemann__Attribute attribute = SLUICE__RIEMANN__ATTRIBUTE__INIT;
        Sluice__Riemann__Attribute *attributes[] = {&attribute};
        Sluice__Riemann__Msg msg = SLUICE__RIEMANN__MSG__INIT;
        attribute.has_value = event.has_service = event.has_metric_sint64 = 1;
        attribute.key = attribute.value = event.service = telemetry_text(texts[i].bytes);
        event.n_attributes = 1;
        event.attributes = attributes;
        msg.n_events = 1;
        msg.events = events;
        assert_true(encoding_decode(*state, datagram, sluice__riemann__msg__pack(&msg, datagram)));
        if (texts[i].label != NULL)
            snprintf(expected, sizeof expected, "%s{%s=\"%s\"} 0" ARRIVAL, texts[i].name,
                     texts[i].label, texts[i].value);
        else
            snprintf(expected, sizeof expected, "%s 0" ARRIVAL, texts[i].name);
        assert_string_equal(encoding_write(*state), expected);
        encoding_assert_whole_or_overflow(*state);
    }
}
