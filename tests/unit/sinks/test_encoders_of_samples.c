/*
 * Tests properties that all line formats of samples have in common: limits, whole records, and
 * whole lines.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/schemas.h"
#include "sinks/sinks.h"
#include "tests/support/base/random_number.h"
#include "tests/support/capture/capture_reading.h"
#include "tests/support/proto/telemetry_builder.h"
#include "tests/support/sinks/encoding.h"
#include "tests/support/test.h"

#define PLENTY ((size_t)4 * 1024 * 1024)

static struct telemetry_builder builder;

static const struct encoder_options options = {.view = VIEW_AUTO};

static void for_each_format(const struct schema_ops *schema, void (*check)(struct encoding *))
{
    size_t formats = 0;
    for (const struct encoder_ops *const *row = builtin_encoders; *row != NULL; row++) {
        if (!(*row)->needs_samples || (*row)->binary)
            continue;
        struct encoding *encoding = encoding_create(schema, *row, &options);
        check(encoding);
        encoding_free(encoding);
        formats++;
    }
    assert_true(formats != 0);
}

/* --- labels ----------------------------------------------------------------------------------- */

static void decode_labels(struct encoding *encoding, size_t count, size_t different, size_t samples)
{
    static char keys[TELEMETRY_MAX_LABELS][24];
    telemetry_begin(&builder);
    for (size_t i = 0; i < count; i++) {
        snprintf(keys[i], sizeof keys[i], "k%zu", i % different);
        telemetry_add_label(&builder, keys[i], "v");
    }
    for (size_t i = 0; i < samples; i++)
        telemetry_add_double(&builder, "n", 1);
    telemetry_end(&builder);
    assert_true(encoding_decode(encoding, builder.datagram, builder.size));
}

static void check_label_limits(struct encoding *encoding)
{
    decode_labels(encoding, 1024, 1024, 1);
    encoding_write(encoding);
    assert_int_equal(encoding->lines, 1);
    decode_labels(encoding, TELEMETRY_MAX_LABELS, 1024, 1);
    encoding_write(encoding);
    assert_int_equal(encoding->lines, 1);
    decode_labels(encoding, 1025, 1025, 1);
    assert_true(encoding_overflows(encoding, PLENTY));
    decode_labels(encoding, TELEMETRY_MAX_LABELS, 1024, 16);
    assert_true(encoding_overflows(encoding, PLENTY));
    decode_labels(encoding, 3, 3, 2); /* the next record is written normally */
    encoding_write(encoding);
    assert_int_equal(encoding->lines, 2);
}

TEST(labels_that_cost_too_much_make_a_record_too_large)
{
    for_each_format(&schema_telemetry, check_label_limits);
}

/* --- records ---------------------------------------------------------------------------------- */

static void check_no_samples(struct encoding *encoding)
{
    telemetry_begin(&builder);
    telemetry_add_label(&builder, "host", "web1");
    builder.telemetry.sequence = 1;
    telemetry_end(&builder);
    assert_true(encoding_decode(encoding, builder.datagram, builder.size));
    assert_string_equal(encoding_write(encoding), "");
    assert_int_equal(encoding->lines, 0);
    assert_false(encoding_overflows(encoding, 0));
}

TEST(a_message_without_samples_leaves_no_line)
{
    for_each_format(&schema_telemetry, check_no_samples);
}

/*
 * Arranges a file that has only this record, as formats with sorted output do. Asserts that it has
 * the reported numbers of lines and samples.
 */
static void assert_file_is_counted(struct encoding *encoding)
{
    static char file[ARRANGED_SIZE];
    struct output out = {.data = file, .capacity = encoding->arranged};
    struct encoded told =
        encoding->ops->arrange(encoding->encoder, encoding->text, encoding->size, &out);
    bool foreign;
    size_t lines = 0;
    assert_false(out.overflow);
    for (const char *at = file; at != file + out.used;) {
        const char *end = memchr(at, '\n', out.used - (size_t)(at - file));
        assert_non_null(end);
        lines += at[0] != '#';
        at = end + 1;
    }
    assert_int_equal(lines, told.lines);
    assert_int_equal(told.samples + told.left_out, encoding->samples);
    assert_int_equal(encoding->ops->whole((uint8_t *)file, out.used, true, &foreign), out.used);
    assert_false(foreign);
}

/*
 * Asserts that the output has the reported number of lines. Each line ends with a newline and has
 * no other one.
 */
static void assert_lines_are_counted(struct encoding *encoding)
{
    if (encoding->ops->arrange != NULL && encoding->lines != 0) {
        assert_file_is_counted(encoding);
        return;
    }
    size_t ends = 0;
    for (size_t i = 0; i < encoding->size; i++)
        ends += encoding->text[i] == '\n';
    assert_int_equal(ends, encoding->lines);
    assert_true(encoding->size == 0 || encoding->text[encoding->size - 1] == '\n');
    assert_true(encoding->samples <= encoding->lines);
}

static void check_capture(struct encoding *encoding, const char *name)
{
    struct capture_reading reading;
    char path[512];
    snprintf(path, sizeof path, "%s/%s.pcap", TEST_CAPTURES, name);
    capture_reading_take(&reading, path, 0);
    for (size_t i = 0; i < reading.count; i++) {
        const struct capture_read *datagram = &reading.datagrams[i];
        encoding->record.received_ns = datagram->time_ns;
        assert_true(encoding_decode(encoding, datagram->data, datagram->size));
        encoding_assert_whole_or_overflow(encoding);
        assert_lines_are_counted(encoding);
    }
    capture_reading_free(&reading);
}

static void check_otlp(struct encoding *encoding)
{
    check_capture(encoding, "otlp_metrics_v4");
    check_capture(encoding, "otlp_sizes_v4");
}

static void check_riemann(struct encoding *encoding)
{
    check_capture(encoding, "riemann_lib_odd_v4");
    check_capture(encoding, "syslogng_riemann_batch10");
}

TEST(a_record_of_real_traffic_is_whole_or_overflows)
{
    for_each_format(&schema_otlp, check_otlp);
    for_each_format(&schema_riemann, check_riemann);
}

/* Changes bytes of real messages, which gives unusual histograms, numbers and texts. */
static void check_changed(struct encoding *encoding)
{
    struct capture_reading reading;
    uint64_t random = 20240503;
    size_t decoded = 0;
    capture_reading_take(&reading, TEST_CAPTURES "/otlp_metrics_v4.pcap", 0);
    for (size_t i = 0; i < 1000; i++) {
        const struct capture_read *datagram = &reading.datagrams[i % reading.count];
        uint8_t *changed = malloc(datagram->size);
        assert_non_null(changed);
        memcpy(changed, datagram->data, datagram->size);
        for (uint64_t j = 1 + next_random(&random) % 4; j-- != 0;)
            changed[next_random(&random) % datagram->size] = (uint8_t)next_random(&random);
        if (encoding_decode(encoding, changed, datagram->size)) {
            encoding_write(encoding);
            assert_lines_are_counted(encoding);
            decoded++;
        }
        free(changed);
    }
    assert_in_range(decoded, 200, 1000);
    capture_reading_free(&reading);
}

TEST(changed_messages_are_written_as_whole_lines)
{
    for_each_format(&schema_otlp, check_changed);
}
