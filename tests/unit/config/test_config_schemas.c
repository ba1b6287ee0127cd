#include <stdlib.h>
#include <string.h>

#include "collector/config/url.h"
#include "tests/support/config/config_tables.h"
#include "tests/support/config/listener_reading.h"
#include "tests/support/test.h"

#define UDP "udp://[::]:1?"

static const struct config_registry *registry;
static int set_up(void **state)
{
    (void)state;
    registry = &test_registry;
    return 0;
}

static const struct schema_config *accepted(const char *url, size_t count)
{
    const struct listener_config *listener = listener_accepted(url, registry);
    assert_int_equal(listener->schema_count, count);
    return listener->schemas;
}

static void refused(const char *url, const char *at, const char *why)
{
    listener_refused(url, registry, at, why);
}

/* --- groups of keys --------------------------------------------------------------------------- */

TEST_WITH(without_a_schema_there_is_one_with_the_default, set_up, listener_reading_tear_down)
{
    (void)state;
    static const char *const urls[] = {"udp://[::]:1", "udp://[::]:1?receivers=2", "pcap:x",
                                       "pcap:x?port=5"};
    for (size_t i = 0; i < sizeof urls / sizeof urls[0]; i++) {
        const struct schema_config *schemas = accepted(urls[i], 1);
        assert_string_equal(schemas[0].ops->name, "telemetry");
        assert_string_equal(schemas[0].source, "telemetry");
        assert_false(schemas[0].from_file);
        assert_int_equal(schemas[0].match.kind, MATCH_ALL);
        assert_int_equal(schemas[0].framing, FRAMING_DATAGRAM);
        assert_int_equal(schemas[0].header, 0);
    }
}

TEST_WITH(a_key_is_about_the_schema_before_it, set_up, listener_reading_tear_down)
{
    (void)state;
    const struct schema_config *schemas =
        accepted(UDP "schema=riemann&match=magic:0a&header=4&schema=telemetry&framing=delimited"
                     "&match=source:10.0.0.0/8&schema=riemann&framing=cisco-mdt",
                 3);
    assert_string_equal(schemas[0].ops->name, "riemann");
    assert_int_equal(schemas[0].match.kind, MATCH_MAGIC);
    assert_int_equal(schemas[0].framing, FRAMING_DATAGRAM);
    assert_int_equal(schemas[0].header, 4);
    assert_string_equal(schemas[1].ops->name, "telemetry");
    assert_int_equal(schemas[1].match.kind, MATCH_SOURCE);
    assert_int_equal(schemas[1].framing, FRAMING_DELIMITED);
    assert_int_equal(schemas[1].header, 0);
    assert_string_equal(schemas[2].ops->name, "riemann");
    assert_int_equal(schemas[2].match.kind, MATCH_ALL);
    assert_int_equal(schemas[2].framing, FRAMING_CISCO_MDT);
}

TEST_WITH(a_listeners_own_keys_stand_anywhere, set_up, listener_reading_tear_down)
{
    (void)state;
    const struct listener_config *listener =
        listener_accepted(UDP "receivers=2&schema=riemann&max_datagram=1KiB&match=magic:0a"
                              "&schema=telemetry&max_decoded=4KiB",
                          registry);
    assert_int_equal(listener->schema_count, 2);
    assert_int_equal(listener->receivers, 2);
    assert_int_equal(listener->max_datagram, 1024);
    assert_int_equal(listener->max_decoded, 4096);
    listener =
        listener_accepted("pcap:x?schema=riemann&match=magic:0a&port=7&schema=telemetry", registry);
    assert_int_equal(listener->schema_count, 2);
    assert_int_equal(listener->port, 7);
}

TEST_WITH(a_key_of_a_schema_needs_one_before_it, set_up, listener_reading_tear_down)
{
    (void)state;
    refused(UDP "match=magic:0a&schema=riemann",
            "match=", "key \"match\" belongs to a schema; write schema= before it");
    refused(UDP "receivers=2&framing=delimited", "framing=", "write schema= before it");
    refused("pcap:x?header=4", "header=", "write schema= before it");
    refused("pcap:x?message=a.B", "message=", "write schema= before it");
}

TEST_WITH(a_key_stands_once_in_a_group, set_up, listener_reading_tear_down)
{
    (void)state;
    refused(UDP "schema=riemann&header=1&header=2", "header=2", "key \"header\" is given twice");
    refused(UDP "schema=riemann&receivers=1&match=magic:00&schema=telemetry&receivers=2",
            "receivers=2", "key \"receivers\" is given twice");
    accepted(UDP "schema=riemann&header=1&match=magic:00&schema=riemann&header=2", 2);
}

TEST_WITH(only_the_last_schema_takes_what_is_left, set_up, listener_reading_tear_down)
{
    (void)state;
    refused(
        UDP "schema=riemann&schema=telemetry", "schema=telemetry",
        "the schema before it has no match=, so it matches every datagram and must be the last");
    refused(UDP "schema=riemann&schema=telemetry&match=magic:00", "schema=telemetry",
            "must be the last");
    refused(UDP "schema=riemann&match=magic:00&schema=riemann&header=1&schema=telemetry",
            "schema=telemetry", "must be the last");
    accepted(UDP "schema=riemann&match=magic:00&schema=telemetry&match=magic:01", 2);
    accepted(UDP "schema=telemetry&framing=otlp-udp&schema=riemann", 2);
}

TEST_WITH(wrong_values_are_reported_where_they_are, set_up, listener_reading_tear_down)
{
    (void)state;
    refused(UDP "schema=riemann&match=source:10.1.2.3/16", "10.1.2.3/16",
            "that network is 10.1.0.0/16");
    refused(UDP "schema=riemann&match=web1", "web1", "match \"web1\" is none of source:ADDR/BITS");
    refused(UDP "schema=riemann&match=magic:0g", "g", "not a hexadecimal digit");
    refused(UDP "schema=riemann&framing=cisco", "cisco",
            "framing \"cisco\" is not one of datagram, delimited, length16, length32, "
            "length16-le, length32-le, "
            "frame-streams, cisco-mdt, udp-notif, otlp-udp, sealed; did you mean \"cisco-mdt\"?");
    refused(UDP "schema=riemann&header=65536", "65536", "is more than the maximum 65535");
    refused(UDP "schema=riemann&frame=x", "frame=", "unknown key \"frame\"");
    refused(UDP "shema=x", "shema", "unknown key \"shema\"; did you mean \"schema\"?");
    refused(UDP "schema=riemann&macth=x", "macth", "did you mean \"match\"?");
}

TEST_WITH(otlp_udp_is_for_what_its_prefixes_name, set_up, listener_reading_tear_down)
{
    (void)state;
    refused(UDP "schema=riemann&framing=otlp-udp",
            "framing=", "framing=otlp-udp is for schema=otlp and schema=otlp-traces");
    refused(UDP "schema=telemetry&framing=otlp-udp&header=4", "header=", "remove header=");
    accepted(UDP "schema=telemetry&framing=otlp-udp", 1);
}

TEST_WITH(udp_notif_has_a_header_and_numbers_of_its_own, set_up, listener_reading_tear_down)
{
    (void)state;
    accepted(UDP "schema=riemann&framing=udp-notif&segment_memory=1MiB&segment_timeout=500ms", 1);
    accepted("pcap:x?segment_timeout=1s&schema=riemann&framing=udp-notif", 1);
    refused(UDP "schema=riemann&framing=udp-notif&header=4", "header=", "remove header=");
    refused(UDP "schema=a.desc&message=A&framing=udp-notif&sequence=b",
            "sequence=", "framing=udp-notif has sequence numbers; remove sequence=");
    refused(UDP "segment_memory=1MiB&schema=riemann",
            "segment_memory=", "key \"segment_memory\" is for framing=udp-notif");
    refused(UDP "schema=riemann&segment_timeout=1s",
            "segment_timeout=", "key \"segment_timeout\" is for framing=udp-notif");
}

TEST_WITH(sealed_datagrams_need_keys_and_are_all_of_a_listeners, set_up, listener_reading_tear_down)
{
    (void)state;
    accepted(UDP "keys=a&max_age=5s&state=b&schema=riemann&framing=sealed", 1);
    accepted(
        "pcap:x?keys=a&schema=riemann&framing=sealed&match=key:web&schema=telemetry&framing=sealed",
        2);
    refused(UDP "schema=riemann&framing=sealed", "framing=", "framing=sealed requires keys=FILE");
    refused("tcp://127.0.0.1:0?schema=riemann&framing=sealed",
            "framing=", "framing=sealed is for datagrams: udp, fd and pcap");
    refused(UDP "schema=riemann&keys=a", "keys=", "key \"keys\" is for framing=sealed");
    refused(UDP "max_age=1s&schema=riemann", "max_age=", "key \"max_age\" is for framing=sealed");
    refused(UDP "keys=a&schema=riemann&framing=sealed&match=key:a&schema=telemetry",
            "schema=telemetry", "for all schemas of a listener, or for none");
    refused(UDP "schema=riemann&match=key:web", "schema=", "match=key:web requires framing=sealed");
}

TEST_WITH(a_stream_has_no_framing_of_datagrams, set_up, listener_reading_tear_down)
{
    (void)state;
    accepted(UDP "schema=riemann&framing=datagram", 1);
    accepted("pcap:x?schema=riemann&framing=datagram", 1);
    refused("tcp://[::]:1?schema=riemann&framing=datagram",
            "framing=", "framing=datagram is not for streams");
    refused("unix:/run/s?schema=riemann&framing=datagram",
            "framing=", "framing=datagram is not for streams");
}

TEST_WITH(frame_streams_are_for_tcp_and_unix, set_up, listener_reading_tear_down)
{
    (void)state;
    refused(UDP "schema=riemann&framing=frame-streams",
            "framing=", "framing=frame-streams is for tcp and unix");
    refused("pcap:x?schema=riemann&framing=frame-streams", "framing=", "is for tcp");
    accepted("tcp://[::]:1?schema=riemann&framing=frame-streams", 1);
    accepted("unix:/run/s?schema=riemann&framing=frame-streams", 1);
    accepted("tcp://[::]:1?schema=riemann&framing=frame-streams&content_type=protobuf:a.B", 1);
}

/* --- built-in schemas ------------------------------------------------------------------------- */

TEST_WITH(a_name_is_one_of_the_table, set_up, listener_reading_tear_down)
{
    (void)state;
    assert_string_equal(accepted(UDP "schema=riemann", 1)->ops->name, "riemann");
    assert_string_equal(accepted("pcap:x?schema=riemann", 1)->ops->name, "riemann");
    refused(UDP "schema=rieman", "rieman",
            "schema \"rieman\" is not one of riemann, telemetry, nor a folder, nor a file, which "
            "has a \".\" in its name; did you mean \"riemann\"?");
    refused(UDP "schema=Riemann", "Riemann", "did you mean \"riemann\"?");
    refused(UDP "schema=", "", "schema \"\" is not one of");
    refused(UDP "schema=file", "file", "schema \"file\" is not one of");
}

TEST_WITH(a_built_in_schema_has_no_keys_of_a_file, set_up, listener_reading_tear_down)
{
    (void)state;
    static const char *const keys[] = {"message", "nested", "sequence", "sequence_key",
                                       "name",    "value",  "time",     "labels"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        char url[128] = UDP "schema=riemann&header=1&";
        char why[128] = "key \"";
        strcat(strcat(url, keys[i]), "=x");
        strcat(strcat(why, keys[i]), "\" is only for schemas from files; riemann is built in");
        refused(url, strstr(url, keys[i]), why);
    }
}

/* --- schemas from a file ---------------------------------------------------------------------- */

TEST_WITH(a_file_is_recognised_by_a_dot_or_a_slash, set_up, listener_reading_tear_down)
{
    (void)state;
    static const char *const names[] = {"a.desc", "a.proto", "x/y", "./riemann", "/a"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char url[128] = UDP "schema=";
        strcat(strcat(url, names[i]), "&message=a.B");
        const struct schema_config *schema = accepted(url, 1);
        assert_true(schema->from_file);
        assert_ptr_equal(schema->ops, test_registry.schema_from_file);
        assert_string_equal(schema->source, names[i]);
    }
}

TEST_WITH(the_keys_of_a_file_are_kept_as_they_were_written, set_up, listener_reading_tear_down)
{
    (void)state;
    const struct schema_config *schema =
        accepted(UDP "schema=d/x.desc&message=a.B&sequence=seq&sequence_key=id&name=m.n&value=m.v"
                     "&time=m.t&labels=m.l,host&nested=m.b:by=k,x:y/z=a.C;m.d:message=a.D",
                 1);
    assert_string_equal(schema->message, "a.B");
    assert_string_equal(schema->nested, "m.b:by=k,x:y/z=a.C;m.d:message=a.D");
    assert_string_equal(schema->sequence, "seq");
    assert_string_equal(schema->sequence_key, "id");
    assert_string_equal(schema->name, "m.n");
    assert_string_equal(schema->value, "m.v");
    assert_string_equal(schema->time, "m.t");
    assert_string_equal(schema->labels, "m.l,host");
    schema = accepted(UDP "schema=x.desc&message=a.B", 1);
    assert_null(schema->sequence);
    assert_null(schema->value);
    refused(UDP "schema=x.desc&message=", "", "message \"\" is empty");
}

TEST_WITH(a_file_needs_its_message, set_up, listener_reading_tear_down)
{
    (void)state;
    refused(UDP "schema=x.desc", "schema=x.desc",
            "schema \"x.desc\" is a file; message=FULL.NAME is missing");
    refused(UDP "receivers=2&schema=x.desc&value=v&match=magic:00&schema=riemann", "schema=x.desc",
            "message=FULL.NAME is missing");
}

TEST_WITH(what_is_said_of_samples_needs_their_value, set_up, listener_reading_tear_down)
{
    (void)state;
    refused(UDP "schema=x.d&message=a.B&name=n", "name=n", "key \"name\" requires value=PATH");
    refused(UDP "schema=x.d&message=a.B&time=t", "time=t", "key \"time\" requires value=PATH");
    refused(UDP "schema=x.d&message=a.B&labels=l", "labels=l",
            "key \"labels\" requires value=PATH");
    refused(UDP "schema=x.d&message=a.B&sequence_key=k", "sequence_key=k",
            "key \"sequence_key\" requires sequence=PATH");
    refused(UDP "schema=x.d&name=n&message=a.B&match=magic:00&schema=y.d&message=c&value=v",
            "name=n", "key \"name\" requires value=PATH");
    accepted(UDP "schema=x.d&name=n&message=a.B&value=v", 1);
    accepted(UDP "schema=x.d&message=a.B&value=v", 1);
    accepted(UDP "schema=x.d&message=a.B&sequence=v", 1);
}

TEST_WITH(a_program_without_schemas_from_files_says_so, set_up, listener_reading_tear_down)
{
    (void)state;
    struct config_registry without = test_registry;
    without.schema_from_file = NULL;
    registry = &without;
    refused(UDP "schema=x.desc&message=a.B", "x.desc",
            "schema \"x.desc\" is a file; this program was built without schemas from files");
    refused(UDP "schema=rieman", "rieman",
            "is not one of riemann, telemetry; did you mean \"riemann\"?");
}
