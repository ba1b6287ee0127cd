/*
 * Tests format=otlp: the schema otlp decodes each written request again, and the JSON of its
 * samples must equal that of the original samples.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/base/wire.h"
#include "proto/generated/telemetry.pb-c.h"
#include "proto/schemas.h"
#include "sinks/encoders/encoders.h"
#include "tests/support/base/random_number.h"
#include "tests/support/capture/capture_reading.h"
#include "tests/support/proto/otlp_wire.h"
#include "tests/support/proto/telemetry_builder.h"
#include "tests/support/sinks/encoding.h"
#include "tests/support/sinks/ruled_encoding.h"
#include "tests/support/test.h"

typedef Sluice__Telemetry__Sample Sample;
typedef Sluice__Telemetry__Histogram Histogram;

#define PLENTY   ((size_t)4 * 1024 * 1024)
#define FFFD     "\xef\xbf\xbd"
#define NO_RULES "format=otlp"

/* This rule matches no sample. But with any rule, the messages are converted instead of copied. */
#define A_RULE "format=otlp&exclude=an unknown name"

static struct telemetry_builder builder;

/* Writes a record as JSON. Also encodes it as OTLP, decodes that, and writes the result as JSON. */
struct way {
    struct encoding *sent;
    struct ruled written;
    struct encoding *back;
    /* If a key is repeated, the encoder needs room for a label that it does not write. */
    bool has_repeated_keys;
};

static struct way open_way(const struct schema_ops *schema, const char *keys)
{
    static const struct encoder_options options = {.view = VIEW_SAMPLE};
    return (struct way){.sent = encoding_create(schema, &encoder_json, &options),
                        .written = ruled_open(schema, keys),
                        .back = encoding_create(&schema_otlp, &encoder_json, &options)};
}

static void close_way(struct way *way)
{
    encoding_free(way->sent);
    ruled_close(&way->written);
    encoding_free(way->back);
}

/* --- reading the output ----------------------------------------------------------------------- */

/* Returns the message. The output must have only this one, after its length. */
static struct text message_of(const struct encoding *written)
{
    const uint8_t *start = (const uint8_t *)written->text;
    size_t size = 0;
    const uint8_t *at = wire_read_length(start, start + written->size, &size);
    assert_non_null(at);
    assert_int_equal((size_t)(at - start) + size, written->size);
    return (struct text){(const char *)at, size};
}

static void assert_as_protobuf_writes_it(struct encoding *back, const struct text *message)
{
    static char memory[PLENTY];
    struct output out = {.data = memory, .capacity = sizeof memory};
    back->schema->ops->write_protobuf(back->schema, back->record.message, &out);
    assert_false(out.overflow);
    assert_int_equal(out.used, message->size);
    assert_memory_equal(memory, message->data, message->size);
}

static const char *there_and_back(struct way *way, const void *datagram, size_t size)
{
    struct encoding *written = way->written.encoding;
    assert_true(encoding_decode(written, datagram, size));
    if (way->has_repeated_keys)
        encoding_write(written);
    else
        encoding_assert_whole_or_overflow(written);
    assert_int_equal(written->lines, 1);
    struct text message = message_of(written);
    assert_true(encoding_decode(way->back, message.data, message.size));
    assert_as_protobuf_writes_it(way->back, &message);
    encoding_write_json(way->back);
    assert_int_equal(way->back->samples, written->samples);
    return way->back->text;
}

static void assert_comes_back(struct way *way, const void *datagram, size_t size)
{
    assert_true(encoding_decode(way->sent, datagram, size));
    encoding_write_json(way->sent);
    if (way->sent->samples != 0)
        assert_string_equal(there_and_back(way, datagram, size), way->sent->text);
}

static void assert_builder_comes_back(struct way *way)
{
    telemetry_end(&builder);
    assert_comes_back(way, builder.datagram, builder.size);
    telemetry_begin(&builder);
}

static int open_telemetry(void **state)
{
    static struct way way;
    way = open_way(&schema_telemetry, NO_RULES);
    *state = &way;
    telemetry_begin(&builder);
    return 0;
}

static int close_telemetry(void **state)
{
    close_way(*state);
    return 0;
}

/* --- numbers ---------------------------------------------------------------------------------- */

TEST_WITH(numbers_of_every_kind_come_back, open_telemetry, close_telemetry)
{
    Sample *sample = telemetry_add_double(&builder, "a gauge", 0.1);
    sample->unit = telemetry_text("By/s");
    sample->time_unix_nano = 1700000000000000001;
    for (int kind = 0; kind < 3; kind++) {
        sample = telemetry_add_sample(&builder, "n");
        sample->value_case = SLUICE__TELEMETRY__SAMPLE__VALUE_INT_VALUE;
        sample->int_value = kind == 0 ? INT64_MIN : kind - 1;
        sample->kind = (Sluice__Telemetry__Kind)kind;
        sample->start_time_unix_nano = (uint64_t)kind;
    }
    assert_builder_comes_back(*state);
}

TEST_WITH(numbers_that_are_not_finite_come_back, open_telemetry, close_telemetry)
{
    static const double numbers[] = {(double)NAN, (double)INFINITY, -(double)INFINITY,     -0.0,
                                     0.0,         5e-324,           1.7976931348623157e308};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        telemetry_add_double(&builder, "n", numbers[i]);
    assert_builder_comes_back(*state);
}

static void add_unsigned(uint64_t value)
{
    Sample *sample = telemetry_add_sample(&builder, "n");
    sample->value_case = SLUICE__TELEMETRY__SAMPLE__VALUE_UINT_VALUE;
    sample->uint_value = value;
}

TEST_WITH(an_integer_that_no_signed_one_holds_is_a_double, open_telemetry, close_telemetry)
{
    add_unsigned(INT64_MAX);
    assert_builder_comes_back(*state);
    add_unsigned(UINT64_MAX);
    telemetry_end(&builder);
    const char *json = there_and_back(*state, builder.datagram, builder.size);
    assert_non_null(strstr(json, "\"value\":18446744073709552000,"));
}

/* The value is the same, but JSON shows all digits of the double. */
TEST(a_float_becomes_the_same_double)
{
    static const uint8_t event[] = {0x32, 8, 0x1a, 1, 'n', 0x7d, 0xcd, 0xcc, 0xcc, 0x3d};
    struct way way = open_way(&schema_riemann, NO_RULES);
    const char *json = there_and_back(&way, event, sizeof event);
    assert_non_null(strstr(json, "\"value\":0.10000000149011612,"));
    close_way(&way);
}

/* In OTLP, times begin in 1970, and 0 means that there is no time. */
TEST(a_time_before_1970_is_left_out)
{
    static const uint8_t event[] = {0x32, 23,   0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                                    0xff, 0xff, 0xff, 0x01, 0x1a, 1,    'n',  0x71, 0,
                                    0,    0,    0,    0,    0,    0xf0, 0x3f};
    struct way way = open_way(&schema_riemann, NO_RULES);
    way.back->record.received_ns = 7;
    const char *json = there_and_back(&way, event, sizeof event);
    assert_non_null(strstr(json, "{\"time\":\"1970-01-01T00:00:00.000000007Z\",\"name\":\"n\""));
    close_way(&way);
}

/* --- histograms ------------------------------------------------------------------------------- */

static void add_histogram(Histogram *histogram)
{
    Sample *sample = telemetry_add_sample(&builder, "h");
    sample->value_case = SLUICE__TELEMETRY__SAMPLE__VALUE_HISTOGRAM_VALUE;
    sample->histogram_value = histogram;
    sample->kind = SLUICE__TELEMETRY__KIND__DELTA_COUNTER;
    telemetry_add_label(&builder, "k", "v");
}

TEST_WITH(a_histogram_comes_back_also_where_its_parts_do_not_go_together, open_telemetry,
          close_telemetry)
{
    static double bounds[] = {(double)NAN, -(double)INFINITY, 0.5, 0.25};
    static uint64_t counts[200] = {0, UINT64_MAX, 1};
    for (size_t n_bounds = 0; n_bounds <= 4; n_bounds += 2) {
        for (size_t n_counts = 0; n_counts <= 200; n_counts += 40) {
            Histogram histogram = SLUICE__TELEMETRY__HISTOGRAM__INIT;
            histogram.count = n_counts;
            histogram.n_bounds = n_bounds;
            histogram.bounds = bounds;
            histogram.n_counts = n_counts;
            histogram.counts = counts;
            add_histogram(&histogram);
            assert_builder_comes_back(*state);
        }
    }
}

TEST(an_exponential_histogram_comes_back_with_its_negative_buckets)
{
    static struct wire wire;
    struct way way = open_way(&schema_otlp, A_RULE);
    wire_clear(&wire);
    struct otlp_metric metric = otlp_metric_begin(&wire, OTLP_EXPONENTIAL_HISTOGRAM, "h");
    size_t point = wire_begin(&wire, OTLP_POINTS);
    wire_fixed64(&wire, OTLP_TIME, 1);
    wire_fixed64(&wire, OTLP_COUNT, 7);
    size_t buckets = wire_begin(&wire, OTLP_EXPONENTIAL_POSITIVE);
    wire_sint(&wire, OTLP_BUCKETS_OFFSET, 1);
    wire_bytes(&wire, OTLP_BUCKETS_COUNTS, "\x01\x02", 2);
    wire_end(&wire, buckets);
    buckets = wire_begin(&wire, OTLP_EXPONENTIAL_NEGATIVE);
    wire_sint(&wire, OTLP_BUCKETS_OFFSET, -3);
    wire_bytes(&wire, OTLP_BUCKETS_COUNTS, "\x04", 1);
    wire_end(&wire, buckets);
    wire_end(&wire, point);
    wire_uint(&wire, OTLP_TEMPORALITY, OTLP_DELTA);
    otlp_metric_end(&wire, &metric);
    assert_comes_back(&way, wire.bytes, wire.size);
    assert_non_null(strstr(way.back->text, "\"negative\":{\"offset\":-3,\"counts\":[4]}"));
    close_way(&way);
}

/*
 * Asserts that each request of a capture comes back equal. These captures have exponential
 * histograms, summaries, exemplars, scopes, and attributes of each type.
 */
static void assert_capture_comes_back(const char *name, size_t least)
{
    struct capture_reading reading;
    char path[512];
    size_t samples = 0;
    struct way way = open_way(&schema_otlp, A_RULE);
    snprintf(path, sizeof path, "%s/%s.pcap", TEST_CAPTURES, name);
    capture_reading_take(&reading, path, 0);
    for (size_t i = 0; i < reading.count; i++) {
        assert_comes_back(&way, reading.datagrams[i].data, reading.datagrams[i].size);
        samples += way.sent->samples;
    }
    assert_in_range(samples, least, SIZE_MAX);
    capture_reading_free(&reading);
    close_way(&way);
}

TEST(samples_of_otlp_come_back_where_a_rule_has_them_written_anew)
{
    assert_capture_comes_back("otlp_metrics_v4", 100);
    assert_capture_comes_back("otlp_sizes_v4", 100);
}

/*
 * Changes bytes of real requests. If a changed request can be decoded, it must be equal after it
 * was encoded.
 */
TEST(changed_requests_are_written_whole)
{
    struct capture_reading reading;
    struct way way = open_way(&schema_otlp, A_RULE);
    struct encoding *written = way.written.encoding;
    uint64_t random = 20261125;
    size_t decoded = 0;
    capture_reading_take(&reading, TEST_CAPTURES "/otlp_metrics_v4.pcap", 0);
    for (size_t i = 0; i < 1000; i++) {
        const struct capture_read *datagram = &reading.datagrams[i % reading.count];
        uint8_t *changed = malloc(datagram->size);
        assert_non_null(changed);
        memcpy(changed, datagram->data, datagram->size);
        for (uint64_t j = 1 + next_random(&random) % 4; j-- != 0;)
            changed[next_random(&random) % datagram->size] = (uint8_t)next_random(&random);
        if (encoding_decode(written, changed, datagram->size)) {
            encoding_write(written);
            struct text message = message_of(written);
            assert_true(encoding_decode(way.back, message.data, message.size));
            encoding_write_json(way.back);
            assert_int_equal(way.back->samples, written->samples);
            decoded++;
        }
        free(changed);
    }
    assert_in_range(decoded, 200, 1000);
    capture_reading_free(&reading);
    close_way(&way);
}

/* --- texts ------------------------------------------------------------------------------------ */

/*
 * A string of Riemann may have any bytes. JSON and OTLP replace the same invalid bytes, so both
 * JSON texts are equal.
 */
TEST(what_is_not_utf8_becomes_the_replacement_character)
{
    static const uint8_t event[] = {0x32, 40,  0x1a, 4,    0xe2, 0x82, 'n',  0xff, 0x4a, 12,   0x0a,
                                    2,    'k', 0xc0, 0x12, 6,    'v',  0xed, 0xa0, 0x80, 'w',  0,
                                    0x4a, 7,   0x0a, 2,    'k',  0xc1, 0x12, 1,    'x',  0x71, 0,
                                    0,    0,   0,    0,    0,    0xf0, 0x3f, 0x28, 0};
    struct way way = open_way(&schema_riemann, NO_RULES);
    way.has_repeated_keys = true;
    assert_comes_back(&way, event, sizeof event);
    assert_non_null(strstr(way.back->text, "\"name\":\"" FFFD "n" FFFD "\""));
    assert_non_null(strstr(way.back->text, "{\"k" FFFD "\":\"v" FFFD FFFD FFFD "w\\u0000\"}"));
    close_way(&way);
}

TEST_WITH(a_metric_without_a_name_is_called_underscore, open_telemetry, close_telemetry)
{
    telemetry_add_double(&builder, "", 1);
    telemetry_add_label(&builder, "", "has no key");
    telemetry_add_label(&builder, "empty", "");
    telemetry_end(&builder);
    const char *json = there_and_back(*state, builder.datagram, builder.size);
    assert_non_null(strstr(json, "\"name\":\"_\""));
    assert_non_null(strstr(json, "\"labels\":{\"empty\":\"\"}"));
}

/* --- labels ----------------------------------------------------------------------------------- */

static void add_random_labels(uint64_t *random)
{
    static const char *const keys[] = {"a", "a.b", "host", "\xc3\xa9", "k"};
    static const char *const values[] = {"", "1", "web-01", "a value that is rather long"};
    static char longer[200];
    memset(longer, 'x', sizeof longer - 1);
    for (uint64_t i = next_below(random, 6); i-- != 0;)
        telemetry_add_label(&builder, keys[next_below(random, 5)],
                            next_below(random, 8) == 0 ? longer : values[next_below(random, 4)]);
}

/* A shared label is written for each point. If a key occurs twice, its first label counts. */
TEST_WITH(labels_come_back_however_they_are_shared_and_repeated, open_telemetry, close_telemetry)
{
    static double bound = 0.5;
    static uint64_t counts[] = {1, 2};
    Histogram histogram = SLUICE__TELEMETRY__HISTOGRAM__INIT;
    histogram.n_bounds = 1;
    histogram.bounds = &bound;
    histogram.n_counts = 2;
    histogram.counts = counts;
    uint64_t random = 7;
    ((struct way *)*state)->has_repeated_keys = true;
    for (int round = 0; round < 400; round++) {
        add_random_labels(&random);
        for (uint64_t i = 1 + next_below(&random, 6); i-- != 0;) {
            if (next_below(&random, 4) == 0)
                add_histogram(&histogram);
            else
                telemetry_add_double(&builder, "n", (double)i);
            add_random_labels(&random);
        }
        assert_builder_comes_back(*state);
    }
}

/*
 * Decodes a message of `samples` samples with `count` labels each. Each label has its own key, and
 * a value of `bytes` bytes.
 */
static void decode_labels(struct encoding *encoding, size_t count, size_t bytes, size_t samples)
{
    static char keys[2048][24], value[256];
    memset(value, 'x', sizeof value);
    value[bytes] = '\0';
    telemetry_begin(&builder);
    for (size_t i = 0; i < count; i++) {
        snprintf(keys[i], sizeof keys[i], "k%zu", i);
        telemetry_add_label(&builder, keys[i], value);
    }
    for (size_t i = 0; i < samples; i++)
        telemetry_add_double(&builder, "n", 1);
    telemetry_end(&builder);
    assert_true(encoding_decode(encoding, builder.datagram, builder.size));
}

TEST_WITH(labels_that_are_too_many_make_a_record_too_large, open_telemetry, close_telemetry)
{
    struct way *way = *state;
    struct encoding *written = way->written.encoding;
    decode_labels(written, 1024, 1, 1);
    assert_comes_back(way, builder.datagram, builder.size);
    decode_labels(written, 1025, 1, 1);
    assert_true(encoding_overflows(written, PLENTY));
    decode_labels(written, 3, 1, 2); /* the next record is written normally */
    assert_comes_back(way, builder.datagram, builder.size);
}

/*
 * The request has 16 samples with 1,000 labels each. A request longer than 2 MiB would not be
 * recognised in a file.
 */
TEST_WITH(a_message_longer_than_2_mib_is_too_large, open_telemetry, close_telemetry)
{
    struct encoding *written = ((struct way *)*state)->written.encoding;
    decode_labels(written, 1000, 90, 16);
    encoding_write(written);
    assert_in_range(written->size, 1024 * 1024, 2 * 1024 * 1024);
    decode_labels(written, 1000, 150, 16);
    assert_true(encoding_overflows(written, PLENTY));
}

/* --- messages --------------------------------------------------------------------------------- */

TEST_WITH(a_record_without_samples_leaves_nothing, open_telemetry, close_telemetry)
{
    struct encoding *written = ((struct way *)*state)->written.encoding;
    telemetry_add_label(&builder, "host", "web1");
    telemetry_end(&builder);
    assert_true(encoding_decode(written, builder.datagram, builder.size));
    encoding_write(written);
    assert_int_equal(written->size, 0);
    assert_int_equal(written->lines, 0);
    assert_false(encoding_overflows(written, 0));
}

/* The message is copied with its unknown field, and with lengths that are longer than necessary. */
TEST(messages_of_otlp_are_passed_on_as_they_are)
{
    static const struct schema_ops *const schemas[] = {&schema_otlp, &schema_otlp_logs,
                                                       &schema_otlp_traces};
    static const uint8_t message[] = {0x0a, 0x80, 0x00, 0x98, 0x06, 0x81, 0x00};
    for (size_t i = 0; i < sizeof schemas / sizeof schemas[0]; i++) {
        struct ruled ruled = ruled_open(schemas[i], NO_RULES);
        assert_true(encoding_decode(ruled.encoding, message, sizeof message));
        encoding_assert_whole_or_overflow(ruled.encoding);
        assert_int_equal(ruled.encoding->lines, 1);
        struct text passed = message_of(ruled.encoding);
        assert_int_equal(passed.size, sizeof message);
        assert_memory_equal(passed.data, message, sizeof message);
        ruled_close(&ruled);
    }
}

/* Several requests without the lengths before them are one request, which has all their samples. */
TEST_WITH(requests_one_after_the_other_are_one_request, open_telemetry, close_telemetry)
{
    static char all[4096];
    struct way *way = *state;
    size_t size = 0;
    for (int i = 0; i < 3; i++) {
        decode_labels(way->written.encoding, 2, 10, 2);
        encoding_write(way->written.encoding);
        struct text message = message_of(way->written.encoding);
        memcpy(all + size, message.data, message.size);
        size += message.size;
    }
    assert_true(encoding_decode(way->back, all, size));
    encoding_write_json(way->back);
    assert_int_equal(way->back->samples, 6);
}
