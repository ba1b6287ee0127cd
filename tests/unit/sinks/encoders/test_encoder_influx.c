/* Tests Influx line protocol from datagrams of the built-in schemas. */
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

#define ARRIVAL " 1700000000123456789\n"
#define FFFD    "\xef\xbf\xbd"

static int open_telemetry(void **state)
{
    return open_samples(state, &schema_telemetry, &encoder_influx);
}

static int open_riemann(void **state)
{
    return open_samples(state, &schema_riemann, &encoder_influx);
}

static int open_otlp(void **state)
{
    return open_samples(state, &schema_otlp, &encoder_influx);
}

static int open_floats(void **state)
{
    static const struct encoder_options options = {.float_numbers = true};
    *state = encoding_create(&schema_telemetry, &encoder_influx, &options);
    return 0;
}

/* --- numbers ---------------------------------------------------------------------------------- */

TEST_WITH(a_number_is_the_field_value, open_telemetry, close_encoding)
{
    telemetry_add_double(&builder, "cpu", 0.75);
    assert_builder_gives(*state, "cpu value=0.75" ARRIVAL);
    telemetry_add_double(&builder, "cpu", -1e300);
    assert_builder_gives(*state, "cpu value=-1e+300" ARRIVAL);
    assert_int_equal(((struct encoding *)*state)->lines, 1);
    assert_int_equal(((struct encoding *)*state)->samples, 1);
}

/* With this setting all numbers of a series are floats, whatever its sender sends. */
TEST_WITH(where_asked_every_number_is_a_float, open_floats, close_encoding)
{
    telemetry_add_double(&builder, "n", 0.75);
    Sample *sample = telemetry_add_sample(&builder, "n");
    sample->value_case = SLUICE__TELEMETRY__SAMPLE__VALUE_INT_VALUE;
    sample->int_value = -3;
    sample = telemetry_add_sample(&builder, "n");
    sample->value_case = SLUICE__TELEMETRY__SAMPLE__VALUE_UINT_VALUE;
    sample->uint_value = UINT64_MAX;
    assert_builder_gives(*state, "n value=0.75" ARRIVAL "n value=-3" ARRIVAL
                                 "n value=18446744073709552000" ARRIVAL);
}

TEST_WITH(a_float_is_the_shortest_of_its_width, open_riemann, close_encoding)
{
    static uint8_t datagram[64];
    Sluice__Riemann__Event event = SLUICE__RIEMANN__EVENT__INIT;
    Sluice__Riemann__Event *events[] = {&event};
    Sluice__Riemann__Msg msg = SLUICE__RIEMANN__MSG__INIT;
    event.has_metric_f = event.has_service = 1;
    event.metric_f = 0.1f;
    event.service = telemetry_text("f");
    msg.n_events = 1;
    msg.events = events;
    assert_true(encoding_decode(*state, datagram, sluice__riemann__msg__pack(&msg, datagram)));
    assert_string_equal(encoding_write(*state), "f value=0.1" ARRIVAL);
}

TEST_WITH(an_integer_says_that_it_is_one, open_telemetry, close_encoding)
{
    static const int64_t values[] = {-3, INT64_MIN, INT64_MAX};
    for (size_t i = 0; i < 3; i++) {
        Sample *sample = telemetry_add_sample(&builder, "n");
        sample->value_case = SLUICE__TELEMETRY__SAMPLE__VALUE_INT_VALUE;
        sample->int_value = values[i];
    }
    assert_builder_gives(*state, "n value=-3i" ARRIVAL "n value=-9223372036854775808i" ARRIVAL
                                 "n value=9223372036854775807i" ARRIVAL);
}

TEST_WITH(an_unsigned_integer_is_a_signed_one_while_it_can_be, open_telemetry, close_encoding)
{
    static const uint64_t values[] = {7, INT64_MAX, (uint64_t)INT64_MAX + 1, UINT64_MAX};
    for (size_t i = 0; i < 4; i++) {
        Sample *sample = telemetry_add_sample(&builder, "n");
        sample->value_case = SLUICE__TELEMETRY__SAMPLE__VALUE_UINT_VALUE;
        sample->uint_value = values[i];
    }
    assert_builder_gives(*state, "n value=7i" ARRIVAL "n value=9223372036854775807i" ARRIVAL
                                 "n value=9223372036854775808u" ARRIVAL
                                 "n value=18446744073709551615u" ARRIVAL);
}

TEST_WITH(what_is_no_finite_number_leaves_no_line, open_telemetry, close_encoding)
{
    struct encoding *encoding = *state;
    telemetry_add_double(&builder, "a", (double)NAN);
    telemetry_add_double(&builder, "b", (double)INFINITY);
    telemetry_add_double(&builder, "c", -(double)INFINITY);
    assert_builder_gives(encoding, "");
    assert_int_equal(encoding->lines, 0);
    telemetry_add_double(&builder, "a", (double)NAN);
    telemetry_add_double(&builder, "b", 1);
    assert_builder_gives(encoding, "b value=1" ARRIVAL);
    assert_int_equal(encoding->lines, 1);
    assert_int_equal(encoding->samples, 1);
}

TEST_WITH(the_time_is_the_sample_s_then_the_datagram_s, open_telemetry, close_encoding)
{
    builder.telemetry.time_unix_nano = UINT64_C(1600000000000000000);
    telemetry_add_double(&builder, "a", 1);
    telemetry_add_double(&builder, "a", 2)->time_unix_nano = 1;
    assert_builder_gives(*state, "a value=1 1600000000000000000\na value=2 1\n");
}

/* --- histograms and summaries ----------------------------------------------------------------- */

TEST_WITH(a_histogram_is_a_line_of_many_fields, open_telemetry, close_encoding)
{
    double bounds[] = {0.005, 1, 2};
    uint64_t counts[] = {1, 2, 0, UINT64_MAX / 2};
    Histogram histogram = SLUICE__TELEMETRY__HISTOGRAM__INIT;
    histogram.count = UINT64_MAX;
    histogram.sum = 1.5;
    histogram.n_bounds = 3;
    histogram.bounds = bounds;
    histogram.n_counts = 4;
    histogram.counts = counts;
    histogram.has_min_case = SLUICE__TELEMETRY__HISTOGRAM__HAS_MIN_MIN;
    histogram.has_max_case = SLUICE__TELEMETRY__HISTOGRAM__HAS_MAX_MAX;
    histogram.min = 0.001;
    histogram.max = 1e21;
    Sample *sample = telemetry_add_sample(&builder, "latency");
    sample->value_case = SLUICE__TELEMETRY__SAMPLE__VALUE_HISTOGRAM_VALUE;
    sample->histogram_value = &histogram;
    telemetry_add_label(&builder, "host", "web1");
    assert_builder_gives(*state,
                         "latency,host=web1 count=18446744073709551615,sum=1.5,min=0.001,max=1e+21,"
                         "0.005=1,1=3,2=3,+Inf=18446744073709551615" ARRIVAL);
}

TEST_WITH(what_a_histogram_does_not_have_is_no_field, open_otlp, close_encoding)
{
    struct otlp_metric metric = otlp_metric_begin(&wire, OTLP_HISTOGRAM, "n");
    wire_bytes(&wire, OTLP_POINTS, "", 0);
    size_t point = wire_begin(&wire, OTLP_POINTS);
    wire_fixed64(&wire, OTLP_COUNT, 2);
    wire_double(&wire, OTLP_POINT_SUM, (double)NAN);
    wire_double(&wire, OTLP_HISTOGRAM_MIN, -(double)INFINITY);
    wire_double(&wire, OTLP_HISTOGRAM_MAX, 0);
    wire_end(&wire, point);
    otlp_metric_end(&wire, &metric);
    assert_wire_gives(*state, "n count=0,+Inf=0" ARRIVAL "n count=2,max=0,+Inf=2" ARRIVAL);
}

TEST_WITH(an_exponential_histogram_has_the_bounds_of_its_scale, open_otlp, close_encoding)
{
    struct otlp_metric metric = otlp_metric_begin(&wire, OTLP_EXPONENTIAL_HISTOGRAM, "n");
    size_t point = wire_begin(&wire, OTLP_POINTS);
    wire_fixed64(&wire, OTLP_COUNT, 10);
    wire_double(&wire, OTLP_POINT_SUM, 1.5);
    wire_sint(&wire, OTLP_EXPONENTIAL_SCALE, 1);
    wire_fixed64(&wire, OTLP_EXPONENTIAL_ZEROS, 4);
    wire_double(&wire, OTLP_EXPONENTIAL_THRESHOLD, 0.001);
    size_t buckets = wire_begin(&wire, OTLP_EXPONENTIAL_POSITIVE);
    wire_bytes(&wire, OTLP_BUCKETS_COUNTS, "\x02\x00\x01", 3);
    wire_end(&wire, buckets);
    buckets = wire_begin(&wire, OTLP_EXPONENTIAL_NEGATIVE);
    wire_sint(&wire, OTLP_BUCKETS_OFFSET, 2);
    wire_uint(&wire, OTLP_BUCKETS_COUNTS, 3);
    wire_end(&wire, buckets);
    wire_end(&wire, point);
    otlp_metric_end(&wire, &metric);
    assert_wire_gives(*state, "n count=10,sum=1.5,-2.8284271247461903=0,-2=3,0.001=7,1=7,"
                              "1.4142135623730951=9,2=9,2.8284271247461903=10,+Inf=10" ARRIVAL);
}

static void put_quantile(double quantile, double value)
{
    size_t begun = wire_begin(&wire, OTLP_SUMMARY_QUANTILES);
    wire_double(&wire, OTLP_QUANTILE, quantile);
    wire_double(&wire, OTLP_QUANTILE_VALUE, value);
    wire_end(&wire, begun);
}

TEST_WITH(a_summary_has_a_field_for_each_quantile, open_otlp, close_encoding)
{
    struct otlp_metric metric = otlp_metric_begin(&wire, OTLP_SUMMARY, "n");
    size_t point = wire_begin(&wire, OTLP_POINTS);
    wire_fixed64(&wire, OTLP_COUNT, 3);
    wire_double(&wire, OTLP_POINT_SUM, 6);
    put_quantile(0, 0.25);
    put_quantile(0.5, 1);
    put_quantile(0.9, (double)NAN);
    put_quantile((double)NAN, 1);
    put_quantile(0.99, -2);
    wire_end(&wire, point);
    otlp_metric_end(&wire, &metric);
    assert_wire_gives(*state, "n count=3,sum=6,0=0.25,0.5=1,0.99=-2" ARRIVAL);
}

/* --- tags ------------------------------------------------------------------------------------- */

TEST_WITH(labels_are_tags, open_telemetry, close_encoding)
{
    telemetry_add_label(&builder, "host", "web1");
    telemetry_add_double(&builder, "cpu", 1);
    telemetry_add_label(&builder, "core", "0");
    telemetry_add_double(&builder, "cpu", 2);
    telemetry_add_label(&builder, "core", "1");
    assert_builder_gives(*state, "cpu,core=0,host=web1 value=1" ARRIVAL
                                 "cpu,core=1,host=web1 value=2" ARRIVAL);
}

TEST_WITH(the_first_of_two_labels_with_the_same_key_counts, open_telemetry, close_encoding)
{
    telemetry_add_label(&builder, "host", "shared");
    telemetry_add_label(&builder, "zone", "shared");
    telemetry_add_double(&builder, "n", 1);
    telemetry_add_label(&builder, "host", "own");
    telemetry_add_label(&builder, "host", "own again");
    assert_builder_gives(*state, "n,host=own,zone=shared value=1" ARRIVAL);
}

TEST_WITH(keys_that_look_the_same_in_a_line_are_the_same, open_telemetry, close_encoding)
{
    telemetry_add_double(&builder, "n", 1);
    telemetry_add_label(&builder, "a\x01", "1");
    telemetry_add_label(&builder, "a\x02", "2");
    telemetry_add_label(&builder, "b\n", "3");
    telemetry_add_label(&builder, "b\\n", "4");
    telemetry_add_label(&builder, "c", "5");
    telemetry_add_label(&builder, "c\\", "6");
    assert_builder_gives(*state, "n,a" FFFD "=1,b\\n=3,c=5 value=1" ARRIVAL);
}

/* An empty label does not count, so the other label with this key is written. */
TEST_WITH(an_empty_label_is_left_out, open_telemetry, close_encoding)
{
    telemetry_add_label(&builder, "a", "shared");
    telemetry_add_double(&builder, "n", 1);
    telemetry_add_label(&builder, "a", "");
    telemetry_add_label(&builder, "", "x");
    telemetry_add_label(&builder, "b", "\\\\");
    telemetry_add_label(&builder, "\\", "y");
    telemetry_add_label(&builder, "", "");
    assert_builder_gives(*state, "n,a=shared value=1" ARRIVAL);
}

TEST_WITH(keys_that_influxdb_keeps_for_itself_get_another_name, open_telemetry, close_encoding)
{
    telemetry_add_double(&builder, "time", 1);
    telemetry_add_label(&builder, "time", "1");
    telemetry_add_label(&builder, "time_", "2");
    telemetry_add_label(&builder, "_field", "3");
    telemetry_add_label(&builder, "_measurement", "4");
    telemetry_add_label(&builder, "times", "5");
    assert_builder_gives(*state, "time,time_=1,_field_=3,_measurement_=4,times=5 value=1" ARRIVAL);
}

/* --- text of any bytes ------------------------------------------------------------------------ */

static const struct {
    const char *bytes;
    const char *name;
    const char *tag;
} texts[] = {
    {"plain.text-1/2:3", "plain.text-1/2:3", "plain.text-1/2:3"},
    {"a b,c=d", "a\\ b\\,c=d", "a\\ b\\,c\\=d"},
    {"  ", "\\ \\ ", "\\ \\ "},
    {"\"quoted\" 'x'", "\"quoted\"\\ 'x'", "\"quoted\"\\ 'x'"},
    {"a\nb\r\tc\f", "a\\nb\\r\\tc\\f", "a\\nb\\r\\tc\\f"},
    {"\x01\x1f\x7f\b", FFFD FFFD FFFD FFFD, FFFD FFFD FFFD FFFD},
    {"a\xc2\x9b[m\xc2\x80", "a" FFFD "[m" FFFD, "a" FFFD "[m" FFFD},
    {"C:\\temp\\\\x", "C:\\temp\\\\x", "C:\\temp\\\\x"},
    {"ends\\", "ends", "ends"},
    {"ends\\\\\\", "ends", "ends"},
    {"a\\ b\\\\,c\\=d\\\ne", "a\\ b\\,c=d\\ne", "a\\ b\\,c\\=d\\ne"},
    {"caf\xc3\xa9 \xf0\x9f\x98\x80", "caf\xc3\xa9\\ \xf0\x9f\x98\x80",
     "caf\xc3\xa9\\ \xf0\x9f\x98\x80"},
    {"\xff\\\xff", FFFD "\\" FFFD, FFFD "\\" FFFD},
    {"\xed\xa0\x80", FFFD FFFD FFFD, FFFD FFFD FFFD},
    {"#comment#", "_comment#", "#comment#"},
    {"#", "_", "#"},
    {"", "_", NULL},
    {"\\", "_", NULL},
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
        if (texts[i].tag != NULL)
            snprintf(expected, sizeof expected, "%s,%s=%s value=0i" ARRIVAL, texts[i].name,
                     texts[i].tag, texts[i].tag);
        else
            snprintf(expected, sizeof expected, "%s value=0i" ARRIVAL, texts[i].name);
        assert_string_equal(encoding_write(*state), expected);
        encoding_assert_whole_or_overflow(*state);
    }
}

/* --- recognising lines of this format --------------------------------------------------------- */

static enum output_line looked_at(const char *line)
{
    return encoder_influx.line((const uint8_t *)line, strlen(line));
}

TEST(a_line_with_its_first_field_and_its_time_is_its_own)
{
    assert_int_equal(looked_at("n value=1 17\n"), OUTPUT_LINE_OWN);
    assert_int_equal(looked_at("n,a=b count=1i,sum=2 17\n"), OUTPUT_LINE_OWN);
    assert_int_equal(looked_at("n value=1 -17\n"), OUTPUT_LINE_OWN); /* before 1970 */
    assert_int_equal(looked_at("n value=1 1"), OUTPUT_LINE_LIKELY);
}

TEST(comments_and_lines_of_others_are_foreign)
{
    static const char *const foreign[] = {
        "#n value=1 17\n", " value=1 17\n",   ",a=b value=1 17\n", "# a comment\n",
        "n other=1 17\n",  "n value=1 17i\n", "n value=1 --17\n",  "n value=1\n",
    };
    for (size_t i = 0; i < sizeof foreign / sizeof foreign[0]; i++)
        assert_int_equal(looked_at(foreign[i]), OUTPUT_LINE_FOREIGN);
}
