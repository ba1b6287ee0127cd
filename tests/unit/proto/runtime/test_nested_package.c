/* Tests rows whose types are in a package that is named by a path (`nested=FIELD:by=PATH`). */
#include <stdio.h>
#include <string.h>

#include "proto/schemas.h"
#include "tests/support/proto/wire.h"
#include "tests/support/test.h"

#define SET TEST_SETS "/models.desc"

static struct wire wire;
static struct schema *schema;
static uint8_t memory[64 * 1024];
static uint8_t scratch_memory[16 * 1024];
static char text[4096];

static int begin(void **state)
{
    (void)state;
    wire_clear(&wire);
    schema = NULL;
    return 0;
}

static int end(void **state)
{
    (void)state;
    schema_file.destroy(schema);
    return 0;
}

static struct schema_options models(const char *nested, const char *value)
{
    return (struct schema_options){
        .source = SET, .message = "sluice.models.Telemetry", .nested = nested, .value = value};
}

static void make(const char *nested, const char *value)
{
    struct error error;
    const struct schema_options options = models(nested, value);
    if (schema_file.create(&options, &schema, &error) != 0)
        fail_msg("%s", error.text);
}

static const void *decode(void)
{
    struct arena arena = {.base = memory, .capacity = sizeof memory};
    struct decoded decoded;
    assert_int_equal(schema_file.decode(schema, wire.bytes, wire.size, &arena, &decoded),
                     DECODE_OK);
    return decoded.message;
}

static const char *json(void)
{
    static const struct json_style style = {.proto_names = true, .int64_numbers = true};
    struct arena scratch = {.base = scratch_memory, .capacity = sizeof scratch_memory};
    struct output out = {.data = text, .capacity = sizeof text - 1};
    assert_int_equal(schema_file.write_json(schema, decode(), &style, &scratch, &out), 0);
    text[out.used] = '\0';
    return text;
}

static const char *samples(void)
{
    struct arena scratch = {.base = scratch_memory, .capacity = sizeof scratch_memory};
    struct schema_cursor cursor = {.scratch = &scratch};
    struct sample sample;
    const void *message = decode();
    size_t used = 0;
    text[0] = '\0';
    while (schema_file.next_sample(schema, message, &cursor, &sample)) {
        struct schema_cursor labels = {.scratch = &scratch};
        struct label label;
        double value =
            sample.type == SAMPLE_DOUBLE ? sample.value.number : (double)sample.value.uint64;
        used += (size_t)sprintf(text + used, "%.*s{", (int)sample.name.size, sample.name.data);
        while (schema_file.next_label(schema, message, &sample, &labels, &label))
            used += (size_t)sprintf(text + used, "%.*s=%.*s,", (int)label.key.size, label.key.data,
                                    (int)label.value.size, label.value.data);
        used += (size_t)sprintf(text + used, "} %g\n", value);
    }
    return text;
}

static void put_port(const char *name, unsigned slot, uint64_t packets)
{
    size_t row = wire_begin(&wire, 2);
    size_t keys = wire_begin(&wire, 10);
    wire_text(&wire, 1, name);
    wire_uint(&wire, 2, slot);
    wire_end(&wire, keys);
    size_t content = wire_begin(&wire, 11);
    wire_uint(&wire, 50, packets);
    wire_text(&wire, 51, "up");
    wire_end(&wire, content);
    wire_end(&wire, row);
}

static void put_cpu(double load)
{
    size_t row = wire_begin(&wire, 2);
    size_t content = wire_begin(&wire, 11);
    wire_double(&wire, 50, load);
    wire_end(&wire, content);
    wire_end(&wire, row);
}

TEST_WITH(a_path_names_the_types_of_keys_and_content, begin, end)
{
    (void)state;
    make("rows:by=path", NULL);
    wire_text(&wire, 1, "Cisco-Sluice-oper:ports/port");
    put_port("eth0", 3, 7);
    assert_string_equal(json(), "{\"path\":\"Cisco-Sluice-oper:ports/port\",\"rows\":[{\"keys\":"
                                "{\"name\":\"eth0\",\"slot\":3},\"content\":{\"packets\":7,"
                                "\"state\":\"up\"}}]}");
}

TEST_WITH(each_path_has_its_own_types_and_the_prefix_may_be_missing, begin, end)
{
    (void)state;
    static const char *const paths[] = {"Sluice-cfg:cpu", "Cisco-Sluice-cfg:cpu", "SLUICE_CFG.cpu"};
    make("rows:by=path", NULL);
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        char expected[200];
        wire_clear(&wire);
        wire_text(&wire, 1, paths[i]);
        put_cpu(0.5);
        sprintf(expected, "{\"path\":\"%s\",\"rows\":[{\"content\":{\"load\":0.5}}]}", paths[i]);
        assert_string_equal(json(), expected);
    }
}

TEST_WITH(rows_stay_bytes_with_a_path_that_names_no_package, begin, end)
{
    (void)state;
    char longer[600];
    static const char *const paths[] = {"", "Cisco-Sluice-oper:ports", "Cisco-Sluice-oper:twice",
                                        "sluice.models", "Cisco-Sluice-cfg:cpu/"};
    make("rows:by=path", NULL);
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        wire_clear(&wire);
        wire_text(&wire, 1, paths[i]);
        put_cpu(0.5);
        if (strstr(json(), "\"content\":\"kQMAAAAAAADgPw==\"") == NULL)
            fail_msg("%s", text);
    }
    memset(longer, 'a', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    wire_clear(&wire);
    wire_text(&wire, 1, longer);
    put_cpu(0.5);
    assert_non_null(strstr(json(), "\"content\":\"kQMAAAAAAADgPw==\""));
}

TEST_WITH(the_fields_of_keys_are_labels_and_names_begin_with_the_type, begin, end)
{
    (void)state;
    make("rows:by=path", "rows.*");
    wire_text(&wire, 1, "Cisco-Sluice-oper:ports/port");
    put_port("eth0", 3, 7);
    put_port("eth1", 4, 8);
    assert_string_equal(
        samples(), "port_bag.packets{name=eth0,slot=3,path=Cisco-Sluice-oper:ports/port,} 7\n"
                   "port_bag.packets{name=eth1,slot=4,path=Cisco-Sluice-oper:ports/port,} 8\n");
}

TEST_WITH(paths_of_options_lead_into_the_types_of_all_packages, begin, end)
{
    (void)state;
    make("rows:by=path", "rows.content.packets,rows.content.load");
    wire_text(&wire, 1, "Cisco-Sluice-oper:ports/port");
    put_port("eth0", 3, 7);
    assert_string_equal(samples(), "packets{} 7\n");
    wire_clear(&wire);
    wire_text(&wire, 1, "Sluice-cfg:cpu");
    put_cpu(0.5);
    assert_string_equal(samples(), "load{} 0.5\n");
}

TEST_WITH(a_bytes_field_is_the_content, begin, end)
{
    (void)state;
    make("body:by=path;body.inner:message=sluice_cfg.cpu.cpu_bag", NULL);
    wire_text(&wire, 1, "Cisco-Sluice-oper:ports/port");
    size_t body = wire_begin(&wire, 3);
    wire_uint(&wire, 50, 7);
    size_t inner = wire_begin(&wire, 52);
    wire_double(&wire, 50, 0.5);
    wire_end(&wire, inner);
    wire_end(&wire, body);
    assert_string_equal(json(),
                        "{\"path\":\"Cisco-Sluice-oper:ports/port\",\"body\":{\"packets\":7,"
                        "\"inner\":{\"load\":0.5}}}");
}

TEST_WITH(a_field_that_is_neither_a_row_nor_bytes_is_refused, begin, end)
{
    (void)state;
    struct error error = {0};
    const struct schema_options options = models("number:by=path", NULL);
    assert_int_equal(schema_file.create(&options, &schema, &error), -1);
    assert_int_equal(error.code, EXIT_CODE_CONFIG);
    assert_non_null(strstr(error.text, "nested: \"number\" is neither a bytes field nor a message "
                                       "with the bytes fields \"keys\" and \"content\""));
}
