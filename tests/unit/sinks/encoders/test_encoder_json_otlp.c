/* Tests JSON lines with values that only OTLP has. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "proto/schemas.h"
#include "sinks/encoders/encoders.h"
#include "tests/support/proto/otlp_wire.h"
#include "tests/support/sinks/encoding.h"
#include "tests/support/test.h"

#define ARRIVAL     "\"" ENCODING_RECEIVED "\""
#define END_OF_LINE "," ENCODING_FACTS "}\n"
#define PLENTY      ((size_t)4 * 1024 * 1024)
#define TIME        UINT64_C(1600000000000000001)
#define TIME_TEXT   "\"2020-09-13T12:26:40.000000001Z\""

static struct wire wire;

static int open_with(void **state, const struct schema_ops *schema)
{
    static const struct encoder_options options = {.view = VIEW_SAMPLE};
    *state = encoding_create(schema, &encoder_json, &options);
    wire_clear(&wire);
    return 0;
}

static int open_otlp(void **state)
{
    return open_with(state, &schema_otlp);
}

static int open_logs(void **state)
{
    return open_with(state, &schema_otlp_logs);
}

static int close_encoding(void **state)
{
    encoding_free(*state);
    return 0;
}

static void decode(struct encoding *encoding)
{
    assert_true(encoding_decode(encoding, wire.bytes, wire.size));
}

static void assert_wire_gives(struct encoding *encoding, const char *expected)
{
    decode(encoding);
    assert_string_equal(encoding_write_json(encoding), expected);
}

/* --- kinds ------------------------------------------------------------------------------------ */

static void put_sum(uint64_t temporality, bool monotonic)
{
    struct otlp_metric metric = otlp_metric_begin(&wire, OTLP_SUM, "n");
    size_t point = wire_begin(&wire, OTLP_POINTS);
    wire_fixed64(&wire, OTLP_NUMBER_INT, (uint64_t)-3);
    wire_end(&wire, point);
    wire_uint(&wire, OTLP_TEMPORALITY, temporality);
    wire_uint(&wire, OTLP_MONOTONIC, monotonic);
    otlp_metric_end(&wire, &metric);
}

static void a_sum_that_falls_is_another_kind_of_counter(void **state)
{
    put_sum(OTLP_CUMULATIVE, true);
    put_sum(OTLP_DELTA, false);
    put_sum(0, false);
    put_sum(0, true);
#define LINE(kind)                                                                                 \
    "{\"time\":" ARRIVAL ",\"name\":\"n\"," kind ",\"value\":-3,\"labels\":{}" END_OF_LINE
    assert_wire_gives(*state,
                      LINE("\"kind\":\"counter\",\"temporality\":\"cumulative\"")
                          LINE("\"kind\":\"updown_counter\",\"temporality\":\"delta\"")
                              LINE("\"kind\":\"updown_counter\"") LINE("\"kind\":\"counter\""));
}

static void assert_value(struct encoding *encoding, const char *expected)
{
    char line[2048];
    int length =
        snprintf(line, sizeof line,
                 "{\"time\":" ARRIVAL ",\"name\":\"n\",%s,\"labels\":{}" END_OF_LINE, expected);
    assert_in_range(length, 1, sizeof line - 1);
    assert_wire_gives(encoding, line);
    wire_clear(&wire);
}

static void a_histogram_without_a_sum_has_none(void **state)
{
    struct otlp_metric metric = otlp_metric_begin(&wire, OTLP_HISTOGRAM, "n");
    size_t point = wire_begin(&wire, OTLP_POINTS);
    wire_fixed64(&wire, OTLP_COUNT, 2);
    wire_fixed64(&wire, OTLP_HISTOGRAM_COUNTS, 2);
    wire_end(&wire, point);
    otlp_metric_end(&wire, &metric);
    assert_value(*state, "\"kind\":\"histogram\",\"value\":{\"count\":2,\"bounds\":[],"
                         "\"counts\":[2]}");
    metric = otlp_metric_begin(&wire, OTLP_HISTOGRAM, "n");
    point = wire_begin(&wire, OTLP_POINTS);
    wire_double(&wire, OTLP_POINT_SUM, (double)NAN);
    wire_double(&wire, OTLP_HISTOGRAM_MIN, -(double)INFINITY);
    wire_end(&wire, point);
    otlp_metric_end(&wire, &metric);
    assert_value(*state, "\"kind\":\"histogram\",\"value\":{\"count\":0,\"sum\":\"NaN\","
                         "\"min\":\"-Infinity\",\"bounds\":[],\"counts\":[]}");
}

static void an_exponential_histogram_is_an_object(void **state)
{
    struct otlp_metric metric = otlp_metric_begin(&wire, OTLP_EXPONENTIAL_HISTOGRAM, "n");
    size_t point = wire_begin(&wire, OTLP_POINTS);
    wire_fixed64(&wire, OTLP_COUNT, UINT64_MAX);
    wire_double(&wire, OTLP_POINT_SUM, 1.5);
    wire_sint(&wire, OTLP_EXPONENTIAL_SCALE, -2);
    wire_fixed64(&wire, OTLP_EXPONENTIAL_ZEROS, 4);
    wire_double(&wire, OTLP_EXPONENTIAL_THRESHOLD, 0.001);
    size_t buckets = wire_begin(&wire, OTLP_EXPONENTIAL_POSITIVE);
    wire_sint(&wire, OTLP_BUCKETS_OFFSET, -15);
    wire_bytes(&wire, OTLP_BUCKETS_COUNTS, "\x02\x00\x01", 3);
    wire_end(&wire, buckets);
    buckets = wire_begin(&wire, OTLP_EXPONENTIAL_NEGATIVE);
    wire_sint(&wire, OTLP_BUCKETS_OFFSET, 7);
    wire_uint(&wire, OTLP_BUCKETS_COUNTS, UINT64_MAX);
    wire_end(&wire, buckets);
    wire_double(&wire, OTLP_EXPONENTIAL_MIN, -2);
    wire_double(&wire, OTLP_EXPONENTIAL_MAX, 1e9);
    wire_end(&wire, point);
    wire_uint(&wire, OTLP_TEMPORALITY, OTLP_DELTA);
    otlp_metric_end(&wire, &metric);
    assert_value(*state, "\"kind\":\"exponential_histogram\",\"temporality\":\"delta\",\"value\":{"
                         "\"count\":18446744073709551615,\"sum\":1.5,\"min\":-2,\"max\":1000000000,"
                         "\"scale\":-2,\"zero_count\":4,\"zero_threshold\":0.001,"
                         "\"positive\":{\"offset\":-15,\"counts\":[2,0,1]},"
                         "\"negative\":{\"offset\":7,\"counts\":[18446744073709551615]}}");

    metric = otlp_metric_begin(&wire, OTLP_EXPONENTIAL_HISTOGRAM, "n");
    wire_bytes(&wire, OTLP_POINTS, "", 0);
    otlp_metric_end(&wire, &metric);
    assert_value(*state, "\"kind\":\"exponential_histogram\",\"value\":{\"count\":0,\"scale\":0,"
                         "\"zero_count\":0,\"zero_threshold\":0,"
                         "\"positive\":{\"offset\":0,\"counts\":[]},"
                         "\"negative\":{\"offset\":0,\"counts\":[]}}");
}

static void put_quantile(double quantile, double value)
{
    size_t begun = wire_begin(&wire, OTLP_SUMMARY_QUANTILES);
    wire_double(&wire, OTLP_QUANTILE, quantile);
    wire_double(&wire, OTLP_QUANTILE_VALUE, value);
    wire_end(&wire, begun);
}

static void a_summary_is_an_object(void **state)
{
    struct otlp_metric metric = otlp_metric_begin(&wire, OTLP_SUMMARY, "n");
    size_t point = wire_begin(&wire, OTLP_POINTS);
    wire_fixed64(&wire, OTLP_COUNT, 3);
    wire_double(&wire, OTLP_POINT_SUM, 6);
    put_quantile(0.5, 1);
    put_quantile(0.99, (double)NAN);
    wire_end(&wire, point);
    otlp_metric_end(&wire, &metric);
    assert_value(*state, "\"kind\":\"summary\",\"value\":{\"count\":3,\"sum\":6,\"quantiles\":["
                         "{\"quantile\":0.5,\"value\":1},{\"quantile\":0.99,\"value\":\"NaN\"}]}");
    metric = otlp_metric_begin(&wire, OTLP_SUMMARY, "n");
    wire_bytes(&wire, OTLP_POINTS, "", 0);
    otlp_metric_end(&wire, &metric);
    assert_value(*state, "\"kind\":\"summary\",\"value\":{\"count\":0,\"sum\":0,\"quantiles\":[]}");
}

/* --- exemplars -------------------------------------------------------------------------------- */

static void put_number(uint32_t field, const char *key, uint64_t number)
{
    size_t attribute = wire_begin(&wire, field);
    wire_text(&wire, OTLP_KEY, key);
    size_t value = wire_begin(&wire, OTLP_VALUE);
    wire_uint(&wire, OTLP_INT, number);
    wire_end(&wire, value);
    wire_end(&wire, attribute);
}

static void put_full_exemplar(void)
{
    size_t exemplar = wire_begin(&wire, OTLP_NUMBER_EXEMPLARS);
    wire_fixed64(&wire, OTLP_EXEMPLAR_TIME, TIME);
    wire_double(&wire, OTLP_EXEMPLAR_DOUBLE, 0.25);
    wire_bytes(&wire, OTLP_EXEMPLAR_TRACE,
               "\x01\x23\x45\x67\x89\xab\xcd\xef\xff\x00\x7f\x80\x0a\xa0\x22\x5c", 16);
    wire_bytes(&wire, OTLP_EXEMPLAR_SPAN, "\xfe\xdc\xba\x98\x76\x54\x32\x10", 8);
    put_number(OTLP_EXEMPLAR_ATTRIBUTES, "user", 7);
    otlp_put_attribute(&wire, OTLP_EXEMPLAR_ATTRIBUTES, "k", "of the exemplar");
    put_number(OTLP_EXEMPLAR_ATTRIBUTES, "user", 8);
    wire_end(&wire, exemplar);
}

static void put_gauge_with_exemplars(void)
{
    struct otlp_metric metric = otlp_metric_begin(&wire, OTLP_GAUGE, "n");
    size_t point = wire_begin(&wire, OTLP_POINTS);
    wire_double(&wire, OTLP_NUMBER_DOUBLE, 1);
    otlp_put_attribute(&wire, OTLP_NUMBER_ATTRIBUTES, "k", "of the point");
    put_full_exemplar();
    size_t exemplar = wire_begin(&wire, OTLP_NUMBER_EXEMPLARS);
    wire_fixed64(&wire, OTLP_EXEMPLAR_INT, (uint64_t)INT64_MIN);
    wire_end(&wire, exemplar);
    wire_end(&wire, point);
    otlp_metric_end(&wire, &metric);
}

static void exemplars_follow_the_labels(void **state)
{
    put_gauge_with_exemplars();
    assert_wire_gives(*state,
                      "{\"time\":" ARRIVAL ",\"name\":\"n\",\"kind\":\"gauge\",\"value\":1,"
                      "\"labels\":{\"k\":\"of the point\"},\"exemplars\":[{\"time\":" TIME_TEXT ","
                      "\"value\":0.25,\"trace_id\":\"0123456789abcdefff007f800aa0225c\","
                      "\"span_id\":\"fedcba9876543210\",\"labels\":{\"user\":\"7\","
                      "\"k\":\"of the exemplar\"}},{\"value\":-9223372036854775808,"
                      "\"labels\":{}}]" END_OF_LINE);
}

static void exemplars_without_values_leave_no_list(void **state)
{
    struct otlp_metric metric = otlp_metric_begin(&wire, OTLP_GAUGE, "n");
    size_t point = wire_begin(&wire, OTLP_POINTS);
    wire_double(&wire, OTLP_NUMBER_DOUBLE, 1);
    wire_bytes(&wire, OTLP_NUMBER_EXEMPLARS, "", 0);
    wire_end(&wire, point);
    otlp_metric_end(&wire, &metric);
    assert_value(*state, "\"kind\":\"gauge\",\"value\":1");
}

/* --- labels ----------------------------------------------------------------------------------- */

static void a_label_that_was_made_is_text_like_any_other(void **state)
{
    struct otlp_metric metric = otlp_metric_begin(&wire, OTLP_GAUGE, "n");
    size_t point = wire_begin(&wire, OTLP_POINTS);
    wire_double(&wire, OTLP_NUMBER_DOUBLE, 1);
    put_number(OTLP_NUMBER_ATTRIBUTES, "a", 1);
    size_t attribute = wire_begin(&wire, OTLP_NUMBER_ATTRIBUTES);
    wire_text(&wire, OTLP_KEY, "list");
    wire_bytes(&wire, OTLP_VALUE, "\x2a\x05\x0a\x03\x0a\x01\n", 7); /* ["\n"] */
    wire_end(&wire, attribute);
    put_number(OTLP_NUMBER_ATTRIBUTES, "a", 2);
    put_number(OTLP_NUMBER_ATTRIBUTES, "b", 3);
    wire_end(&wire, point);
    otlp_metric_end(&wire, &metric);
    assert_wire_gives(*state, "{\"time\":" ARRIVAL ",\"name\":\"n\",\"kind\":\"gauge\","
                              "\"value\":1,\"labels\":{\"a\":\"1\",\"list\":\"[\\\"\\\\n\\\"]\","
                              "\"b\":\"3\"}" END_OF_LINE);
}

/*
 * Writes a point with a label that is a list of one string. The string has `size` control
 * characters, which are six bytes each as JSON.
 */
static void put_long_list(size_t size)
{
    static char controls[128 * 1024];
    memset(controls, 1, sizeof controls);
    assert_in_range(size, 0, sizeof controls);
    struct otlp_metric metric = otlp_metric_begin(&wire, OTLP_GAUGE, "n");
    size_t point = wire_begin(&wire, OTLP_POINTS);
    wire_double(&wire, OTLP_NUMBER_DOUBLE, 1);
    size_t parts[4];
    parts[0] = wire_begin(&wire, OTLP_NUMBER_ATTRIBUTES);
    parts[1] = wire_begin(&wire, OTLP_VALUE);
    parts[2] = wire_begin(&wire, OTLP_LIST);
    parts[3] = wire_begin(&wire, OTLP_VALUES);
    wire_bytes(&wire, OTLP_STRING, controls, size);
    for (size_t i = 4; i-- != 0;)
        wire_end(&wire, parts[i]);
    wire_end(&wire, point);
    otlp_metric_end(&wire, &metric);
}

static void the_longest_label_of_a_datagram_is_written(void **state)
{
    put_long_list(65400);
    assert_in_range(wire.size, 65400, 65507);
    decode(*state);
    const char *text = encoding_write_json(*state);
    const char *label = strstr(text, "\"labels\":{\"\":\"[\\\"");
    assert_non_null(label);
    label += strlen("\"labels\":{\"\":\"[\\\"");
    for (size_t i = 0; i < 65400; i++)
        assert_memory_equal(label + 7 * i, "\\\\u0001", 7);
    assert_memory_equal(label + (size_t)7 * 65400, "\\\"]\"}", 5);
}

static void a_label_that_cannot_be_made_makes_the_record_too_large(void **state)
{
    put_long_list(100000);
    decode(*state);
    assert_true(encoding_overflows(*state, PLENTY));
    wire_clear(&wire); /* the next record is written normally */
    put_gauge_with_exemplars();
    decode(*state);
    encoding_write_json(*state);
    assert_int_equal(((struct encoding *)*state)->lines, 1);
}

/*
 * Writes a request whose resource has many attributes with one key, and `points` points. Each
 * attribute is a list of nulls.
 */
static void put_costly_labels(size_t points)
{
    static struct wire attribute;
    wire_clear(&attribute);
    for (int i = 0; i < 10000; i++)
        wire_bytes(&attribute, OTLP_VALUES, "", 0);
    wire_wrap(&attribute, OTLP_LIST, 1);
    wire_wrap(&attribute, OTLP_VALUE, 1);
    wire_clear(&wire);
    size_t resource = wire_begin(&wire, OTLP_REQUEST_RESOURCES);
    size_t attributes = wire_begin(&wire, OTLP_RESOURCE);
    otlp_put_attribute(&wire, OTLP_RESOURCE_ATTRIBUTES, "", "first");
    wire_bytes(&wire, OTLP_RESOURCE_ATTRIBUTES, attribute.bytes, attribute.size);
    wire_end(&wire, attributes);
    size_t scope = wire_begin(&wire, OTLP_RESOURCE_SCOPES);
    size_t metric = wire_begin(&wire, OTLP_SCOPE_METRICS);
    size_t gauge = wire_begin(&wire, OTLP_GAUGE);
    for (size_t i = 0; i < points; i++) {
        size_t point = wire_begin(&wire, OTLP_POINTS);
        wire_fixed64(&wire, OTLP_NUMBER_INT, i);
        wire_end(&wire, point);
    }
    wire_end(&wire, gauge);
    wire_end(&wire, metric);
    wire_end(&wire, scope);
    wire_end(&wire, resource);
}

/*
 * For each point, 50 kB of labels must be skipped. 100 points are fast enough, and 1,000 are not.
 */
static void labels_that_take_too_long_to_make_are_too_large(void **state)
{
    put_costly_labels(100);
    decode(*state);
    encoding_write_json(*state);
    assert_int_equal(((struct encoding *)*state)->lines, 100);
    put_costly_labels(1000);
    assert_in_range(wire.size, 1, 65507);
    decode(*state);
    assert_true(encoding_overflows(*state, PLENTY));
}

/* --- limits ----------------------------------------------------------------------------------- */

static void every_kind_is_whole_or_overflows(void **state)
{
    struct encoding *encoding = *state;
    put_gauge_with_exemplars();
    static const uint32_t kinds[] = {OTLP_HISTOGRAM, OTLP_EXPONENTIAL_HISTOGRAM, OTLP_SUMMARY};
    for (size_t i = 0; i < 3; i++) {
        struct otlp_metric metric = otlp_metric_begin(&wire, kinds[i], "n");
        size_t point = wire_begin(&wire, OTLP_POINTS);
        if (kinds[i] == OTLP_SUMMARY)
            put_quantile(0.5, 1);
        wire_end(&wire, point);
        otlp_metric_end(&wire, &metric);
    }
    decode(encoding);
    encoding_write_json(encoding);
    assert_int_equal(encoding->lines, 4);
    for (size_t capacity = 0; capacity < encoding->size; capacity++)
        assert_true(encoding_overflows(encoding, capacity));
    assert_false(encoding_overflows(encoding, encoding->size));
}

static void what_has_no_samples_is_written_as_messages(void **state)
{
    struct encoding *encoding = *state;
    wire_bytes(&wire, 1, "", 0);
    decode(encoding);
    assert_string_equal(encoding_write_json(encoding),
                        "{" ENCODING_FACTS ",\"schema\":\"otlp-logs\",\"bytes\":2,"
                        "\"message\":{\"resourceLogs\":[{}]}}\n");
    assert_int_equal(encoding->lines, 1);
    assert_int_equal(encoding->samples, 0);
}

#define otlp(test) cmocka_unit_test_setup_teardown(test, open_otlp, close_encoding)

int main(void)
{
    const struct CMUnitTest tests[] = {
        otlp(a_sum_that_falls_is_another_kind_of_counter),
        otlp(a_histogram_without_a_sum_has_none),
        otlp(an_exponential_histogram_is_an_object),
        otlp(a_summary_is_an_object),
        otlp(exemplars_follow_the_labels),
        otlp(exemplars_without_values_leave_no_list),
        otlp(a_label_that_was_made_is_text_like_any_other),
        otlp(the_longest_label_of_a_datagram_is_written),
        otlp(a_label_that_cannot_be_made_makes_the_record_too_large),
        otlp(labels_that_take_too_long_to_make_are_too_large),
        otlp(every_kind_is_whole_or_overflows),
        cmocka_unit_test_setup_teardown(what_has_no_samples_is_written_as_messages, open_logs,
                                        close_encoding),
    };
    return cmocka_run_group_tests_name("encoder json, otlp", tests, NULL, NULL);
}
