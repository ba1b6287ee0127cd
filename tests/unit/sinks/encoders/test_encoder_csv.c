/* Tests CSV (RFC 4180) from datagrams of the built-in schemas. */
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

#define ARRIVAL    "2023-11-14T22:13:20.123456789Z"
#define END_OF_ROW "," ARRIVAL ",192.0.2.1:5555,udp://127.0.0.1:5555\r\n"
#define FFFD       "\xef\xbf\xbd"

static int open_telemetry(void **state)
{
    return open_samples(state, &schema_telemetry, &encoder_csv);
}

static int open_riemann(void **state)
{
    return open_samples(state, &schema_riemann, &encoder_csv);
}

static int open_sender_column(void **state)
{
    static const struct encoder_options options = {.sender_column = true};
    *state = encoding_create(&schema_telemetry, &encoder_csv, &options);
    return 0;
}

static int open_otlp(void **state)
{
    return open_samples(state, &schema_otlp, &encoder_csv);
}

/* --- rows ------------------------------------------------------------------------------------- */

#define COLUMNS                                                                                    \
    "time,name,kind,temporality,value,start_time,unit,labels,exemplars,received,source,listener"

static void assert_head(struct encoding *encoding, const char *expected)
{
    char head[ENCODER_HEAD_SIZE];
    struct output out = {.data = head, .capacity = sizeof head - 1};
    encoding->ops->begin(encoding->encoder, &out);
    assert_false(out.overflow);
    head[out.used] = '\0';
    assert_string_equal(head, expected);
}

TEST_WITH(a_file_begins_with_the_names_of_the_columns, open_telemetry, close_encoding)
{
    assert_head(*state, COLUMNS "\r\n");
}

TEST_WITH(the_column_of_senders_is_the_last, open_sender_column, close_encoding)
{
#define FACTS "," ARRIVAL ",192.0.2.1:5555,udp://127.0.0.1:5555"
    struct encoding *encoding = *state;
    assert_head(encoding, COLUMNS ",sender\r\n");
    encoding->record.sender = "camera.1";
    telemetry_add_double(&builder, "cpu", 0.75);
    telemetry_add_double(&builder, "mem", 2);
    assert_builder_gives(encoding,
                         ARRIVAL ",cpu,gauge,,0.75,,,\"{}\"," FACTS ",camera.1\r\n" ARRIVAL
                                 ",mem,gauge,,2,,,\"{}\"," FACTS ",camera.1\r\n");
    encoding->record.sender = NULL;
    telemetry_add_double(&builder, "cpu", 0.75);
    assert_builder_gives(encoding, ARRIVAL ",cpu,gauge,,0.75,,,\"{}\"," FACTS ",\r\n");
}

TEST_WITH(without_the_column_rows_have_no_sender, open_telemetry, close_encoding)
{
    ((struct encoding *)*state)->record.sender = "camera.1";
    telemetry_add_double(&builder, "cpu", 0.75);
    assert_builder_gives(*state, ARRIVAL ",cpu,gauge,,0.75,,,\"{}\"," END_OF_ROW);
}

TEST_WITH(a_sample_is_a_row, open_telemetry, close_encoding)
{
    telemetry_add_double(&builder, "cpu", 0.75);
    assert_builder_gives(*state, ARRIVAL ",cpu,gauge,,0.75,,,\"{}\"," END_OF_ROW);
    assert_int_equal(((struct encoding *)*state)->lines, 1);
    assert_int_equal(((struct encoding *)*state)->samples, 1);
}

TEST_WITH(a_row_has_all_that_was_sent, open_telemetry, close_encoding)
{
    telemetry_add_label(&builder, "host", "web1");
    Sample *sample = telemetry_add_double(&builder, "requests", 1e21);
    sample->kind = SLUICE__TELEMETRY__KIND__CUMULATIVE_COUNTER;
    sample->unit = telemetry_text("By");
    sample->time_unix_nano = UINT64_C(1700000000000000001);
    sample->start_time_unix_nano = UINT64_C(1600000000000000000);
    telemetry_add_label(&builder, "path", "/");
    sample = telemetry_add_double(&builder, "hits", 7);
    sample->kind = SLUICE__TELEMETRY__KIND__DELTA_COUNTER;
    assert_builder_gives(
        *state, "2023-11-14T22:13:20.000000001Z,requests,counter,cumulative,1e+21,"
                "2020-09-13T12:26:40.000000000Z,By,"
                "\"{\"\"path\"\":\"\"/\"\",\"\"host\"\":\"\"web1\"\"}\"," END_OF_ROW ARRIVAL
                ",hits,counter,delta,7,,,\"{\"\"host\"\":\"\"web1\"\"}\"," END_OF_ROW);
}

TEST_WITH(numbers_are_written_bare, open_telemetry, close_encoding)
{
    Sample *sample = telemetry_add_sample(&builder, "");
    sample->value_case = SLUICE__TELEMETRY__SAMPLE__VALUE_UINT_VALUE;
    sample->uint_value = UINT64_MAX;
    sample = telemetry_add_sample(&builder, "");
    sample->value_case = SLUICE__TELEMETRY__SAMPLE__VALUE_INT_VALUE;
    sample->int_value = INT64_MIN;
    telemetry_add_double(&builder, "", (double)NAN);
    telemetry_add_double(&builder, "", (double)INFINITY);
    telemetry_add_double(&builder, "", -(double)INFINITY);
#define ROW(value) ARRIVAL ",,gauge,," value ",,,\"{}\"," END_OF_ROW
    assert_builder_gives(*state, ROW("18446744073709551615") ROW("-9223372036854775808") ROW("NaN")
                                     ROW("Infinity") ROW("-Infinity"));
}

TEST_WITH(facts_are_those_of_each_record, open_telemetry, close_encoding)
{
    struct encoding *encoding = *state;
    encoding->listener.name = "pcap:a,\"b\".pcap";
    encoding->record.received_ns = 1;
    encoding->record.source =
        address_from_ipv6((const uint8_t[16]){0x20, 0x01, 0x0d, 0xb8, [15] = 1}, 2, 1);
    telemetry_add_double(&builder, "n", 1);
    assert_builder_gives(encoding, "1970-01-01T00:00:00.000000001Z,n,gauge,,1,,,\"{}\",,"
                                   "1970-01-01T00:00:00.000000001Z,[2001:db8::1%2]:1,"
                                   "\"pcap:a,\"\"b\"\".pcap\"\r\n");
}

TEST_WITH(times_in_the_first_second_of_1970_are_written_whole, open_telemetry, close_encoding)
{
    Sample *sample = telemetry_add_double(&builder, "n", 1);
    sample->kind = SLUICE__TELEMETRY__KIND__DELTA_COUNTER;
    sample->time_unix_nano = 2;
    sample->start_time_unix_nano = 1;
    assert_builder_gives(*state, "1970-01-01T00:00:00.000000002Z,n,counter,delta,1,"
                                 "1970-01-01T00:00:00.000000001Z,,\"{}\"," END_OF_ROW);
}

/* --- values that are JSON --------------------------------------------------------------------- */

TEST_WITH(a_histogram_is_json_in_its_field, open_telemetry, close_encoding)
{
    double bounds[] = {0.1};
    uint64_t counts[] = {1, 2};
    Histogram histogram = SLUICE__TELEMETRY__HISTOGRAM__INIT;
    histogram.count = 3;
    histogram.sum = (double)NAN;
    histogram.n_bounds = 1;
    histogram.bounds = bounds;
    histogram.n_counts = 2;
    histogram.counts = counts;
    Sample *sample = telemetry_add_sample(&builder, "h");
    sample->value_case = SLUICE__TELEMETRY__SAMPLE__VALUE_HISTOGRAM_VALUE;
    sample->histogram_value = &histogram;
    assert_builder_gives(*state, ARRIVAL ",h,histogram,,\"{\"\"count\"\":3,\"\"sum\"\":\"\"NaN\"\","
                                         "\"\"bounds\"\":[0.1],\"\"counts\"\":[1,2]}\",,,\"{}\","
                                         "" END_OF_ROW);
}

TEST_WITH(exemplars_are_json_in_their_field, open_otlp, close_encoding)
{
    struct otlp_metric metric = otlp_metric_begin(&wire, OTLP_GAUGE, "n");
    size_t point = wire_begin(&wire, OTLP_POINTS);
    wire_double(&wire, OTLP_NUMBER_DOUBLE, 1);
    for (int i = 0; i < 2; i++) {
        size_t exemplar = wire_begin(&wire, OTLP_NUMBER_EXEMPLARS);
        wire_double(&wire, OTLP_EXEMPLAR_DOUBLE, 0.25);
        otlp_put_attribute(&wire, OTLP_EXEMPLAR_ATTRIBUTES, "k", "v");
        wire_end(&wire, exemplar);
    }
    wire_end(&wire, point);
    otlp_metric_end(&wire, &metric);
#define EXEMPLAR "{\"\"value\"\":0.25,\"\"labels\"\":{\"\"k\"\":\"\"v\"\"}}"
    assert_wire_gives(*state,
                      ARRIVAL ",n,gauge,,1,,,\"{}\",\"[" EXEMPLAR "," EXEMPLAR "]\"" END_OF_ROW);
}

/* --- text of any bytes ------------------------------------------------------------------------ */

static const struct {
    const char *bytes;
    const char *field;
    const char *json;
} texts[] = {
    {"plain; text", "plain; text", "plain; text"},
    {"", "", ""},
    {" a ", " a ", " a "},
    {"a,b", "\"a,b\"", "a,b"},
    {"say \"x\"", "\"say \"\"x\"\"\"", "say \\\"\"x\\\"\""},
    {"\"", "\"\"\"\"", "\\\"\""},
    {"a\r\nb", "a\\r\\nb", "a\\r\\nb"},
    {"\x01\t,", "\"" FFFD "\\t,\"", "\\u0001\\t,"},
    {"a\xc2\x9b[m", "a" FFFD "[m", "a\\u009b[m"},
    {"caf\xc3\xa9", "caf\xc3\xa9", "caf\xc3\xa9"},
    {"\xff", FFFD, FFFD},
};

TEST_WITH(any_bytes_in_any_text_give_one_row, open_riemann, close_encoding)
{
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        uint8_t datagram[256];
        char expected[512];
        Sluice__Riemann__Event event = SLUICE__RIEMANN__EVENT__INIT;
        Sluice__Riemann__Event *events[] = {&event};
        Sluice__Riemann__Msg msg = SLUICE__RIEMANN__MSG__INIT;
        event.has_host = event.has_service = event.has_metric_sint64 = 1;
        event.host = event.service = telemetry_text(texts[i].bytes);
        msg.n_events = 1;
        msg.events = events;
        assert_true(encoding_decode(*state, datagram, sluice__riemann__msg__pack(&msg, datagram)));
        snprintf(expected, sizeof expected,
                 ARRIVAL ",%s,gauge,,0,,,\"{\"\"host\"\":\"\"%s\"\"}\"," END_OF_ROW, texts[i].field,
                 texts[i].json);
        assert_string_equal(encoding_write(*state), expected);
        encoding_assert_whole_or_overflow(*state);
    }
}
