/*
 * Tests JSON lines of real senders' datagrams, compared with the results of other software, and
 * lines of damaged datagrams.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/schemas.h"
#include "sinks/encoders/encoders.h"
#include "tests/support/base/random_number.h"
#include "tests/support/capture/capture_reading.h"
#include "tests/support/proto/telemetry_builder.h"
#include "tests/support/sinks/encoding.h"
#include "tests/support/test.h"
#include "tests/support/text/json_tree.h"

static const struct {
    const char *name;
    const struct schema_ops *schema;
} captures[] = {
    {"riemann_cli_v4", &schema_riemann},
    {"riemann_lib_odd_v4", &schema_riemann},
    {"riemann_frag_v4_mtu1500", &schema_riemann},
    {"riemann_seq_nano_v4", &schema_riemann},
    {"collectd_riemann_batchoff_v4", &schema_riemann},
    {"syslogng_riemann_batch10", &schema_riemann},
    {"otlp_metrics_v4", &schema_otlp},
    {"otlp_sizes_v4", &schema_otlp},
    {"otlp_logs_v4", &schema_otlp_logs},
    {"otlp_traces_v4", &schema_otlp_traces},
};
#define CAPTURES (sizeof captures / sizeof captures[0])

struct traffic {
    struct capture_reading reading;
    struct json_tree **truth;
    size_t lines;
};

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    long size = ftell(file);
    assert_true(size > 0);
    rewind(file);
    char *text = calloc(1, (size_t)size + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, (size_t)size, file), size);
    fclose(file);
    return text;
}

static void to_hex(struct json_tree *text)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char *hex = calloc(2, text->size + 1);
    assert_non_null(hex);
    size_t used = 0;
    unsigned bits = 0;
    for (size_t i = 0; i < text->size && text->text[i] != '='; i++) {
        bits = (bits << 6 | (unsigned)(strchr(digits, text->text[i]) - digits)) & 0xfff;
        if (i % 4 != 0)
            used += (size_t)sprintf(hex + used, "%02x", bits >> (6 - 2 * (i % 4)) & 0xff);
    }
    free(text->text);
    text->text = hex;
    text->size = used;
}

/*
 * Replaces the base64 of identifiers by hexadecimal. protobuf writes them as base64, but the JSON
 * of OTLP has hexadecimal.
 */
static void identifiers_to_hex(struct json_tree *tree)
{
    for (size_t i = 0; i < tree->count; i++) {
        struct json_tree *child = tree->children[i];
        identifiers_to_hex(child);
        bool value = tree->kind == JSON_OBJECT && i % 2 == 1;
        if (value && (json_tree_is_string(tree->children[i - 1], "trace_id") ||
                      json_tree_is_string(tree->children[i - 1], "span_id") ||
                      json_tree_is_string(tree->children[i - 1], "parent_span_id")))
            to_hex(child);
    }
}

static void traffic_open(struct traffic *traffic, const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s.pcap", TEST_CAPTURES, name);
    capture_reading_take(&traffic->reading, path, 0);
    snprintf(path, sizeof path, "%s/%s.ndjson", TEST_CAPTURES, name);
    char *text = read_file(path);
    traffic->truth = calloc(traffic->reading.count, sizeof(struct json_tree *));
    assert_non_null(traffic->truth);
    traffic->lines = 0;
    for (char *line = text, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        assert_in_range(traffic->lines, 0, traffic->reading.count - 1);
        traffic->truth[traffic->lines] = json_tree_read(line, (size_t)(end - line));
        assert_non_null(traffic->truth[traffic->lines]);
        identifiers_to_hex(traffic->truth[traffic->lines++]);
    }
    assert_int_equal(traffic->lines, traffic->reading.count);
    free(text);
}

static void traffic_close(struct traffic *traffic)
{
    for (size_t i = 0; i < traffic->lines; i++)
        json_tree_free(traffic->truth[i]);
    free(traffic->truth);
    capture_reading_free(&traffic->reading);
}

static struct encoding *open_with(const struct schema_ops *schema, enum sink_view view,
                                  bool proto_names, bool int64_numbers)
{
    const struct encoder_options options = {
        .view = view,
        .json = {.proto_names = proto_names, .int64_numbers = int64_numbers},
    };
    return encoding_create(schema, &encoder_json, &options);
}

static void decode(struct encoding *encoding, const struct capture_read *datagram)
{
    encoding->record.source = datagram->source;
    encoding->record.received_ns = datagram->time_ns;
    assert_true(encoding_decode(encoding, datagram->data, datagram->size));
}

/* --- view=message ----------------------------------------------------------------------------- */

static void assert_message(struct encoding *encoding, const struct json_tree *truth,
                           const char *where)
{
    const char *text = encoding_write_json(encoding);
    struct json_tree *line = json_tree_read(text, encoding->size);
    const struct json_tree *message = json_tree_member(line, "message");
    assert_int_equal(encoding->lines, 1);
    assert_non_null(message);
    assert_true(json_tree_is_string(json_tree_member(line, "schema"), encoding->schema->ops->name));
    assert_true(
        json_tree_equal(json_tree_member(line, "bytes"), json_tree_member(truth, "payload_len")));
    if (!json_tree_equal(message, json_tree_member(truth, "message")))
        fail_msg("in %s: %s", where, text);
    json_tree_free(line);
}

static void every_message_is_as_google_s_runtime_has_it(void **state)
{
    (void)state;
    for (size_t i = 0; i < CAPTURES; i++) {
        struct encoding *encoding = open_with(captures[i].schema, VIEW_MESSAGE, true, false);
        struct traffic traffic;
        traffic_open(&traffic, captures[i].name);
        for (size_t j = 0; j < traffic.lines; j++) {
            decode(encoding, &traffic.reading.datagrams[j]);
            assert_message(encoding, traffic.truth[j], captures[i].name);
        }
        traffic_close(&traffic);
        encoding_free(encoding);
    }
}

static void names_and_integers_are_as_the_sink_s_keys_say(void **state)
{
    (void)state;
    static struct telemetry_builder builder;
    telemetry_begin(&builder);
    builder.telemetry.sender_id = telemetry_text("web1");
    builder.telemetry.sequence = UINT64_MAX;
    Sluice__Telemetry__Sample *sample = telemetry_add_sample(&builder, "n");
    sample->value_case = SLUICE__TELEMETRY__SAMPLE__VALUE_INT_VALUE;
    sample->int_value = -7;
    telemetry_end(&builder);
    static const char *const expected[2][2] = {
        {"{\"senderId\":\"web1\",\"sequence\":\"18446744073709551615\","
         "\"samples\":[{\"name\":\"n\",\"intValue\":\"-7\"}]}}\n",
         "{\"senderId\":\"web1\",\"sequence\":18446744073709551615,"
         "\"samples\":[{\"name\":\"n\",\"intValue\":-7}]}}\n"},
        {"{\"sender_id\":\"web1\",\"sequence\":\"18446744073709551615\","
         "\"samples\":[{\"name\":\"n\",\"int_value\":\"-7\"}]}}\n",
         "{\"sender_id\":\"web1\",\"sequence\":18446744073709551615,"
         "\"samples\":[{\"name\":\"n\",\"int_value\":-7}]}}\n"},
    };
    for (int i = 0; i < 4; i++) {
        const struct encoder_options options = {
            .view = VIEW_MESSAGE,
            .json = {.proto_names = i / 2 != 0, .int64_numbers = i % 2 != 0},
        };
        struct encoding *encoding = encoding_create(&schema_telemetry, &encoder_json, &options);
        assert_true(encoding_decode(encoding, builder.datagram, builder.size));
        char line[512];
        snprintf(line, sizeof line,
                 "{" ENCODING_FACTS ",\"schema\":\"telemetry\",\"bytes\":%zu,\"message\":%s",
                 builder.size, expected[i / 2][i % 2]);
        assert_string_equal(encoding_write_json(encoding), line);
        encoding_free(encoding);
    }
}

static void an_empty_datagram_is_an_empty_message(void **state)
{
    (void)state;
    struct encoding *encoding = open_with(&schema_riemann, VIEW_MESSAGE, false, false);
    assert_true(encoding_decode(encoding, "", 0));
    assert_string_equal(encoding_write_json(encoding),
                        "{" ENCODING_FACTS ",\"schema\":\"riemann\",\"bytes\":0,\"message\":{}}\n");
    encoding_free(encoding);
}

/* --- view=sample ------------------------------------------------------------------------------ */

/*
 * Returns the event's metric, or NULL if it has none. In the expected JSON, a 64-bit integer is a
 * string.
 */
static const struct json_tree *metric_of(const struct json_tree *event)
{
    static const char *const names[] = {"metric_sint64", "metric_d", "metric_f"};
    for (size_t i = 0; i < 3; i++)
        if (json_tree_member(event, names[i]) != NULL)
            return json_tree_member(event, names[i]);
    return NULL;
}

static void assert_same(const struct json_tree *found, const struct json_tree *expected)
{
    if (expected == NULL)
        assert_null(found);
    else
        assert_true(found != NULL && json_tree_equal(found, expected));
}

/* Asserts that both are the same double. Their texts may differ, for example "-0.0" and "-0". */
static void assert_same_number(const struct json_tree *found, const struct json_tree *expected)
{
    double a = strtod(found->text, NULL);
    double b = strtod(expected->text, NULL);
    if (strcmp(found->text, expected->text) != 0 &&
        (found->kind != JSON_NUMBER || expected->kind != JSON_NUMBER || a < b || a > b ||
         signbit(a) != signbit(b)))
        fail_msg("value is %s, not %s", found->text, expected->text);
}

static void assert_line_reports(const struct json_tree *line, const struct json_tree *event)
{
    const struct json_tree *labels = json_tree_member(line, "labels");
    const struct json_tree *service = json_tree_member(event, "service");
    if (service != NULL)
        assert_same(json_tree_member(line, "name"), service);
    else
        assert_true(json_tree_is_string(json_tree_member(line, "name"), ""));
    assert_same_number(json_tree_member(line, "value"), metric_of(event));
    assert_true(json_tree_is_string(json_tree_member(line, "kind"), "gauge"));
    assert_same(json_tree_member(labels, "host"), json_tree_member(event, "host"));
    assert_same(json_tree_member(labels, "state"), json_tree_member(event, "state"));
    const struct json_tree *attributes = json_tree_member(event, "attributes");
    for (size_t i = 0; attributes != NULL && i < attributes->count; i++) {
        const struct json_tree *key = json_tree_member(attributes->children[i], "key");
        const struct json_tree *value = json_tree_member(attributes->children[i], "value");
        if (!json_tree_is_string(key, "host") && !json_tree_is_string(key, "state"))
            assert_same(json_tree_member(labels, key->text), value);
    }
}

static void assert_lines_report(struct encoding *encoding, const struct json_tree *message)
{
    const struct json_tree *events = json_tree_member(message, "events");
    const char *line = encoding_write_json(encoding);
    size_t lines = 0;
    for (size_t i = 0; events != NULL && i < events->count; i++) {
        if (metric_of(events->children[i]) == NULL)
            continue;
        const char *end = strchr(line, '\n');
        assert_non_null(end);
        struct json_tree *tree = json_tree_read(line, (size_t)(end - line));
        assert_line_reports(tree, events->children[i]);
        json_tree_free(tree);
        line = end + 1;
        lines++;
    }
    assert_int_equal(encoding->lines, lines);
}

static void every_metric_is_a_line(void **state)
{
    (void)state;
    static const size_t expected[CAPTURES] = {18, 100, 872, 30, 608, 40, 113, 816, 9, 3};
    for (size_t i = 0; i < CAPTURES; i++) {
        struct encoding *encoding = open_with(captures[i].schema, VIEW_SAMPLE, false, false);
        struct traffic traffic;
        size_t lines = 0;
        traffic_open(&traffic, captures[i].name);
        for (size_t j = 0; j < traffic.lines; j++) {
            decode(encoding, &traffic.reading.datagrams[j]);
            if (captures[i].schema == &schema_riemann)
                assert_lines_report(encoding, json_tree_member(traffic.truth[j], "message"));
            encoding_write_json(encoding);
            lines += encoding->lines;
        }
        if (lines != expected[i])
            fail_msg("%s: %zu lines, not %zu", captures[i].name, lines, expected[i]);
        traffic_close(&traffic);
        encoding_free(encoding);
    }
}

/* --- outputs that are too small, and damaged datagrams ---------------------------------------- */

static struct encoding *open_lines(const struct schema_ops *schema)
{
    return open_with(schema, schema->next_item != NULL ? VIEW_RECORD : VIEW_SAMPLE, false, false);
}

static void a_record_is_whole_or_overflows(void **state)
{
    (void)state;
    static const size_t chosen[] = {0, 1, 2, 6, 9};
    for (size_t i = 0; i < sizeof chosen / sizeof chosen[0]; i++) {
        const struct schema_ops *schema = captures[chosen[i]].schema;
        struct encoding *samples = open_lines(schema);
        struct encoding *messages = open_with(schema, VIEW_MESSAGE, false, false);
        struct traffic traffic;
        traffic_open(&traffic, captures[chosen[i]].name);
        for (size_t j = 0; j < traffic.lines; j++) {
            decode(samples, &traffic.reading.datagrams[j]);
            encoding_assert_whole_or_overflow(samples);
            decode(messages, &traffic.reading.datagrams[j]);
            encoding_assert_whole_or_overflow(messages);
        }
        traffic_close(&traffic);
        encoding_free(samples);
        encoding_free(messages);
    }
}

static void a_histogram_is_whole_or_overflows(void **state)
{
    (void)state;
    static struct telemetry_builder builder;
    double bounds[] = {0.1, 1, 10};
    uint64_t counts[] = {1, 20, 300, 4000};
    Sluice__Telemetry__Histogram histogram = SLUICE__TELEMETRY__HISTOGRAM__INIT;
    histogram.n_bounds = 3;
    histogram.bounds = bounds;
    histogram.n_counts = 4;
    histogram.counts = counts;
    histogram.has_min_case = SLUICE__TELEMETRY__HISTOGRAM__HAS_MIN_MIN;
    histogram.has_max_case = SLUICE__TELEMETRY__HISTOGRAM__HAS_MAX_MAX;
    telemetry_begin(&builder);
    Sluice__Telemetry__Sample *sample = telemetry_add_sample(&builder, "h");
    sample->value_case = SLUICE__TELEMETRY__SAMPLE__VALUE_HISTOGRAM_VALUE;
    sample->histogram_value = &histogram;
    sample->kind = SLUICE__TELEMETRY__KIND__CUMULATIVE_COUNTER;
    sample->unit = telemetry_text("s");
    sample->start_time_unix_nano = 1;
    telemetry_add_label(&builder, "same", "1");
    telemetry_add_label(&builder, "same", "2");
    char long_key[512]; /* longer than everything after it */
    memset(long_key, 'k', sizeof long_key);
    long_key[sizeof long_key - 1] = '\0';
    telemetry_add_label(&builder, long_key, "3");
    telemetry_end(&builder);
    for (int view = 0; view < 2; view++) {
        const struct encoder_options options = {.view = view == 0 ? VIEW_SAMPLE : VIEW_MESSAGE};
        struct encoding *encoding = encoding_create(&schema_telemetry, &encoder_json, &options);
        assert_true(encoding_decode(encoding, builder.datagram, builder.size));
        encoding_assert_whole_or_overflow(encoding);
        encoding_free(encoding);
    }
}

static size_t write_changed(struct encoding *encodings[2], const struct capture_read *datagram,
                            size_t times, uint64_t *random)
{
    size_t decoded = 0;
    for (size_t i = 0; i < times; i++) {
        uint8_t *changed = malloc(datagram->size != 0 ? datagram->size : 1);
        assert_non_null(changed);
        memcpy(changed, datagram->data, datagram->size);
        for (uint64_t j = next_random(random) % 4; j-- != 0 && datagram->size != 0;)
            changed[next_random(random) % datagram->size] = (uint8_t)next_random(random);
        for (size_t j = 0; j < 2; j++) {
            if (!encoding_decode(encodings[j], changed, datagram->size))
                continue;
            encoding_write_json(encodings[j]);
            decoded++;
        }
        free(changed);
    }
    return decoded;
}

static void changed_messages_are_written_as_valid_lines(void **state)
{
    (void)state;
    uint64_t random = 20240503;
    for (size_t i = 0; i < CAPTURES; i++) {
        struct encoding *encodings[] = {open_lines(captures[i].schema),
                                        open_with(captures[i].schema, VIEW_MESSAGE, false, true)};
        struct traffic traffic;
        size_t decoded = 0;
        traffic_open(&traffic, captures[i].name);
        size_t times = (TEST_TRIES(1000) + traffic.lines - 1) / traffic.lines;
        for (size_t j = 0; j < traffic.lines; j++)
            decoded += write_changed(encodings, &traffic.reading.datagrams[j], times, &random);
        if (decoded < TEST_TRIES(500))
            fail_msg("%s: only %zu were messages", captures[i].name, decoded);
        traffic_close(&traffic);
        encoding_free(encodings[0]);
        encoding_free(encodings[1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_message_is_as_google_s_runtime_has_it),
        cmocka_unit_test(names_and_integers_are_as_the_sink_s_keys_say),
        cmocka_unit_test(an_empty_datagram_is_an_empty_message),
        cmocka_unit_test(every_metric_is_a_line),
        cmocka_unit_test(a_record_is_whole_or_overflows),
        cmocka_unit_test(a_histogram_is_whole_or_overflows),
        cmocka_unit_test(changed_messages_are_written_as_valid_lines),
    };
    return cmocka_run_group_tests_name("encoder json, traffic", tests, NULL, NULL);
}
