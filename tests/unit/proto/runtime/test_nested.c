/*
 * Tests bytes fields that contain messages: nested=, which names them, their types, and their
 * output.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/runtime/nested.h"
#include "proto/schemas.h"
#include "tests/support/base/random_number.h"
#include "tests/support/proto/wire.h"
#include "tests/support/test.h"

#define SET      TEST_SETS "/envelope.desc"
#define ENVELOPE "sluice.envelope.Envelope"
#define PORTS    "sluice.envelope.Ports"
#define CPU      "sluice.envelope.Cpu"
#define KEYS     "sluice.envelope.PortKeys"

/*
 * The path in the head selects the types of the keys and of the content of each row, as in the
 * telemetry of routers.
 */
#define BY_PATH "by=head.path,a:b/ports=" PORTS ",a:b/cpu=" CPU
#define ROWS    "rows.content:" BY_PATH ";rows.keys:by=head.path,a:b/ports=" KEYS

static struct wire wire;
static struct schema *schema;
static uint8_t memory[256 * 1024];
static uint8_t scratch_memory[64 * 1024];
static char text[64 * 1024];
static struct arena arena;
static struct decoded decoded;

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
    schema = NULL;
    return 0;
}

static struct schema_options envelope(const char *nested)
{
    return (struct schema_options){.source = SET, .message = ENVELOPE, .nested = nested};
}

static void make(const struct schema_options *options)
{
    struct error error;
    schema_file.destroy(schema);
    schema = NULL;
    if (schema_file.create(options, &schema, &error) != 0)
        fail_msg("%s", error.text);
}

static enum decode_result decode(void)
{
    arena = (struct arena){.base = memory, .capacity = sizeof memory};
    return schema_file.decode(schema, wire.bytes, wire.size, &arena, &decoded);
}

/*
 * Returns the datagram as JSON. Also asserts that encoding the decoded message gives the same
 * bytes.
 */
static const char *json(void)
{
    static const struct json_style style = {.proto_names = true, .int64_numbers = true};
    struct arena scratch = {.base = scratch_memory, .capacity = sizeof scratch_memory};
    struct output out = {.data = text, .capacity = sizeof text - 1};
    assert_int_equal(decode(), DECODE_OK);
    schema_file.write_protobuf(schema, decoded.message, &out);
    assert_int_equal(out.used, wire.size);
    assert_memory_equal(out.data, wire.bytes, wire.size);
    out.used = 0;
    assert_int_equal(schema_file.write_json(schema, decoded.message, &style, &scratch, &out), 0);
    assert_false(out.overflow);
    text[out.used] = '\0';
    return text;
}

static const char *json_with(const char *nested)
{
    struct schema_options options = envelope(nested);
    make(&options);
    return json();
}

static const char *samples(void)
{
    struct arena scratch = {.base = scratch_memory, .capacity = sizeof scratch_memory};
    struct schema_cursor cursor = {.scratch = &scratch};
    struct sample sample;
    size_t used = 0;
    text[0] = '\0';
    assert_int_equal(decode(), DECODE_OK);
    while (schema_file.next_sample(schema, decoded.message, &cursor, &sample)) {
        double value =
            sample.type == SAMPLE_UINT64 ? (double)sample.value.uint64 : sample.value.number;
        struct schema_cursor labels = {.scratch = &scratch};
        struct label label;
        used +=
            (size_t)sprintf(text + used, "%.*s=%g", (int)sample.name.size, sample.name.data, value);
        while (schema_file.next_label(schema, decoded.message, &sample, &labels, &label))
            used += (size_t)sprintf(text + used, " %.*s=%.*s", (int)label.key.size, label.key.data,
                                    (int)label.value.size, label.value.data);
        used += (size_t)sprintf(text + used, "\n");
    }
    return text;
}

static void put_head(const char *path)
{
    size_t head = wire_begin(&wire, 2);
    wire_text(&wire, 1, path);
    wire_end(&wire, head);
}

static void put_ports(uint32_t field, uint64_t packets)
{
    size_t ports = wire_begin(&wire, field);
    wire_uint(&wire, 1, packets);
    wire_double(&wire, 2, 0.5);
    for (unsigned i = 0; i < packets; i++) {
        size_t lane = wire_begin(&wire, 3);
        wire_uint(&wire, 2, 100 * packets + i);
        wire_end(&wire, lane);
    }
    wire_end(&wire, ports);
}

static void put_port_row(const char *port, uint64_t packets)
{
    size_t row = wire_begin(&wire, 4);
    size_t keys = wire_begin(&wire, 2);
    wire_text(&wire, 1, port);
    wire_end(&wire, keys);
    put_ports(3, packets);
    wire_end(&wire, row);
}

static void put_cpu_row(const char *node, double load)
{
    size_t row = wire_begin(&wire, 4);
    size_t cpu = wire_begin(&wire, 3);
    wire_double(&wire, 1, load);
    wire_text(&wire, 2, node);
    wire_end(&wire, cpu);
    wire_end(&wire, row);
}

/* --- fields with one type --------------------------------------------------------------------- */

TEST_WITH(bytes_are_decoded_as_the_message_that_they_hold, begin, end)
{
    (void)state;
    put_ports(3, 1);
    assert_string_equal(json_with(NULL), "{\"body\":\"CAERAAAAAAAA4D8aAhBk\"}");
    assert_string_equal(json_with("body:message=" PORTS),
                        "{\"body\":{\"packets\":1,\"load\":0.5,\"lanes\":[{\"octets\":100}]}}");
}

TEST_WITH(samples_are_read_out_of_bytes, begin, end)
{
    (void)state;
    put_port_row("eth0", 1);
    put_port_row("eth1", 2);
    struct schema_options options =
        envelope("rows.content:message=" PORTS ";rows.keys:message=" KEYS);
    options.value = "rows.content.packets,rows.content.lanes.octets";
    options.labels = "rows.keys.port";
    make(&options);
    assert_string_equal(samples(), "packets=1 port=eth0\noctets=100 port=eth0\n"
                                   "packets=2 port=eth1\noctets=200 port=eth1\n"
                                   "octets=201 port=eth1\n");
}

TEST_WITH(bytes_in_lists_maps_oneofs_and_bytes_are_decoded, begin, end)
{
    (void)state;
    wire_bytes(&wire, 5, "\x08\x01", 2);
    wire_bytes(&wire, 5, "", 0);
    size_t entry = wire_begin(&wire, 6);
    wire_text(&wire, 1, "k");
    wire_bytes(&wire, 2, "\x08\x02", 2);
    wire_end(&wire, entry);
    size_t picked = wire_begin(&wire, 7);
    wire_bytes(&wire, 4, "\x12\x01n", 3);
    wire_end(&wire, picked);
    assert_string_equal(json_with("bodies:message=" PORTS ";parts.value:message=" PORTS
                                  ";picked:message=" PORTS ";picked.inner:message=" CPU),
                        "{\"bodies\":[{\"packets\":1},{}],\"parts\":{\"k\":{\"packets\":2}},"
                        "\"picked\":{\"inner\":{\"node\":\"n\"}}}");
}

/* --- fields whose type depends on a text ------------------------------------------------------ */

TEST_WITH(a_text_of_the_message_chooses_the_type, begin, end)
{
    (void)state;
    struct schema_options options = envelope(ROWS);
    options.value = "rows.content.packets,rows.content.load,rows.content.lanes.octets";
    options.labels = "rows.keys.port,rows.content.node,path:head.path";
    make(&options);
    put_head("a:b/ports");
    put_port_row("eth0", 1);
    assert_string_equal(json(), "{\"head\":{\"path\":\"a:b/ports\"},\"rows\":[{\"keys\":{\"port\":"
                                "\"eth0\"},\"content\":{\"packets\":1,\"load\":0.5,\"lanes\":"
                                "[{\"octets\":100}]}}]}");
    assert_string_equal(samples(), "packets=1 port=eth0 path=a:b/ports\n"
                                   "load=0.5 port=eth0 path=a:b/ports\n"
                                   "octets=100 port=eth0 path=a:b/ports\n");
    wire_clear(&wire);
    put_head("a:b/cpu");
    put_cpu_row("n1", 0.25);
    put_cpu_row("n2", 3);
    assert_string_equal(json(), "{\"head\":{\"path\":\"a:b/cpu\"},\"rows\":[{\"content\":{\"load\":"
                                "0.25,\"node\":\"n1\"}},{\"content\":{\"load\":3,\"node\":\"n2\"}}]"
                                "}");
    assert_string_equal(samples(), "load=0.25 node=n1 path=a:b/cpu\nload=3 node=n2 path=a:b/cpu\n");
    wire_clear(&wire);
    /* nested= has no types for this path, so the fields stay bytes and have no samples. */
    put_head("a:b/other");
    put_cpu_row("n", 0.25);
    assert_string_equal(json(), "{\"head\":{\"path\":\"a:b/other\"},\"rows\":[{\"content\":"
                                "\"CQAAAAAAANA/EgFu\"}]}");
    assert_string_equal(samples(), "");
}

TEST_WITH(the_text_may_stand_behind_what_it_is_about, begin, end)
{
    (void)state;
    struct schema_options options = envelope(ROWS);
    options.value = "rows.content.load";
    make(&options);
    put_head("a:b/ports"); /* the last head counts, as in any message */
    put_cpu_row("n", 2);
    wire_tag(&wire, 99, 3); /* groups are skipped */
    wire_tag(&wire, 98, 3);
    wire_uint(&wire, 2, 1);
    wire_tag(&wire, 98, 4);
    wire_tag(&wire, 99, 4);
    put_head("a:b/cpu");
    assert_string_equal(samples(), "load=2\n");
}

TEST_WITH(a_type_may_be_for_all_texts_but_some, begin, end)
{
    (void)state;
    struct schema_options options = envelope("body:message=" CPU ",by=kind,ports=" PORTS);
    make(&options);
    wire_bytes(&wire, 3, "\x12\x01n", 3);
    assert_string_equal(json(), "{\"body\":{\"node\":\"n\"}}");
    wire_clear(&wire);
    wire_text(&wire, 1, "ports");
    wire_bytes(&wire, 3, "\x08\x01", 2);
    assert_string_equal(json(), "{\"kind\":\"ports\",\"body\":{\"packets\":1}}");
}

TEST_WITH(blanks_may_stand_where_a_file_breaks_lines, begin, end)
{
    (void)state;
    struct schema_options options =
        envelope("body: by=kind,  ports=" PORTS ", cpu=" CPU ";  picked: message=" CPU);
    make(&options);
    wire_text(&wire, 1, "cpu");
    wire_bytes(&wire, 3, "\x12\x01n", 3);
    wire_bytes(&wire, 7, "\x12\x01m", 3);
    assert_string_equal(json(),
                        "{\"kind\":\"cpu\",\"body\":{\"node\":\"n\"},\"picked\":{\"node\":\"m\"}}");
}

TEST_WITH(a_text_may_have_equals_signs_and_colons, begin, end)
{
    (void)state;
    struct schema_options options = envelope("body:by=kind,a:b[c='d']=" PORTS);
    make(&options);
    wire_text(&wire, 1, "a:b[c='d']");
    wire_bytes(&wire, 3, "\x08\x01", 2);
    assert_string_equal(json(), "{\"kind\":\"a:b[c='d']\",\"body\":{\"packets\":1}}");
}

/* --- invalid datagrams ------------------------------------------------------------------------ */

TEST_WITH(bytes_that_are_no_such_message_are_malformed, begin, end)
{
    (void)state;
    struct schema_options options = envelope(ROWS);
    make(&options);
    put_head("a:b/ports");
    put_port_row("eth0", 1);
    size_t row = wire_begin(&wire, 4);
    wire_bytes(&wire, 3, "\x08", 1);
    wire_end(&wire, row);
    assert_int_equal(decode(), DECODE_MALFORMED);
    assert_int_equal(decoded.failure.cause, CAUSE_VALUE_CUT);
    assert_string_equal(decoded.failure.field, "rows.content.packets");
    assert_null(decoded.message);
    assert_int_equal(arena.used, 0);
}

TEST_WITH(nested_messages_count_as_levels, begin, end)
{
    (void)state;
    struct schema_options options = envelope("body:message=" PORTS ";body.inner:message=" PORTS);
    make(&options);
    wire_wrap(&wire, 4, SCHEMA_MAX_DEPTH - 1);
    wire_wrap(&wire, 3, 1);
    assert_int_equal(decode(), DECODE_OK);
    wire_clear(&wire);
    wire_wrap(&wire, 4, SCHEMA_MAX_DEPTH);
    wire_wrap(&wire, 3, 1);
    assert_int_equal(decode(), DECODE_TOO_DEEP);
}

TEST_WITH(nested_messages_count_as_decoded_memory, begin, end)
{
    (void)state;
    struct schema_options options = envelope("body:message=" PORTS);
    make(&options);
    size_t body = wire_begin(&wire, 3);
    for (unsigned i = 0; i < 100; i++)
        wire_bytes(&wire, 3, "", 0);
    wire_end(&wire, body);
    assert_int_equal(decode(), DECODE_OK);
    assert_true(arena.used > 100 * sizeof(void *));
    struct arena small = {.base = memory, .capacity = 100 * sizeof(void *)};
    assert_int_equal(schema_file.decode(schema, wire.bytes, wire.size, &small, &decoded),
                     DECODE_TOO_LARGE);
    assert_int_equal(small.used, 0);
}

/* Decodes a copy in a block of the exact size, so that a sanitizer detects a read past its end. */
static void decode_a_copy(const uint8_t *bytes, size_t size)
{
    uint8_t *copy = malloc(size != 0 ? size : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    arena = (struct arena){.base = memory, .capacity = sizeof memory};
    enum decode_result result = schema_file.decode(schema, copy, size, &arena, &decoded);
    assert_true((result == DECODE_OK) == (decoded.message != NULL));
    free(copy);
}

TEST_WITH(any_bytes_are_looked_at_within_their_size, begin, end)
{
    (void)state;
    struct schema_options options = envelope(ROWS);
    make(&options);
    put_port_row("eth0", 2);
    wire_tag(&wire, 99, 3);
    wire_uint(&wire, 1, 300);
    wire_tag(&wire, 99, 4);
    put_head("a:b/ports");
    put_cpu_row("n", 1);
    for (size_t size = 0; size <= wire.size; size++)
        decode_a_copy(wire.bytes, size);
    uint64_t random = 20261125;
    for (unsigned i = 0; i < 20000; i++) {
        uint8_t changed[WIRE_ROOM];
        memcpy(changed, wire.bytes, wire.size);
        for (uint64_t k = 1 + next_random(&random) % 4; k-- != 0;)
            changed[next_random(&random) % wire.size] = (uint8_t)next_random(&random);
        decode_a_copy(changed, wire.size);
    }
}

/* --- errors in nested= ------------------------------------------------------------------------ */

TEST_WITH(what_is_wrong_is_said_in_one_line, begin, end)
{
    (void)state;
    static const struct {
        const char *nested, *says;
    } wrong[] = {
        {"body", "nested: \"body\" has no type; write FIELD:message=TYPE"},
        {"body:" PORTS, "\"" PORTS "\" is neither message=TYPE nor by=PATH"},
        {"body:message=", "nested: \"body\" has no type after message="},
        {"body:message=" PORTS ",kind", "nested: \"kind\" is not by=PATH"},
        {"body:message=" PORTS ",", "nested: \"\" is not by=PATH"},
        {"body:by=kind",
         "by= has no TEXT=TYPE after it, and no package has a message X_KEYS and a message X"},
        {"body:by=kind;picked:by=kind,a=" CPU,
         "by= has TEXT=TYPE after it in one field but not in another"},
        {"body:message=" PORTS ",by=kind", "\"by=kind\" needs TEXT=TYPE after it"},
        {"body:by=kind,ports", "nested: \"ports\" is not TEXT=TYPE"},
        {"body:by=kind,=" PORTS, "is not TEXT=TYPE"},
        {"body:by=kind,a=", "nested: \"a=\" is not TEXT=TYPE"},
        {"body:by=kind,a=" PORTS ",a=" CPU, "nested: \"a\" is given twice"},
        {"body:by=kind,a=" PORTS ";picked:by=head.path,a=" CPU,
         "\"head.path\" is another choice than the one before; there can be one by="},
        {"body:message=sluice.envelope.Port",
         "no message \"sluice.envelope.Port\"; did you mean \"sluice.envelope.Ports\"?"},
        {"body:message=Ports", "no message \"Ports\"; did you mean \"sluice.envelope.Ports\"?"},
        {"bodi:message=" PORTS, "nested: message \"" ENVELOPE "\" has no field \"bodi\"; did you "
                                "mean \"body\"?"},
        {"bodi:message=" PORTS ";body:by=kind,a=" PORTS ";body.inner:message=" CPU,
         "has no field \"bodi\""},
        {"content:message=" PORTS, "did you mean \"rows.content\"?"},
        {"kind:message=" PORTS, "nested: \"kind\" is not a bytes field"},
        {"head:message=" PORTS, "nested: \"head\" is not a bytes field"},
        {"rows:message=" PORTS, "nested: \"rows\" is not a bytes field"},
        {"parts:message=" PORTS, "nested: \"parts\" is not a bytes field"},
        {"body:message=sluice.envelope.Envelope.PartsEntry", "is the entry of a map"},
        {"body:message=" PORTS ";body:message=" CPU, "nested: \"body\" is given twice"},
        {"body.inner:message=" PORTS, "nothing can follow \"body\""},
        {"body:message=" CPU ";body.inner:message=" PORTS,
         "nested: message \"" CPU "\" has no field \"inner\""},
        {"body:by=kid,a=" PORTS, "nested: by: message \"" ENVELOPE "\" has no field \"kid\"; did "
                                 "you mean \"kind\"?"},
        {"body:by=number,a=" PORTS, "nested: \"number\" is not a string"},
        {"body:by=parts,a=" PORTS, "nested: \"parts\" is not a string"},
        {"body:by=head,a=" PORTS, "nested: \"head\" is not a string"},
        {"body:by=rows.name,a=" PORTS, "\"rows.name\" is reached through a repeated field"},
        {"body:message=" PORTS ";", "nested: \"\" has no type"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct schema_options options = envelope(wrong[i].nested);
        struct error error = {0};
        if (schema_file.create(&options, &schema, &error) == 0)
            fail_msg("%s: accepted", wrong[i].nested);
        schema = NULL;
        assert_int_equal(error.code, EXIT_CODE_CONFIG);
        if (strstr(error.text, wrong[i].says) == NULL)
            fail_msg("%s: %s", wrong[i].nested, error.text);
        assert_null(strchr(error.text, '\n'));
        assert_memory_equal(error.text, SET ": ", sizeof SET + 1);
    }
}

TEST_WITH(a_path_must_lead_somewhere_for_one_of_the_texts, begin, end)
{
    (void)state;
    static const struct {
        const char *value, *labels, *name, *says;
    } wrong[] = {
        {"rows.content.packets,rows.content.lod", NULL, NULL, "has no field \"lod\""},
        {"rows.content.node", NULL, NULL, "value: \"node\" is not a number"},
        {"rows.content.load", "rows.keys.prt", NULL, "did you mean \"port\"?"},
        {"rows.content.load", NULL, "rows.content.nodes", "has no field \"nodes\""},
        {"rows.content.load,load:rows.content.packets", NULL, NULL, "a name that is there already"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct schema_options options = envelope(ROWS);
        struct error error = {0};
        options.value = wrong[i].value;
        options.labels = wrong[i].labels;
        options.name = wrong[i].name;
        assert_int_equal(schema_file.create(&options, &schema, &error), -1);
        schema = NULL;
        if (strstr(error.text, wrong[i].says) == NULL)
            fail_msg("case %zu: %s", i, error.text);
    }
}

TEST_WITH(fields_and_texts_are_limited, begin, end)
{
    (void)state;
    struct nested nested;
    struct error error;
    char option[8192] = "body:by=kind";
    for (unsigned i = 0; i <= NESTED_TEXTS; i++) {
        struct error none;
        sprintf(option + strlen(option), ",t%u=" PORTS, i);
        assert_int_equal(nested_parse(option, &nested, &none), i < NESTED_TEXTS);
        nested_clear(&nested);
    }
    option[0] = '\0';
    for (unsigned i = 0; i <= NESTED_FIELDS; i++) {
        sprintf(option + strlen(option), "%sf%u:message=T", i == 0 ? "" : ";", i);
        assert_int_equal(nested_parse(option, &nested, &error), i < NESTED_FIELDS);
        nested_clear(&nested);
    }
    assert_string_equal(error.text, "nested: more than 8 fields");
}
