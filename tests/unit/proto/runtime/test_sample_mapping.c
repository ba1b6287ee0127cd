/* Tests samples that are read from a user's message by paths of its fields. */
#include <stdio.h>
#include <string.h>

#include "proto/schemas.h"
#include "tests/support/proto/wire.h"
#include "tests/support/test.h"

#define READINGS TEST_SETS "/readings.desc"
#define REPORT   "sluice.readings.Report"
#define PLANT    TEST_SETS "/plant.desc"
#define SITE     "sluice.plant.Site"

static struct wire wire;
static uint8_t memory[64 * 1024];
static uint8_t scratch_memory[16 * 1024];

/*
 * Returns a line NAME=VALUE@TIME for each sample of the datagram, followed by its labels as
 * KEY=VALUE.
 */
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
    /* A field without presence always has a value, which may be its default. */
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
    /* The value is outside of the list, so the sample gets no label from the list. */
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
    options.time = "at_ms:s"; /* the time exceeds 64 bits, so there is none */
    assert_string_equal(samples_of(&options), "load=1@0\n");
}

TEST_WITH(a_time_may_be_the_sum_of_two_numbers, begin, NULL)
{
    (void)state;
    struct schema_options options = report("load");
    options.time = "at_ms:s+at_s:ns";
    wire_double(&wire, 4, 1);
    wire_double(&wire, 7, 5);
    /* The seconds are missing in the message, so the sample has no time. */
    assert_string_equal(samples_of(&options), "load=1@0\n");
    wire_uint(&wire, 3, 1700000000);
    assert_string_equal(samples_of(&options), "load=1@1700000000000000005\n");
    options.time = "at_ms:s+site.rack:us"; /* a missing part counts as 0 */
    assert_string_equal(samples_of(&options), "load=1@1700000000000000000\n");
    wire_uint(&wire, 3, 9223372036); /* the sum exceeds 64 bits, so there is no time */
    options.time = "at_ms:s+at_ms:s";
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

/* --- repeated fields in repeated fields ------------------------------------------------------- */

static struct schema_options site(const char *value)
{
    return (struct schema_options){.source = PLANT, .message = SITE, .value = value};
}

static void put_psu(uint64_t slot, double watts)
{
    size_t psu = wire_begin(&wire, 3);
    wire_uint(&wire, 1, slot);
    wire_double(&wire, 2, watts);
    wire_float(&wire, 4, (float)slot);
    wire_float(&wire, 4, 0.5F);
    size_t tag = wire_begin(&wire, 5);
    wire_text(&wire, 1, "feed");
    wire_text(&wire, 2, slot == 1 ? "a" : "b");
    wire_end(&wire, tag);
    wire_end(&wire, psu);
}

static void put_count(uint32_t field, const char *key, uint64_t count)
{
    size_t entry = wire_begin(&wire, field);
    wire_text(&wire, 1, key);
    wire_uint(&wire, 2, count);
    wire_end(&wire, entry);
}

static void put_site(void)
{
    static const char *const names[] = {"r1", "r2", "r3"};
    wire_text(&wire, 1, "fra1");
    for (unsigned i = 0; i < 3; i++) {
        size_t rack = wire_begin(&wire, 2);
        wire_text(&wire, 1, names[i]);
        wire_uint(&wire, 2, 1000 + i);
        if (i != 1)
            put_psu(1, 10 * i + 0.5);
        if (i == 0)
            put_psu(2, -1);
        wire_double(&wire, 5, 20 + i);
        put_count(6, "resets", i);
        if (i == 2)
            put_count(6, "alarms", 7);
        wire_end(&wire, rack);
    }
}

TEST_WITH(each_element_of_the_innermost_repeated_field_is_a_place, begin, NULL)
{
    (void)state;
    put_site();
    struct schema_options options = site("racks.psus.watts");
    options.labels = "site:name,rack:racks.name,racks.psus.slot,racks.psus.tags";
    options.time = "racks.at_ms:ms";
    assert_string_equal(samples_of(&options),
                        "watts=0.5@1000000000 site=fra1 rack=r1 slot=1 feed=a\n"
                        "watts=-1@1000000000 site=fra1 rack=r1 slot=2 feed=b\n"
                        "watts=20.5@1002000000 site=fra1 rack=r3 slot=1 feed=a\n");
    options.name = "racks.psus.slot";
    options.labels = NULL;
    options.time = NULL;
    assert_string_equal(samples_of(&options), "1=0.5@0\n2=-1@0\n1=20.5@0\n");
    options.value = "racks.psus.volts"; /* the innermost list has plain values */
    assert_string_equal(samples_of(&options), "1=1f@0\n1=0.5f@0\n2=2f@0\n2=0.5f@0\n1=1f@0\n"
                                              "1=0.5f@0\n");
}

TEST_WITH(values_of_every_level_have_what_is_there_and_around_it, begin, NULL)
{
    (void)state;
    put_site();
    wire_double(&wire, 5, 9);
    struct schema_options options = site("racks.psus.watts,load,racks.celsius");
    options.labels = "site:name,rack:racks.name,racks.psus.slot";
    assert_string_equal(samples_of(&options), "load=9@0 site=fra1\n"
                                              "celsius=20@0 site=fra1 rack=r1\n"
                                              "watts=0.5@0 site=fra1 rack=r1 slot=1\n"
                                              "watts=-1@0 site=fra1 rack=r1 slot=2\n"
                                              "celsius=21@0 site=fra1 rack=r2\n"
                                              "celsius=22@0 site=fra1 rack=r3\n"
                                              "watts=20.5@0 site=fra1 rack=r3 slot=1\n");
}

/*
 * Each rack has more power supplies than the one before it. A sample of a rack must not keep labels
 * of another rack's power supplies.
 */
TEST_WITH(a_value_has_no_labels_of_elements_inside_its_own, begin, NULL)
{
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        size_t rack = wire_begin(&wire, 2);
        for (unsigned slot = 0; slot <= i; slot++)
            put_psu(slot, slot);
        wire_end(&wire, rack);
    }
    struct schema_options options = site("racks.celsius,racks.psus.watts");
    options.labels = "racks.psus.slot";
    assert_string_equal(samples_of(&options), "celsius=0@0\nwatts=0@0 slot=0\n"
                                              "celsius=0@0\nwatts=0@0 slot=0\nwatts=1@0 slot=1\n"
                                              "celsius=0@0\nwatts=0@0 slot=0\nwatts=1@0 slot=1\n"
                                              "watts=2@0 slot=2\n");
}

TEST_WITH(each_entry_of_a_map_is_a_place_with_its_key, begin, NULL)
{
    (void)state;
    put_site();
    struct schema_options options = site("racks.counters.value");
    options.name = "racks.counters.key";
    options.labels = "rack:racks.name";
    assert_string_equal(samples_of(&options), "resets=0u@0 rack=r1\nresets=1u@0 rack=r2\n"
                                              "resets=2u@0 rack=r3\nalarms=7u@0 rack=r3\n");
    options.name = NULL;
    options.value = "counters:racks.counters.value";
    options.labels = "racks.counters.key";
    assert_string_equal(samples_of(&options),
                        "counters=0u@0 key=resets\ncounters=1u@0 key=resets\n"
                        "counters=2u@0 key=resets\ncounters=7u@0 key=alarms\n");
}

TEST_WITH(a_path_goes_on_in_a_map_s_messages, begin, NULL)
{
    (void)state;
    for (unsigned i = 1; i < 3; i++) {
        size_t entry = wire_begin(&wire, 4);
        wire_uint(&wire, 1, i);
        size_t rack = wire_begin(&wire, 2);
        put_psu(i, i);
        wire_end(&wire, rack);
        wire_end(&wire, entry);
    }
    size_t empty = wire_begin(&wire, 4); /* an entry without key and value */
    wire_end(&wire, empty);
    struct schema_options options = site("spare.value.psus.watts");
    options.labels = "spare.key,spare.value.name";
    assert_string_equal(samples_of(&options), "watts=1@0 key=1 name=\nwatts=2@0 key=2 name=\n");
    options.value = "spare.value.celsius";
    assert_string_equal(samples_of(&options), "celsius=0@0 key=1 name=\ncelsius=0@0 key=2 name=\n"
                                              "celsius=0@0 key=0 name=\n");
}

TEST_WITH(four_repeated_fields_may_lie_in_each_other, begin, NULL)
{
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        size_t rack = wire_begin(&wire, 2);
        size_t psu = wire_begin(&wire, 3);
        for (unsigned k = 0; k < 2; k++) {
            size_t phase = wire_begin(&wire, 3);
            wire_text(&wire, 1, k == 0 ? "x" : "y");
            for (unsigned order = 0; order < k + i; order++) {
                size_t harmonic = wire_begin(&wire, 2);
                wire_uint(&wire, 1, order);
                wire_double(&wire, 2, 100 * i + order);
                wire_end(&wire, harmonic);
            }
            wire_end(&wire, phase);
        }
        wire_end(&wire, psu);
        wire_end(&wire, rack);
    }
    struct schema_options options = site("racks.psus.phases.harmonics.share");
    options.labels = "racks.psus.phases.name,racks.psus.phases.harmonics.order";
    assert_string_equal(samples_of(&options),
                        "share=0@0 name=y order=0\nshare=100@0 name=x order=0\n"
                        "share=100@0 name=y order=0\nshare=101@0 name=y order=1\n");
}

/* All elements of this datagram are empty, and the loop over them must run only once. */
TEST_WITH(many_empty_elements_are_walked_once, begin, NULL)
{
    (void)state;
    static uint8_t bytes[2 * 30000];
    static uint8_t room[4 * 1024 * 1024];
    for (size_t i = 0; i < sizeof bytes; i += 2) {
        bytes[i] = 2 << 3 | 2;
        bytes[i + 1] = 0;
    }
    struct schema_options options = site("racks.psus.watts");
    options.labels = "racks.name,racks.psus.slot";
    struct schema *schema;
    assert_int_equal(schema_file.create(&options, &schema, NULL), 0);
    struct arena arena = {.base = room, .capacity = sizeof room};
    struct decoded decoded;
    assert_int_equal(schema_file.decode(schema, bytes, sizeof bytes, &arena, &decoded), DECODE_OK);
    struct schema_cursor cursor = {0};
    struct sample sample;
    for (int i = 0; i < 3; i++) /* further calls return false, too */
        assert_false(schema_file.next_sample(schema, decoded.message, &cursor, &sample));
    schema_file.destroy(schema);
}

TEST_WITH(what_paths_through_lists_get_wrong_is_said_in_one_line, begin, NULL)
{
    (void)state;
    static const struct {
        const char *value, *labels, *says;
    } wrong[] = {
        {"watts", NULL,
         "\"sluice.plant.Site\" has no field \"watts\"; did you mean "
         "\"racks.psus.watts\"?"},
        {"racks.watts", NULL, "did you mean \"racks.psus.watts\"?"},
        {"psus.watts", NULL, "did you mean \"racks.psus.watts\"?"},
        {"racks.psus.watts", "slot",
         "labels: message \"sluice.plant.Site\" has no field \"slot\"; "
         "did you mean \"racks.psus.slot\"?"},
        {"racks.psus.watts", "racks.fans.rpm",
         "labels: \"rpm\" is in another repeated field than \"watts\": \"racks.fans\", not "
         "\"racks.psus\"; they must be the same, or lie one in the other"},
        {"racks.psus.watts,racks.fans.rpm", NULL, "value: \"rpm\" is in another repeated field"},
        {"totals", NULL, "\"totals\" is a map; append .value for its values"},
        {"spare", NULL, "\"spare\" is not a number"},
        {"racks.psus.phases.harmonics.history", NULL,
         "\"history\" is one repeated field too many on the way; there can be 4"},
        {"totals.value", "racks.counters.key",
         "in another repeated field than \"value\": \"racks\", not "
         "\"totals\""},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct schema_options options = site(wrong[i].value);
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

TEST_WITH(what_a_mapping_gets_wrong_is_said_in_one_line, begin, NULL)
{
    (void)state;
    static const struct {
        const char *value, *name, *time, *labels, *says;
    } wrong[] = {
        {"lod", NULL, NULL, NULL, "has no field \"lod\"; did you mean \"load\"?"},
        {"host", NULL, NULL, NULL, "value: \"host\" is not a number"},
        {"readings", NULL, NULL, NULL, "value: \"readings\" is not a number"},
        {"readings.value", NULL, NULL, "others.sensor",
         "labels: \"sensor\" is in another repeated field than \"value\": \"others\", not "
         "\"readings\""},
        {"sensor", NULL, NULL, NULL, "did you mean \"readings.sensor\"?"},
        {"load.x", NULL, NULL, NULL, "nothing can follow \"load\""},
        {"load", NULL, "at_ms", NULL, "needs a unit"},
        {"load", NULL, "at_ms:hours", NULL, "needs a unit"},
        {"load", NULL, "at:s", NULL, "needs no unit"},
        {"load", NULL, "at_ms:s+at", NULL, "time: \"at\" is a Timestamp and cannot be added"},
        {"load", NULL, "at_ms:s+at_s", NULL, "time: \"at_s\" needs a unit"},
        {"load", NULL, "at_ms:s+", NULL, "time: "},
        {"load", NULL, "at_ms:s+at_s:ns+load:ns", NULL, "time: more than 2 parts"},
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
