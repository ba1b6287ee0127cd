/* Tests lines for people: their columns, and that no text of a sender can control the terminal. */
#include <math.h>
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

#define WHEN     "22:13:20.123 "
#define WHO      "192.0.2.1       "
#define BEGIN    WHEN WHO
#define ELLIPSIS "\xe2\x80\xa6"

static int open_telemetry(void **state)
{
    return open_samples(state, &schema_telemetry, &encoder_text);
}

static int open_riemann(void **state)
{
    return open_samples(state, &schema_riemann, &encoder_text);
}

static int open_coloured(void **state)
{
    static const struct encoder_options options = {.colour = true};
    *state = encoding_create(&schema_telemetry, &encoder_text, &options);
    return 0;
}

static int open_messages(void **state)
{
    static const struct encoder_options options = {.view = VIEW_MESSAGE};
    *state = encoding_create(&schema_telemetry, &encoder_text, &options);
    return 0;
}

static int open_logs(void **state)
{
    return open_samples(state, &schema_otlp_logs, &encoder_text);
}

/* --- columns ---------------------------------------------------------------------------------- */

TEST_WITH(a_sample_is_a_line_of_columns, open_telemetry, close_encoding)
{
    telemetry_add_label(&builder, "host", "web1");
    Sample *sample = telemetry_add_double(&builder, "cpu.load", 0.75);
    sample->unit = telemetry_text("s");
    telemetry_add_label(&builder, "zone", "eu");
    telemetry_add_double(&builder, "users", 12);
    assert_builder_gives(*state, BEGIN "cpu.load                  0.75 s zone=eu host=web1\n" BEGIN
                                       "users                       12 host=web1\n");
    assert_int_equal(((struct encoding *)*state)->lines, 2);
    assert_int_equal(((struct encoding *)*state)->samples, 2);
}

TEST_WITH(a_sender_with_a_name_comes_before_the_labels, open_telemetry, close_encoding)
{
    ((struct encoding *)*state)->record.sender = "camera.1";
    telemetry_add_label(&builder, "host", "web1");
    Sample *sample = telemetry_add_double(&builder, "cpu.load", 0.75);
    sample->unit = telemetry_text("s");
    telemetry_add_double(&builder, "n", 12);
    assert_builder_gives(*state, BEGIN
                         "cpu.load                  0.75 s sender=camera.1 h" ELLIPSIS "\n" BEGIN
                         "n                           12 sender=camera.1 hos" ELLIPSIS "\n");
}

TEST_WITH(a_sender_with_a_name_comes_before_the_message, open_messages, close_encoding)
{
    ((struct encoding *)*state)->record.sender = "camera.1";
    telemetry_add_label(&builder, "host", "web1");
    assert_builder_gives(*state, BEGIN
                         "telemetry sender=camera.1 {\"labels\":[{\"key\":\"host\"" ELLIPSIS "\n");
}

TEST_WITH(a_line_with_a_long_name_has_no_more_than_its_columns, open_messages, close_encoding)
{
    ((struct encoding *)*state)->record.sender =
        "n23456789012345678901234567890123456789012345678901234567890123";
    telemetry_add_label(&builder, "host", "web1");
    assert_builder_gives(*state,
                         BEGIN "telemetry sender=n2345678901234567890123456789012" ELLIPSIS " \n");
}

TEST_WITH(numbers_have_all_their_digits, open_telemetry, close_encoding)
{
    Sample *sample = telemetry_add_sample(&builder, "most");
    sample->value_case = SLUICE__TELEMETRY__SAMPLE__VALUE_UINT_VALUE;
    sample->uint_value = UINT64_MAX;
    telemetry_add_double(&builder, "least", -1.7976931348623157e308);
    telemetry_add_double(&builder, "none", (double)NAN);
    telemetry_add_double(&builder, "all", -(double)INFINITY);
    assert_builder_gives(*state, BEGIN "most                 18446744073709551615\n" BEGIN
                                       "least                -1.7976931348623157e+308\n" BEGIN
                                       "none                       NaN\n" BEGIN
                                       "all                  -Infinity\n");
}

TEST_WITH(a_float_has_the_digits_of_a_float, open_riemann, close_encoding)
{
    size_t event = wire_begin(&wire, 6);
    wire_text(&wire, 3, "load");
    wire_float(&wire, 15, 0.1f);
    wire_end(&wire, event);
    assert_wire_gives(*state, BEGIN "load                       0.1\n");
}

TEST_WITH(a_histogram_is_its_count_and_sum, open_telemetry, close_encoding)
{
    Sluice__Telemetry__Histogram histogram = SLUICE__TELEMETRY__HISTOGRAM__INIT;
    histogram.count = 3;
    histogram.sum = 0.5;
    Sample *sample = telemetry_add_sample(&builder, "h");
    sample->value_case = SLUICE__TELEMETRY__SAMPLE__VALUE_HISTOGRAM_VALUE;
    sample->histogram_value = &histogram;
    sample->unit = telemetry_text("ms");
    assert_builder_gives(*state, BEGIN "h                    count=3 sum=0.5 ms\n");
}

TEST_WITH(long_values_are_cut_at_the_end_of_their_column, open_telemetry, close_encoding)
{
    telemetry_add_label(&builder, "path", "/var/lib/something/long");
    telemetry_add_double(&builder, "system.network.interface.bytes", 1);
    assert_builder_gives(*state, BEGIN "system.network.inte" ELLIPSIS
                                       "         1 path=/var/lib/somet" ELLIPSIS "\n");
}

TEST_WITH(an_address_that_is_long_loses_its_middle, open_telemetry, close_encoding)
{
    struct encoding *encoding = *state;
    encoding->record.source = address_from_ipv6(
        (const uint8_t[16]){0x20, 0x01, 0x0d, 0xb8, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0x12, 0x34}, 0,
        1);
    telemetry_add_double(&builder, "n", 1);
    assert_builder_gives(encoding,
                         WHEN "2001:db" ELLIPSIS ":5:1234 n                            1\n");
}

TEST_WITH(what_is_a_day_from_its_arrival_has_a_date, open_telemetry, close_encoding)
{
    Sample *sample = telemetry_add_double(&builder, "n", 1);
    sample->time_unix_nano = ENCODING_RECEIVED_NS - UINT64_C(86400) * 1000000000;
    sample = telemetry_add_double(&builder, "n", 1);
    sample->time_unix_nano = ENCODING_RECEIVED_NS + UINT64_C(86399) * 1000000000;
    assert_builder_gives(*state, "2023-11-13   " WHO "n                            1\n"
                                 "22:13:19.123 " WHO "n                            1\n");
}

/* --- texts of senders ------------------------------------------------------------------------- */

TEST_WITH(nothing_that_was_sent_steers_a_terminal, open_telemetry, close_encoding)
{
    telemetry_add_label(&builder, "k\n", "\xc2\x9b[7m");
    telemetry_add_double(&builder, "\x1b[2J", 1);
    assert_builder_gives(*state, BEGIN "\\x1b[2J                      1 k\\n=\\x9b[7m\n");
}

TEST_WITH(of_two_labels_with_one_key_the_first_counts, open_telemetry, close_encoding)
{
    telemetry_add_label(&builder, "k", "shared");
    telemetry_add_double(&builder, "n", 1);
    telemetry_add_label(&builder, "k", "own");
    assert_builder_gives(*state, BEGIN "n                            1 k=own\n");
}

TEST_WITH(colours_are_written_where_they_are_asked_for, open_coloured, close_encoding)
{
    telemetry_add_double(&builder, "n", 1);
    assert_builder_gives(*state, "22:13:20.123 \x1b[36m192.0.2.1\x1b[0m       "
                                 "\x1b[1mn\x1b[0m                            "
                                 "\x1b[32m1\x1b[0m\n");
}

/* --- messages --------------------------------------------------------------------------------- */

TEST_WITH(a_message_is_a_line_with_as_much_of_its_json_as_fits, open_messages, close_encoding)
{
    telemetry_add_double(&builder, "n", 1);
    builder.telemetry.sender_id = telemetry_text("web1/nginx");
    assert_builder_gives(*state, BEGIN
                         "telemetry {\"senderId\":\"web1/nginx\",\"samples\":[{\"na" ELLIPSIS "\n");
}

TEST_WITH(a_log_record_is_a_line, open_logs, close_encoding)
{
    struct encoding *encoding = *state;
    size_t resource = wire_begin(&wire, 1);
    size_t scope = wire_begin(&wire, 2);
    for (unsigned i = 0; i < 2; i++) {
        size_t log = wire_begin(&wire, 2);
        wire_text(&wire, 3, i == 0 ? "INFO" : "WARN");
        wire_end(&wire, log);
    }
    wire_end(&wire, scope);
    wire_end(&wire, resource);
    assert_wire_gives(encoding, BEGIN "otlp-logs {\"severity_text\":\"INFO\"}\n" BEGIN
                                      "otlp-logs {\"severity_text\":\"WARN\"}\n");
    assert_int_equal(encoding->lines, 2);
}
