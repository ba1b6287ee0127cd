/* Tests JSON lines of samples from datagrams of the built-in schemas. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/text/json_writer.h"
#include "proto/generated/riemann.pb-c.h"
#include "proto/schemas.h"
#include "sinks/encoders/encoders.h"
#include "tests/support/proto/telemetry_builder.h"
#include "tests/support/sinks/encoding.h"
#include "tests/support/test.h"
#include "tests/support/text/json_tree.h"

typedef Sluice__Telemetry__Sample Sample;
typedef Sluice__Telemetry__Histogram Histogram;

#define END_OF_LINE "," ENCODING_FACTS "}\n"
#define ARRIVAL     "\"" ENCODING_RECEIVED "\""

static struct telemetry_builder builder;

static int open_telemetry(void **state)
{
    static const struct encoder_options options = {.view = VIEW_SAMPLE};
    *state = encoding_create(&schema_telemetry, &encoder_json, &options);
    telemetry_begin(&builder);
    return 0;
}

static int open_riemann(void **state)
{
    static const struct encoder_options options = {.view = VIEW_SAMPLE};
    *state = encoding_create(&schema_riemann, &encoder_json, &options);
    return 0;
}

static int close_encoding(void **state)
{
    encoding_free(*state);
    return 0;
}

static const char *lines_of_builder(struct encoding *encoding)
{
    telemetry_end(&builder);
    assert_true(encoding_decode(encoding, builder.datagram, builder.size));
    return encoding_write_json(encoding);
}

static void assert_builder_gives(struct encoding *encoding, const char *expected)
{
    assert_string_equal(lines_of_builder(encoding), expected);
}

/*
 * Decodes a message that has this event. The decoded message refers to the packed bytes, which the
 * next call overwrites.
 */
static void decode_event(struct encoding *encoding, Sluice__Riemann__Event *event)
{
    static uint8_t datagram[4096];
    Sluice__Riemann__Msg msg = SLUICE__RIEMANN__MSG__INIT;
    msg.n_events = 1;
    msg.events = &event;
    assert_in_range(sluice__riemann__msg__get_packed_size(&msg), 1, sizeof datagram);
    assert_true(encoding_decode(encoding, datagram, sluice__riemann__msg__pack(&msg, datagram)));
}

static void assert_event_gives(struct encoding *encoding, Sluice__Riemann__Event *event,
                               const char *expected)
{
    decode_event(encoding, event);
    assert_string_equal(encoding_write_json(encoding), expected);
}

/* --- kinds and values ------------------------------------------------------------------------- */

static void a_gauge_is_its_number(void **state)
{
    telemetry_add_double(&builder, "cpu", 0.75);
    assert_builder_gives(*state, "{\"time\":" ARRIVAL ",\"name\":\"cpu\",\"kind\":\"gauge\","
                                 "\"value\":0.75,\"labels\":{}" END_OF_LINE);
    assert_int_equal(((struct encoding *)*state)->lines, 1);
}

static void a_sample_says_all_that_it_was_given(void **state)
{
    telemetry_add_label(&builder, "host", "web1");
    Sample *sample = telemetry_add_double(&builder, "requests", 1e21);
    sample->kind = SLUICE__TELEMETRY__KIND__CUMULATIVE_COUNTER;
    sample->unit = telemetry_text("By");
    sample->time_unix_nano = UINT64_C(1700000000000000001);
    sample->start_time_unix_nano = UINT64_C(1600000000000000000);
    telemetry_add_label(&builder, "path", "/");
    assert_builder_gives(*state,
                         "{\"time\":\"2023-11-14T22:13:20.000000001Z\",\"name\":\"requests\","
                         "\"kind\":\"counter\",\"temporality\":\"cumulative\",\"value\":1e+21,"
                         "\"start_time\":\"2020-09-13T12:26:40.000000000Z\",\"unit\":\"By\","
                         "\"labels\":{\"path\":\"/\",\"host\":\"web1\"}" END_OF_LINE);
}

static void a_delta_counter_says_so(void **state)
{
    Sample *sample = telemetry_add_sample(&builder, "hits");
    sample->kind = SLUICE__TELEMETRY__KIND__DELTA_COUNTER;
    sample->value_case = SLUICE__TELEMETRY__SAMPLE__VALUE_UINT_VALUE;
    sample->uint_value = 7;
    assert_builder_gives(*state, "{\"time\":" ARRIVAL ",\"name\":\"hits\",\"kind\":\"counter\","
                                 "\"temporality\":\"delta\",\"value\":7,\"labels\":{}" END_OF_LINE);
}

static void integers_are_written_to_their_last_digit(void **state)
{
    Sample *sample = telemetry_add_sample(&builder, "");
    sample->value_case = SLUICE__TELEMETRY__SAMPLE__VALUE_UINT_VALUE;
    sample->uint_value = UINT64_MAX;
    sample = telemetry_add_sample(&builder, "");
    sample->value_case = SLUICE__TELEMETRY__SAMPLE__VALUE_INT_VALUE;
    sample->int_value = INT64_MIN;
    const char *lines = lines_of_builder(*state);
    const char *first = strstr(lines, "\"value\":18446744073709551615,");
    assert_non_null(first);
    assert_non_null(strstr(first, "\"value\":-9223372036854775808,"));
    assert_int_equal(((struct encoding *)*state)->lines, 2);
}

static void a_float_is_the_shortest_of_its_width(void **state)
{
    Sluice__Riemann__Event event = SLUICE__RIEMANN__EVENT__INIT;
    event.has_metric_f = 1;
    event.metric_f = 0.1f;
    assert_event_gives(*state, &event,
                       "{\"time\":" ARRIVAL ",\"name\":\"\",\"kind\":\"gauge\","
                       "\"value\":0.1,\"labels\":{}" END_OF_LINE);
}

static void numbers_that_json_lacks_are_strings(void **state)
{
    static const struct {
        double value;
        const char *expected;
    } cases[] = {
        {(double)NAN, "\"value\":\"NaN\","},
        {(double)INFINITY, "\"value\":\"Infinity\","},
        {-(double)INFINITY, "\"value\":\"-Infinity\","},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        telemetry_begin(&builder);
        telemetry_add_double(&builder, "", cases[i].value);
        assert_non_null(strstr(lines_of_builder(*state), cases[i].expected));
    }
}

/* --- histograms ------------------------------------------------------------------------------- */

static Sample *add_histogram(Histogram *histogram)
{
    Sample *sample = telemetry_add_sample(&builder, "latency");
    sample->value_case = SLUICE__TELEMETRY__SAMPLE__VALUE_HISTOGRAM_VALUE;
    sample->histogram_value = histogram;
    return sample;
}

static void a_histogram_is_an_object(void **state)
{
    double bounds[] = {0.005, 1, (double)INFINITY};
    uint64_t counts[] = {1, 2, 0, UINT64_MAX};
    Histogram histogram = SLUICE__TELEMETRY__HISTOGRAM__INIT;
    histogram.count = 3;
    histogram.sum = 1.5;
    histogram.n_bounds = 3;
    histogram.bounds = bounds;
    histogram.n_counts = 4;
    histogram.counts = counts;
    histogram.has_min_case = SLUICE__TELEMETRY__HISTOGRAM__HAS_MIN_MIN;
    histogram.has_max_case = SLUICE__TELEMETRY__HISTOGRAM__HAS_MAX_MAX;
    histogram.min = -0.0;
    histogram.max = (double)NAN;
    add_histogram(&histogram)->kind = SLUICE__TELEMETRY__KIND__DELTA_COUNTER;
    assert_builder_gives(*state, "{\"time\":" ARRIVAL ",\"name\":\"latency\","
                                 "\"kind\":\"histogram\",\"temporality\":\"delta\","
                                 "\"value\":{\"count\":3,\"sum\":1.5,\"min\":-0.0,\"max\":\"NaN\","
                                 "\"bounds\":[0.005,1,\"Infinity\"],"
                                 "\"counts\":[1,2,0,18446744073709551615]},"
                                 "\"labels\":{}" END_OF_LINE);
}

static void a_histogram_leaves_out_what_it_was_not_given(void **state)
{
    Histogram histogram = SLUICE__TELEMETRY__HISTOGRAM__INIT;
    add_histogram(&histogram)->kind = SLUICE__TELEMETRY__KIND__CUMULATIVE_COUNTER;
    add_histogram(&histogram); /* a snapshot, which is neither cumulative nor delta */
    assert_builder_gives(*state,
                         "{\"time\":" ARRIVAL ",\"name\":\"latency\",\"kind\":\"histogram\","
                         "\"temporality\":\"cumulative\",\"value\":{\"count\":0,\"sum\":0,"
                         "\"bounds\":[],\"counts\":[]},\"labels\":{}" END_OF_LINE
                         "{\"time\":" ARRIVAL ",\"name\":\"latency\",\"kind\":\"histogram\","
                         "\"value\":{\"count\":0,\"sum\":0,\"bounds\":[],\"counts\":[]},"
                         "\"labels\":{}" END_OF_LINE);
}

/* --- samples that produce a line -------------------------------------------------------------- */

static void a_message_without_samples_leaves_no_line(void **state)
{
    struct encoding *encoding = *state;
    telemetry_add_label(&builder, "host", "web1");
    builder.telemetry.sequence = 1;
    assert_builder_gives(encoding, "");
    assert_int_equal(encoding->lines, 0);
    assert_false(encoding_overflows(encoding, 0));
}

static void a_sample_without_a_value_gives_no_line(void **state)
{
    struct encoding *encoding = *state;
    telemetry_add_sample(&builder, "nothing");
    telemetry_add_double(&builder, "one", 1);
    telemetry_add_sample(&builder, "nothing");
    telemetry_add_double(&builder, "two", 2);
    telemetry_add_sample(&builder, "nothing");
    const char *lines = lines_of_builder(encoding);
    assert_int_equal(encoding->lines, 2);
    assert_null(strstr(lines, "nothing"));
    assert_true(strstr(lines, "\"one\"") < strstr(lines, "\"two\""));
}

static void an_event_without_a_metric_gives_no_line(void **state)
{
    struct encoding *encoding = *state;
    Sluice__Riemann__Event event = SLUICE__RIEMANN__EVENT__INIT;
    event.has_service = 1;
    event.service = telemetry_text("disk");
    assert_event_gives(encoding, &event, "");
    assert_int_equal(encoding->lines, 0);
}

/* --- times ------------------------------------------------------------------------------------ */

static void the_time_is_the_sample_s_then_the_datagram_s(void **state)
{
    builder.telemetry.time_unix_nano = UINT64_C(1600000000000000000);
    telemetry_add_double(&builder, "", 1);
    telemetry_add_double(&builder, "", 2)->time_unix_nano = UINT64_C(1700000000000000000);
    const char *lines = lines_of_builder(*state);
    const char *first = strstr(lines, "{\"time\":\"2020-09-13T12:26:40.000000000Z\"");
    assert_ptr_equal(first, lines);
    assert_non_null(strstr(first + 1, "\n{\"time\":\"2023-11-14T22:13:20.000000000Z\""));
}

static void assert_times(struct encoding *encoding, int64_t time, int64_t received)
{
    char expected[128];
    struct output out = {.data = expected, .capacity = sizeof expected - 1};
    output_literal(&out, "{\"time\":");
    json_time(&out, time);
    expected[out.used] = '\0';
    const char *line = encoding_write_json(encoding);
    assert_memory_equal(line, expected, out.used);
    out.used = 0;
    output_literal(&out, ",\"received\":");
    json_time(&out, received);
    expected[out.used] = '\0';
    assert_non_null(strstr(line, expected));
}

static void a_time_is_right_whatever_the_one_before_was(void **state)
{
    static const int64_t times[] = {
        1,
        0,
        1,
        1,
        999999999,
        1000000000,
        1000000001,
        999999999,
        -1,
        -999999999,
        -1000000000,
        -1000000001,
        1,
        -1,
        1700000000123456789,
        1700000000123456788,
        1700000000999999999,
        1700000001000000000,
        INT64_MAX,
        INT64_MIN,
        INT64_MIN + 1,
        INT64_MAX,
        0,
        0,
        INT64_MIN,
    };
    struct encoding *encoding = *state;
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        Sluice__Riemann__Event event = SLUICE__RIEMANN__EVENT__INIT;
        event.has_metric_sint64 = 1;
        event.has_time_micros = 1;
        event.time_micros = times[i] / 1000;
        decode_event(encoding, &event);
        int64_t sampled = times[i] / 1000 * 1000;
        encoding->record.received_ns = times[i];
        assert_times(encoding, sampled != 0 ? sampled : times[i], times[i]);
    }
}

/* --- the origin of a record ------------------------------------------------------------------- */

static void assert_facts(struct encoding *encoding, const char *listener,
                         const struct address *source, const char *expected)
{
    encoding->listener.name = listener;
    encoding->record.source = *source;
    assert_non_null(strstr(encoding_write_json(encoding), expected));
}

static void facts_are_right_whatever_those_before_were(void **state)
{
    struct encoding *encoding = *state;
    Sluice__Riemann__Event event = SLUICE__RIEMANN__EVENT__INIT;
    event.has_metric_d = 1;
    decode_event(encoding, &event);
    struct address a = address_from_ipv4((const uint8_t[]){192, 0, 2, 1}, 5555);
    struct address b = address_from_ipv4((const uint8_t[]){192, 0, 2, 2}, 5555);
    struct address c = address_from_ipv4((const uint8_t[]){192, 0, 2, 2}, 65535);
    struct address d =
        address_from_ipv6((const uint8_t[16]){0x20, 0x01, 0x0d, 0xb8, [15] = 1}, 0, 1);
    struct address e = d;
    e.scope = 2;
    for (int i = 0; i < 2; i++) {
        assert_facts(encoding, "x", &a, ",\"source\":\"192.0.2.1:5555\",\"listener\":\"x\"}\n");
        assert_facts(encoding, "y", &a, ",\"source\":\"192.0.2.1:5555\",\"listener\":\"y\"}\n");
        assert_facts(encoding, "y", &b, ",\"source\":\"192.0.2.2:5555\",\"listener\":\"y\"}\n");
        assert_facts(encoding, "y", &c, ",\"source\":\"192.0.2.2:65535\",\"listener\":\"y\"}\n");
        assert_facts(encoding, "yy", &d, ",\"source\":\"[2001:db8::1]:1\",\"listener\":\"yy\"}\n");
        assert_facts(encoding, "yy", &e,
                     ",\"source\":\"[2001:db8::1%2]:1\",\"listener\":\"yy\"}\n");
        assert_facts(encoding, "", &e, ",\"source\":\"[2001:db8::1%2]:1\",\"listener\":\"\"}\n");
    }
}

static void the_first_record_s_facts_are_right_even_if_they_are_nothing(void **state)
{
    struct encoding *encoding = *state;
    Sluice__Riemann__Event event = SLUICE__RIEMANN__EVENT__INIT;
    event.has_metric_d = 1;
    decode_event(encoding, &event);
    encoding->record.received_ns = 0;
    struct address none = {0};
    assert_facts(encoding, "", &none,
                 ",\"received\":\"1970-01-01T00:00:00.000000000Z\",\"source\":\":0\","
                 "\"listener\":\"\"}\n");
}

/*
 * The lengths are around that of the longest name that the encoder keeps. Each of the four bytes
 * has another length as JSON.
 */
static void a_listener_s_name_may_be_of_any_length(void **state)
{
    static const char bytes[] = {'\x01', '\xff', '"', 'a'};
    static const size_t sizes[] = {6, 3, 2, 1}; /* length of each byte as JSON */
    static const size_t lengths[] = {510, 511, 512, 0, 513, 4096, 1};
    struct encoding *encoding = *state;
    Sluice__Riemann__Event event = SLUICE__RIEMANN__EVENT__INIT;
    event.has_metric_d = 1;
    decode_event(encoding, &event);
    encoding->record.source =
        address_from_ipv6((const uint8_t[16]){0x20, 0x01, 0x0d, 0xb8, 0x11, 0x11, 0x11, 0x11, 0x11,
                                              0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11},
                          UINT32_MAX, 65535);
    for (size_t i = 0; i < 2 * sizeof lengths / sizeof lengths[0]; i++) {
        for (size_t j = 0; j < sizeof bytes; j++) {
            size_t length = lengths[i / 2];
            char *name = calloc(1, length + 1);
            assert_non_null(name);
            memset(name, bytes[j], length);
            encoding->listener.name = name;
            const char *found = strstr(encoding_write_json(encoding), ":65535\",\"listener\":\"");
            assert_non_null(found);
            assert_int_equal(strlen(found),
                             strlen(":65535\",\"listener\":\"\"}\n") + length * sizes[j]);
            free(name);
        }
    }
}

int main(void)
{
#define with_telemetry(test) cmocka_unit_test_setup_teardown(test, open_telemetry, close_encoding)
#define with_riemann(test)   cmocka_unit_test_setup_teardown(test, open_riemann, close_encoding)
    const struct CMUnitTest tests[] = {
        with_telemetry(a_gauge_is_its_number),
        with_telemetry(a_sample_says_all_that_it_was_given),
        with_telemetry(a_delta_counter_says_so),
        with_telemetry(integers_are_written_to_their_last_digit),
        with_riemann(a_float_is_the_shortest_of_its_width),
        with_telemetry(numbers_that_json_lacks_are_strings),
        with_telemetry(a_histogram_is_an_object),
        with_telemetry(a_histogram_leaves_out_what_it_was_not_given),
        with_telemetry(a_message_without_samples_leaves_no_line),
        with_telemetry(a_sample_without_a_value_gives_no_line),
        with_riemann(an_event_without_a_metric_gives_no_line),
        with_telemetry(the_time_is_the_sample_s_then_the_datagram_s),
        with_riemann(a_time_is_right_whatever_the_one_before_was),
        with_riemann(facts_are_right_whatever_those_before_were),
        with_riemann(the_first_record_s_facts_are_right_even_if_they_are_nothing),
        with_riemann(a_listener_s_name_may_be_of_any_length),
    };
    return cmocka_run_group_tests_name("encoder json, samples", tests, NULL, NULL);
}
