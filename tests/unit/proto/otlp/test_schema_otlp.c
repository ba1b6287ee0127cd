#include <string.h>

#include "proto/schemas.h"
#include "tests/support/proto/decoding.h"
#include "tests/support/proto/otlp_samples.h"
#include "tests/support/proto/otlp_wire.h"
#include "tests/support/test.h"

/* --- reading samples -------------------------------------------------------------------------- */

static bool next(const struct decoding *decoding, struct schema_cursor *cursor,
                 struct sample *sample)
{
    return schema_otlp.next_sample(decoding->schema, decoding->message, cursor, sample);
}

static void assert_names(const struct decoding *decoding, const char *expected)
{
    struct schema_cursor cursor = {0};
    struct sample sample;
    char names[256];
    struct output out = {.data = names, .capacity = sizeof names};
    while (next(decoding, &cursor, &sample)) {
        output_bytes(&out, sample.name.data, sample.name.size);
        output_char(&out, ' ');
    }
    assert_false(next(decoding, &cursor, &sample)); /* further calls return false, too */
    output_char(&out, '\0');
    assert_false(out.overflow);
    assert_string_equal(names, expected);
}

static void assert_no_samples(struct decoding *decoding)
{
    assert_decodes_to(decoding, &wire, DECODE_OK);
    assert_names(decoding, "");
}

/* --- writing requests ------------------------------------------------------------------------- */

static void put_double(void)
{
    wire_double(&wire, OTLP_NUMBER_DOUBLE, 0.75);
}

static void put_int(void)
{
    wire_fixed64(&wire, OTLP_NUMBER_INT, (uint64_t)INT64_MIN);
}

static void put_times(void)
{
    wire_fixed64(&wire, OTLP_START, START);
    wire_fixed64(&wire, OTLP_TIME, TIME);
    put_double();
}

/* --- numbers ---------------------------------------------------------------------------------- */

TEST_WITH(a_gauge_s_point_is_a_sample, open_otlp, close_decoding)
{
    struct otlp_metric metric = otlp_metric_begin(&wire, OTLP_GAUGE, "cpu");
    size_t point = wire_begin(&wire, OTLP_POINTS);
    put_times();
    wire_end(&wire, point);
    wire_end(&wire, metric.begun[3]);
    wire_text(&wire, OTLP_METRIC_UNIT, "1");
    for (size_t i = 3; i-- != 0;)
        wire_end(&wire, metric.begun[i]);

    struct sample sample = only_sample(*state);
    assert_text(sample.name, "cpu");
    assert_text(sample.unit, "1");
    assert_int_equal(sample.kind, SAMPLE_GAUGE);
    assert_int_equal(sample.temporality, SAMPLE_NO_TEMPORALITY);
    assert_int_equal(sample.type, SAMPLE_DOUBLE);
    assert_true(sample.value.number == 0.75);
    assert_true(sample.time_ns == (int64_t)TIME);
    assert_true(sample.start_time_ns == (int64_t)START);
}

TEST_WITH(an_integer_stays_one, open_otlp, close_decoding)
{
    put_metric(OTLP_GAUGE, "", put_int);
    struct sample sample = only_sample(*state);
    assert_int_equal(sample.type, SAMPLE_INT64);
    assert_true(sample.value.int64 == INT64_MIN);
    assert_int_equal(sample.name.size, 0);
    assert_int_equal(sample.unit.size, 0);
}

TEST_WITH(a_sum_says_whether_it_falls_and_what_it_covers, open_otlp, close_decoding)
{
    static const struct {
        uint64_t temporality;
        enum sample_temporality expected;
    } cases[] = {
        {0, SAMPLE_NO_TEMPORALITY},
        {OTLP_DELTA, SAMPLE_DELTA},
        /* The last two temporalities are numbers that OTLP does not define. */
        {OTLP_CUMULATIVE, SAMPLE_CUMULATIVE},
        {3, SAMPLE_NO_TEMPORALITY},
        {UINT64_MAX, SAMPLE_NO_TEMPORALITY},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (int monotonic = 0; monotonic <= 1; monotonic++) {
            wire_clear(&wire);
            struct otlp_metric metric = otlp_metric_begin(&wire, OTLP_SUM, "sum");
            size_t point = wire_begin(&wire, OTLP_POINTS);
            put_double();
            wire_end(&wire, point);
            wire_uint(&wire, OTLP_TEMPORALITY, cases[i].temporality);
            wire_uint(&wire, OTLP_MONOTONIC, (uint64_t)monotonic);
            otlp_metric_end(&wire, &metric);
            struct sample sample = only_sample(*state);
            assert_int_equal(sample.kind, monotonic ? SAMPLE_COUNTER : SAMPLE_UPDOWN_COUNTER);
            assert_int_equal(sample.temporality, cases[i].expected);
            assert_true(sample.type == SAMPLE_DOUBLE && sample.value.number == 0.75);
        }
    }
}

/* --- points without a sample ------------------------------------------------------------------ */

TEST_WITH(a_number_that_was_not_sent_is_no_sample, open_otlp, close_decoding)
{
    put_metric(OTLP_GAUGE, "nothing", put_nothing);
    put_metric(OTLP_GAUGE, "one", put_double);
    put_metric(OTLP_SUM, "nothing", put_nothing);
    put_metric(OTLP_SUM, "two", put_int);
    put_metric(OTLP_SUM, "nothing", put_nothing);
    assert_decodes_to(*state, &wire, DECODE_OK);
    assert_names(*state, "one two ");
}

/* For each type of point, the numbers of its fields for flags and for exemplars. */
static const struct {
    uint32_t data;
    uint32_t flags;
    uint32_t exemplars; /* 0: points of this type have no exemplars */
} types[] = {
    {OTLP_GAUGE, OTLP_NUMBER_FLAGS, OTLP_NUMBER_EXEMPLARS},
    {OTLP_SUM, OTLP_NUMBER_FLAGS, OTLP_NUMBER_EXEMPLARS},
    {OTLP_HISTOGRAM, OTLP_HISTOGRAM_FLAGS, OTLP_HISTOGRAM_EXEMPLARS},
    {OTLP_EXPONENTIAL_HISTOGRAM, OTLP_EXPONENTIAL_FLAGS, OTLP_EXPONENTIAL_EXEMPLARS},
    {OTLP_SUMMARY, OTLP_SUMMARY_FLAGS, 0},
};
#define TYPES (sizeof types / sizeof types[0])

static void put_flagged(size_t type, uint32_t flags)
{
    wire_clear(&wire);
    struct otlp_metric metric = otlp_metric_begin(&wire, types[type].data, "flagged");
    size_t point = wire_begin(&wire, OTLP_POINTS);
    wire_fixed64(&wire, OTLP_TIME, TIME);
    if (type < 2)
        put_double();
    wire_uint(&wire, types[type].flags, flags);
    wire_end(&wire, point);
    otlp_metric_end(&wire, &metric);
}

TEST_WITH(a_point_whose_flag_says_no_value_is_no_sample, open_otlp, close_decoding)
{
    for (size_t i = 0; i < TYPES; i++) {
        static const uint32_t without[] = {1, 3, UINT32_MAX};
        static const uint32_t with[] = {0, 2, UINT32_MAX - 1};
        for (size_t j = 0; j < 3; j++) {
            put_flagged(i, without[j]);
            assert_no_samples(*state);
            put_flagged(i, with[j]);
            assert_true(only_sample(*state).time_ns == (int64_t)TIME);
        }
    }
}

TEST_WITH(what_holds_no_points_gives_no_samples, open_otlp, close_decoding)
{
    struct decoding *decoding = *state;
    assert_false(schema_otlp.accepts_empty);
    for (size_t i = 0; i < TYPES; i++) {
        struct otlp_metric metric = otlp_metric_begin(&wire, types[i].data, "no points");
        otlp_metric_end(&wire, &metric);
    }
    wire_bytes(&wire, OTLP_REQUEST_RESOURCES, "", 0);
    wire_bytes(&wire, OTLP_REQUEST_RESOURCES, "\x12\x00", 2);         /* an empty scope */
    wire_bytes(&wire, OTLP_REQUEST_RESOURCES, "\x12\x02\x12\x00", 4); /* a metric without a type */
    assert_no_samples(decoding);
    put_metric(OTLP_SUM, "last", put_int);
    assert_decodes_to(decoding, &wire, DECODE_OK);
    assert_names(decoding, "last ");
}

/* --- the positions of fields ------------------------------------------------------------------ */

static void put_named_point(const char *name)
{
    size_t metric = wire_begin(&wire, OTLP_SCOPE_METRICS);
    wire_text(&wire, OTLP_METRIC_NAME, name);
    size_t gauge = wire_begin(&wire, OTLP_GAUGE);
    for (int i = 0; i < 2; i++) {
        size_t point = wire_begin(&wire, OTLP_POINTS);
        put_double();
        wire_end(&wire, point);
    }
    wire_end(&wire, gauge);
    wire_end(&wire, metric);
}

TEST_WITH(samples_come_in_the_order_of_the_request, open_otlp, close_decoding)
{
    static const char *const names[2][2][2] = {{{"a", "b"}, {"c", "d"}}, {{"e", "f"}, {"g", "h"}}};
    for (size_t i = 0; i < 2; i++) {
        size_t resource = wire_begin(&wire, OTLP_REQUEST_RESOURCES);
        for (size_t j = 0; j < 2; j++) {
            size_t scope = wire_begin(&wire, OTLP_RESOURCE_SCOPES);
            for (size_t k = 0; k < 2; k++)
                put_named_point(names[i][j][k]);
            wire_end(&wire, scope);
        }
        wire_end(&wire, resource);
    }
    assert_decodes_to(*state, &wire, DECODE_OK);
    assert_names(*state, "a a b b c c d d e e f f g g h h ");
}

/* --- times ------------------------------------------------------------------------------------ */

TEST_WITH(a_time_that_is_none_is_left_out, open_otlp, close_decoding)
{
    static const struct {
        uint64_t sent;
        int64_t expected;
    } cases[] = {
        {0, 0}, {1, 1}, {INT64_MAX, INT64_MAX}, {(uint64_t)INT64_MAX + 1, 0}, {UINT64_MAX, 0},
    };
    for (size_t i = 0; i < TYPES * sizeof cases / sizeof cases[0]; i++) {
        size_t type = i % TYPES;
        wire_clear(&wire);
        struct otlp_metric metric = otlp_metric_begin(&wire, types[type].data, "");
        size_t point = wire_begin(&wire, OTLP_POINTS);
        wire_fixed64(&wire, OTLP_TIME, cases[i / TYPES].sent);
        wire_fixed64(&wire, OTLP_START, cases[i / TYPES].sent);
        if (type < 2)
            put_double();
        wire_end(&wire, point);
        otlp_metric_end(&wire, &metric);
        struct sample sample = only_sample(*state);
        assert_true(sample.time_ns == cases[i / TYPES].expected);
        assert_true(sample.start_time_ns == cases[i / TYPES].expected);
    }
}

/* --- exemplars -------------------------------------------------------------------------------- */

static void put_exemplars(uint32_t field)
{
    size_t exemplar = wire_begin(&wire, field);
    wire_fixed64(&wire, OTLP_EXEMPLAR_TIME, TIME);
    wire_double(&wire, OTLP_EXEMPLAR_DOUBLE, 0.25);
    wire_bytes(&wire, OTLP_EXEMPLAR_SPAN, "\xff\0\0\0\0\0\0\x01", 8);
    wire_bytes(&wire, OTLP_EXEMPLAR_TRACE, "\xee\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x02", 16);
    otlp_put_attribute(&wire, OTLP_EXEMPLAR_ATTRIBUTES, "user", "alice");
    otlp_put_attribute(&wire, OTLP_EXEMPLAR_ATTRIBUTES, "user", "bob");
    wire_end(&wire, exemplar);
    exemplar = wire_begin(&wire, field); /* without a value */
    wire_fixed64(&wire, OTLP_EXEMPLAR_TIME, TIME);
    wire_end(&wire, exemplar);
    exemplar = wire_begin(&wire, field);
    wire_fixed64(&wire, OTLP_EXEMPLAR_TIME, UINT64_MAX);
    wire_fixed64(&wire, OTLP_EXEMPLAR_INT, (uint64_t)-7);
    wire_end(&wire, exemplar);
}

static bool next_exemplar(const struct decoding *decoding, const struct sample *sample,
                          struct schema_cursor *cursor, struct sample_exemplar *exemplar)
{
    return schema_otlp.next_exemplar(decoding->schema, decoding->message, sample, cursor, exemplar);
}

static void assert_exemplar_labels(const struct decoding *decoding, const struct sample *sample,
                                   const struct sample_exemplar *exemplar, size_t expected)
{
    static const char *const values[] = {"alice", "bob"};
    struct schema_cursor cursor = {0};
    struct label label;
    size_t count = 0;
    while (schema_otlp.next_exemplar_label(decoding->schema, decoding->message, sample, exemplar,
                                           &cursor, &label)) {
        assert_text(label.key, "user");
        assert_in_range(count, 0, 1);
        assert_text(label.value, values[count++]);
    }
    assert_int_equal(count, expected);
}

static void assert_exemplars(const struct decoding *decoding, const struct sample *sample)
{
    struct schema_cursor cursor = {0};
    struct sample_exemplar exemplar;
    assert_true(next_exemplar(decoding, sample, &cursor, &exemplar));
    assert_true(exemplar.type == SAMPLE_DOUBLE && exemplar.value.number == 0.25);
    assert_true(exemplar.time_ns == (int64_t)TIME);
    assert_int_equal(exemplar.trace_id.size, 16);
    assert_memory_equal(exemplar.trace_id.data, "\xee\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x02", 16);
    assert_int_equal(exemplar.span_id.size, 8);
    assert_memory_equal(exemplar.span_id.data, "\xff\0\0\0\0\0\0\x01", 8);
    assert_exemplar_labels(decoding, sample, &exemplar, 2);
    assert_true(next_exemplar(decoding, sample, &cursor, &exemplar));
    assert_true(exemplar.type == SAMPLE_INT64 && exemplar.value.int64 == -7);
    assert_int_equal(exemplar.time_ns, 0);
    assert_int_equal(exemplar.trace_id.size + exemplar.span_id.size, 0);
    assert_exemplar_labels(decoding, sample, &exemplar, 0);
    assert_false(next_exemplar(decoding, sample, &cursor, &exemplar));
}

TEST_WITH(exemplars_are_those_with_a_value, open_otlp, close_decoding)
{
    for (size_t i = 0; i < TYPES; i++) {
        wire_clear(&wire);
        struct otlp_metric metric = otlp_metric_begin(&wire, types[i].data, "");
        size_t point = wire_begin(&wire, OTLP_POINTS);
        if (i < 2)
            wire_double(&wire, OTLP_NUMBER_DOUBLE, 1);
        if (types[i].exemplars != 0)
            put_exemplars(types[i].exemplars);
        wire_end(&wire, point);
        otlp_metric_end(&wire, &metric);
        struct sample sample = only_sample(*state);
        if (types[i].exemplars != 0) {
            assert_exemplars(*state, &sample);
            continue;
        }
        struct schema_cursor cursor = {0}; /* points of a summary have no exemplars */
        struct sample_exemplar exemplar;
        assert_false(next_exemplar(*state, &sample, &cursor, &exemplar));
    }
}

/* --- texts ------------------------------------------------------------------------------------ */

/* A string of proto3 must be UTF-8. A `bytes` field, such as an identifier, may have any bytes. */
TEST_WITH(a_string_that_is_not_utf8_is_malformed_and_bytes_may_be_anything, open_otlp,
          close_decoding)
{
    static const char *const names[] = {"caf\xc3\xa9", "caf\xe9"};
    for (size_t i = 0; i < 2; i++) {
        wire_clear(&wire);
        put_metric(OTLP_GAUGE, names[i], put_double);
        assert_decodes_to(*state, &wire, i == 0 ? DECODE_OK : DECODE_MALFORMED);
    }
    static const uint32_t values[] = {OTLP_BYTES, OTLP_STRING};
    for (size_t i = 0; i < 2; i++) {
        wire_clear(&wire);
        struct otlp_metric metric = otlp_metric_begin(&wire, OTLP_GAUGE, "");
        size_t point = wire_begin(&wire, OTLP_POINTS);
        size_t attribute = wire_begin(&wire, OTLP_NUMBER_ATTRIBUTES);
        size_t value = wire_begin(&wire, OTLP_VALUE);
        wire_text(&wire, values[i], "\xff");
        wire_end(&wire, value);
        wire_end(&wire, attribute);
        wire_end(&wire, point);
        otlp_metric_end(&wire, &metric);
        assert_decodes_to(*state, &wire, i == 0 ? DECODE_OK : DECODE_MALFORMED);
    }
}

/* --- the schemas ------------------------------------------------------------------------------ */

TEST(logs_and_traces_have_no_samples)
{
    assert_string_equal(schema_otlp.name, "otlp");
    assert_string_equal(schema_otlp_logs.name, "otlp-logs");
    assert_string_equal(schema_otlp_traces.name, "otlp-traces");
    static const struct schema_ops *const schemas[] = {&schema_otlp, &schema_otlp_logs,
                                                       &schema_otlp_traces};
    for (size_t i = 0; i < 3; i++) {
        void *decoding;
        decoding_set_up_schema(&decoding, schemas[i]);
        assert_int_equal(((struct decoding *)decoding)->schema->has_samples, i == 0);
        assert_false(schemas[i]->accepts_empty);
        close_decoding(&decoding);
    }
}
