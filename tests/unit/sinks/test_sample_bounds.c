/*
 * Tests the limits of a sink, such as max_series= and max_age=, in each format: which samples are
 * written.
 */
#include <stdio.h>
#include <string.h>

#include "collector/series/series_guard.h"
#include "proto/schemas.h"
#include "sinks/sinks.h"
#include "tests/support/base/random_number.h"
#include "tests/support/proto/otlp_wire.h"
#include "tests/support/proto/telemetry_builder.h"
#include "tests/support/sinks/encoding.h"
#include "tests/support/sinks/ruled_encoding.h"
#include "tests/support/test.h"

#define SECOND UINT64_C(1000000000)

static struct telemetry_builder builder;

struct bounded {
    struct ruled rules;
    struct series_guard *guard;
    struct encoding *encoding;
};

static struct bounded bounded_open(const struct schema_ops *schema, const char *format,
                                   const char *keys)
{
    char all[512];
    struct error error;
    struct bounded bounded;
    snprintf(all, sizeof all, "format=%s&flush_interval=1s%s%s", format, *keys == '\0' ? "" : "&",
             keys);
    bounded.rules = ruled_open(schema, all);
    config_default_limits(&bounded.rules.config);
    struct sink_settings *settings = &bounded.rules.config.sinks[0].settings;
    bounded.guard = series_guard_create(&settings->encoding.limits, &error);
    assert_non_null(bounded.guard);
    struct encoder_options options = settings->encoding;
    options.series = bounded.guard;
    bounded.encoding = encoding_create(schema, settings->encoder, &options);
    return bounded;
}

static void bounded_close(struct bounded *bounded)
{
    encoding_free(bounded->encoding);
    series_guard_destroy(bounded->guard);
    ruled_close(&bounded->rules);
}

static const struct encoded *put(struct bounded *bounded)
{
    telemetry_end(&builder);
    assert_true(encoding_decode(bounded->encoding, builder.datagram, builder.size));
    encoding_write(bounded->encoding);
    telemetry_begin(&builder);
    return &bounded->encoding->written;
}

static Sluice__Telemetry__Sample *add(const char *name, const char *key, const char *value)
{
    Sluice__Telemetry__Sample *sample = telemetry_add_double(&builder, name, 1);
    if (key != NULL)
        telemetry_add_label(&builder, key, value);
    return sample;
}

static int set_up(void **state)
{
    (void)state;
    telemetry_begin(&builder);
    return 0;
}

/*
 * Returns true if a sample with these labels is written. `labels` is a text such as "a=1 b=2". All
 * such samples have the same name.
 */
static bool is_written(struct bounded *bounded, const char *labels)
{
    char copy[256];
    telemetry_add_double(&builder, "n", 1);
    snprintf(copy, sizeof copy, "%s", labels);
    for (char *label = strtok(copy, " "); label != NULL; label = strtok(NULL, " ")) {
        char *value = strchr(label, '=');
        *value = '\0';
        telemetry_add_label(&builder, label, value + 1);
    }
    const struct encoded *written = put(bounded);
    assert_int_equal(written->samples + written->series_refused, 1);
    return written->samples == 1;
}

/* --- all formats ------------------------------------------------------------------------------ */

static void for_each_format(void (*check)(const char *format))
{
    size_t formats = 0;
    for (const struct encoder_ops *const *row = builtin_encoders; *row != NULL; row++) {
        /*
         * Only http: has remote-write, and ruled_open does not support http:. So another test
         * covers this format.
         */
        if (((*row)->binary && !(*row)->needs_samples) || (*row)->requests_alone)
            continue;
        check((*row)->name);
        formats++;
    }
    assert_int_equal(formats, 7);
}

static void check_series(const char *format)
{
    struct bounded bounded = bounded_open(&schema_telemetry, format, "max_series=2");
    add("a", "host", "x");
    add("b", "host", "x");
    add("c", "host", "x");
    add("a", "host", "x");
    const struct encoded *written = put(&bounded);
    assert_int_equal(written->samples, 3);
    assert_int_equal(written->series_refused, 1);
    add("c", "host", "x");
    written = put(&bounded);
    assert_int_equal(written->lines, 0);
    assert_int_equal(written->series_refused, 1);
    assert_int_equal(bounded.encoding->size, 0);
    add("b", "host", "x");
    written = put(&bounded);
    assert_int_equal(written->samples, 1);
    assert_int_equal(written->series_refused, 0);
    bounded_close(&bounded);
}

TEST_WITH(every_format_leaves_new_series_out_and_writes_known_ones, set_up, NULL)
{
    (void)state;
    for_each_format(check_series);
}

static void check_times(const char *format)
{
    struct bounded bounded =
        bounded_open(&schema_telemetry, format, "max_age=1h&max_ahead=1m&max_series=3");
    add("a", NULL, NULL)->time_unix_nano = ENCODING_RECEIVED_NS - 3601 * SECOND;
    add("b", NULL, NULL)->time_unix_nano = ENCODING_RECEIVED_NS + 61 * SECOND;
    add("c", NULL, NULL)->time_unix_nano = ENCODING_RECEIVED_NS - 3599 * SECOND;
    add("d", NULL, NULL)->time_unix_nano = ENCODING_RECEIVED_NS + 59 * SECOND;
    add("e", NULL, NULL);
    const struct encoded *written = put(&bounded);
    assert_int_equal(written->samples, 3);
    assert_int_equal(written->out_of_time, 2);
    /* Samples whose times are refused do not count as series. */
    assert_int_equal(written->series_refused, 0);
    bounded_close(&bounded);
}

TEST_WITH(every_format_leaves_out_samples_that_are_too_old_or_too_far_ahead, set_up, NULL)
{
    (void)state;
    for_each_format(check_times);
}

/* Asserts that a sample whose time is refused is written as one without a time is. */
static void check_arrival(const char *format)
{
    char expected[4096];
    struct bounded bounded =
        bounded_open(&schema_telemetry, format, "max_age=1h&max_ahead=1m&time=arrival");
    add("a", NULL, NULL);
    put(&bounded);
    size_t size = bounded.encoding->size;
    assert_true(size < sizeof expected);
    memcpy(expected, bounded.encoding->text, size);
    Sluice__Telemetry__Sample *sample = add("a", NULL, NULL);
    sample->time_unix_nano = ENCODING_RECEIVED_NS + 50 * 366 * 86400 * SECOND;
    sample->start_time_unix_nano = sample->time_unix_nano;
    const struct encoded *written = put(&bounded);
    assert_int_equal(written->samples, 1);
    assert_int_equal(written->time_replaced, 1);
    assert_int_equal(written->out_of_time, 0);
    assert_int_equal(bounded.encoding->size, size);
    assert_memory_equal(bounded.encoding->text, expected, size);
    bounded_close(&bounded);
}

TEST_WITH(every_format_writes_samples_out_of_time_with_their_arrival_if_asked, set_up, NULL)
{
    (void)state;
    for_each_format(check_arrival);
}

TEST_WITH(remote_write_leaves_out_series_and_samples_as_well, set_up, NULL)
{
    (void)state;
    struct error error;
    const struct series_limits limits = {.max_series = 2, .timeout = SECOND, .max_age = SECOND};
    struct series_guard *guard = series_guard_create(&limits, &error);
    assert_non_null(guard);
    const struct encoder_options options = {.limits = limits, .series = guard};
    struct bounded bounded = {
        .encoding = encoding_create(&schema_telemetry, &encoder_remote_write, &options)};
    add("a", "host", "x");
    add("b", "host", "x");
    add("c", "host", "x");
    add("a", "host", "x")->time_unix_nano = ENCODING_RECEIVED_NS - 2 * SECOND;
    const struct encoded *written = put(&bounded);
    assert_int_equal(written->samples, 2);
    assert_int_equal(written->series_refused, 1);
    assert_int_equal(written->out_of_time, 1);
    encoding_free(bounded.encoding);
    series_guard_destroy(guard);
}

/* --- the identity of a series ----------------------------------------------------------------- */

TEST_WITH(labels_in_another_order_are_the_same_series, set_up, NULL)
{
    (void)state;
    struct bounded bounded = bounded_open(&schema_telemetry, "influx", "max_series=1");
    assert_true(is_written(&bounded, "a=1 b=2 c=3"));
    assert_true(is_written(&bounded, "c=3 a=1 b=2"));
    assert_true(is_written(&bounded, "b=2 c=3 a=1"));
    assert_false(is_written(&bounded, "a=1 b=2"));
    assert_false(is_written(&bounded, "a=2 b=1 c=3"));
    assert_false(is_written(&bounded, "a=1 b=2 c=3 d=4"));
    bounded_close(&bounded);
}

TEST_WITH(a_text_cannot_move_from_a_key_into_its_value, set_up, NULL)
{
    (void)state;
    struct bounded bounded = bounded_open(&schema_telemetry, "influx", "max_series=1");
    assert_true(is_written(&bounded, "ab=cd"));
    assert_false(is_written(&bounded, "a=bcd"));
    assert_false(is_written(&bounded, "abc=d"));
    assert_false(is_written(&bounded, "abcd=x"));
    bounded_close(&bounded);
}

TEST_WITH(a_key_that_is_repeated_counts_in_its_order, set_up, NULL)
{
    (void)state;
    struct bounded bounded = bounded_open(&schema_telemetry, "influx", "max_series=1");
    assert_true(is_written(&bounded, "a=1 a=2"));
    assert_true(is_written(&bounded, "a=1 a=2"));
    /* Only the first label of a key counts, so this is another series than the one with a=1. */
    assert_false(is_written(&bounded, "a=2 a=1"));
    bounded_close(&bounded);
}

TEST_WITH(keys_that_a_format_writes_as_one_count_in_their_order, set_up, NULL)
{
    (void)state;
    struct bounded bounded = bounded_open(&schema_telemetry, "prometheus", "max_series=1");
    assert_true(is_written(&bounded, "x.y=1 x_y=2 z=0"));
    assert_true(is_written(&bounded, "x.y=1 z=0 x_y=2"));
    assert_false(is_written(&bounded, "x_y=2 x.y=1 z=0"));
    bounded_close(&bounded);
    bounded = bounded_open(&schema_telemetry, "prometheus", "max_series=1");
    assert_true(is_written(&bounded, "x.y=1 x_y=2 x-y=3"));
    /* The values of these labels are joined in another order, so this is another series. */
    assert_false(is_written(&bounded, "x.y=1 x-y=3 x_y=2"));
    bounded_close(&bounded);
}

TEST_WITH(what_the_rules_leave_of_a_series_counts, set_up, NULL)
{
    (void)state;
    struct bounded bounded =
        bounded_open(&schema_telemetry, "influx", "max_series=1&drop_label=id&rename_label=a:b");
    assert_true(is_written(&bounded, "a=1 id=1"));
    assert_true(is_written(&bounded, "b=1 id=2"));
    assert_true(is_written(&bounded, "a=1"));
    assert_false(is_written(&bounded, "a=2 id=1"));
    bounded_close(&bounded);
}

TEST_WITH(names_units_and_kinds_are_different_series_and_values_are_not, set_up, NULL)
{
    (void)state;
    struct bounded bounded = bounded_open(&schema_telemetry, "json", "max_series=1");
    add("a", NULL, NULL);
    assert_int_equal(put(&bounded)->samples, 1);
    add("a", NULL, NULL)->double_value = 7;
    assert_int_equal(put(&bounded)->samples, 1);
    add("b", NULL, NULL);
    assert_int_equal(put(&bounded)->series_refused, 1);
    add("a", NULL, NULL)->unit = telemetry_text("s");
    assert_int_equal(put(&bounded)->series_refused, 1);
    add("a", NULL, NULL)->kind = SLUICE__TELEMETRY__KIND__CUMULATIVE_COUNTER;
    assert_int_equal(put(&bounded)->series_refused, 1);
    bounded_close(&bounded);
}

/* --- labels that samples share ---------------------------------------------------------------- */

/*
 * Adds a sample to a datagram whose samples share labels. If `key` is not NULL, the sample also has
 * this label.
 */
static void add_sharing(const char *key, const char *value)
{
    if (builder.telemetry.n_labels == 0) {
        telemetry_add_label(&builder, "host", "x");
        telemetry_add_label(&builder, "zone", "z");
    }
    add("n", key, value);
}

TEST_WITH(a_sample_among_others_that_share_its_labels_is_the_series_that_it_is_without_them, set_up,
          NULL)
{
    (void)state;
    static const char *const own[][2] = {{NULL, NULL},    {"k", "1"},       {"k", "2"},
                                         {"host", "own"}, {"ho-st", "own"}, {"zone", "z"},
                                         {"k", "3"}};
    const size_t count = sizeof own / sizeof own[0];
    struct bounded bounded = bounded_open(&schema_telemetry, "influx", "max_series=7");
    for (size_t i = 0; i < count; i++)
        add_sharing(own[i][0], own[i][1]);
    assert_int_equal(put(&bounded)->samples, count);
    assert_int_equal(series_table_count(bounded.guard->table), count);
    for (size_t i = count; i-- != 0;) {
        add_sharing(own[i][0], own[i][1]);
        assert_int_equal(put(&bounded)->samples, 1);
    }
    assert_true(is_written(&bounded, "zone=z host=x"));
    assert_true(is_written(&bounded, "k=3 host=x zone=z"));
    assert_false(is_written(&bounded, "k=3 host=y zone=z"));
    bounded_close(&bounded);
}

/* Both datagrams are decoded to the same addresses in memory. */
TEST_WITH(shared_labels_of_one_record_are_not_those_of_the_next, set_up, NULL)
{
    (void)state;
    struct bounded bounded = bounded_open(&schema_telemetry, "influx", "max_series=1");
    telemetry_add_label(&builder, "host", "x");
    add("n", NULL, NULL);
    assert_int_equal(put(&bounded)->samples, 1);
    telemetry_add_label(&builder, "host", "y");
    add("n", NULL, NULL);
    assert_int_equal(put(&bounded)->series_refused, 1);
    bounded_close(&bounded);
}

static void add_resource(struct wire *wire, const char *host)
{
    size_t begun = wire_begin(wire, OTLP_REQUEST_RESOURCES);
    size_t resource = wire_begin(wire, OTLP_RESOURCE);
    size_t attribute = wire_begin(wire, OTLP_RESOURCE_ATTRIBUTES);
    wire_text(wire, OTLP_KEY, "host");
    size_t value = wire_begin(wire, OTLP_VALUE);
    wire_text(wire, OTLP_STRING, host);
    wire_end(wire, value);
    wire_end(wire, attribute);
    wire_end(wire, resource);
    size_t scope = wire_begin(wire, OTLP_RESOURCE_SCOPES);
    for (size_t i = 0; i < 3; i++) {
        size_t metric = wire_begin(wire, OTLP_SCOPE_METRICS);
        wire_text(wire, OTLP_METRIC_NAME, "n");
        size_t gauge = wire_begin(wire, OTLP_GAUGE);
        size_t point = wire_begin(wire, OTLP_POINTS);
        wire_double(wire, OTLP_NUMBER_DOUBLE, 1);
        wire_end(wire, point);
        wire_end(wire, gauge);
        wire_end(wire, metric);
    }
    wire_end(wire, scope);
    wire_end(wire, begun);
}

TEST_WITH(resources_of_a_message_do_not_share_their_labels, set_up, NULL)
{
    (void)state;
    static struct wire wire;
    struct bounded bounded = bounded_open(&schema_otlp, "influx", "max_series=2");
    add_resource(&wire, "a");
    add_resource(&wire, "b");
    add_resource(&wire, "c");
    add_resource(&wire, "a");
    assert_true(encoding_decode(bounded.encoding, wire.bytes, wire.size));
    encoding_write(bounded.encoding);
    assert_int_equal(bounded.encoding->written.samples, 9);
    assert_int_equal(bounded.encoding->written.series_refused, 3);
    assert_null(strstr(bounded.encoding->text, "host=c"));
    bounded_close(&bounded);
}

TEST_WITH(random_sets_of_labels_are_told_apart, set_up, NULL)
{
    (void)state;
    char keys[32] = "max_series=100000";
    struct bounded bounded = bounded_open(&schema_telemetry, "influx", keys);
    uint64_t random = 1;
    static bool seen[5][5][5][5];
    size_t different = 0;
    for (size_t i = 0; i < 5000; i++) {
        size_t values[4], order = next_below(&random, 4);
        char text[64] = "";
        for (size_t k = 0; k < 4; k++)
            values[k] = next_below(&random, 5);
        for (size_t k = 0; k < 4; k++) {
            size_t at = (k + order) % 4;
            if (values[at] != 0) /* 0: without this label */
                snprintf(text + strlen(text), sizeof text - strlen(text), "%c=%zu ",
                         (char)('a' + at), values[at]);
        }
        bool *known = &seen[values[0]][values[1]][values[2]][values[3]];
        different += !*known;
        *known = true;
        assert_true(is_written(&bounded, text));
        assert_int_equal(series_table_count(bounded.guard->table), different);
    }
    assert_true(different > 600);
    bounded_close(&bounded);
}

/* --- limits of the work, and the report ------------------------------------------------------- */

TEST_WITH(more_labels_than_a_sample_may_have_make_a_record_too_large, set_up, NULL)
{
    (void)state;
    static char names[1100][8];
    struct bounded bounded = bounded_open(&schema_telemetry, "influx", "max_series=10");
    telemetry_add_double(&builder, "n", 1);
    for (size_t i = 0; i < 1100; i++) {
        snprintf(names[i], sizeof names[i], "k%zu", i);
        telemetry_add_label(&builder, names[i], "v");
    }
    telemetry_end(&builder);
    assert_true(encoding_decode(bounded.encoding, builder.datagram, builder.size));
    assert_true(encoding_overflows(bounded.encoding, sizeof bounded.encoding->text));
    assert_int_equal(series_table_count(bounded.guard->table), 0);
    telemetry_begin(&builder);
    add("a", NULL, NULL);
    assert_int_equal(put(&bounded)->samples, 1); /* the next record is written normally */
    bounded_close(&bounded);
}

TEST_WITH(the_sender_and_the_label_that_make_series_grow_are_reported, set_up, NULL)
{
    (void)state;
    struct bounded bounded = bounded_open(&schema_telemetry, "influx", "max_series=10");
    struct series_report report;
    for (size_t i = 0; i < 40; i++) {
        char text[64];
        snprintf(text, sizeof text, "host=a id=%zu", i);
        assert_int_equal(is_written(&bounded, text), i < 10);
    }
    series_guard_read(bounded.guard, &report);
    assert_int_equal(report.series, 10);
    assert_int_equal(report.growth.sender_count, 1);
    assert_int_equal(report.growth.senders[0].added, 10);
    assert_int_equal(report.growth.senders[0].refused, 30);
    assert_int_equal(report.growth.label_count, 2);
    assert_string_equal(report.growth.labels[0].name, "id");
    assert_int_equal(report.growth.labels[0].values, 40);
    assert_string_equal(report.growth.labels[1].name, "host");
    assert_int_equal(report.growth.labels[1].values, 1);
    bounded_close(&bounded);
}

TEST_WITH(an_otlp_message_of_logs_passes_a_sink_with_a_default_limit, set_up, NULL)
{
    (void)state;
    struct bounded bounded = bounded_open(&schema_otlp_logs, "otlp", "max_series=1");
    static const uint8_t empty[] = {0x0a, 0x00}; /* a resource without logs */
    assert_true(encoding_decode(bounded.encoding, empty, sizeof empty));
    encoding_write(bounded.encoding);
    assert_int_equal(bounded.encoding->lines, 1);
    bounded_close(&bounded);
}
