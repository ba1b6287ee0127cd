/* Tests the labels of OTLP samples: their order, and values as text. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "proto/schemas.h"
#include "tests/support/proto/decoding.h"
#include "tests/support/proto/otlp_samples.h"
#include "tests/support/proto/otlp_wire.h"
#include "tests/support/test.h"

#define ROOM ((size_t)64 * 1024)

static struct arena scratch;

static int open_with_scratch(void **state)
{
    scratch = (struct arena){.base = malloc(ROOM), .capacity = ROOM};
    assert_non_null(scratch.base);
    return open_otlp(state);
}

static int close_with_scratch(void **state)
{
    free(scratch.base);
    return close_decoding(state);
}

/* --- reading labels --------------------------------------------------------------------------- */

static bool next_label(const struct decoding *decoding, const struct sample *sample,
                       struct schema_cursor *cursor, struct label *label)
{
    return schema_otlp.next_label(decoding->schema, decoding->message, sample, cursor, label);
}

/*
 * Asserts all labels of the sample, written as "key=value;key=value;". Reading them must leave the
 * scratch arena as it was.
 */
static void assert_labels_of(const struct decoding *decoding, const struct sample *sample,
                             const char *expected)
{
    struct schema_cursor cursor = {.scratch = &scratch};
    struct label label;
    char all[4096];
    struct output out = {.data = all, .capacity = sizeof all};
    size_t used = scratch.used;
    while (next_label(decoding, sample, &cursor, &label)) {
        output_bytes(&out, label.key.data, label.key.size);
        output_char(&out, '=');
        output_bytes(&out, label.value.data, label.value.size);
        output_char(&out, ';');
    }
    /* After the last label, each further call returns false. */
    assert_false(next_label(decoding, sample, &cursor, &label));
    assert_int_equal(scratch.used, used);
    assert_false(scratch.exhausted);
    output_char(&out, '\0');
    assert_false(out.overflow);
    assert_string_equal(all, expected);
}

static void assert_labels(struct decoding *decoding, const char *expected)
{
    struct sample sample = only_sample(decoding);
    assert_labels_of(decoding, &sample, expected);
}

/* --- writing a request with one point --------------------------------------------------------- */

/*
 * Functions that write the attributes of the resource, of the scope and of the point. NULL writes
 * none.
 */
struct request {
    void (*resource)(void);
    void (*scope)(void);
    void (*point)(void);
};

static void put_part(uint32_t field, void (*put)(void))
{
    if (put == NULL)
        return;
    size_t begun = wire_begin(&wire, field);
    put();
    wire_end(&wire, begun);
}

static void put_request(const struct request *request)
{
    size_t resource = wire_begin(&wire, OTLP_REQUEST_RESOURCES);
    put_part(OTLP_RESOURCE, request->resource);
    size_t scope = wire_begin(&wire, OTLP_RESOURCE_SCOPES);
    put_part(OTLP_SCOPE, request->scope);
    size_t metric = wire_begin(&wire, OTLP_SCOPE_METRICS);
    size_t gauge = wire_begin(&wire, OTLP_GAUGE);
    size_t point = wire_begin(&wire, OTLP_POINTS);
    wire_double(&wire, OTLP_NUMBER_DOUBLE, 1);
    if (request->point != NULL)
        request->point();
    wire_end(&wire, point);
    wire_end(&wire, gauge);
    wire_end(&wire, metric);
    wire_end(&wire, scope);
    wire_end(&wire, resource);
}

/* --- labels of the resource, the scope and the point ------------------------------------------ */

static void put_full_resource(void)
{
    otlp_put_attribute(&wire, OTLP_RESOURCE_ATTRIBUTES, "service.name", "checkout");
    otlp_put_attribute(&wire, OTLP_RESOURCE_ATTRIBUTES, "host", "resource");
}

static void put_full_scope(void)
{
    wire_text(&wire, OTLP_SCOPE_NAME, "lib");
    wire_text(&wire, OTLP_SCOPE_VERSION, "1.2");
    otlp_put_attribute(&wire, OTLP_SCOPE_ATTRIBUTES, "host", "scope");
    otlp_put_attribute(&wire, OTLP_SCOPE_ATTRIBUTES, "otel.scope.name", "not this one");
}

static void put_full_point(void)
{
    otlp_put_attribute(&wire, OTLP_NUMBER_ATTRIBUTES, "host", "point");
    otlp_put_attribute(&wire, OTLP_NUMBER_ATTRIBUTES, "route", "/");
}

/*
 * If a key occurs several times, the label of the point comes first, then that of the scope, and
 * then that of the resource.
 */
static void labels_come_from_the_point_outwards(void **state)
{
    put_request(&(struct request){put_full_resource, put_full_scope, put_full_point});
    assert_labels(*state, "host=point;route=/;otel.scope.name=lib;otel.scope.version=1.2;"
                          "host=scope;otel.scope.name=not this one;"
                          "service.name=checkout;host=resource;");
}

static void put_scope_name(void)
{
    wire_text(&wire, OTLP_SCOPE_NAME, "lib");
}

static void put_scope_version(void)
{
    wire_text(&wire, OTLP_SCOPE_VERSION, "1.2");
}

static void what_says_nothing_is_no_label(void **state)
{
    static const struct {
        struct request request;
        const char *expected;
    } cases[] = {
        {{NULL, NULL, NULL}, ""},
        {{put_nothing, put_nothing, put_nothing}, ""},
        {{NULL, put_scope_name, NULL}, "otel.scope.name=lib;"},
        {{NULL, put_scope_version, NULL}, "otel.scope.version=1.2;"},
        {{NULL, NULL, put_full_point}, "host=point;route=/;"},
        {{put_full_resource, NULL, NULL}, "service.name=checkout;host=resource;"},
        {{put_full_resource, put_nothing, NULL}, "service.name=checkout;host=resource;"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        wire_clear(&wire);
        put_request(&cases[i].request);
        assert_labels(*state, cases[i].expected);
    }
}

/* For each type of point, the number of the field for its attributes. */
static void points_of_every_type_have_labels(void **state)
{
    static const struct {
        uint32_t data;
        uint32_t attributes;
    } types[] = {
        {OTLP_GAUGE, OTLP_NUMBER_ATTRIBUTES},
        {OTLP_SUM, OTLP_NUMBER_ATTRIBUTES},
        {OTLP_HISTOGRAM, OTLP_HISTOGRAM_ATTRIBUTES},
        {OTLP_EXPONENTIAL_HISTOGRAM, OTLP_EXPONENTIAL_ATTRIBUTES},
        {OTLP_SUMMARY, OTLP_SUMMARY_ATTRIBUTES},
    };
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        wire_clear(&wire);
        struct otlp_metric metric = otlp_metric_begin(&wire, types[i].data, "");
        size_t point = wire_begin(&wire, OTLP_POINTS);
        if (i < 2)
            wire_double(&wire, OTLP_NUMBER_DOUBLE, 1);
        otlp_put_attribute(&wire, types[i].attributes, "host", "web1");
        wire_end(&wire, point);
        otlp_metric_end(&wire, &metric);
        assert_labels(*state, "host=web1;");
    }
}

static void each_sample_has_the_labels_of_its_own_place(void **state)
{
    struct decoding *decoding = *state;
    put_request(&(struct request){put_full_resource, NULL, NULL});
    put_request(&(struct request){NULL, put_scope_name, NULL});
    put_request(&(struct request){NULL, NULL, put_full_point});
    static const char *const expected[] = {"service.name=checkout;host=resource;",
                                           "otel.scope.name=lib;", "host=point;route=/;"};
    assert_decodes_to(decoding, &wire, DECODE_OK);
    struct schema_cursor cursor = {.scratch = &scratch};
    struct sample sample;
    for (size_t i = 0; i < 3; i++) {
        assert_true(schema_otlp.next_sample(decoding->schema, decoding->message, &cursor, &sample));
        assert_labels_of(decoding, &sample, expected[i]);
    }
}

/* --- values as text --------------------------------------------------------------------------- */

/* put_value_label writes an attribute "k". Its value is these bytes. */
static struct wire value_wire;

static void put_value_label(void)
{
    size_t attribute = wire_begin(&wire, OTLP_NUMBER_ATTRIBUTES);
    wire_text(&wire, OTLP_KEY, "k");
    wire_bytes(&wire, OTLP_VALUE, value_wire.bytes, value_wire.size);
    wire_end(&wire, attribute);
}

static void assert_value_is(struct decoding *decoding, const char *expected)
{
    char label[2048];
    struct output out = {.data = label, .capacity = sizeof label};
    output_literal(&out, "k=");
    output_bytes(&out, expected, strlen(expected));
    output_literal(&out, ";\0");
    assert_false(out.overflow);
    wire_clear(&wire);
    put_request(&(struct request){.point = put_value_label});
    assert_labels(decoding, label);
    wire_clear(&value_wire);
}

static void a_bool_is_a_word(void **state)
{
    wire_uint(&value_wire, OTLP_BOOL, 1);
    assert_value_is(*state, "true");
    wire_uint(&value_wire, OTLP_BOOL, 0);
    assert_value_is(*state, "false");
}

static void an_integer_is_its_decimal(void **state)
{
    wire_uint(&value_wire, OTLP_INT, 0);
    assert_value_is(*state, "0");
    wire_uint(&value_wire, OTLP_INT, (uint64_t)INT64_MIN);
    assert_value_is(*state, "-9223372036854775808");
    wire_uint(&value_wire, OTLP_INT, INT64_MAX);
    assert_value_is(*state, "9223372036854775807");
}

static void a_double_is_its_shortest_decimal_or_a_word(void **state)
{
    static const struct {
        double value;
        const char *expected;
    } cases[] = {
        {0.1, "0.1"},
        {100, "100"},
        {-0.0, "-0.0"},
        {1e21, "1e+21"},
        {(double)NAN, "NaN"},
        {(double)INFINITY, "Infinity"},
        {-(double)INFINITY, "-Infinity"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        wire_double(&value_wire, OTLP_DOUBLE, cases[i].value);
        assert_value_is(*state, cases[i].expected);
    }
}

/* The test vectors of RFC 4648, section 10, and then all 64 characters. */
static void bytes_are_base64(void **state)
{
    static const char *const cases[][2] = {
        {"", ""},
        {"f", "Zg=="},
        {"fo", "Zm8="},
        {"foo", "Zm9v"},
        {"foob", "Zm9vYg=="},
        {"fooba", "Zm9vYmE="},
        {"foobar", "Zm9vYmFy"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        wire_text(&value_wire, OTLP_BYTES, cases[i][0]);
        assert_value_is(*state, cases[i][1]);
    }
    static const char all[] = "\x00\x10\x83\x10\x51\x87\x20\x92\x8b\x30\xd3\x8f\x41\x14\x93\x51"
                              "\x55\x97\x61\x96\x9b\x71\xd7\x9f\x82\x18\xa3\x92\x59\xa7\xa2\x9a"
                              "\xab\xb2\xdb\xaf\xc3\x1c\xb3\xd3\x5d\xb7\xe3\x9e\xbb\xf3\xdf\xbf";
    wire_bytes(&value_wire, OTLP_BYTES, all, sizeof all - 1);
    assert_value_is(*state, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");
}

static void no_value_is_an_empty_text(void **state)
{
    assert_value_is(*state, "");
    wire_clear(&wire);
    size_t attribute = wire_begin(&value_wire, OTLP_NUMBER_ATTRIBUTES); /* has only a key */
    wire_text(&value_wire, OTLP_KEY, "bare");
    wire_end(&value_wire, attribute);
    struct otlp_metric metric = otlp_metric_begin(&wire, OTLP_GAUGE, "");
    size_t point = wire_begin(&wire, OTLP_POINTS);
    wire_double(&wire, OTLP_NUMBER_DOUBLE, 1);
    wire_raw(&wire, value_wire.bytes, value_wire.size);
    wire_end(&wire, point);
    otlp_metric_end(&wire, &metric);
    wire_clear(&value_wire);
    assert_labels(*state, "bare=;");
}

static void a_string_is_what_it_is(void **state)
{
    struct decoding *decoding = *state;
    wire_bytes(&value_wire, OTLP_STRING, "a\0\"b", 4);
    put_request(&(struct request){.point = put_value_label});
    wire_clear(&value_wire);
    struct sample sample = only_sample(decoding);
    struct schema_cursor cursor = {.scratch = &scratch};
    struct label label;
    assert_true(next_label(decoding, &sample, &cursor, &label));
    assert_int_equal(label.value.size, 4);
    assert_memory_equal(label.value.data, "a\0\"b", 4);
}

#define LIST_ITEM(put)                                                                             \
    do {                                                                                           \
        size_t item = wire_begin(&value_wire, OTLP_VALUES);                                        \
        put;                                                                                       \
        wire_end(&value_wire, item);                                                               \
    } while (0)

static void a_list_is_json(void **state)
{
    size_t list = wire_begin(&value_wire, OTLP_LIST);
    wire_end(&value_wire, list);
    assert_value_is(*state, "[]");
    list = wire_begin(&value_wire, OTLP_LIST);
    LIST_ITEM(wire_text(&value_wire, OTLP_STRING, "a\"\n"));
    LIST_ITEM(wire_uint(&value_wire, OTLP_BOOL, 1));
    LIST_ITEM(wire_uint(&value_wire, OTLP_INT, (uint64_t)-5));
    LIST_ITEM(wire_double(&value_wire, OTLP_DOUBLE, 2.5));
    LIST_ITEM(wire_double(&value_wire, OTLP_DOUBLE, (double)NAN));
    LIST_ITEM(wire_text(&value_wire, OTLP_BYTES, "fo"));
    LIST_ITEM((void)0);
    LIST_ITEM(wire_bytes(&value_wire, OTLP_LIST, "", 0));
    LIST_ITEM(wire_bytes(&value_wire, OTLP_MAP, "", 0));
    wire_end(&value_wire, list);
    assert_value_is(*state, "[\"a\\\"\\n\",true,-5,2.5,\"NaN\",\"Zm8=\",null,[],{}]");
}

static void put_member(const char *key, const char *text)
{
    size_t member = wire_begin(&value_wire, OTLP_VALUES);
    wire_text(&value_wire, OTLP_KEY, key);
    if (text != NULL) {
        size_t value = wire_begin(&value_wire, OTLP_VALUE);
        wire_text(&value_wire, OTLP_STRING, text);
        wire_end(&value_wire, value);
    }
    wire_end(&value_wire, member);
}

static void a_map_is_json(void **state)
{
    size_t map = wire_begin(&value_wire, OTLP_MAP);
    put_member("a", "1");
    put_member("", NULL);
    put_member("\"", "\xc3\xa9");
    wire_end(&value_wire, map);
    assert_value_is(*state, "{\"a\":\"1\",\"\":null,\"\\\"\":\"\xc3\xa9\"}");
}

/* An attribute's value is on level 7 of the request. Each list adds two levels. */
static void lists_nest_as_deep_as_messages_may(void **state)
{
    enum { LISTS = (SCHEMA_MAX_DEPTH - 7) / 2 };
    char expected[2 * LISTS + 8];
    wire_text(&value_wire, OTLP_STRING, "x");
    for (size_t i = 0; i < LISTS; i++) {
        wire_wrap(&value_wire, OTLP_VALUES, 1);
        wire_wrap(&value_wire, OTLP_LIST, 1);
    }
    memset(expected, '[', LISTS);
    memcpy(expected + LISTS, "\"x\"", 3);
    memset(expected + LISTS + 3, ']', LISTS);
    expected[2 * LISTS + 3] = '\0';
    static struct wire deepest;
    deepest = value_wire;
    assert_value_is(*state, expected);

    value_wire = deepest;
    wire_wrap(&value_wire, OTLP_VALUES, 1);
    wire_wrap(&value_wire, OTLP_LIST, 1);
    wire_clear(&wire);
    put_request(&(struct request){.point = put_value_label});
    wire_clear(&value_wire);
    assert_decodes_to(*state, &wire, DECODE_TOO_DEEP);
}

/* --- the positions of labels ------------------------------------------------------------------ */

static void put_numbers(void)
{
    static const char *const keys[] = {"one", "two", "three"};
    for (size_t i = 0; i < 3; i++) {
        size_t attribute = wire_begin(&wire, OTLP_NUMBER_ATTRIBUTES);
        wire_text(&wire, OTLP_KEY, keys[i]);
        size_t value = wire_begin(&wire, OTLP_VALUE);
        wire_uint(&wire, OTLP_INT, i + 1);
        wire_end(&wire, value);
        wire_end(&wire, attribute);
    }
}

static void walks_inside_walks_leave_each_other_s_texts_alone(void **state)
{
    struct decoding *decoding = *state;
    put_request(&(struct request){.point = put_numbers});
    struct sample sample = only_sample(decoding);
    struct schema_cursor outer = {.scratch = &scratch};
    struct label label;
    scratch.used = 24; /* used by another part of the program */
    memset(scratch.base, 0x5a, 24);
    for (char digit = '1'; next_label(decoding, &sample, &outer, &label); digit++) {
        assert_int_equal(scratch.used, 24 + outer.made);
        assert_labels_of(decoding, &sample, "one=1;two=2;three=3;");
        assert_int_equal(label.value.size, 1);
        assert_int_equal(label.value.data[0], digit);
    }
    assert_int_equal(scratch.used, 24);
    for (size_t i = 0; i < 24; i++)
        assert_int_equal(scratch.base[i], 0x5a);
}

/* Writes a list of `count` nulls, whose JSON has 5 * count + 1 bytes. */
static void put_nulls(size_t count)
{
    size_t list = wire_begin(&value_wire, OTLP_LIST);
    for (size_t i = 0; i < count; i++)
        wire_bytes(&value_wire, OTLP_VALUES, "", 0);
    wire_end(&value_wire, list);
    wire_clear(&wire);
    put_request(&(struct request){.point = put_value_label});
    wire_clear(&value_wire);
}

static void a_text_that_does_not_fit_is_empty_and_reported(void **state)
{
    struct decoding *decoding = *state;
    put_nulls(1000);
    struct sample sample = only_sample(decoding);
    for (size_t room = 0; room < 5100; room += room < 4990 ? 331 : 1) {
        struct schema_cursor cursor = {.scratch = &scratch};
        struct label label;
        scratch = (struct arena){.base = scratch.base, .capacity = room};
        assert_true(next_label(decoding, &sample, &cursor, &label));
        bool fits = room / ARENA_ALIGNMENT * ARENA_ALIGNMENT >= 5001;
        assert_int_equal(scratch.exhausted, !fits);
        assert_int_equal(label.value.size, fits ? 5001 : 0);
        assert_in_range(scratch.used, 0, room);
        assert_false(next_label(decoding, &sample, &cursor, &label));
        assert_int_equal(scratch.used, 0);
    }
}

#define otlp(test) cmocka_unit_test_setup_teardown(test, open_with_scratch, close_with_scratch)

int main(void)
{
    const struct CMUnitTest tests[] = {
        otlp(labels_come_from_the_point_outwards),
        otlp(what_says_nothing_is_no_label),
        otlp(points_of_every_type_have_labels),
        otlp(each_sample_has_the_labels_of_its_own_place),
        otlp(a_bool_is_a_word),
        otlp(an_integer_is_its_decimal),
        otlp(a_double_is_its_shortest_decimal_or_a_word),
        otlp(bytes_are_base64),
        otlp(no_value_is_an_empty_text),
        otlp(a_string_is_what_it_is),
        otlp(a_list_is_json),
        otlp(a_map_is_json),
        otlp(lists_nest_as_deep_as_messages_may),
        otlp(walks_inside_walks_leave_each_other_s_texts_alone),
        otlp(a_text_that_does_not_fit_is_empty_and_reported),
    };
    return cmocka_run_group_tests_name("schema otlp, labels", tests, NULL, NULL);
}
