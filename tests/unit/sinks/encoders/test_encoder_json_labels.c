/* Tests JSON lines: the labels of a sample, and any bytes in all strings. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/generated/riemann.pb-c.h"
#include "proto/schemas.h"
#include "sinks/encoders/encoders.h"
#include "tests/support/proto/telemetry_builder.h"
#include "tests/support/sinks/encoding.h"
#include "tests/support/test.h"
#include "tests/support/text/json_tree.h"

#define END_OF_LINE "," ENCODING_FACTS "}\n"
#define PLENTY      ((size_t)4 * 1024 * 1024)
#define FFFD        "\xef\xbf\xbd"

static struct telemetry_builder builder;

static int open_with(void **state, const struct schema_ops *schema, enum sink_view view)
{
    const struct encoder_options options = {.view = view};
    *state = encoding_create(schema, &encoder_json, &options);
    telemetry_begin(&builder);
    return 0;
}

static int open_telemetry(void **state)
{
    return open_with(state, &schema_telemetry, VIEW_SAMPLE);
}

static int open_riemann(void **state)
{
    return open_with(state, &schema_riemann, VIEW_SAMPLE);
}

static int open_riemann_messages(void **state)
{
    return open_with(state, &schema_riemann, VIEW_MESSAGE);
}

static int close_encoding(void **state)
{
    encoding_free(*state);
    return 0;
}

static void decode_builder(struct encoding *encoding)
{
    telemetry_end(&builder);
    assert_true(encoding_decode(encoding, builder.datagram, builder.size));
}

static void assert_labels(struct encoding *encoding, const char *expected)
{
    const char *lines = encoding_write_json(encoding);
    const char *labels = strstr(lines, "\"labels\":");
    const char *end = strstr(lines, END_OF_LINE);
    assert_non_null(labels);
    assert_non_null(end);
    labels += strlen("\"labels\":");
    if (strlen(expected) != (size_t)(end - labels) ||
        memcmp(labels, expected, strlen(expected)) != 0)
        fail_msg("labels are %.*s, not %s", (int)(end - labels), labels, expected);
}

/* --- choosing labels -------------------------------------------------------------------------- */

static void the_first_of_two_labels_with_the_same_key_counts(void **state)
{
    telemetry_add_label(&builder, "host", "shared");
    telemetry_add_label(&builder, "zone", "shared");
    telemetry_add_label(&builder, "zone", "shared again");
    telemetry_add_label(&builder, "", "shared");
    telemetry_add_double(&builder, "", 1);
    telemetry_add_label(&builder, "host", "own");
    telemetry_add_label(&builder, "hast", "own");
    telemetry_add_label(&builder, "host", "own again");
    telemetry_add_label(&builder, "", "own");
    decode_builder(*state);
    assert_labels(*state, "{\"host\":\"own\",\"hast\":\"own\",\"\":\"own\",\"zone\":\"shared\"}");
}

static void the_next_sample_s_labels_begin_anew(void **state)
{
    telemetry_add_double(&builder, "", 1);
    telemetry_add_label(&builder, "a", "1");
    telemetry_add_double(&builder, "", 2);
    telemetry_add_label(&builder, "b", "2");
    telemetry_add_label(&builder, "a", "3");
    decode_builder(*state);
    const char *lines = encoding_write_json(*state);
    assert_non_null(strstr(lines, "\"labels\":{\"a\":\"1\"}"));
    assert_non_null(strstr(lines, "\"labels\":{\"b\":\"2\",\"a\":\"3\"}"));
}

static void labels_that_samples_share_may_be_long(void **state)
{
    static char longer[3000];
    memset(longer, 'x', sizeof longer - 1);
    telemetry_add_label(&builder, "a", longer);
    telemetry_add_label(&builder, "b", longer);
    for (int i = 0; i < 4; i++)
        telemetry_add_double(&builder, "n", 1);
    decode_builder(*state);
    const char *at = encoding_write_json(*state);
    for (int i = 0; i < 8; i++, at++)
        assert_non_null(at = strstr(at, longer));
    assert_null(strstr(at, longer));
}

static void keys_that_look_the_same_in_json_are_the_same(void **state)
{
    Sluice__Riemann__Event event = SLUICE__RIEMANN__EVENT__INIT;
    Sluice__Riemann__Event *events[] = {&event};
    Sluice__Riemann__Attribute attributes[4];
    Sluice__Riemann__Attribute *list[4];
    static const char *const keys[] = {"\xff", "\xfe", FFFD, "\x7f"};
    for (size_t i = 0; i < 4; i++) {
        sluice__riemann__attribute__init(&attributes[i]);
        attributes[i].key = telemetry_text(keys[i]);
        attributes[i].has_value = 1;
        attributes[i].value = telemetry_text(keys[i]);
        list[i] = &attributes[i];
    }
    event.has_metric_d = 1;
    event.n_attributes = 4;
    event.attributes = list;
    Sluice__Riemann__Msg msg = SLUICE__RIEMANN__MSG__INIT;
    msg.n_events = 1;
    msg.events = events;
    uint8_t datagram[256];
    assert_true(encoding_decode(*state, datagram, sluice__riemann__msg__pack(&msg, datagram)));
    assert_labels(*state, "{\"" FFFD "\":\"" FFFD "\",\"\\u007f\":\"\\u007f\"}");
}

static void host_state_and_tags_of_an_event_are_labels(void **state)
{
    Sluice__Riemann__Event event = SLUICE__RIEMANN__EVENT__INIT;
    Sluice__Riemann__Event *events[] = {&event};
    ProtobufCBinaryData tags[] = {telemetry_text("a"), telemetry_text("b")};
    Sluice__Riemann__Attribute attribute = SLUICE__RIEMANN__ATTRIBUTE__INIT;
    Sluice__Riemann__Attribute *list[] = {&attribute};
    attribute.key = telemetry_text("host");
    attribute.has_value = 1;
    attribute.value = telemetry_text("hidden by the event's own");
    event.has_metric_d = 1;
    event.has_host = event.has_state = 1;
    event.host = telemetry_text("web1");
    event.state = telemetry_text("ok");
    event.n_tags = 2;
    event.tags = tags;
    event.n_attributes = 1;
    event.attributes = list;
    Sluice__Riemann__Msg msg = SLUICE__RIEMANN__MSG__INIT;
    msg.n_events = 1;
    msg.events = events;
    uint8_t datagram[256];
    assert_true(encoding_decode(*state, datagram, sluice__riemann__msg__pack(&msg, datagram)));
    assert_labels(*state, "{\"host\":\"web1\",\"state\":\"ok\",\"tags\":\"a,b\"}");
}

/* --- many labels ------------------------------------------------------------------------------ */

static void decode_labels(struct encoding *encoding, size_t count, size_t different, size_t samples)
{
    static char keys[TELEMETRY_MAX_LABELS][24];
    telemetry_begin(&builder);
    for (size_t i = 0; i < count; i++) {
        snprintf(keys[i], sizeof keys[i], "k%zu", i % different);
        telemetry_add_label(&builder, keys[i], "");
    }
    for (size_t i = 0; i < samples; i++)
        telemetry_add_double(&builder, "", 1);
    decode_builder(encoding);
}

static void assert_label_count(struct encoding *encoding, size_t expected)
{
    const char *text = encoding_write(encoding);
    struct json_tree *tree = json_tree_read(text, encoding->size);
    assert_non_null(tree); /* the strict parser accepts no duplicate keys */
    assert_int_equal(json_tree_member(tree, "labels")->count, 2 * expected);
    json_tree_free(tree);
}

static void keys_are_unique_however_many_there_are(void **state)
{
    static const size_t counts[] = {1, 2, 3, 10, 63, 64, 65, 128, 500, 1023, 1024};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        decode_labels(*state, counts[i], counts[i], 1);
        assert_label_count(*state, counts[i]);
        decode_labels(*state, 3 * counts[i] + 1, counts[i], 1);
        assert_label_count(*state, counts[i]);
    }
    decode_labels(*state, TELEMETRY_MAX_LABELS, 100, 1);
    assert_label_count(*state, 100);
}

static void a_sample_with_more_labels_than_any_genuine_one_is_too_large(void **state)
{
    decode_labels(*state, 1025, 1025, 1);
    assert_true(encoding_overflows(*state, PLENTY));
}

static void labels_that_take_too_long_to_distinguish_are_too_large(void **state)
{
    decode_labels(*state, TELEMETRY_MAX_LABELS, 1024, 1);
    assert_label_count(*state, 1024);
    decode_labels(*state, TELEMETRY_MAX_LABELS, 1024, 16);
    assert_true(encoding_overflows(*state, PLENTY));
}

/* --- text of any bytes ------------------------------------------------------------------------ */

static const struct {
    const char *bytes;
    const char *expected;
} texts[] = {
    {"plain", "plain"},
    {"", ""},
    {"caf\xc3\xa9 \xf0\x9f\x98\x80", "caf\xc3\xa9 \xf0\x9f\x98\x80"},
    {"\x01\b\t\n\f\r\x1f\x7f", "\\u0001\\b\\t\\n\\f\\r\\u001f\\u007f"},
    {"\"},{\\", "\\\"},{\\\\"},
    {"\xff", FFFD},
    {"x\xe2\x82", "x" FFFD},
    {"\xed\xa0\x80", FFFD FFFD FFFD},
    {"\xc0\xafz", FFFD FFFD "z"},
};
#define TEXTS (sizeof texts / sizeof texts[0])

static void decode_event_of(struct encoding *encoding, const char *text)
{
    static uint8_t datagram[1024];
    Sluice__Riemann__Event event = SLUICE__RIEMANN__EVENT__INIT;
    Sluice__Riemann__Event *events[] = {&event};
    Sluice__Riemann__Attribute attribute = SLUICE__RIEMANN__ATTRIBUTE__INIT;
    Sluice__Riemann__Attribute *attributes[] = {&attribute};
    ProtobufCBinaryData bytes = telemetry_text(text);
    attribute.key = bytes;
    attribute.has_value = 1;
    attribute.value = bytes;
    event.has_service = event.has_host = event.has_state = event.has_description = 1;
    event.service = event.host = event.state = event.description = bytes;
    event.n_tags = 1;
    event.tags = &bytes;
    event.n_attributes = 1;
    event.attributes = attributes;
    event.has_metric_d = 1;
    Sluice__Riemann__Msg msg = SLUICE__RIEMANN__MSG__INIT;
    msg.n_events = 1;
    msg.events = events;
    msg.has_error = 1;
    msg.error = bytes;
    assert_true(encoding_decode(encoding, datagram, sluice__riemann__msg__pack(&msg, datagram)));
}

static void any_bytes_in_any_string_of_a_sample_are_valid(void **state)
{
    struct encoding *encoding = *state;
    for (size_t i = 0; i < TEXTS; i++) {
        const char *text = texts[i].expected;
        char expected[1024];
        encoding->listener.name = texts[i].bytes;
        decode_event_of(encoding, texts[i].bytes);
        snprintf(expected, sizeof expected,
                 "{\"time\":\"" ENCODING_RECEIVED "\",\"name\":\"%s\",\"kind\":\"gauge\","
                 "\"value\":0,\"labels\":{\"host\":\"%s\",\"state\":\"%s\",\"tags\":\"%s\","
                 "\"%s\":\"%s\"},\"received\":\"" ENCODING_RECEIVED "\","
                 "\"source\":\"192.0.2.1:5555\",\"listener\":\"%s\"}\n",
                 text, text, text, text, text, text, text);
        assert_string_equal(encoding_write_json(encoding), expected);
    }
}

/* A datagram with a string that is not UTF-8 is malformed in this schema. */
static void any_text_in_any_string_of_telemetry_is_valid(void **state)
{
    for (size_t i = 0; i < TEXTS; i++) {
        const char *text = texts[i].expected;
        char expected[1024];
        telemetry_begin(&builder);
        telemetry_add_label(&builder, "", texts[i].bytes);
        telemetry_add_double(&builder, texts[i].bytes, 1)->unit = telemetry_text(texts[i].bytes);
        telemetry_end(&builder);
        if (!encoding_decode(*state, builder.datagram, builder.size)) {
            assert_non_null(strstr(text, FFFD));
            continue;
        }
        assert_null(strstr(text, FFFD));
        snprintf(expected, sizeof expected,
                 "{\"time\":\"" ENCODING_RECEIVED "\",\"name\":\"%s\",\"kind\":\"gauge\","
                 "\"value\":1,%s%s%s\"labels\":{\"\":\"%s\"}" END_OF_LINE,
                 text, text[0] != 0 ? "\"unit\":\"" : "", text, text[0] != 0 ? "\"," : "", text);
        assert_string_equal(encoding_write_json(*state), expected);
    }
}

static void any_bytes_in_any_string_of_a_message_are_valid(void **state)
{
    struct encoding *encoding = *state;
    for (size_t i = 0; i < TEXTS; i++) {
        const char *text = texts[i].expected;
        char expected[1024];
        encoding->listener.name = texts[i].bytes;
        decode_event_of(encoding, texts[i].bytes);
        snprintf(expected, sizeof expected,
                 "{\"received\":\"" ENCODING_RECEIVED "\",\"source\":\"192.0.2.1:5555\","
                 "\"listener\":\"%s\",\"schema\":\"riemann\",\"bytes\":%u,"
                 "\"message\":{\"error\":\"%s\",\"events\":[{\"state\":\"%s\",\"service\":\"%s\","
                 "\"host\":\"%s\",\"description\":\"%s\",\"tags\":[\"%s\"],"
                 "\"attributes\":[{\"key\":\"%s\",\"value\":\"%s\"}],\"metricD\":0}]}}\n",
                 text, (unsigned)encoding->record.size, text, text, text, text, text, text, text,
                 text);
        assert_string_equal(encoding_write_json(encoding), expected);
    }
}

int main(void)
{
#define with(open, test) cmocka_unit_test_setup_teardown(test, open, close_encoding)
    const struct CMUnitTest tests[] = {
        with(open_telemetry, the_first_of_two_labels_with_the_same_key_counts),
        with(open_telemetry, the_next_sample_s_labels_begin_anew),
        with(open_telemetry, labels_that_samples_share_may_be_long),
        with(open_riemann, keys_that_look_the_same_in_json_are_the_same),
        with(open_riemann, host_state_and_tags_of_an_event_are_labels),
        with(open_telemetry, keys_are_unique_however_many_there_are),
        with(open_telemetry, a_sample_with_more_labels_than_any_genuine_one_is_too_large),
        with(open_telemetry, labels_that_take_too_long_to_distinguish_are_too_large),
        with(open_riemann, any_bytes_in_any_string_of_a_sample_are_valid),
        with(open_telemetry, any_text_in_any_string_of_telemetry_is_valid),
        with(open_riemann_messages, any_bytes_in_any_string_of_a_message_are_valid),
    };
    return cmocka_run_group_tests_name("encoder json, labels and text", tests, NULL, NULL);
}
