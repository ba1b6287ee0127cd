/* Tests requests of Prometheus remote write in both versions, each made from several records. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/base/wire.h"
#include "proto/schemas.h"
#include "sinks/encoders/encoders.h"
#include "tests/support/proto/otlp_wire.h"
#include "tests/support/sinks/encoding.h"
#include "tests/support/sinks/sample_encoding.h"
#include "tests/support/sinks/snappy_reading.h"
#include "tests/support/test.h"

#define MS      INT64_C(1000000)
#define ARRIVAL "@1700000000123"
#define SHAPES  2

#define MOST ((size_t)2 * 1024 * 1024)
static char block[4 * MOST];
static size_t block_size;
static char said[SHAPES][8 * MOST];
static size_t said_size;

static void open_block(void)
{
    block_size = 0;
}

static int open_telemetry(void **state)
{
    open_block();
    return open_samples(state, &schema_telemetry, &encoder_remote_write);
}

static int open_otlp(void **state)
{
    open_block();
    return open_samples(state, &schema_otlp, &encoder_remote_write);
}

static int open_riemann(void **state)
{
    open_block();
    return open_samples(state, &schema_riemann, &encoder_remote_write);
}

/* --- reading a request ------------------------------------------------------------------------ */

static struct symbols {
    size_t count;
    struct text list[300000];
} symbols;

static char *to;

static void say_text(const struct text *text)
{
    memcpy(to, text->data, text->size);
    to += text->size;
}

struct field {
    uint32_t number;
    uint64_t value;
    struct text text;
};

static struct field next_field(struct text *message)
{
    struct field field = {0};
    const uint8_t *at = (const uint8_t *)message->data;
    const uint8_t *end = at + message->size;
    uint32_t tag = 0;
    if (message->size == 0)
        return field;
    at = wire_read_tag(at, end, &tag);
    assert_non_null(at);
    field.number = tag >> 3;
    if ((tag & 7) == WIRE_LENGTH) {
        at = wire_read_length(at, end, &field.text.size);
        assert_non_null(at);
        field.text.data = (const char *)at;
        at += field.text.size;
    } else {
        at = (tag & 7) == WIRE_VARINT ? wire_read_varint(at, end, &field.value)
                                      : wire_read_fixed64(at, end, &field.value);
        assert_non_null(at);
    }
    *message = (struct text){(const char *)at, (size_t)(end - at)};
    return field;
}

static void say_label(const struct text *name, const struct text *value)
{
    say_text(name);
    *to++ = '=';
    say_text(value);
    *to++ = ',';
}

static void say_label_1(struct text label)
{
    struct field name = next_field(&label);
    struct field value = next_field(&label);
    assert_int_equal(name.number, 1);
    assert_int_equal(value.number, 2);
    assert_int_equal(label.size, 0);
    say_label(&name.text, &value.text);
}

static const struct text *symbol(uint64_t number)
{
    assert_in_range(number, 0, symbols.count - 1);
    return &symbols.list[number];
}

static void say_labels_2(const struct text *references)
{
    const uint8_t *at = (const uint8_t *)references->data;
    const uint8_t *end = at + references->size;
    while (at != end) {
        uint64_t name;
        uint64_t value;
        at = wire_read_varint(at, end, &name);
        assert_non_null(at);
        at = wire_read_varint(at, end, &value);
        assert_non_null(at);
        say_label(symbol(name), symbol(value));
    }
}

static void say_sample(struct text sample)
{
    struct field value = next_field(&sample);
    struct field time = next_field(&sample);
    double number;
    assert_int_equal(value.number, 1);
    assert_int_equal(time.number, 2);
    assert_int_equal(sample.size, 0);
    memcpy(&number, &value.value, sizeof number);
    to += sprintf(to, " %.17g@%" PRId64, number, (int64_t)time.value);
    if (isnan(number))
        assert_true(value.value == UINT64_C(0x7ff8000000000001));
}

static uint32_t types[16]; /* type of each series of a 2.0 request */
static struct text units[16];
static size_t series_count;

static void note_metadata(struct text metadata)
{
    struct field field;
    while ((field = next_field(&metadata)).number != 0 && series_count < 16) {
        if (field.number == 1)
            types[series_count] = (uint32_t)field.value;
        else
            units[series_count] = *symbol(field.value);
    }
}

static void say_series(struct text series, size_t shape)
{
    struct field field;
    if (series_count < 16) {
        types[series_count] = 0;
        units[series_count] = (struct text){"", 0};
    }
    while ((field = next_field(&series)).number != 0) {
        if (field.number == 1 && shape == 0)
            say_label_1(field.text);
        else if (field.number == 1)
            say_labels_2(&field.text);
        else if (field.number == 2)
            say_sample(field.text);
        else
            note_metadata(field.text);
    }
    series_count++;
    *to++ = '\n';
}

static void read_request(const struct output *out, size_t shape)
{
    static uint8_t data[4 * MOST];
    struct text message = {
        (const char *)data,
        snappy_read((const uint8_t *)out->data, out->used, data, sizeof data),
    };
    struct field field;
    bool in_series = false;
    to = said[shape];
    symbols.count = 0;
    series_count = 0;
    while ((field = next_field(&message)).number != 0) {
        if (shape == 1 && field.number == 4) {
            assert_false(in_series); /* the symbols come before the series */
            symbols.list[symbols.count++] = field.text;
            assert_in_range(symbols.count, 1, 299999);
            continue;
        }
        assert_int_equal(field.number, shape == 0 ? 1 : 5);
        in_series = true;
        say_series(field.text, shape);
    }
    assert_true(shape == 0 || symbols.list[0].size == 0);
    *to = '\0';
    said_size = (size_t)(to - said[shape]);
}

/* --- making a request ------------------------------------------------------------------------- */

static void keep(struct encoding *encoding)
{
    encoding_write(encoding);
    memcpy(block + block_size, encoding->text, encoding->size);
    block_size += encoding->size;
}

static void keep_built(struct encoding *encoding)
{
    telemetry_end(&builder);
    assert_true(encoding_decode(encoding, builder.datagram, builder.size));
    encoding_assert_whole_or_overflow(encoding);
    keep(encoding);
    telemetry_begin(&builder);
}

/* Makes the request in memory of exactly the promised sizes. Returns true if it was made. */
static bool make_request(size_t shape, const char *bytes, size_t size, struct output *out)
{
    const struct encoder_request *request = encoder_remote_write.request;
    void *scratch = malloc(request->scratch(size));
    *out = (struct output){.capacity = request->bound(size)};
    out->data = malloc(out->capacity);
    assert_non_null(scratch);
    assert_non_null(out->data);
    bool made = request->write(shape, bytes, size, scratch, out);
    free(scratch);
    return made;
}

/*
 * Reads the requests that are made of the block in both versions of the format, and asserts that
 * both have the same content. Then begins a new block.
 */
static void read_block(void)
{
    for (size_t shape = 0; shape < SHAPES; shape++) {
        struct output out;
        assert_true(make_request(shape, block, block_size, &out));
        read_request(&out, shape);
        free(out.data);
    }
    assert_memory_equal(said[0], said[1], said_size + 1);
    open_block();
}

static void assert_request(const char *expected)
{
    read_block();
    assert_string_equal(said[0], expected);
}

/* --- the contents of a request ---------------------------------------------------------------- */

TEST_WITH(a_sample_is_a_series_with_its_labels_in_order, open_telemetry, close_encoding)
{
    struct encoding *encoding = *state;
    telemetry_add_label(&builder, "host", "web1");
    telemetry_add_label(&builder, "Zone", "b");
    telemetry_add_double(&builder, "nginx.connections", 42.5)->time_unix_nano = 7 * MS + 999999;
    telemetry_add_label(&builder, "status", "2xx");
    telemetry_add_double(&builder, "other", 1);
    keep_built(encoding);
    assert_request("Zone=b,__name__=other,host=web1, 1" ARRIVAL "\n"
                   "Zone=b,__name__=nginx_connections,host=web1,status=2xx, 42.5@7\n");
}

TEST_WITH(labels_that_prometheus_refuses_are_called_as_it_takes_them, open_telemetry,
          close_encoding)
{
    struct encoding *encoding = *state;
    telemetry_add_double(&builder, "", 1);
    telemetry_add_label(&builder, "", "no name");
    telemetry_add_label(&builder, "empty", "");
    telemetry_add_label(&builder, "a.b", "first");
    telemetry_add_label(&builder, "a-b", "second");
    telemetry_add_label(&builder, "9", "digit");
    telemetry_add_label(&builder, "__name__", "x");
    telemetry_add_label(&builder, "le", "stays");
    telemetry_add_double(&builder, "7:a b\xc3\xa9", 2);
    keep_built(encoding);
    assert_request("_9=digit,__name__=_,a_b=second;first,exported___name__=x,le=stays, 1" ARRIVAL
                   "\n"
                   "__name__=_7:a_b_, 2" ARRIVAL "\n");
}

TEST_WITH(a_histogram_is_a_series_for_each_bucket, open_telemetry, close_encoding)
{
    struct encoding *encoding = *state;
    Sluice__Telemetry__Histogram histogram = SLUICE__TELEMETRY__HISTOGRAM__INIT;
    double bounds[] = {0.1, 5};
    uint64_t counts[] = {3, 2, 1};
    histogram.count = 6;
    histogram.sum = 0.5;
    histogram.n_bounds = 2;
    histogram.bounds = bounds;
    histogram.n_counts = 3;
    histogram.counts = counts;
    Sluice__Telemetry__Sample *sample = telemetry_add_sample(&builder, "h");
    sample->kind = SLUICE__TELEMETRY__KIND__CUMULATIVE_COUNTER;
    sample->unit = telemetry_text("s");
    sample->value_case = SLUICE__TELEMETRY__SAMPLE__VALUE_HISTOGRAM_VALUE;
    sample->histogram_value = &histogram;
    telemetry_add_label(&builder, "le", "mine");
    keep_built(encoding);
    assert_request("__name__=h_sum,exported_le=mine, 0.5" ARRIVAL "\n"
                   "__name__=h_count,exported_le=mine, 6" ARRIVAL "\n"
                   "__name__=h_bucket,exported_le=mine,le=5, 5" ARRIVAL "\n"
                   "__name__=h_bucket,exported_le=mine,le=0.1, 3" ARRIVAL "\n"
                   "__name__=h_bucket,exported_le=mine,le=+Inf, 6" ARRIVAL "\n");
    assert_int_equal(types[0], 3);
    assert_int_equal(units[0].size, 1);
}

TEST_WITH(types_of_2_0_are_those_of_the_kinds, open_telemetry, close_encoding)
{
    struct encoding *encoding = *state;
    telemetry_add_double(&builder, "a", 1);
    telemetry_add_double(&builder, "b", 1)->kind = SLUICE__TELEMETRY__KIND__CUMULATIVE_COUNTER;
    telemetry_add_double(&builder, "c", 1)->kind = SLUICE__TELEMETRY__KIND__DELTA_COUNTER;
    keep_built(encoding);
    read_block();
    static const uint32_t expected[] = {2, 1, 0};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(types[i], expected[i]);
        assert_int_equal(units[i].size, 0);
    }
}

TEST_WITH(a_summary_is_a_series_for_each_quantile, open_otlp, close_encoding)
{
    struct encoding *encoding = *state;
    struct otlp_metric metric = otlp_metric_begin(&wire, OTLP_SUMMARY, "s");
    size_t point = wire_begin(&wire, OTLP_POINTS);
    wire_fixed64(&wire, OTLP_TIME, (uint64_t)(5 * MS));
    wire_fixed64(&wire, OTLP_COUNT, 4);
    wire_double(&wire, OTLP_POINT_SUM, 10);
    size_t quantile = wire_begin(&wire, OTLP_SUMMARY_QUANTILES);
    wire_double(&wire, OTLP_QUANTILE, 0.5);
    wire_double(&wire, OTLP_QUANTILE_VALUE, 2);
    wire_end(&wire, quantile);
    wire_end(&wire, point);
    otlp_metric_end(&wire, &metric);
    assert_true(encoding_decode(encoding, wire.bytes, wire.size));
    keep(encoding);
    assert_request("__name__=s,quantile=0.5, 2@5\n__name__=s_sum, 10@5\n"
                   "__name__=s_count, 4@5\n");
    wire_clear(&wire);
}

TEST_WITH(a_series_of_several_records_is_there_once_in_order, open_telemetry, close_encoding)
{
    struct encoding *encoding = *state;
    static const int64_t times[] = {5, 3, 4, 3, 9, 5};
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        telemetry_add_label(&builder, "host", "b");
        telemetry_add_double(&builder, "a", (double)i)->time_unix_nano = (uint64_t)(times[i] * MS);
        keep_built(encoding);
    }
    assert_request("__name__=a,host=b, 3@3 2@4 5@5 4@9\n");
}

TEST_WITH(numbers_that_are_not_finite_are_written, open_telemetry, close_encoding)
{
    struct encoding *encoding = *state;
    const uint64_t stale = UINT64_C(0x7ff0000000000002);
    double value;
    memcpy(&value, &stale, sizeof value);
    telemetry_add_double(&builder, "a", (double)INFINITY);
    telemetry_add_double(&builder, "b", -(double)INFINITY);
    telemetry_add_double(&builder, "c", value); /* a NaN of Prometheus that would end the series */
    keep_built(encoding);
    assert_request("__name__=a, inf" ARRIVAL "\n__name__=b, -inf" ARRIVAL "\n"
                   "__name__=c, nan" ARRIVAL "\n");
}

TEST_WITH(a_text_that_is_not_utf_8_is_made_so, open_riemann, close_encoding)
{
    struct encoding *encoding = *state;
    size_t event = wire_begin(&wire, 6);
    wire_text(&wire, 3, "a\xff");
    wire_text(&wire, 4, "h\xff\xe2\x82");
    wire_double(&wire, 14, 1);
    wire_end(&wire, event);
    assert_true(encoding_decode(encoding, wire.bytes, wire.size));
    encoding_assert_whole_or_overflow(encoding);
    keep(encoding);
    assert_request("__name__=a_,host=h\xef\xbf\xbd\xef\xbf\xbd, 1" ARRIVAL "\n");
    wire_clear(&wire);
}

/*
 * There are more different texts than the table of symbols can hold. Some of the texts are
 * repeated.
 */
TEST_WITH(many_series_are_the_same_in_both_shapes, open_telemetry, close_encoding)
{
    static char names[10][16];
    static char values[10][24];
    struct encoding *encoding = *state;
    for (unsigned record = 0; record < 1200; record++) {
        for (unsigned i = 0; i < 10; i++) {
            snprintf(values[i], sizeof values[i], "v%u", record * 16 + i);
            snprintf(names[i], sizeof names[i], "k%u", i);
            telemetry_add_label(&builder, names[i], values[i]);
        }
        telemetry_add_double(&builder, "n", record)->time_unix_nano = (uint64_t)MS;
        telemetry_end(&builder);
        assert_true(encoding_decode(encoding, builder.datagram, builder.size));
        keep(encoding);
        telemetry_begin(&builder);
    }
    read_block();
    assert_in_range(symbols.count, 12000, 299999);
}

/* In relation to its size in the block, a small sample takes the most room in a request. */
TEST_WITH(the_smallest_samples_fit_the_memory_that_is_planned, open_telemetry, close_encoding)
{
    struct encoding *encoding = *state;
    for (size_t records = 0; block_size + 100000 < MOST; records++) {
        for (size_t i = 0; i < TELEMETRY_MAX_SAMPLES; i++) {
            telemetry_add_double(&builder, "n", 1)->time_unix_nano =
                (uint64_t)((int64_t)(records * TELEMETRY_MAX_SAMPLES + i) * MS + 1);
            telemetry_add_label(&builder, "a", "b");
        }
        telemetry_end(&builder);
        assert_true(encoding_decode(encoding, builder.datagram, builder.size));
        keep(encoding);
        telemetry_begin(&builder);
    }
    read_block();
    assert_int_equal(series_count, 1);
}

/* --- blocks that are not valid ---------------------------------------------------------------- */

static void keep_some(struct encoding *encoding)
{
    for (unsigned i = 0; i < 3; i++) {
        telemetry_add_label(&builder, "host", "web1");
        telemetry_add_double(&builder, "nginx.connections", i)->unit = telemetry_text("s");
        telemetry_end(&builder);
        assert_true(encoding_decode(encoding, builder.datagram, builder.size));
        keep(encoding);
        telemetry_begin(&builder);
    }
}

/*
 * Makes requests of bytes in a block of their exact size, so that a sanitizer detects a read past
 * it.
 */
static bool is_request(const char *bytes, size_t size)
{
    char *exact = malloc(size + (size == 0));
    struct output out;
    memcpy(exact, bytes, size);
    bool made = make_request(0, exact, size, &out);
    free(out.data);
    bool again = make_request(1, exact, size, &out);
    free(out.data);
    free(exact);
    assert_int_equal(made, again);
    return made;
}

TEST_WITH(a_block_that_is_cut_is_none_but_after_a_sample, open_telemetry, close_encoding)
{
    keep_some(*state);
    for (size_t size = 0; size <= block_size; size++)
        assert_int_equal(is_request(block, size), size % (block_size / 3) == 0);
}

TEST_WITH(changed_bytes_make_a_request_or_none, open_telemetry, close_encoding)
{
    static const unsigned char values[] = {0, 1, 0x7f, 0x80, 0xff};
    keep_some(*state);
    for (size_t at = 0; at < block_size; at++)
        for (size_t i = 0; i < sizeof values; i++) {
            char before = block[at];
            block[at] = (char)values[i];
            is_request(block, block_size);
            block[at] = before;
        }
}

TEST(lines_of_text_are_no_request)
{
    static const char line[] = "{\"name\":\"nginx.connections\",\"value\":42,\"labels\":{}}\n";
    assert_false(is_request(line, sizeof line - 1));
}
