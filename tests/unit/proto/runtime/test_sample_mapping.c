/* Samples of a message that only its user knows, read by paths of fields. */
#include <stdio.h>
#include <string.h>

#include "proto/schemas.h"
#include "tests/support/proto/wire.h"
#include "tests/support/test.h"

#define READINGS TEST_SETS "/readings.desc"
#define REPORT   "sluice.readings.Report"

static struct wire wire;
static uint8_t memory[64 * 1024];
static uint8_t scratch_memory[16 * 1024];

/* The samples of the datagram, one a line: name=value@time{key=value,...}. */
static const char *samples_of(const struct schema_options *options)
{
    static char text[8192];
    struct schema *schema;
    struct error error;
    if (schema_file.create(options, &schema, &error) != 0)
        fail_msg("%s", error.text);
    assert_true(schema->has_samples);
    struct arena arena = {.base = memory, .capacity = sizeof memory};
    struct arena scratch = {.base = scratch_memory, .capacity = sizeof scratch_memory};
    struct decoded decoded;
    assert_int_equal(schema_file.decode(schema, wire.bytes, wire.size, &arena, &decoded),
                     DECODE_OK);
    struct schema_cursor cursor = {.scratch = &scratch};
    struct sample sample;
    size_t used = 0;
    text[0] = '\0';
    while (schema_file.next_sample(schema, decoded.message, &cursor, &sample)) {
        used += (size_t)sprintf(text + used, "%.*s=", (int)sample.name.size, sample.name.data);
        if (sample.type == SAMPLE_INT64)
            used += (size_t)sprintf(text + used, "%lld", (long long)sample.value.int64);
        else if (sample.type == SAMPLE_UINT64)
            used += (size_t)sprintf(text + used, "%lluu", (unsigned long long)sample.value.uint64);
        else
            used += (size_t)sprintf(text + used, "%g%s", sample.value.number,
                                    sample.type == SAMPLE_FLOAT ? "f" : "");
        used += (size_t)sprintf(text + used, "@%lld", (long long)sample.time_ns);
        struct schema_cursor place = {.scratch = &scratch};
        struct label label;
        while (schema_file.next_label(schema, decoded.message, &sample, &place, &label))
            used += (size_t)sprintf(text + used, " %.*s=%.*s", (int)label.key.size, label.key.data,
                                    (int)label.value.size, label.value.data);
        used += (size_t)sprintf(text + used, "\n");
    }
    assert_false(scratch.exhausted);
    assert_int_equal(scratch.used, 0);
    schema_file.destroy(schema);
    return text;
}

static struct schema_options report(const char *value)
{
    return (struct schema_options){.source = READINGS, .message = REPORT, .value = value};
}

static void put_time(uint32_t field, uint64_t seconds, uint64_t nanos)
{
    size_t at = wire_begin(&wire, field);
    wire_uint(&wire, 1, seconds);
    wire_uint(&wire, 2, nanos);
    wire_end(&wire, at);
}

static void put_reading(uint32_t field, const char *sensor, double value, uint64_t count)
{
    size_t reading = wire_begin(&wire, field);
    wire_text(&wire, 1, sensor);
    wire_double(&wire, 2, value);
    wire_uint(&wire, 3, count);
    wire_end(&wire, reading);
}

static int begin(void **state)
{
    (void)state;
    wire_clear(&wire);
    return 0;
}

TEST_WITH(a_value_is_a_sample_called_as_its_field, begin, NULL)
{
    (void)state;
    wire_double(&wire, 4, 1.5);
    struct schema_options options = report("load");
    assert_string_equal(samples_of(&options), "load=1.5@0\n");
    options.value = "system.load:load";
    assert_string_equal(samples_of(&options), "system.load=1.5@0\n");
}

TEST_WITH(each_element_of_a_repeated_field_is_a_place_for_samples, begin, NULL)
{
    (void)state;
    wire_text(&wire, 1, "web1");
    put_reading(5, "a", 0.5, 7);
    put_reading(5, "b", -2, 8);
    struct schema_options options = report("readings.value");
    options.labels = "readings.sensor,machine:host";
    assert_string_equal(samples_of(&options), "value=0.5@0 sensor=a machine=web1\n"
                                              "value=-2@0 sensor=b machine=web1\n");
}

TEST_WITH(several_values_are_samples_of_their_own, begin, NULL)
{
    (void)state;
    put_reading(5, "a", 0.5, 7);
    put_reading(5, "b", -2, 8);
    struct schema_options options = report("readings.value,n:readings.count");
    assert_string_equal(samples_of(&options), "value=0.5@0\nn=7@0\nvalue=-2@0\nn=8@0\n");
    options.name = "readings.sensor";
    assert_string_equal(samples_of(&options), "a.value=0.5@0\na.n=7@0\nb.value=-2@0\nb.n=8@0\n");
}

TEST_WITH(a_name_is_read_where_one_value_stands, begin, NULL)
{
    (void)state;
    put_reading(5, "a", 0.5, 7);
    put_reading(5, "", 1, 7);
    struct schema_options options = report("readings.count");
    options.name = "readings.sensor";
    assert_string_equal(samples_of(&options), "a=7@0\n=7@0\n");
    options.name = "readings.port";
    assert_string_equal(samples_of(&options), "0=7@0\n0=7@0\n");
}

TEST_WITH(a_value_that_is_not_there_is_no_sample, begin, NULL)
{
    (void)state;
    size_t reading = wire_begin(&wire, 5);
    wire_text(&wire, 1, "without");
    wire_end(&wire, reading);
    put_reading(5, "with", 0, 0);
    struct schema_options options = report("readings.value");
    options.labels = "readings.sensor";
    assert_string_equal(samples_of(&options), "value=0@0 sensor=with\n");
    options.value = "site.rack";
    assert_string_equal(samples_of(&options), "");
    /* What has no presence is there, also at its default. */
    options.value = "readings.count";
    assert_string_equal(samples_of(&options), "count=0@0 sensor=without\ncount=0@0 sensor=with\n");
}

TEST_WITH(what_is_common_to_all_elements_is_written_once, begin, NULL)
{
    (void)state;
    wire_double(&wire, 4, 9);
    put_reading(5, "a", 1, 0);
    put_reading(5, "b", 2, 0);
    struct schema_options options = report("load,readings.value");
    assert_string_equal(samples_of(&options), "load=9@0\nvalue=1@0\nvalue=2@0\n");
    /* And it belongs to none of them. */
    wire_text(&wire, 1, "web1");
    options.name = "readings.sensor";
    options.labels = "host,readings.sensor";
    assert_string_equal(samples_of(&options), "load=9@0 host=web1\n"
                                              "a.value=1@0 host=web1 sensor=a\n"
                                              "b.value=2@0 host=web1 sensor=b\n");
}

TEST_WITH(what_is_common_is_written_where_there_are_no_elements, begin, NULL)
{
    (void)state;
    wire_double(&wire, 4, 9);
    struct schema_options options = report("load,readings.value");
    assert_string_equal(samples_of(&options), "load=9@0\n");
}

TEST_WITH(a_list_of_numbers_is_walked_too, begin, NULL)
{
    (void)state;
    wire_double(&wire, 8, 1);
    wire_double(&wire, 8, 2);
    wire_text(&wire, 1, "web1");
    struct schema_options options = report("plain");
    options.labels = "host";
    assert_string_equal(samples_of(&options), "plain=1@0 host=web1\nplain=2@0 host=web1\n");
}

TEST_WITH(times_have_their_unit_or_are_timestamps, begin, NULL)
{
    (void)state;
    put_time(2, 1700000000, 5);
    wire_uint(&wire, 3, 1700000000123);
    wire_double(&wire, 7, 1700000000.5);
    wire_double(&wire, 4, 1);
    struct schema_options options = report("load");
    options.time = "at";
    assert_string_equal(samples_of(&options), "load=1@1700000000000000005\n");
    options.time = "at_ms:ms";
    assert_string_equal(samples_of(&options), "load=1@1700000000123000000\n");
    options.time = "at_s:s";
    assert_string_equal(samples_of(&options), "load=1@1700000000500000000\n");
    options.time = "at_ms:s"; /* past what 64 bits hold: none */
    assert_string_equal(samples_of(&options), "load=1@0\n");
}

TEST_WITH(every_kind_of_number_keeps_its_own, begin, NULL)
{
    (void)state;
    size_t reading = wire_begin(&wire, 5);
    wire_uint(&wire, 3, (uint64_t)-3);
    wire_uint(&wire, 4, UINT32_MAX);
    wire_uint(&wire, 5, 1);
    wire_uint(&wire, 6, 1);
    wire_float(&wire, 7, 0.25F);
    wire_end(&wire, reading);
    struct schema_options options =
        report("readings.count,readings.port,readings.up,readings.kind,readings.ratio");
    assert_string_equal(samples_of(&options),
                        "count=-3@0\nport=4294967295u@0\nup=1@0\nkind=1@0\nratio=0.25f@0\n");
}

TEST_WITH(labels_of_any_kind_are_text, begin, NULL)
{
    (void)state;
    wire_double(&wire, 4, 1);
    size_t site = wire_begin(&wire, 10);
    wire_text(&wire, 1, "north");
    wire_uint(&wire, 2, (uint64_t)-4);
    wire_end(&wire, site);
    size_t reading = wire_begin(&wire, 5);
    wire_uint(&wire, 5, 1);
    wire_uint(&wire, 6, 1);
    wire_float(&wire, 7, 0.1F);
    wire_bytes(&wire, 9, "\1\2", 2);
    wire_end(&wire, reading);
    struct schema_options options = report("readings.count");
    options.labels = "site.name,site.rack,readings.up,readings.kind,readings.ratio,readings.id,"
                     "where:readings.site.name";
    assert_string_equal(samples_of(&options), "count=0@0 name=north rack=-4 up=true kind=OUTSIDE "
                                              "ratio=0.1 id=AQI=\n");
}

TEST_WITH(a_map_is_a_label_for_each_entry, begin, NULL)
{
    (void)state;
    wire_double(&wire, 4, 1);
    static const char *const entries[][2] = {{"zone", "a"}, {"rack", "7"}};
    for (size_t i = 0; i < 2; i++) {
        size_t entry = wire_begin(&wire, 6);
        wire_text(&wire, 1, entries[i][0]);
        wire_text(&wire, 2, entries[i][1]);
        wire_end(&wire, entry);
    }
    wire_text(&wire, 1, "web1");
    struct schema_options options = report("load");
    options.labels = "tags,host";
    assert_string_equal(samples_of(&options), "load=1@0 zone=a rack=7 host=web1\n");
}

TEST_WITH(what_a_mapping_gets_wrong_is_said_in_one_line, begin, NULL)
{
    (void)state;
    static const struct {
        const char *value, *name, *time, *labels, *says;
    } wrong[] = {
        {"lod", NULL, NULL, NULL, "has no field \"lod\"; did you mean \"load\"?"},
        {"host", NULL, NULL, NULL, "value: \"host\" is no number"},
        {"readings", NULL, NULL, NULL, "value: \"readings\" is no number"},
        {"readings.value", NULL, NULL, "others.sensor", "another repeated field"},
        {"load.x", NULL, NULL, NULL, "nothing can follow \"load\""},
        {"load", NULL, "at_ms", NULL, "needs a unit"},
        {"load", NULL, "at_ms:hours", NULL, "needs a unit"},
        {"load", NULL, "at:s", NULL, "needs no unit"},
        {"load", NULL, "host:s", NULL, "neither a number nor a Timestamp"},
        {"load", "site", NULL, NULL, "name: \"site\" is a message"},
        {"load", NULL, NULL, "site", "labels: \"site\" is neither"},
        {"load", NULL, NULL, ":host", "no name before its colon"},
        {"load,load", NULL, NULL, NULL, "has a name that is there already"},
        {"load", NULL, NULL, "site.name,readings.site.name", "has a name that is there already"},
        {NULL, NULL, NULL, "host", "value is missing"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct schema_options options = report(wrong[i].value);
        options.name = wrong[i].name;
        options.time = wrong[i].time;
        options.labels = wrong[i].labels;
        struct schema *schema;
        struct error error;
        assert_int_equal(schema_file.create(&options, &schema, &error), -1);
        assert_int_equal(error.code, EXIT_CODE_CONFIG);
        if (strstr(error.text, wrong[i].says) == NULL)
            fail_msg("case %zu: %s", i, error.text);
        assert_null(strchr(error.text, '\n'));
    }
}

TEST_WITH(without_a_mapping_there_are_no_samples, begin, NULL)
{
    (void)state;
    struct schema_options options = report(NULL);
    struct schema *schema;
    assert_int_equal(schema_file.create(&options, &schema, NULL), 0);
    assert_false(schema->has_samples);
    assert_string_equal(schema->name, REPORT);
    schema_file.destroy(schema);
}
