/*
 * Tests that encoders write repeated parts once and copy them. Each sample must be written as in a
 * record of its own.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/schemas.h"
#include "sinks/sinks.h"
#include "tests/support/proto/telemetry_builder.h"
#include "tests/support/sinks/encoding.h"
#include "tests/support/test.h"

#define ROUNDS      TEST_TRIES(1500)
#define MOST_LABELS 5
#define MOST        6 /* samples of a record */

/*
 * There are few keys, so that many labels have the same one. A format may change, refuse or reserve
 * some of these keys, and may change the values.
 */
static const char *const keys[] = {"",     "a",  "a.b", "a_b", "le",
                                   "time", "\"", "\\",  "k,k", "\xc3\xa9"};
static const char *const values[] = {"",
                                     "1",
                                     "web-01",
                                     "a longer value of a label",
                                     "\"quoted\", =",
                                     "\\",
                                     "tab\t",
                                     "\xe2\x82\xac and more"};
static const char *const names[] = {"n", "system.cpu.usage", "9\xc3\xa9 \"odd\", name", ""};
static const int64_t times[] = {0, 0, 1, 999999, 1700000000123456789, 1700000000123456790};

#define ONE_OF(list, seed) ((list)[draw((seed), sizeof(list) / sizeof((list)[0]))])

struct drawn_labels {
    size_t count;
    const char *keys[MOST_LABELS], *values[MOST_LABELS];
};

struct drawn_sample {
    const char *name;
    int64_t time_ns;
    bool histogram;
    struct drawn_labels own;
};

static struct telemetry_builder builder;

static const struct encoder_options options = {.view = VIEW_SAMPLE};

static bool has_lines_of_samples(const struct encoder_ops *encoder)
{
    return !encoder->binary && (encoder->needs_samples || strcmp(encoder->name, "json") == 0);
}

static unsigned draw(unsigned *seed, size_t below)
{
    *seed = *seed * 1103515245 + 12345;
    return (*seed >> 16) % (unsigned)below;
}

static struct drawn_labels draw_labels(unsigned *seed)
{
    struct drawn_labels drawn = {.count = draw(seed, MOST_LABELS + 1)};
    for (size_t i = 0; i < drawn.count; i++) {
        drawn.keys[i] = ONE_OF(keys, seed);
        drawn.values[i] = ONE_OF(values, seed);
    }
    return drawn;
}

static struct drawn_sample draw_sample(unsigned *seed)
{
    return (struct drawn_sample){.name = ONE_OF(names, seed),
                                 .time_ns = ONE_OF(times, seed),
                                 .histogram = draw(seed, 4) == 0,
                                 .own = draw_labels(seed)};
}

static void add_labels(const struct drawn_labels *drawn)
{
    for (size_t i = 0; i < drawn->count; i++)
        telemetry_add_label(&builder, drawn->keys[i], drawn->values[i]);
}

static void add_sample(const struct drawn_sample *drawn)
{
    static Sluice__Telemetry__Histogram histogram = SLUICE__TELEMETRY__HISTOGRAM__INIT;
    static double bound = 0.5;
    static uint64_t counts[] = {1, 2};
    histogram.count = 3;
    histogram.n_bounds = 1;
    histogram.bounds = &bound;
    histogram.n_counts = 2;
    histogram.counts = counts;
    Sluice__Telemetry__Sample *sample = telemetry_add_double(&builder, drawn->name, 0.25);
    sample->time_unix_nano = (uint64_t)drawn->time_ns;
    if (drawn->histogram) {
        sample->value_case = SLUICE__TELEMETRY__SAMPLE__VALUE_HISTOGRAM_VALUE;
        sample->histogram_value = &histogram;
    }
    add_labels(&drawn->own);
}

static void encode(struct encoding *encoding, const struct drawn_labels *shared,
                   const struct drawn_sample *samples, size_t count)
{
    telemetry_begin(&builder);
    add_labels(shared);
    for (size_t i = 0; i < count; i++)
        add_sample(&samples[i]);
    telemetry_end(&builder);
    assert_true(encoding_decode(encoding, builder.datagram, builder.size));
    encoding_write(encoding);
}

/*
 * Encodes each of the samples as a record of its own, with a new encoder. Returns the size of the
 * output.
 */
static size_t encode_alone(struct encoding *encoding, const struct drawn_labels *shared,
                           const struct drawn_sample *samples, size_t count, char *text,
                           size_t room)
{
    size_t size = 0;
    for (size_t i = 0; i < count; i++) {
        encoding->ops->destroy(encoding->encoder);
        encoding->encoder = encoding->ops->create(&options);
        assert_non_null(encoding->encoder);
        encode(encoding, shared, &samples[i], 1);
        assert_in_range(encoding->size, 0, room - size);
        memcpy(text + size, encoding->text, encoding->size);
        size += encoding->size;
    }
    return size;
}

/*
 * Asserts that `lasting`, whose encoder has encoded other records, writes the samples as a new
 * encoder would write each one.
 */
static void check_round(struct encoding *lasting, struct encoding *fresh, unsigned *seed)
{
    static char alone[256 * 1024];
    struct drawn_labels shared = draw_labels(seed);
    struct drawn_sample samples[MOST];
    size_t count = 1 + draw(seed, MOST);
    for (size_t i = 0; i < count; i++)
        samples[i] = draw_sample(seed);
    int64_t received_ns = ENCODING_RECEIVED_NS + draw(seed, 3);
    lasting->record.received_ns = fresh->record.received_ns = received_ns;
    size_t size = encode_alone(fresh, &shared, samples, count, alone, sizeof alone);
    encode(lasting, &shared, samples, count);
    if (lasting->size != size || memcmp(lasting->text, alone, size) != 0)
        fail_msg("%s: %s\ndiffers from the samples encoded one at a time: %.*s", lasting->ops->name,
                 lasting->text, (int)size, alone);
}

TEST(samples_of_a_record_are_written_as_each_would_be_alone)
{
    for (const struct encoder_ops *const *row = builtin_encoders; *row != NULL; row++) {
        if (!has_lines_of_samples(*row))
            continue;
        struct encoding *lasting = encoding_create(&schema_telemetry, *row, &options);
        struct encoding *fresh = encoding_create(&schema_telemetry, *row, &options);
        unsigned seed = 7;
        for (int round = 0; round < ROUNDS; round++)
            check_round(lasting, fresh, &seed);
        encoding_free(lasting);
        encoding_free(fresh);
    }
}

static void assert_alike(struct encoding *encoding)
{
    encoding_write(encoding);
    size_t size = encoding->size / 4;
    assert_int_equal(encoding->lines, 4);
    assert_int_equal(encoding->size, 4 * size);
    for (size_t i = 1; i < 4; i++)
        assert_memory_equal(encoding->text + i * size, encoding->text, size);
}

/* The samples share more or longer labels than an encoder keeps to copy them. */
TEST(labels_that_samples_share_may_be_many_and_long)
{
    static const size_t counts[] = {1, 2, 63, 64, 65, 200};
    static char many[200][8], text[3000];
    memset(text, 'x', sizeof text - 1);
    for (size_t i = 0; i < 200; i++)
        snprintf(many[i], sizeof many[i], "k%zu", i);
    for (const struct encoder_ops *const *row = builtin_encoders; *row != NULL; row++) {
        if (!has_lines_of_samples(*row))
            continue;
        struct encoding *encoding = encoding_create(&schema_telemetry, *row, &options);
        for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
            telemetry_begin(&builder);
            for (size_t label = 0; label < counts[i]; label++)
                telemetry_add_label(&builder, many[label], counts[i] < 3 ? text : "v");
            for (size_t sample = 0; sample < 4; sample++)
                telemetry_add_double(&builder, "n", 1);
            telemetry_end(&builder);
            assert_true(encoding_decode(encoding, builder.datagram, builder.size));
            assert_alike(encoding);
        }
        encoding_free(encoding);
    }
}
