/*
 * Tests datagrams in the built-in schemas: samples, labels and sequence numbers, or the reason of a
 * failure.
 */
#include <string.h>

#include "proto/schemas.h"
#include "tests/support/proto/decoding.h"
#include "tests/support/test.h"

/* --- reading samples -------------------------------------------------------------------------- */

static void assert_text(struct text text, const char *expected)
{
    assert_int_equal(text.size, strlen(expected));
    assert_memory_equal(text.data, expected, text.size);
}

static struct sample sample_at(const struct decoding *decoding, size_t place)
{
    struct schema_cursor cursor = {0};
    struct sample sample;
    for (size_t i = 0; i <= place; i++)
        if (!decoding->schema->ops->next_sample(decoding->schema, decoding->message, &cursor,
                                                &sample))
            fail_msg("there are %zu samples only", i);
    return sample;
}

static void assert_samples(const struct decoding *decoding, size_t expected)
{
    struct schema_cursor cursor = {0};
    struct sample sample;
    size_t count = 0;
    while (
        decoding->schema->ops->next_sample(decoding->schema, decoding->message, &cursor, &sample))
        count++;
    assert_int_equal(count, expected);
}

static void assert_labels(const struct decoding *decoding, size_t place, const char *expected)
{
    struct sample sample = sample_at(decoding, place);
    struct schema_cursor cursor = {0};
    struct label label;
    char all[1024];
    struct output out = {.data = all, .capacity = sizeof all};
    while (decoding->schema->ops->next_label(decoding->schema, decoding->message, &sample, &cursor,
                                             &label)) {
        output_bytes(&out, label.key.data, label.key.size);
        output_char(&out, '=');
        output_bytes(&out, label.value.data, label.value.size);
        output_char(&out, ';');
    }
    output_char(&out, '\0');
    assert_false(out.overflow);
    assert_string_equal(all, expected);
}

/* --- riemann ---------------------------------------------------------------------------------- */

enum {
    MSG_OK = 2,
    MSG_QUERY = 5,
    MSG_EVENTS = 6,
    EVENT_TIME = 1,
    EVENT_STATE = 2,
    EVENT_SERVICE = 3,
    EVENT_HOST = 4,
    EVENT_TAGS = 7,
    EVENT_ATTRIBUTES = 9,
    EVENT_MICROS = 10,
    EVENT_SINT64 = 13,
    EVENT_DOUBLE = 14,
    EVENT_FLOAT = 15,
};

static void put_attribute(const char *key, const char *value)
{
    size_t attribute = wire_begin(&wire, EVENT_ATTRIBUTES);
    wire_text(&wire, 1, key);
    if (value != NULL)
        wire_text(&wire, 2, value);
    wire_end(&wire, attribute);
}

static void a_riemann_event_with_a_metric_is_a_sample(void **state)
{
    struct decoding *decoding = *state;
    size_t event = wire_begin(&wire, MSG_EVENTS);
    wire_uint(&wire, EVENT_TIME, 1700000000);
    wire_text(&wire, EVENT_STATE, "ok");
    wire_text(&wire, EVENT_SERVICE, "cpu");
    wire_text(&wire, EVENT_HOST, "web1");
    wire_text(&wire, EVENT_TAGS, "prod");
    wire_text(&wire, EVENT_TAGS, "");
    wire_text(&wire, EVENT_TAGS, "eu");
    put_attribute("rack", "r7");
    put_attribute("bare", NULL);
    wire_double(&wire, EVENT_DOUBLE, 0.75);
    wire_end(&wire, event);
    assert_decodes_to(decoding, &wire, DECODE_OK);

    assert_samples(decoding, 1);
    struct sample sample = sample_at(decoding, 0);
    assert_text(sample.name, "cpu");
    assert_int_equal(sample.kind, SAMPLE_GAUGE);
    assert_int_equal(sample.type, SAMPLE_DOUBLE);
    assert_true(sample.value.number == 0.75);
    assert_int_equal(sample.unit.size, 0);
    assert_true(sample.time_ns == INT64_C(1700000000000000000));
    assert_int_equal(sample.start_time_ns, 0);
    assert_labels(decoding, 0, "host=web1;state=ok;tags=prod,,eu;rack=r7;bare=;");
}

/*
 * Riemann itself uses the integer if there is one, otherwise the double, and otherwise the float.
 */
static void the_metric_of_several_is_the_one_that_riemann_takes(void **state)
{
    struct decoding *decoding = *state;
    for (int given = 1; given < 8; given++) {
        wire_clear(&wire);
        size_t event = wire_begin(&wire, MSG_EVENTS);
        if ((given & 1) != 0)
            wire_float(&wire, EVENT_FLOAT, 0.5F);
        if ((given & 2) != 0)
            wire_double(&wire, EVENT_DOUBLE, 0.25);
        if ((given & 4) != 0)
            wire_sint(&wire, EVENT_SINT64, -3);
        wire_end(&wire, event);
        assert_decodes_to(decoding, &wire, DECODE_OK);
        struct sample sample = sample_at(decoding, 0);
        if (given >= 4) {
            assert_int_equal(sample.type, SAMPLE_INT64);
            assert_true(sample.value.int64 == -3);
        } else if (given >= 2) {
            assert_int_equal(sample.type, SAMPLE_DOUBLE);
            assert_true(sample.value.number == 0.25);
        } else {
            assert_int_equal(sample.type, SAMPLE_FLOAT);
            assert_true(sample.value.number == 0.5);
        }
    }
}

static void an_event_without_a_metric_is_no_sample(void **state)
{
    struct decoding *decoding = *state;
    for (int i = 0; i < 5; i++) {
        size_t event = wire_begin(&wire, MSG_EVENTS);
        char service[] = {(char)('a' + i), '\0'};
        wire_text(&wire, EVENT_SERVICE, service);
        if (i % 2 == 1)
            wire_sint(&wire, EVENT_SINT64, i);
        wire_text(&wire, EVENT_HOST, service);
        wire_end(&wire, event);
    }
    assert_decodes_to(decoding, &wire, DECODE_OK);
    assert_samples(decoding, 2);
    assert_text(sample_at(decoding, 0).name, "b");
    assert_labels(decoding, 0, "host=b;");
    assert_text(sample_at(decoding, 1).name, "d");
    assert_labels(decoding, 1, "host=d;");
}

static void put_timed_event(uint64_t seconds, uint64_t micros)
{
    size_t event = wire_begin(&wire, MSG_EVENTS);
    if (seconds != 0)
        wire_uint(&wire, EVENT_TIME, seconds);
    if (micros != 0)
        wire_uint(&wire, EVENT_MICROS, micros);
    wire_sint(&wire, EVENT_SINT64, 1);
    wire_end(&wire, event);
}

static void microseconds_win_and_impossible_times_are_none(void **state)
{
    struct decoding *decoding = *state;
    put_timed_event(5, 1700000000123456);
    put_timed_event(0, 0);
    put_timed_event(UINT64_C(9223372037), 0);       /* one second too late */
    put_timed_event(UINT64_C(9223372036), 0);       /* the last second */
    put_timed_event((uint64_t)-1, 0);               /* in 1969 */
    put_timed_event(0, (uint64_t)INT64_MIN);        /* too early */
    put_timed_event(0, UINT64_C(9223372036854775)); /* the last microsecond */
    put_timed_event(0, UINT64_C(9223372036854776)); /* one microsecond too late */
    assert_decodes_to(decoding, &wire, DECODE_OK);
    assert_true(sample_at(decoding, 0).time_ns == INT64_C(1700000000123456000));
    assert_true(sample_at(decoding, 1).time_ns == 0);
    assert_true(sample_at(decoding, 2).time_ns == 0);
    assert_true(sample_at(decoding, 3).time_ns == INT64_C(9223372036000000000));
    assert_true(sample_at(decoding, 4).time_ns == -INT64_C(1000000000));
    assert_true(sample_at(decoding, 5).time_ns == 0);
    assert_true(sample_at(decoding, 6).time_ns == INT64_C(9223372036854775000));
    assert_true(sample_at(decoding, 7).time_ns == 0);
}

static void an_empty_msg_is_a_message_without_samples(void **state)
{
    struct decoding *decoding = *state;
    assert_true(schema_riemann.accepts_empty);
    assert_decodes_to(decoding, &wire, DECODE_OK);
    assert_samples(decoding, 0);
}

/* A string of proto2 may have any bytes, also NUL and bytes that are not UTF-8. */
static void a_riemann_string_may_hold_any_bytes(void **state)
{
    struct decoding *decoding = *state;
    size_t event = wire_begin(&wire, MSG_EVENTS);
    wire_bytes(&wire, EVENT_SERVICE, "a\0b\xff", 4);
    wire_sint(&wire, EVENT_SINT64, 1);
    wire_end(&wire, event);
    assert_decodes_to(decoding, &wire, DECODE_OK);
    struct text name = sample_at(decoding, 0).name;
    assert_int_equal(name.size, 4);
    assert_memory_equal(name.data, "a\0b\xff", 4);
}

/* --- telemetry -------------------------------------------------------------------------------- */

enum {
    TELEMETRY_SENDER = 1,
    TELEMETRY_BOOT = 2,
    TELEMETRY_SEQUENCE = 3,
    TELEMETRY_TIME = 4,
    TELEMETRY_LABELS = 5,
    TELEMETRY_SAMPLES = 6,
    SAMPLE_NAME = 1,
    SAMPLE_KIND = 2,
    SAMPLE_DOUBLE_VALUE = 3,
    SAMPLE_INT_VALUE = 4,
    SAMPLE_UINT_VALUE = 5,
    SAMPLE_HISTOGRAM_VALUE = 6,
    SAMPLE_UNIT = 7,
    SAMPLE_TIME = 8,
    SAMPLE_START = 9,
    SAMPLE_LABELS = 10,
};

static void put_label(uint32_t field, const char *key, const char *value)
{
    size_t label = wire_begin(&wire, field);
    wire_text(&wire, 1, key);
    wire_text(&wire, 2, value);
    wire_end(&wire, label);
}

static void telemetry_samples_are_as_sent(void **state)
{
    struct decoding *decoding = *state;
    wire_fixed64(&wire, TELEMETRY_TIME, 77);
    put_label(TELEMETRY_LABELS, "host", "web1");
    put_label(TELEMETRY_LABELS, "zone", "eu");
    size_t sample = wire_begin(&wire, TELEMETRY_SAMPLES);
    wire_text(&wire, SAMPLE_NAME, "temp");
    wire_double(&wire, SAMPLE_DOUBLE_VALUE, -0.5);
    wire_text(&wire, SAMPLE_UNIT, "Cel");
    wire_end(&wire, sample);
    sample = wire_begin(&wire, TELEMETRY_SAMPLES);
    wire_text(&wire, SAMPLE_NAME, "sent");
    wire_uint(&wire, SAMPLE_KIND, 1);
    wire_uint(&wire, SAMPLE_UINT_VALUE, UINT64_MAX);
    wire_fixed64(&wire, SAMPLE_TIME, 88);
    wire_fixed64(&wire, SAMPLE_START, 11);
    put_label(SAMPLE_LABELS, "host", "own");
    wire_end(&wire, sample);
    sample = wire_begin(&wire, TELEMETRY_SAMPLES);
    wire_uint(&wire, SAMPLE_KIND, 2);
    wire_sint(&wire, SAMPLE_INT_VALUE, INT64_MIN);
    wire_fixed64(&wire, SAMPLE_TIME, (uint64_t)INT64_MAX + 1); /* after the year 2262 */
    wire_end(&wire, sample);
    assert_decodes_to(decoding, &wire, DECODE_OK);

    assert_samples(decoding, 3);
    struct sample first = sample_at(decoding, 0);
    assert_text(first.name, "temp");
    assert_text(first.unit, "Cel");
    assert_int_equal(first.kind, SAMPLE_GAUGE);
    assert_int_equal(first.temporality, SAMPLE_NO_TEMPORALITY);
    assert_true(first.type == SAMPLE_DOUBLE && first.value.number == -0.5);
    assert_int_equal(first.time_ns, 77);
    assert_labels(decoding, 0, "host=web1;zone=eu;");
    struct sample second = sample_at(decoding, 1);
    assert_int_equal(second.kind, SAMPLE_COUNTER);
    assert_int_equal(second.temporality, SAMPLE_CUMULATIVE);
    assert_true(second.type == SAMPLE_UINT64 && second.value.uint64 == UINT64_MAX);
    assert_int_equal(second.time_ns, 88);
    assert_int_equal(second.start_time_ns, 11);
    /* The labels of the sample come before those that all samples share. */
    assert_labels(decoding, 1, "host=own;host=web1;zone=eu;");
    struct sample third = sample_at(decoding, 2);
    assert_int_equal(third.kind, SAMPLE_COUNTER);
    assert_int_equal(third.temporality, SAMPLE_DELTA);
    assert_true(third.type == SAMPLE_INT64 && third.value.int64 == INT64_MIN);
    assert_int_equal(third.time_ns, 0);
}

static void put_histogram(bool with_extremes)
{
    size_t sample = wire_begin(&wire, TELEMETRY_SAMPLES);
    size_t histogram = wire_begin(&wire, SAMPLE_HISTOGRAM_VALUE);
    wire_uint(&wire, 1, 6);
    wire_double(&wire, 2, 12.5);
    size_t bounds = wire_begin(&wire, 3); /* packed */
    wire_raw(&wire, "\0\0\0\0\0\0\xf0\x3f\0\0\0\0\0\0\0\x40", 16);
    wire_end(&wire, bounds);
    for (uint64_t i = 1; i <= 3; i++) /* not packed */
        wire_uint(&wire, 4, i);
    if (with_extremes) {
        wire_double(&wire, 5, 0.0);
        wire_double(&wire, 6, 9.0);
    }
    wire_end(&wire, histogram);
    wire_end(&wire, sample);
}

static void a_histogram_reports_what_it_was_given(void **state)
{
    struct decoding *decoding = *state;
    put_histogram(true);
    put_histogram(false);
    assert_decodes_to(decoding, &wire, DECODE_OK);
    for (size_t i = 0; i < 2; i++) {
        struct sample sample = sample_at(decoding, i);
        const struct sample_histogram *histogram = &sample.value.histogram;
        assert_int_equal(sample.type, SAMPLE_HISTOGRAM);
        assert_int_equal(histogram->totals.count, 6);
        assert_true(histogram->totals.has_sum);
        assert_true(histogram->totals.sum == 12.5);
        assert_int_equal(histogram->bound_count, 2);
        assert_true(histogram->bounds[0] == 1.0 && histogram->bounds[1] == 2.0);
        assert_int_equal(histogram->count_count, 3);
        assert_int_equal(histogram->counts[2], 3);
        assert_int_equal(histogram->totals.has_min,
                         i == 0); /* 0 is written, and is different from no value */
        assert_int_equal(histogram->totals.has_max, i == 0);
        assert_true(histogram->totals.max == (i == 0 ? 9.0 : 0.0));
    }
}

static void a_sample_without_a_value_is_none_and_an_unknown_kind_a_gauge(void **state)
{
    struct decoding *decoding = *state;
    size_t sample = wire_begin(&wire, TELEMETRY_SAMPLES);
    wire_text(&wire, SAMPLE_NAME, "nothing");
    wire_end(&wire, sample);
    sample = wire_begin(&wire, TELEMETRY_SAMPLES);
    wire_uint(&wire, SAMPLE_KIND, 99);
    wire_sint(&wire, SAMPLE_INT_VALUE, 0);
    wire_end(&wire, sample);
    assert_decodes_to(decoding, &wire, DECODE_OK);
    assert_samples(decoding, 1);
    assert_int_equal(sample_at(decoding, 0).kind, SAMPLE_GAUGE);
}

/* The values are members of one oneof, so only the last one counts. */
static void the_last_of_several_values_counts(void **state)
{
    struct decoding *decoding = *state;
    size_t sample = wire_begin(&wire, TELEMETRY_SAMPLES);
    size_t histogram = wire_begin(&wire, SAMPLE_HISTOGRAM_VALUE);
    wire_uint(&wire, 1, 6);
    wire_end(&wire, histogram);
    wire_double(&wire, SAMPLE_DOUBLE_VALUE, 1.5);
    wire_sint(&wire, SAMPLE_INT_VALUE, -7);
    wire_end(&wire, sample);
    assert_decodes_to(decoding, &wire, DECODE_OK);
    assert_int_equal(sample_at(decoding, 0).type, SAMPLE_INT64);
    assert_int_equal(sample_at(decoding, 0).value.int64, -7);
}

static void the_senders_numbers_are_reported_where_it_counts(void **state)
{
    struct decoding *decoding = *state;
    struct datagram_sequence sequence;
    wire_text(&wire, TELEMETRY_SENDER, "web1/nginx");
    wire_fixed64(&wire, TELEMETRY_BOOT, 0x1122334455667788);
    assert_decodes_to(decoding, &wire, DECODE_OK);
    assert_false(schema_telemetry.sequence(decoding->schema, decoding->message, &sequence));
    wire_uint(&wire, TELEMETRY_SEQUENCE, 4711);
    assert_decodes_to(decoding, &wire, DECODE_OK);
    assert_true(schema_telemetry.sequence(decoding->schema, decoding->message, &sequence));
    assert_text(sequence.sender, "web1/nginx");
    assert_true(sequence.boot_id == 0x1122334455667788);
    assert_int_equal(sequence.number, 4711);
    assert_null(schema_riemann.sequence);
    assert_false(schema_telemetry.accepts_empty);
}

static void assert_text_refused(struct decoding *decoding, const char *bytes, size_t size)
{
    static const uint32_t paths[][2] = {
        {TELEMETRY_SENDER, 0},
        {TELEMETRY_LABELS, 1},
        {TELEMETRY_LABELS, 2},
        {TELEMETRY_SAMPLES, SAMPLE_NAME},
        {TELEMETRY_SAMPLES, SAMPLE_UNIT},
    };
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        wire_clear(&wire);
        put_label(TELEMETRY_LABELS, "good", "caf\xc3\xa9");
        size_t begun = paths[i][1] != 0 ? wire_begin(&wire, paths[i][0]) : 0;
        wire_bytes(&wire, paths[i][1] != 0 ? paths[i][1] : paths[i][0], bytes, size);
        if (begun != 0)
            wire_end(&wire, begun);
        assert_decodes_to(decoding, &wire, DECODE_MALFORMED);
    }
}

static void a_telemetry_string_that_is_not_utf8_is_malformed_wherever_it_stands(void **state)
{
    struct decoding *decoding = *state;
    assert_text_refused(decoding, "\xff", 1);
    assert_text_refused(decoding, "caf\xc3", 4);
    assert_text_refused(decoding, "\xc0\x80", 2);         /* an overlong form */
    assert_text_refused(decoding, "\xed\xa0\x80", 3);     /* a surrogate */
    assert_text_refused(decoding, "\xf4\x90\x80\x80", 4); /* above U+10FFFF */
    wire_clear(&wire);
    wire_bytes(&wire, TELEMETRY_SENDER, "a\0b", 3); /* NUL is valid UTF-8 */
    assert_decodes_to(decoding, &wire, DECODE_OK);
}

/* --- malformed -------------------------------------------------------------------------------- */

struct bad {
    const char *bytes;
    size_t size;
};
#define BAD(literal)                                                                               \
    {                                                                                              \
        literal, sizeof(literal) - 1                                                               \
    }

static void bytes_that_are_no_msg_are_malformed(void **state)
{
    struct decoding *decoding = *state;
    static const struct bad all[] = {
        BAD("\x32"),                                             /* a tag without a length */
        BAD("\x32\x05"),                                         /* a length without bytes */
        BAD("\x32\x02\x08"),                                     /* fewer bytes than the length */
        BAD("\x10"),                                             /* a number without bytes */
        BAD("\x10\xff\xff"),                                     /* a varint without an end */
        BAD("\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), /* a varint of eleven bytes */
        BAD("\x80\x80\x80\x80\x80\x80"),                         /* a tag without an end */
        BAD("\x32\xff\xff\xff\xff\x0f"),                         /* a length of 4 GiB */
        BAD("\x32\xff\xff\xff\xff\x7f"),                         /* a length of more than 32 bits */
        BAD("\x32\x85\x80\x80\x80\x10"
            "abcde"), /* the lower 32 bits of the length are 5 */
        BAD("\x16"),  /* invalid wire types */
        BAD("\x17"),
        BAD("\x32\x05\x71\0\0\0\0"),         /* half a double */
        BAD("\x34"),                         /* the end of a group that did not begin */
        BAD("\x32\x04\x4a\x02\x12\x00"),     /* an attribute without its key */
        BAD("\x32\x00\x32\x04\x08\x01\x08"), /* the second event is cut short */
        BAD("\0\0"),                         /* field number 0 */
        BAD("\x32\x02\0\0"),                 /* field number 0 in an event */
        BAD("\x32\x04\x4a\x02\0\0"),
        BAD("hello, world\n"),
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (decoding_run(decoding, all[i].bytes, all[i].size) != DECODE_MALFORMED)
            fail_msg("case %zu is not malformed", i);
}

static void unknown_fields_are_no_fault(void **state)
{
    struct decoding *decoding = *state;
    wire_uint(&wire, 100, 1);
    wire_text(&wire, 101, "\xff");
    wire_fixed64(&wire, 102, 5);
    wire_fixed32(&wire, (1 << 29) - 1, 5);
    wire_uint(&wire, MSG_OK, 1);
    assert_decodes_to(decoding, &wire, DECODE_OK);

    /* Unknown fields are written unchanged, after the known fields. */
    char bytes[128];
    struct output out = {.data = bytes, .capacity = sizeof bytes};
    schema_riemann.write_protobuf(decoding->schema, decoding->message, &out);
    assert_int_equal(out.used, wire.size);
    assert_memory_equal(bytes, "\x10\x01", 2);
    assert_memory_equal(bytes + 2, wire.bytes, wire.size - 2);
}

static void every_cut_of_a_datagram_is_decoded_or_malformed(void **state)
{
    struct decoding *decoding = *state;
    a_riemann_event_with_a_metric_is_a_sample(state);
    for (size_t size = 1; size < wire.size; size++)
        assert_int_equal(decoding_run(decoding, wire.bytes, size), DECODE_MALFORMED);
}

static void the_table_of_schemas_names_each_once(void **state)
{
    (void)state;
    size_t count = 0;
    for (; builtin_schemas[count] != NULL; count++)
        for (size_t i = 0; i < count; i++)
            assert_string_not_equal(builtin_schemas[i]->name, builtin_schemas[count]->name);
    assert_true(count >= 2);
    assert_string_equal(schema_riemann.name, "riemann");
    assert_string_equal(schema_telemetry.name, "telemetry");
}

#define riemann(test)   cmocka_unit_test_setup_teardown(test, open_riemann, close_decoding)
#define telemetry(test) cmocka_unit_test_setup_teardown(test, open_telemetry, close_decoding)

int main(void)
{
    const struct CMUnitTest tests[] = {
        riemann(a_riemann_event_with_a_metric_is_a_sample),
        riemann(the_metric_of_several_is_the_one_that_riemann_takes),
        riemann(an_event_without_a_metric_is_no_sample),
        riemann(microseconds_win_and_impossible_times_are_none),
        riemann(an_empty_msg_is_a_message_without_samples),
        riemann(a_riemann_string_may_hold_any_bytes),
        telemetry(telemetry_samples_are_as_sent),
        telemetry(a_histogram_reports_what_it_was_given),
        telemetry(a_sample_without_a_value_is_none_and_an_unknown_kind_a_gauge),
        telemetry(the_last_of_several_values_counts),
        telemetry(the_senders_numbers_are_reported_where_it_counts),
        telemetry(a_telemetry_string_that_is_not_utf8_is_malformed_wherever_it_stands),
        riemann(bytes_that_are_no_msg_are_malformed),
        riemann(unknown_fields_are_no_fault),
        riemann(every_cut_of_a_datagram_is_decoded_or_malformed),
        cmocka_unit_test(the_table_of_schemas_names_each_once),
    };
    return cmocka_run_group_tests_name("decode", tests, NULL, NULL);
}
