/*
 * The optional fields of a value in a block of remote write: start, help, native histogram and
 * exemplars. A spill file may have been changed, so a block of any bytes must be read safely.
 */
#include <stdlib.h>
#include <string.h>

#include "proto/schemas.h"
#include "sinks/encoders/encoders.h"
#include "sinks/encoders/remote_write_sample.h"
#include "tests/support/proto/otlp_wire.h"
#include "tests/support/sinks/encoding.h"
#include "tests/support/sinks/sample_encoding.h"
#include "tests/support/test.h"

#define SHAPES 2

static int open_native(void **state)
{
    static const struct encoder_options options = {.native = NATIVE_ALL, .exemplars = true};
    *state = encoding_create(&schema_otlp, &encoder_remote_write, &options);
    wire_clear(&wire);
    return 0;
}

static void put_exemplar(double value, const char *key)
{
    size_t exemplar = wire_begin(&wire, OTLP_EXPONENTIAL_EXEMPLARS);
    wire_fixed64(&wire, OTLP_EXEMPLAR_TIME, 1000000);
    wire_double(&wire, OTLP_EXEMPLAR_DOUBLE, value);
    wire_bytes(&wire, OTLP_EXEMPLAR_TRACE, "0123456789abcdef", 16);
    otlp_put_attribute(&wire, OTLP_EXEMPLAR_ATTRIBUTES, key, "x");
    wire_end(&wire, exemplar);
}

static void encode_one(struct encoding *encoding)
{
    struct otlp_metric metric = otlp_metric_begin(&wire, OTLP_EXPONENTIAL_HISTOGRAM, "h");
    size_t point = wire_begin(&wire, OTLP_POINTS);
    wire_fixed64(&wire, OTLP_START, 1000000);
    wire_fixed64(&wire, OTLP_TIME, 5000000);
    wire_fixed64(&wire, OTLP_COUNT, 3);
    wire_double(&wire, OTLP_POINT_SUM, 4);
    size_t buckets = wire_begin(&wire, OTLP_EXPONENTIAL_POSITIVE);
    wire_bytes(&wire, OTLP_BUCKETS_COUNTS, "\x01\x00\x00\x00\x02", 5);
    wire_end(&wire, buckets);
    put_exemplar(1.5, "b.c");
    put_exemplar(2.5, "a");
    wire_end(&wire, point);
    wire_uint(&wire, OTLP_TEMPORALITY, OTLP_CUMULATIVE);
    otlp_metric_end(&wire, &metric);
    assert_true(encoding_decode(encoding, wire.bytes, wire.size));
    encoding_assert_whole_or_overflow(encoding);
    encoding_write(encoding);
}

/*
 * Makes requests of bytes in a block of their exact size, so that a sanitizer detects a read past
 * it.
 */
static bool is_request(const char *bytes, size_t size)
{
    const struct encoder_request *request = encoder_remote_write.request;
    bool made[SHAPES];
    for (size_t shape = 0; shape < SHAPES; shape++) {
        char *exact = malloc(size + (size == 0));
        void *scratch = malloc(request->scratch(size));
        struct output out = {.data = malloc(request->bound(size)),
                             .capacity = request->bound(size)};
        assert_true(exact != NULL && scratch != NULL && out.data != NULL);
        memcpy(exact, bytes, size);
        made[shape] = request->write(shape, exact, size, scratch, &out);
        free(exact);
        free(scratch);
        free(out.data);
    }
    assert_int_equal(made[0], made[1]);
    return made[0];
}

TEST_WITH(a_value_has_its_fields, open_native, close_encoding)
{
    struct encoding *encoding = *state;
    struct remote_write_exemplar exemplar;
    size_t exemplars = 0;
    encode_one(encoding);
    assert_true(remote_write_sample_is_whole(encoding->text, encoding->size));
    const struct remote_write_sample head = remote_write_sample_load(encoding->text);
    const struct remote_write_fields fields = remote_write_sample_fields(encoding->text);
    assert_int_equal(head.flags, REMOTE_WRITE_FIRST | REMOTE_WRITE_NATIVE);
    assert_int_equal(head.size, encoding->size);
    assert_int_equal(fields.start_ms, 1);
    assert_non_null(fields.histogram);
    assert_null(fields.help);
    const char *at = fields.exemplars;
    while (remote_write_next_exemplar(&at, fields.end, &exemplar))
        exemplars++;
    assert_int_equal(exemplars, 2);
}

TEST_WITH(a_native_one_that_is_cut_is_none, open_native, close_encoding)
{
    struct encoding *encoding = *state;
    encode_one(encoding);
    for (size_t size = 1; size <= encoding->size; size++)
        assert_int_equal(is_request(encoding->text, size), size == encoding->size);
}

TEST_WITH(changed_bytes_of_a_native_one_make_a_request_or_none, open_native, close_encoding)
{
    static const unsigned char values[] = {0, 1, 2, 0x12, 0x2a, 0x32, 0x3a, 0x7f, 0x80, 0xff};
    struct encoding *encoding = *state;
    encode_one(encoding);
    for (size_t at = 0; at < encoding->size; at++)
        for (size_t i = 0; i < sizeof values; i++) {
            char before = encoding->text[at];
            encoding->text[at] = (char)values[i];
            is_request(encoding->text, encoding->size);
            encoding->text[at] = before;
        }
}

TEST_WITH(the_flag_agrees_with_the_field, open_native, close_encoding)
{
    struct encoding *encoding = *state;
    encode_one(encoding);
    struct remote_write_sample head = remote_write_sample_load(encoding->text);
    head.flags = REMOTE_WRITE_FIRST;
    memcpy(encoding->text, &head, sizeof head);
    assert_false(is_request(encoding->text, encoding->size));
}

/* In relation to its size in the block, a small exemplar takes the most room in a request. */
TEST_WITH(many_small_exemplars_fit_the_memory_that_is_planned, open_native, close_encoding)
{
    struct encoding *encoding = *state;
    struct otlp_metric metric = otlp_metric_begin(&wire, OTLP_GAUGE, "g");
    size_t point = wire_begin(&wire, OTLP_POINTS);
    wire_fixed64(&wire, OTLP_TIME, 5000000);
    wire_double(&wire, OTLP_NUMBER_DOUBLE, 1);
    for (int i = 0; i < 256; i++) {
        size_t exemplar = wire_begin(&wire, OTLP_NUMBER_EXEMPLARS);
        wire_double(&wire, OTLP_EXEMPLAR_DOUBLE, i);
        char key[2] = {(char)('a' + i % 26), '\0'};
        otlp_put_attribute(&wire, OTLP_EXEMPLAR_ATTRIBUTES, key, key);
        wire_end(&wire, exemplar);
    }
    wire_end(&wire, point);
    otlp_metric_end(&wire, &metric);
    assert_true(encoding_decode(encoding, wire.bytes, wire.size));
    encoding_write(encoding);
    assert_true(is_request(encoding->text, encoding->size));
}
