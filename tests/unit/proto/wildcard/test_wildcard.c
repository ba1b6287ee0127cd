#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/text/compiler.h"
#include "proto/reading/json_message.h"
#include "proto/schemas.h"
#include "tests/support/test.h"

#define SET     TEST_SETS "/wildcard.desc"
#define PACKAGE "sluice.wildcard."

static uint8_t memory[256 * 1024];
static uint8_t scratch_memory[16 * 1024];
static size_t room = sizeof memory; /* bytes of the arena for a message */

static char text[16384];
static size_t used;

PRINTF_LIKE(1, 2) static void put(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    used += (size_t)vsnprintf(text + used, sizeof text - used, format, arguments);
    va_end(arguments);
    assert_true(used < sizeof text);
}

static void put_value(const struct sample *sample)
{
    if (sample->type == SAMPLE_INT64)
        put("%lld", (long long)sample->value.int64);
    else if (sample->type == SAMPLE_UINT64)
        put("%llu", (unsigned long long)sample->value.uint64);
    else
        put("%.17g", sample->value.number);
}

/*
 * Writes the sample as a line NAME{KEY=VALUE,...} VALUE. "c" marks a counter, and @TIME is the
 * time, if there is one.
 */
static void put_sample(const struct schema *schema, const void *message,
                       const struct sample *sample, struct arena *scratch)
{
    struct schema_cursor place = {.scratch = scratch};
    struct label label;
    const char *between = "";
    put("%.*s{", (int)sample->name.size, sample->name.data);
    while (schema->ops->next_label(schema, message, sample, &place, &label)) {
        put("%s%.*s=%.*s", between, (int)label.key.size, label.key.data, (int)label.value.size,
            label.value.data);
        between = ",";
    }
    put("} ");
    put_value(sample);
    put("%s", sample->kind == SAMPLE_COUNTER ? "c" : "");
    if (sample->time_ns != 0)
        put("@%lld", (long long)sample->time_ns);
    put("\n");
}

static struct schema *made(const struct schema_options *options)
{
    struct schema *schema;
    struct error error;
    if (schema_file.create(options, &schema, &error) != 0)
        fail_msg("%s", error.text);
    assert_true(schema->has_samples);
    return schema;
}

static const char *plain_json(const char *with_quotes)
{
    static char json[8192];
    assert_true(strlen(with_quotes) < sizeof json);
    strcpy(json, with_quotes);
    for (char *at = json; (at = strchr(at, '\'')) != NULL;)
        *at = '"';
    return json;
}

static size_t repeated;        /* samples of the last message that repeat a series */
static char repeated_name[64]; /* name of the first such sample */

static bool is_before(const char *at)
{
    size_t size = (size_t)(strstr(at, "} ") + 1 - at);
    for (const char *line = text; line != at; line = strchr(line, '\n') + 1)
        if (strncmp(line, at, size) == 0)
            return true;
    return false;
}

static void check_repeated(const struct decoded *decoded)
{
    size_t count = 0;
    for (const char *line = text; *line != '\0'; line = strchr(line, '\n') + 1)
        count += is_before(line);
    assert_int_equal(decoded->series_repeated, count);
    repeated = count;
    repeated_name[0] = '\0';
    if (count != 0)
        snprintf(repeated_name, sizeof repeated_name, "%.*s", (int)decoded->repeated_name.size,
                 decoded->repeated_name.data);
}

/*
 * Decodes the message, which is JSON with single quotes instead of double ones. Returns a line for
 * each sample.
 */
static const char *samples_of(const struct schema_options *options, const char *with_quotes)
{
    const char *json = plain_json(with_quotes);
    const struct json_message_type type = {.file = SET, .message = options->message};
    struct schema *schema = made(options);
    struct arena arena = {.base = memory, .capacity = room};
    struct arena scratch = {.base = scratch_memory, .capacity = sizeof scratch_memory};
    struct error error;
    struct decoded decoded;
    uint8_t *bytes;
    size_t size;
    if (json_message_encode(&type, json, &bytes, &size, &error) != 0)
        fail_msg("%s", error.text);
    used = 0;
    text[0] = '\0';
    if (schema_file.decode(schema, bytes, size, &arena, &decoded) == DECODE_OK) {
        struct schema_cursor cursor = {.scratch = &scratch};
        struct sample sample;
        while (schema_file.next_sample(schema, decoded.message, &cursor, &sample))
            put_sample(schema, decoded.message, &sample, &scratch);
        assert_false(scratch.exhausted);
        check_repeated(&decoded);
    } else {
        put("refused: %d\n", (int)decoded.failure.cause);
    }
    free(bytes);
    schema_file.destroy(schema);
    return text;
}

static struct schema_options all_of(const char *message)
{
    return (struct schema_options){.source = SET, .message = message, .value = "*"};
}

static const char *error_of(const struct schema_options *options)
{
    static struct error error;
    struct schema *schema;
    assert_int_equal(schema_file.create(options, &schema, &error), -1);
    return error.text;
}

/* --- elements, names and labels --------------------------------------------------------------- */

TEST(every_number_is_a_sample_with_the_labels_of_its_element)
{
    struct schema_options options = all_of(PACKAGE "Switch");
    assert_string_equal(
        samples_of(&options,
                   "{'host': 's1', 'ports': [{'name': 'a', 'unit': 1, 'octets': 7, 'up': true},"
                   "{'name': 'b', 'watts': 2.5}]}"),
        "sequence{host=s1} 0\n"
        "ports.octets{name=a,unit=1,host=s1} 7c\n"
        "ports.up{name=a,unit=1,host=s1} 1\n"
        "ports.octets{name=b,unit=0,host=s1} 0c\n"
        "ports.watts{name=b,unit=0,host=s1} 2.5\n"
        "ports.up{name=b,unit=0,host=s1} 0\n");
}

TEST(a_path_with_an_asterisk_selects_the_numbers_below_it)
{
    struct schema_options options = all_of(PACKAGE "Switch");
    options.value = "health.*";
    assert_string_equal(samples_of(&options, "{'host': 's1', 'ports': [{'octets': 7}],"
                                             "'health': {'celsius': 1.5}}"),
                        "health.celsius{host=s1} 1.5\n");
    options.value = "ports.lanes.*";
    assert_string_equal(
        samples_of(&options, "{'host': 's1', 'ports': [{'name': 'a', 'lanes': [{'power': -3}]}]}"),
        "ports.lanes.power{mode=OFF,lanes=0,name=a,unit=0,host=s1} -3\n");
}

TEST(an_element_with_keys_has_no_other_labels)
{
    struct schema_options options = all_of(PACKAGE "Switch");
    options.value = "ports.*";
    assert_string_equal(
        samples_of(&options, "{'host': 's', 'comment': 'c',"
                             "'ports': [{'name': 'a', 'state': 'up', 'octets': 1}]}"),
        "ports.octets{name=a,unit=0,host=s} 1c\nports.up{name=a,unit=0,host=s} 0\n");
}

TEST(an_element_without_keys_has_its_texts_and_enums_and_an_enum_does_not_replace_its_position)
{
    struct schema_options options = all_of(PACKAGE "Texts");
    assert_string_equal(
        samples_of(&options, "{'name': 'out', 'n': 1, 'tags': {'color': 'red'}, 'inner': [{'n': 2},"
                             "{'name': 'in', 'n': 3}]}"),
        "n{color=red,name=out} 1\n"
        "inner.n{inner=0,color=red,name=out} 2\n"
        "inner.n{inner.name=in,color=red,name=out} 3\n");
}

TEST(a_oneof_of_scalars_is_one_value_with_the_name_of_the_oneof)
{
    struct schema_options options = all_of(PACKAGE "Health");
    assert_string_equal(samples_of(&options, "{'whole': 3}"), "celsius{} 0\nreading{} 3\n");
    assert_string_equal(samples_of(&options, "{'real': 0.5, 'count': 4}"),
                        "celsius{} 0\nreading{} 0.5\ncount{} 4\n");
    assert_string_equal(samples_of(&options, "{'word': 'x', 'lane': {'power': 1}}"),
                        "celsius{word=x,mode=OFF} 0\nlane.power{word=x,mode=OFF} 1\n");
}

TEST(repeated_numbers_and_maps_of_numbers_have_a_label_with_their_place)
{
    struct schema_options options = all_of(PACKAGE "Switch");
    assert_string_equal(samples_of(&options, "{'host': 's', 'load': [0.5, 1], 'queues': {'q1': 8},"
                                             "'spare': {'x': {'name': 'n', 'octets': 9}}}"),
                        "sequence{host=s} 0\n"
                        "load{load=0,host=s} 0.5\n"
                        "load{load=1,host=s} 1\n"
                        "queues{queues=q1,host=s} 8\n"
                        "spare.octets{spare=x,name=n,unit=0,host=s} 9c\n"
                        "spare.up{spare=x,name=n,unit=0,host=s} 0\n");
}

TEST(a_map_to_texts_may_have_keys_that_are_no_texts)
{
    const struct schema_options options = all_of(PACKAGE "Maps");
    assert_string_equal(
        samples_of(&options,
                   "{'host': 'h', 'load': 1.5, 'byUint32': {'4000000000': 'http'},"
                   "'bySint64': {'-9': 'low'}, 'byFixed64': {'18446744073709551615': 'high'},"
                   "'byBool': {'true': 'on', 'false': 'off'}}"),
        "load{host=h,4000000000=http,-9=low,18446744073709551615=high,true=on,false=off} 1.5\n");
}

TEST(a_path_with_an_asterisk_may_lead_to_a_map)
{
    struct schema_options options = all_of(PACKAGE "Maps");
    options.value = "gauges.*";
    assert_string_equal(
        samples_of(&options, "{'host': 'h', 'load': 1.5, 'gauges': {'a': 2, 'b': 3}}"),
        "gauges{gauges=a,host=h} 2\ngauges{gauges=b,host=h} 3\n");
    options = all_of(PACKAGE "Switch");
    options.value = "spare.value.*";
    assert_string_equal(
        samples_of(&options,
                   "{'host': 'h', 'sequence': 4, 'spare': {'x': {'name': 'p', 'octets': '8'}}}"),
        "spare.octets{spare=x,name=p,unit=0,host=h} 8c\n"
        "spare.up{spare=x,name=p,unit=0,host=h} 0\n");
}

TEST(the_text_of_the_option_name_is_in_no_label)
{
    struct schema_options options = all_of(PACKAGE "Maps");
    options.name = "kind";
    assert_string_equal(samples_of(&options, "{'kind': 'cpu', 'host': 'h', 'inner': "
                                             "[{'name': 'a', 'inner': [{'name': 'b', 'n': 1}]}]}"),
                        "cpu.load{host=h,kind=cpu} 0\n"
                        "cpu.inner.n{name=a,host=h,kind=cpu} 0\n"
                        "cpu.inner.inner.n{inner.inner.name=b,name=a,host=h,kind=cpu} 1\n");
}

TEST(an_extension_begins_a_name)
{
    struct schema_options options = all_of(PACKAGE "Around");
    assert_string_equal(
        samples_of(&options,
                   "{'extended': {'[sluice.wildcard.fan_sensor]': {'rpm': 900, 'step': 2}}}"),
        "fan_sensor.rpm{} 900\nfan_sensor.step{} 2\n");
}

TEST(a_message_in_bytes_begins_a_name)
{
    struct schema_options options = all_of(PACKAGE "Switch");
    options.nested = "body:message=" PACKAGE "Lane";
    options.value = "body.*";
    /* The body is a message with the mode 1 and the power -2. */
    assert_string_equal(samples_of(&options, "{'host': 's', 'body': 'CAEQAw=='}"),
                        "body.power{host=s} -2\n");
}

TEST(an_element_without_numbers_is_an_info_sample)
{
    struct schema_options options = all_of(PACKAGE "Tree");
    assert_string_equal(samples_of(&options, "{'nodes': [{'fields': [{'name': 'keys', 'fields': ["
                                             "{'name': 'id', 'stringValue': 'a'}]}, {'name': 's',"
                                             "'stringValue': 'up'}]}]}"),
                        "nodes.info{id=a} 1\n");
    options = all_of(PACKAGE "Around");
    assert_string_equal(samples_of(&options, "{}"), "");
    options = all_of(PACKAGE "Servers");
    assert_string_equal(
        samples_of(&options, "{'servers': [{'protocol': 'udp', 'timestamp': 1700000000},"
                             "{'protocol': 'tcp', 'port': 0}]}"),
        "servers.info{protocol=udp} 1@1700000000000000000\nservers.port{protocol=tcp} 0\n");
    options.labels = "port";
    assert_string_equal(samples_of(&options, "{'servers': [{'port': 53}, {}]}"),
                        "servers.info{port=53} 1\nservers.info{servers=1} 1\n");
}

TEST(texts_that_are_not_labels_can_make_a_sample)
{
    struct schema_options options = all_of(PACKAGE "Switch");
    options.value = "ports.*";
    options.text_samples = true;
    assert_string_equal(samples_of(&options,
                                   "{'host': 's', 'comment': 'c', 'ports': [{'name': 'a',"
                                   "'state': 'up'}, {'name': 'b', 'lanes': [{'mode': 'ON'}]}]}"),
                        "ports.octets{name=a,unit=0,host=s} 0c\n"
                        "ports.up{name=a,unit=0,host=s} 0\n"
                        "ports.info{state=up,name=a,unit=0,host=s} 1\n"
                        "ports.octets{name=b,unit=0,host=s} 0c\n"
                        "ports.up{name=b,unit=0,host=s} 0\n"
                        "ports.lanes.power{mode=ON,lanes=0,name=b,unit=0,host=s} 0\n");
    options = all_of(PACKAGE "Tree");
    options.value = "nodes.*";
    options.text_samples = true;
    assert_string_equal(samples_of(&options, "{'nodes': [{'fields': [{'name': 'keys', 'fields': ["
                                             "{'name': 'id', 'stringValue': 'a'}]}, {'name': 'c',"
                                             "'fields': [{'name': 'id', 'stringValue': 'up'},"
                                             "{'name': 'n', 'uint32Value': 2}]}]}]}"),
                        "nodes.c/n{id=a} 2\nnodes.info{nodes.c.id=up,id=a} 1\n");
}

TEST(the_option_name_precedes_all_names)
{
    struct schema_options options = all_of(PACKAGE "Texts");
    options.name = "name";
    assert_string_equal(samples_of(&options, "{'name': 'x', 'n': 1, 'inner': [{'n': 2}]}"),
                        "x.n{name=x} 1\nx.inner.n{inner=0,name=x} 2\n");
}

TEST(paths_can_be_given_beside_an_asterisk_and_are_read_as_without_it)
{
    struct schema_options options = all_of(PACKAGE "Switch");
    options.value = "rate:load,health.*,ports.octets";
    options.labels = "host,port:ports.name,celsius:ip";
    assert_string_equal(error_of(&options), SET ": value: \"octets\" is in another repeated field "
                                                "than \"load\": \"ports\", not \"load\"; they "
                                                "must be the same, or lie one in the other");
    options.value = "health.*,n:ports.octets";
    options.labels = "host,port:ports.name,comment";
    assert_string_equal(samples_of(&options, "{'host': 's', 'ports': [{'name': 'a', 'octets': 3}],"
                                             "'comment': 'x', 'health': {'celsius': 0.5}}"),
                        "n{host=s,port=a,comment=x} 3\nhealth.celsius{host=s,comment=x} 0.5\n");
    options.value = "*,ports.octets";
    options.labels = NULL;
    assert_string_equal(samples_of(&options, "{'ports': [{'name': 'a', 'octets': 3, 'watts': 1}]}"),
                        "octets{} 3\nsequence{} 0\nports.watts{name=a,unit=0} 1\n"
                        "ports.up{name=a,unit=0} 0\n");
}

/* --- labels that the user requests ------------------------------------------------------------ */

TEST(a_label_is_found_by_its_name_or_by_the_end_of_its_path)
{
    struct schema_options options = all_of(PACKAGE "Switch");
    options.value = "ports.lanes.*";
    options.labels = "mode,owner:comment,ports/state";
    assert_string_equal(
        samples_of(&options, "{'host': 's', 'comment': 'c', 'ports': [{'name': 'a', 'state': 'up',"
                             "'lanes': [{'mode': 'ON', 'power': 4}]}]}"),
        "ports.lanes.power{ports.lanes.mode=ON,name=a,unit=0,state=up,host=s,owner=c} 4\n");
}

TEST(a_label_by_a_path_leaves_other_fields_of_its_name_as_they_are)
{
    struct schema_options options = all_of(PACKAGE "Texts");
    options.labels = "inner_name:inner.name";
    assert_string_equal(samples_of(&options, "{'name': 'a', 'n': 1, 'inner': [{'name': 'b', 'n': 2,"
                                             "'inner': [{'name': 'c', 'n': 3}]}]}"),
                        "n{name=a} 1\n"
                        "inner.n{inner_name=b,name=a} 2\n"
                        "inner.inner.n{inner.inner.name=c,inner_name=b,name=a} 3\n");
}

TEST(several_labels_of_one_field_name_are_told_apart_by_their_paths)
{
    struct schema_options options = all_of(PACKAGE "Texts");
    options.labels = "site:name,rack:inner.name";
    assert_string_equal(samples_of(&options, "{'name': 'a', 'inner': [{'name': 'b', 'n': 2}]}"),
                        "n{site=a} 0\n"
                        "inner.n{rack=b,site=a} 2\n");
}

TEST(a_number_that_is_a_label_by_its_path_is_a_sample_elsewhere)
{
    struct schema_options options = all_of(PACKAGE "Switch");
    options.value = "ports.*,spare.*";
    options.labels = "up:ports.up";
    assert_string_equal(samples_of(&options, "{'ports': [{'name': 'a', 'octets': 4, 'up': true}],"
                                             "'spare': {'x': {'octets': 5}}}"),
                        "ports.octets{name=a,unit=0,up=true} 4c\n"
                        "spare.octets{spare=x,unit=0} 5c\n"
                        "spare.up{spare=x,unit=0} 0\n");
}

TEST(a_whole_path_may_lead_through_extensions)
{
    struct schema_options options = all_of(PACKAGE "Around");
    options.labels = "turns:extended.[sluice.wildcard.fan_sensor].rpm";
    assert_string_equal(
        samples_of(&options,
                   "{'extended': {'[sluice.wildcard.fan_sensor]': {'rpm': 900, 'step': 2}}}"),
        "fan_sensor.step{turns=900} 2\n");
}

static void assert_no_samples(const struct schema_options *options, const uint8_t *bytes,
                              size_t size)
{
    struct schema *schema = made(options);
    struct arena arena = {.base = memory, .capacity = sizeof memory};
    struct schema_cursor cursor = {0};
    struct decoded decoded;
    struct sample sample;
    assert_int_equal(schema_file.decode(schema, bytes, size, &arena, &decoded), DECODE_OK);
    assert_false(schema_file.next_sample(schema, decoded.message, &cursor, &sample));
    schema_file.destroy(schema);
}

TEST(a_message_without_any_known_field_has_no_samples)
{
    struct schema_options options = all_of(PACKAGE "Lane");
    static const uint8_t foreign[] = {0x78, 1}; /* field 15 */
    assert_no_samples(&options, foreign, sizeof foreign);
    assert_string_equal(samples_of(&options, "{}"), "power{mode=OFF} 0\n");
    options.value = "power";
    assert_no_samples(&options, foreign, sizeof foreign);
    assert_string_equal(samples_of(&options, "{}"), "power{} 0\n");
}

TEST(a_number_that_is_a_label_is_not_a_sample)
{
    struct schema_options options = all_of(PACKAGE "Switch");
    options.value = "ports.*";
    options.labels = "octets";
    assert_string_equal(samples_of(&options, "{'ports': [{'name': 'a', 'octets': 5}]}"),
                        "ports.up{name=a,unit=0,octets=5} 0\n");
}

TEST(bytes_are_labels_as_addresses_or_as_text)
{
    struct schema_options options = all_of(PACKAGE "Lane");
    options.labels = "address:ip";
    assert_string_equal(samples_of(&options, "{'address': 'wAACAQ=='}"),
                        "power{mode=OFF,address=192.0.2.1} 0\n");
    assert_string_equal(samples_of(&options, "{'address': 'IAENuAAAAAAAAAAAAAAAAQ=='}"),
                        "power{mode=OFF,address=2001:db8::1} 0\n");
    assert_string_equal(samples_of(&options, "{'address': 'YWI='}"),
                        "power{mode=OFF,address=YWI=} 0\n");
    options.labels = "address:text";
    assert_string_equal(samples_of(&options, "{'address': 'YWI='}"),
                        "power{mode=OFF,address=ab} 0\n");
}

TEST(a_label_whose_name_is_taken_has_its_path)
{
    struct schema_options options = all_of(PACKAGE "Tree");
    options.value = "site.inner.*";
    assert_string_equal(
        samples_of(&options,
                   "{'site': {'inner': [{'name': 'b', 'inner': [{'name': 'c', 'n': 1}]}]}}"),
        "site.inner.n{site.inner.name=b} 0\n"
        "site.inner.inner.n{site.inner.inner.name=c,site.inner.name=b} 1\n");
}

TEST(a_key_does_not_depend_on_the_presence_of_an_earlier_message)
{
    const struct schema_options options = all_of(PACKAGE "Route");
    assert_string_equal(samples_of(&options, "{'target': {'city': 't'}, 'hops': 1}"),
                        "hops{target.city=t} 1\n");
    assert_string_equal(
        samples_of(&options, "{'source': {'city': 's'}, 'target': {'city': 't'}, 'hops': 1}"),
        "hops{city=s,target.city=t} 1\n");
    /* A text in an inner message does not change the key of a label either. */
    assert_string_equal(samples_of(&options, "{'zone': 'z', 'target': {'spot': {'zone': 'y'}}}"),
                        "hops{zone=z,target.spot.zone=y} 0\n");
    assert_string_equal(samples_of(&options, "{'source': {'spot': {'zone': 'x'}}}"),
                        "hops{source.spot.zone=x} 0\n");
}

TEST(a_key_in_an_element_does_not_depend_on_what_is_present_around_it)
{
    struct schema_options options = all_of(PACKAGE "Route");
    options.value = "legs.*";
    assert_string_equal(samples_of(&options, "{'legs': [{'city': 'a', 'load': [2]}]}"),
                        "legs.n{legs.city=a} 0\nlegs.load{load=0,legs.city=a} 2\n");
    assert_string_equal(
        samples_of(&options, "{'source': {'city': 's'}, 'legs': [{'city': 'a', 'from': {}}]}"),
        "legs.n{legs.city=a,city=s} 0\n");
    assert_string_equal(
        samples_of(&options, "{'legs': [{'city': 'a', 'legs': [{'n': 1}, {'city': 'b'}]}]}"),
        "legs.n{legs.city=a} 0\n"
        "legs.legs.n{legs.legs=0,legs.city=a} 1\n"
        "legs.legs.n{legs.legs.city=b,legs.city=a} 0\n");
}

TEST(messages_of_one_oneof_do_not_take_names_from_each_other)
{
    const struct schema_options options = all_of(PACKAGE "Arrival");
    assert_string_equal(samples_of(&options, "{'truck': {'city': 'a'}, 'last': {'city': 'b'}}"),
                        "count{city=a,last.city=b} 0\n");
    assert_string_equal(samples_of(&options, "{'ship': {'city': 'a', 'from': {'city': 'c'}}}"),
                        "count{city=a,ship.from.city=c} 0\nship.n{city=a,ship.from.city=c} 0\n");
    assert_string_equal(samples_of(&options, "{'train': {'city': 'a'}}"), "count{city=a} 0\n");
    assert_string_equal(samples_of(&options, "{'last': {'city': 'b'}}"), "count{last.city=b} 0\n");
}

TEST(labels_of_one_type_that_paths_name_apart_do_not_take_each_others_names)
{
    struct schema_options options = all_of(PACKAGE "Route");
    static const char json[] = "{'source': {'city': 's'}, 'target': {'city': 't'}}";
    options.labels = "from:source.city,to:target.city";
    assert_string_equal(samples_of(&options, json), "hops{from=s,to=t} 0\n");
    options.labels = "from:source.city";
    assert_string_equal(samples_of(&options, json), "hops{from=s,city=t} 0\n");
    options.labels = "to:target/city";
    assert_string_equal(samples_of(&options, json), "hops{city=s,to=t} 0\n");
}

TEST(a_position_leaves_its_key_to_labels_inside_unless_its_list_is_outermost)
{
    const struct schema_options options = all_of(PACKAGE "Hall");
    assert_string_equal(
        samples_of(&options, "{'tables': [{'seats': [{'tables': 'a', 'guests': [{'seats': 'b'}]},"
                             "{'guests': [{'guests': [{'n': 1}]}]}]}]}"),
        "tables.seats.n{tables.seats.tables=a,tables=0} 0\n"
        "tables.seats.guests.n{seats=b,tables.seats.tables=a,tables=0} 0\n"
        "tables.seats.n{tables.seats=1,tables=0} 0\n"
        "tables.seats.guests.n{guests=0,tables.seats=1,tables=0} 0\n"
        "tables.seats.guests.guests.n{tables.seats.guests.guests=0,guests=0,tables.seats=1,"
        "tables=0} 1\n");
}

TEST(an_entry_of_a_map_leaves_its_key_to_a_label_of_a_field)
{
    const struct schema_options options = all_of(PACKAGE "Trip");
    assert_string_equal(
        samples_of(&options, "{'tags': {'city': 'x', 'color': 'red'}, 'legs': [{'city': 'a'}]}"),
        "hops{tags.city=x,color=red} 0\nlegs.n{legs.city=a,tags.city=x,color=red} 0\n");
}

/* --- times ------------------------------------------------------------------------------------ */

TEST(a_time_is_found_by_its_name_and_its_unit_by_its_size)
{
    struct schema_options options = all_of(PACKAGE "Times");
    assert_string_equal(samples_of(&options, "{'timestamp': 1700000000, 'value': 1}"),
                        "value{} 1@1700000000000000000\n");
    static const struct {
        const char *sent, *read;
    } times[] = {
        {"1700000000123", "1700000000123000000"},       {"1700000000123456", "1700000000123456000"},
        {"1700000000123456789", "1700000000123456789"}, {"946684800", "946684800000000000"},
        {"4102444799", "4102444799000000000"},
    };
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        char json[64];
        char end[64];
        snprintf(json, sizeof json, "{'timestamp': %s}", times[i].sent);
        snprintf(end, sizeof end, "value{} 0@%s\n", times[i].read);
        const char *read = samples_of(&options, json);
        assert_string_equal(strstr(read, "value{}"), end);
    }
}

TEST(a_time_keeps_its_fraction)
{
    struct schema_options options = all_of(PACKAGE "Health");
    options.time = "celsius:s";
    assert_string_equal(samples_of(&options, "{'celsius': 1.75, 'count': 2}"),
                        "count{} 2@1750000000\n");
}

TEST(a_number_that_is_no_time_is_a_sample_with_the_arrival_as_its_time)
{
    struct schema_options options = all_of(PACKAGE "Times");
    assert_string_equal(samples_of(&options, "{'timestamp': 946684799, 'value': 1}"),
                        "timestamp{} 946684799\nvalue{} 1\n");
    assert_string_equal(samples_of(&options, "{'timestamp': 4102444800, 'value': 1}"),
                        "timestamp{} 4102444800\nvalue{} 1\n");
}

TEST(two_numbers_of_one_name_are_a_time)
{
    struct schema_options options = all_of(PACKAGE "Times");
    assert_string_equal(samples_of(&options, "{'time_sec': 1700000000, 'time_usec': 250000}"),
                        "value{} 0@1700000000250000000\n");
}

TEST(a_message_of_seconds_and_nanoseconds_is_a_time)
{
    struct schema_options options = all_of(PACKAGE "Times");
    options.value = "times.*";
    assert_string_equal(samples_of(&options,
                                   "{'times': [{'clock': {'sec': 1700000000, 'nsec': 5}},"
                                   "{'created': '2023-11-14T22:13:20Z'}, {'clock': {'sec': 3}}]}"),
                        "times.value{times=0} 0@1700000000000000005\n"
                        "times.value{times=1} 0@1700000000000000000\n"
                        "times.value{times=2} 0\n"
                        "times.clock.sec{times=2} 3\n"
                        "times.clock.nsec{times=2} 0\n");
}

TEST(the_time_of_an_element_precedes_the_time_of_the_message)
{
    struct schema_options options = all_of(PACKAGE "Times");
    options.value = "times.*";
    const char *read = samples_of(&options, "{'timestamp': 1700000000, 'times': [{'value': 1},"
                                            "{'timestamp': 1800000000, 'value': 2}]}");
    assert_non_null(strstr(read, "times.value{times=0} 1@1700000000000000000\n"));
    assert_non_null(strstr(read, "times.value{times=1} 2@1800000000000000000\n"));
}

TEST(the_option_time_precedes_other_times)
{
    struct schema_options options = all_of(PACKAGE "Times");
    options.time = "value:ms";
    const char *read = samples_of(&options, "{'timestamp': 1700000000, 'value': 3, 'time_sec': 5}");
    assert_non_null(strstr(read, "time_sec{} 5@3000000\n"));
}

TEST(the_option_time_may_be_the_sum_of_two_numbers)
{
    struct schema_options options = all_of(PACKAGE "Times");
    options.time = "timestamp:s+value:ns";
    assert_string_equal(
        samples_of(&options, "{'timestamp': 5, 'value': 3, 'time_sec': 7, 'time_usec': 1}"),
        "time_sec{} 7@5000000003\n"
        "time_usec{} 1@5000000003\n");
    options.time = "timestamp:s+clock.nsec:ns";
    assert_string_equal(error_of(&options),
                        SET ": time: \"nsec\" is in another message than the part before it");
}

TEST(a_field_can_be_marked_as_the_time)
{
    struct schema_options options = all_of(PACKAGE "Switch");
    assert_string_equal(samples_of(&options, "{'sentAt': 1700000000000}"),
                        "sequence{} 0@1700000000000000000\n");
}

TEST(the_sequence_number_and_the_sender_are_not_samples)
{
    struct schema_options options = all_of(PACKAGE "Switch");
    options.sequence = "sequence";
    options.sequence_key = "host";
    assert_string_equal(samples_of(&options, "{'host': 's', 'sequence': 4, 'load': [1]}"),
                        "load{load=0,host=s} 1\n");
}

/* --- messages with fields "name" and "value" -------------------------------------------------- */

#define ROW "{'nodes': [{'timestamp': 1700000000, 'fields': [{'name': 'keys', 'fields': ["

TEST(named_values_are_samples_with_the_keys_as_labels)
{
    struct schema_options options = all_of(PACKAGE "Tree");
    options.value = "nodes.*";
    assert_string_equal(samples_of(&options,
                                   ROW "{'name': 'if', 'stringValue': 'eth0'}, {'name': 'n',"
                                       "'uint32Value': 7}, {'name': 'at', 'fields': [{'name': 'if',"
                                       "'stringValue': 'x'}]}]}, {'name': 'content', 'fields': ["
                                       "{'name': 'in', 'uint32Value': 5}, {'name': 'state',"
                                       "'stringValue': 'up'}, {'name': 'rate', 'fields': ["
                                       "{'name': 'now', 'doubleValue': 0.5}]}]}]}]}"),
                        "nodes.content/in{if=eth0,n=7,at/if=x} 5@1700000000000000000\n"
                        "nodes.content/rate/now{if=eth0,n=7,at/if=x} 0.5@1700000000000000000\n");
}

TEST(a_text_that_is_a_number_in_json_is_a_named_value)
{
    struct schema_options options = all_of(PACKAGE "Tree");
    options.value = "nodes.*";
    assert_string_equal(
        samples_of(&options,
                   "{'nodes': [{'name': 'a', 'stringValue': '18446744073709551615'},"
                   "{'name': 'b', 'stringValue': '-9223372036854775808'},"
                   "{'name': 'c', 'stringValue': '1.5e3'}, {'name': 'd', 'stringValue': '0x1'},"
                   "{'name': 'e', 'stringValue': '18446744073709551616'},"
                   "{'name': 'f', 'stringValue': ''}, {'name': 'g', 'boolValue': true}]}"),
        "nodes.a{} 18446744073709551615\nnodes.b{} -9223372036854775808\nnodes.c{} 1500\n"
        "nodes.e{} 1.8446744073709552e+19\nnodes.g{} 1\n");
}

TEST(named_messages_of_one_name_are_elements_with_a_label_or_their_position)
{
    struct schema_options options = all_of(PACKAGE "Tree");
    options.value = "nodes.*";
    static const char json[] =
        "{'nodes': [{'name': 'list', 'fields': [{'name': 'id', 'stringValue': 'x'},"
        "{'name': 'v', 'uint32Value': 1}]}, {'name': 'list', 'fields': [{'name': 'id',"
        "'stringValue': 'y'}, {'name': 'v', 'uint32Value': 2}]}]}";
    assert_string_equal(samples_of(&options, json),
                        "nodes.list/v{list=0} 1\nnodes.list/v{list=1} 2\n");
    options.labels = "id";
    assert_string_equal(samples_of(&options, json), "nodes.list/v{id=x} 1\nnodes.list/v{id=y} 2\n");
    options.labels = "owner:list/id";
    assert_string_equal(samples_of(&options, json),
                        "nodes.list/v{owner=x} 1\nnodes.list/v{owner=y} 2\n");
}

TEST(maps_to_texts_of_a_named_message_are_labels_of_its_value)
{
    const struct schema_options options = all_of(PACKAGE "Measures");
    assert_string_equal(
        samples_of(&options, "{'measures': [{'name': 'a', 'real': 1.5, 'tags': {'zone': 'x'}},"
                             "{'name': 'a', 'whole': 2, 'tags': {'zone': 'y', 'rack': 'r'}},"
                             "{'name': 'b', 'whole': 3}]}"),
        "measures.a{zone=x} 1.5\nmeasures.a{zone=y,rack=r} 2\nmeasures.b{} 3\n");
}

TEST(of_many_named_messages_those_of_one_name_are_elements)
{
    struct schema_options options = all_of(PACKAGE "Tree");
    options.value = "nodes.*";
    char json[4096] = "{'nodes': [";
    for (int i = 0; i < 40; i++)
        sprintf(json + strlen(json), "%s{'name': 'n%d', 'uint32Value': %d}", i == 0 ? "" : ",",
                i % 39, i);
    strcat(json, "]}");
    const char *read = samples_of(&options, json);
    assert_non_null(strstr(read, "nodes.n0{n0=0} 0\n"));
    assert_non_null(strstr(read, "nodes.n1{} 1\n"));
    assert_non_null(strstr(read, "nodes.n38{} 38\n"));
    assert_non_null(strstr(read, "nodes.n0{n0=39} 39\n"));
}

TEST(the_values_of_attributes_are_in_a_message_of_their_own)
{
    struct schema_options options = all_of(PACKAGE "Tree");
    options.value = "attributes.*";
    assert_string_equal(samples_of(&options,
                                   "{'attributes': [{'key': 'a.b', 'value': {'intValue': 4}},"
                                   "{'key': 'c', 'value': {'stringValue': 'x'}}, {'key': 'd'}]}"),
                        "attributes.a.b{} 4\n");
}

/* --- limits and errors ------------------------------------------------------------------------ */

static void assert_repeated(const struct schema_options *options, const char *json, size_t count,
                            const char *name)
{
    samples_of(options, json);
    assert_int_equal(repeated, count);
    assert_string_equal(repeated_name, name);
}

TEST(samples_of_one_message_with_the_same_name_and_labels_are_counted)
{
    struct schema_options options = all_of(PACKAGE "Switch");
    assert_repeated(&options, "{'ports': [{'name': 'a', 'octets': 1}, {'name': 'b'}]}", 0, "");
    /* The ports repeat the series `octets` and `up`. `watts` was sent only once. */
    assert_repeated(&options,
                    "{'ports': [{'name': 'a', 'watts': 1}, {'name': 'b'}, {'name': 'a'}]}", 2,
                    "ports.octets");
    assert_repeated(&options, "{'ports': [{'name': 'a'}, {'name': 'a'}, {'name': 'a'}]}", 4,
                    "ports.octets");
    /* The lanes are equal, but the ports around them have different names. */
    assert_repeated(&options,
                    "{'ports': [{'name': 'a', 'lanes': [{'power': 1}]},"
                    "{'name': 'b', 'lanes': [{'power': 1}]}]}",
                    0, "");
    assert_repeated(&options,
                    "{'ports': [{'name': 'a', 'lanes': [{'power': 1}]},"
                    "{'name': 'a', 'lanes': [{'power': 1}, {'power': 2}]}]}",
                    3, "ports.octets");
}

TEST(repeated_named_values_are_counted)
{
    struct schema_options options = all_of(PACKAGE "Tree");
    options.labels = "id";
    assert_repeated(&options,
                    "{'nodes': [{'name': 'a', 'fields': [{'name': 'id', 'uint32_value': 1},"
                    "{'name': 'n', 'uint32_value': 5}]},"
                    "{'name': 'a', 'fields': [{'name': 'id', 'uint32_value': 1},"
                    "{'name': 'n', 'uint32_value': 6}]}]}",
                    1, "nodes.a/n");
}

TEST(a_message_whose_parts_do_not_fit_is_refused)
{
    struct schema_options options = all_of(PACKAGE "Switch");
    static const char json[] = "{'host': 's', 'ports': [{'name': 'a'}, {'name': 'b'}]}";
    size_t refused = 0;
    for (room = 64; room < 4096; room += 8) {
        const char *read = samples_of(&options, json);
        if (strncmp(read, "refused", 7) != 0)
            break;
        refused++;
    }
    assert_true(refused > 10 && room < 4096);
    room = sizeof memory;
}

static const char *tree_of(size_t levels)
{
    static char json[8192];
    size_t at = (size_t)sprintf(json, "{'nodes': [");
    for (size_t i = 1; i < levels; i++)
        at += (size_t)sprintf(json + at, "{'name': 'a', 'fields': [");
    at += (size_t)sprintf(json + at, "{'name': 'n', 'uint32_value': 7}");
    for (size_t i = 1; i < levels; i++)
        at += (size_t)sprintf(json + at, "]}");
    sprintf(json + at, "]}");
    return json;
}

TEST(a_tree_of_named_values_is_read_to_the_deepest_level)
{
    struct schema_options options = all_of(PACKAGE "Tree");
    const char *read = samples_of(&options, tree_of(99));
    assert_memory_equal(read, "nodes.a/a/a/", 12);
    assert_non_null(strstr(read, "/a/n{} 7\n"));
    assert_int_equal(used, strlen("nodes.n{} 7\n") + 98 * strlen("a/"));
}

TEST(a_message_inside_itself_is_read_to_any_level)
{
    struct schema_options options = all_of(PACKAGE "Texts");
    assert_string_equal(samples_of(&options, "{'name': 'a', 'n': 1, 'inner': [{'name': 'b', 'n': 2,"
                                             "'inner': [{'name': 'c', 'n': 3}]}]}"),
                        "n{name=a} 1\n"
                        "inner.n{inner.name=b,name=a} 2\n"
                        "inner.inner.n{inner.inner.name=c,inner.name=b,name=a} 3\n");
}

TEST(an_element_has_at_most_64_labels)
{
    struct schema_options options = all_of(PACKAGE "Texts");
    char json[4096] = "{'n': 1, 'tags': {";
    for (int i = 0; i < 80; i++)
        sprintf(json + strlen(json), "%s'k%02d': 'v'", i == 0 ? "" : ",", i);
    strcat(json, "}}");
    const char *read = samples_of(&options, json);
    size_t labels = 0;
    for (const char *at = read; (at = strchr(at, '=')) != NULL; at++)
        labels++;
    assert_int_equal(labels, 64);
}

TEST(what_an_option_asks_for_must_exist)
{
    struct schema_options options = all_of(PACKAGE "Switch");
    options.value = "port.*";
    assert_string_equal(error_of(&options), SET ": value: message \"" PACKAGE "Switch\" has no "
                                                "field \"port\"; did you mean \"ports\"?");
    options.value = "ports.octets.*";
    assert_string_equal(error_of(&options), SET ": value: \"octets\" is not a message; write it "
                                                "without \".*\"");
    options = all_of(PACKAGE "Switch");
    options.labels = "owner";
    assert_string_equal(error_of(&options),
                        SET ": labels: message \"" PACKAGE "Switch\" has no field \"owner\"");
    options.labels = "hots";
    assert_non_null(strstr(error_of(&options), "did you mean \"host\"?"));
    options.labels = "b:body";
    assert_string_equal(error_of(&options),
                        SET ": labels: \"body\" is neither a text nor a number; bytes need :ip or "
                            ":text after them");
    options.labels = ":host";
    assert_string_equal(error_of(&options), SET ": labels: \"host\" has no name before its colon");
    options = all_of(PACKAGE "Switch");
    options.name = "ports.name";
    assert_string_equal(error_of(&options), SET ": name: \"name\" is in a repeated field, where "
                                                "\"*\" makes the names");
    options.name = NULL;
    options.time = "sent_at";
    assert_string_equal(error_of(&options),
                        SET ": time: \"sent_at\" needs a unit: PATH:s, ms, us or ns");
}
