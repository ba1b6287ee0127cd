#include <stdlib.h>
#include <string.h>

#include "collector/config/url.h"
#include "collector/contract/compression.h"
#include "collector/platform/udp.h"
#include "collector/receive/sources.h"
#include "tests/support/config/config_tables.h"
#include "tests/support/test.h"

/*
 * Reads the URL as the only listener of the config. config_free then frees the listener even after
 * an error.
 */
static bool read_listener(const char *url, struct config *config, struct parse_error *fault)
{
    *config = (struct config){.listeners = calloc(1, sizeof *config->listeners)};
    assert_non_null(config->listeners);
    config->listener_count = 1;
    return url_parse_listener(url, &test_registry, config->listeners, fault);
}

static bool read_sink(const char *url, struct config *config, struct parse_error *fault)
{
    *config = (struct config){.sinks = calloc(1, sizeof *config->sinks)};
    assert_non_null(config->sinks);
    config->sink_count = 1;
    return url_parse_sink(url, &test_registry, config->sinks, fault);
}

typedef bool read_function(const char *url, struct config *config, struct parse_error *fault);

static void assert_accepted(read_function *read, const char *url, struct config *config)
{
    struct parse_error fault;
    if (!read(url, config, &fault))
        fail_msg("'%s': %s", url, fault.text);
}

static void assert_refused(read_function *read, const char *url, size_t column, const char *why)
{
    struct config config;
    struct parse_error fault;
    if (read(url, &config, &fault))
        fail_msg("'%s' was accepted", url);
    config_free(&config);
    if (strstr(fault.text, why) == NULL)
        fail_msg("'%s': %s\nshould say: %s", url, fault.text, why);
    if (fault.at + 1 != column)
        fail_msg("'%s': %s: column %zu, not %zu", url, fault.text, fault.at + 1, column);
}

/* --- sockets ---------------------------------------------------------------------------------- */

static void assert_udp(const char *url, const char *name, const char *address)
{
    struct config config;
    char text[ADDRESS_TEXT_SIZE];
    assert_accepted(read_listener, url, &config);
    const struct listener_config *listener = &config.listeners[0];
    assert_ptr_equal(listener->source, &source_udp);
    assert_string_equal(listener->name, name);
    assert_null(listener->place);
    address_format(&listener->address, text);
    assert_string_equal(text, address);
    assert_int_equal(listener->schema_count, 1);
    config_free(&config);
    assert_null(config.listeners);
}

TEST(a_udp_url_has_an_address_and_a_port)
{
    assert_udp("udp://127.0.0.1:5555", "udp://127.0.0.1:5555", "127.0.0.1:5555");
    assert_udp("udp://127.0.0.1:5555?schema=riemann&receivers=2", "udp://127.0.0.1:5555",
               "127.0.0.1:5555");
    assert_udp("udp://0.0.0.0:0", "udp://0.0.0.0:0", "0.0.0.0:0");
    assert_udp("udp://0.0.0.0:65535", "udp://0.0.0.0:65535", "0.0.0.0:65535");
    assert_udp("udp://[::]:5555", "udp://[::]:5555", "[::]:5555");
    assert_udp("udp://[2001:DB8::1]:5555", "udp://[2001:DB8::1]:5555", "[2001:db8::1]:5555");
    assert_udp("udp://[fe80::1%3]:5555", "udp://[fe80::1%3]:5555", "[fe80::1%3]:5555");
    assert_udp("udp://[::ffff:192.0.2.1]:5", "udp://[::ffff:192.0.2.1]:5", "192.0.2.1:5");
}

TEST(a_known_key_after_an_ampersand_in_place_of_the_question_mark_is_refused)
{
    assert_refused(read_sink, "file:x.lp&format=influx", 10,
                   "the first key comes after \"?\", not \"&\"; write \"?format=\"");
    assert_refused(read_sink, "file:a&b/x.lp&rotate_size=1MiB?format=influx", 14,
                   "write \"?rotate_size=\"");
    assert_refused(read_sink, "stdout:&format=json", 8, "write \"?format=\"");
    assert_refused(read_listener, "pcap:x.pcap&schema=riemann", 12, "write \"?schema=\"");
    assert_refused(read_listener, "pcap:x.pcap&message=a.B", 12, "write \"?message=\"");
    struct config config;
    assert_accepted(read_sink, "file:a&b=c&d?view=message", &config);
    assert_string_equal(config.sinks[0].path, "a&b=c&d");
    config_free(&config);
}

TEST(a_udp_url_is_refused_where_it_goes_wrong)
{
    assert_refused(read_listener, "udp://localhost:5555", 7,
                   "\"localhost\" is not a numeric address; names are not looked up; did you "
                   "mean \"127.0.0.1\"?");
    assert_refused(read_listener, "udp://localhosts:5555", 7,
                   "\"localhosts\" is not a numeric address; names are not looked up");
    assert_refused(read_listener, "udp://*:5555", 7, "did you mean \"0.0.0.0\"?");
    assert_refused(read_listener, "udp://127.0.0.1:1,127.0.0.1:2", 7,
                   "one address is expected; give --listen once for each");
    assert_refused(read_listener, "udp://127.0.0.1:1&schema=riemann", 17,
                   "the first key comes after \"?\"");
    assert_refused(read_listener, "udp://127.0.0.1:1?receivers=2?gro=on", 29,
                   "; the next key comes after \"&\": \"&gro=\"");
    assert_refused(read_listener, "udp://127.0.0.1:1?schema=riemann;receivers=2", 26,
                   "; the next key comes after \"&\": \"&receivers=\"");
    assert_refused(read_listener, "udp://:5555", 7, "the address is missing");
    assert_refused(read_listener, "udp://", 7, "the address is missing");
    assert_refused(read_listener, "udp://1.2.3:5555", 7, "is not a numeric address");
    assert_refused(read_listener, "udp://::1:5555", 7, "an IPv6 address needs brackets");
    assert_refused(read_listener, "udp://[::1:5555", 7, "the bracket is not closed");
    assert_refused(read_listener, "udp://[]:5555", 8, "\"\" is not a numeric IPv6 address");
    assert_refused(read_listener, "udp://[::x]:5555", 8, "\"::x\" is not a numeric IPv6 address");
    assert_refused(read_listener, "udp://[fe80::1%none9]:1", 16,
                   "\"none9\" is not a network interface of this machine");
    assert_refused(read_listener, "udp://[fe80::1%25none9]:1", 16,
                   "\"25none9\" is not a network interface of this machine");
    assert_refused(read_listener, "udp://[fe80::1%]:1", 16, "\"\" is not a network interface");
    assert_refused(read_listener, "udp://[::ffff:1.2.3.4%3]:1", 8, "is not a numeric IPv6 address");
    assert_refused(read_listener, "udp://[127.0.0.1]:5555", 8, "is not a numeric IPv6 address");
    assert_refused(read_listener, "udp://[::1]5555", 12, "expected \":PORT\" after the address");
    assert_refused(read_listener, "udp://[::1]", 12, "the port is missing");
    assert_refused(read_listener, "udp://127.0.0.1", 16, "the port is missing");
    assert_refused(read_listener, "udp://127.0.0.1:", 17, "the port is missing");
    assert_refused(read_listener, "udp://127.0.0.1:65536", 17,
                   "port \"65536\" is not a number from 0 to 65535");
    assert_refused(read_listener, "udp://127.0.0.1:-1", 17, "port \"-1\" is not a number");
    assert_refused(read_listener, "udp://127.0.0.1:5555/", 17, "port \"5555/\" is not a number");
    assert_refused(read_listener, "udp://127.0.0.1: 5", 17, "port \" 5\" is not a number");
    assert_refused(read_listener, "udp:127.0.0.1:5555", 5, "\"//\" is missing");
    assert_refused(read_listener, "udp:", 5, "\"//\" is missing");
    assert_refused(read_listener, "udp:/", 5, "\"//\" is missing");
}

TEST(ipv6_only_needs_an_ipv6_address)
{
    struct config config;
    assert_accepted(read_listener, "udp://[::]:1?ipv6_only=true", &config);
    assert_true(config.listeners[0].ipv6_only);
    config_free(&config);
    assert_accepted(read_listener, "udp://0.0.0.0:1?ipv6_only=false", &config);
    config_free(&config);
    assert_refused(read_listener, "udp://0.0.0.0:1?ipv6_only=true", 7,
                   "ipv6_only needs an IPv6 address");
}

/* --- inherited sockets ------------------------------------------------------------------------ */

TEST(a_url_of_an_inherited_socket_has_its_name)
{
    struct config config;
    assert_accepted(read_listener, "fd:a b:c?receivers=2&schema=riemann", &config);
    const struct listener_config *listener = &config.listeners[0];
    assert_ptr_equal(listener->source, &source_inherited);
    assert_string_equal(listener->name, "fd:a b:c");
    assert_string_equal(listener->place, "a b:c");
    assert_int_equal(listener->receivers, 2);
    config_free(&config);
    assert_accepted(read_listener, "udp://127.0.0.1:5555", &config);
    assert_null(config.listeners[0].place);
    config_free(&config);
    assert_refused(read_listener, "fd:", 4, "the name of the socket is missing; write fd:NAME");
    assert_refused(read_listener, "fd:?receivers=2", 4, "the name of the socket is missing");
    assert_refused(read_listener, "fd:x?port=1", 6, "key \"port\" is for a capture listener");
    assert_refused(read_listener, "fd:x?ipv6_only=true", 4, "BindIPv6Only=ipv6-only");
}

/* --- captures --------------------------------------------------------------------------------- */

TEST(a_capture_url_has_a_file)
{
    struct config config;
    assert_accepted(read_listener, "pcap:a b/c:d%20&e=.pcap?port=5555&schema=riemann", &config);
    assert_ptr_equal(config.listeners[0].source, &source_capture);
    assert_string_equal(config.listeners[0].name, "pcap:a b/c:d%20&e=.pcap");
    assert_string_equal(config.listeners[0].place, "a b/c:d%20&e=.pcap");
    assert_int_equal(config.listeners[0].port, 5555);
    assert_string_equal(config.listeners[0].schemas[0].ops->name, "riemann");
    config_free(&config);
    assert_accepted(read_listener, "pcap:x", &config);
    assert_string_equal(config.listeners[0].place, "x");
    config_free(&config);
    assert_refused(read_listener, "pcap:", 6, "the file is missing; write pcap:FILE");
    assert_refused(read_listener, "pcap:?port=1", 6, "the file is missing");
    assert_refused(read_listener, "pcap:x?port=1?", 13, "port \"1?\"");
    assert_refused(read_listener, "pcap:x?", 8, "a key=value is missing here");
}

TEST(a_multicast_group_has_a_port)
{
    assert_refused(read_listener, "udp://239.1.2.3:0", 7, "a multicast group needs a port");
    assert_refused(read_listener, "udp://127.0.0.1:5555?source=127.0.0.2", 7,
                   "source= needs a multicast group");
    assert_udp("udp://239.255.255.255:5555?schema=riemann", "udp://239.255.255.255:5555",
               "239.255.255.255:5555");
    assert_udp("udp://[ff02::1%2]:5555", "udp://[ff02::1%2]:5555", "[ff02::1%2]:5555");
    assert_udp("udp://223.255.255.255:5555", "udp://223.255.255.255:5555", "223.255.255.255:5555");
    assert_udp("udp://255.255.255.255:5555", "udp://255.255.255.255:5555", "255.255.255.255:5555");
    assert_udp("udp://[fe80::1%3]:5555", "udp://[fe80::1%3]:5555", "[fe80::1%3]:5555");
}

TEST(a_zone_is_a_number_or_the_name_of_an_interface)
{
    struct config config;
    uint32_t loopback = udp_interface_index("lo");
    assert_udp("udp://[fe80::1%25]:5", "udp://[fe80::1%25]:5", "[fe80::1%25]:5");
    if (loopback == 0)
        skip(); /* Windows has no interface of this name */
    static const char *const urls[] = {"udp://[fe80::1%lo]:5", "udp://[fe80::1%25lo]:5"};
    for (size_t i = 0; i < sizeof urls / sizeof urls[0]; i++) {
        assert_accepted(read_listener, urls[i], &config);
        assert_int_equal(config.listeners[0].address.scope, loopback);
        assert_string_equal(config.listeners[0].name, urls[i]);
        config_free(&config);
    }
}

TEST(an_unknown_listener_is_refused_with_the_known_ones)
{
    const char *syntaxes = "is not a listener; write udp://ADDR:PORT, dtls://ADDR:PORT, "
                           "tcp://ADDR:PORT, unix:PATH, fd:NAME or "
                           "pcap:FILE";
    assert_refused(read_listener, "sctp://127.0.0.1:5555", 1, syntaxes);
    assert_refused(read_listener, "", 1, syntaxes);
    assert_refused(read_listener, "UDP://127.0.0.1:5555", 1, "did you mean \"udp:\"?");
    assert_refused(read_listener, "pacp:x", 1, "did you mean \"pcap:\"?");
    assert_refused(read_listener, "pcap", 1, "did you mean \"pcap:\"?");
    assert_refused(read_listener, "127.0.0.1:5555?schema=riemann", 1,
                   "did you mean \"udp://127.0.0.1:5555\"?");
    assert_refused(read_listener, "[::1]:5555", 1, "did you mean \"udp://[::1]:5555\"?");
    assert_refused(read_listener, "stdout:", 1, syntaxes);
}

TEST(a_port_alone_suggests_every_address)
{
    const char *suggestion = "did you mean \"udp://0.0.0.0:5555\", or \"udp://[::]:5555\"?";
    assert_refused(read_listener, ":5555", 1, suggestion);
    assert_refused(read_listener, "5555", 1, suggestion);
    assert_refused(read_listener, "5555?schema=riemann", 1, suggestion);
    assert_refused(read_listener, ":65536", 1, "or pcap:FILE");
}

TEST(a_schema_alone_suggests_where_it_belongs)
{
    assert_refused(read_listener, "riemann?receivers=2", 1,
                   "did you mean \"udp://ADDR:PORT?schema=riemann&receivers=2\"?");
    assert_refused(read_listener, "riemann", 1, "did you mean \"udp://ADDR:PORT?schema=riemann\"?");
    assert_refused(read_listener, "riemann?\x1b[2J", 1, "schema=riemann&?[2J\"?");
}

/* --- sinks ------------------------------------------------------------------------------------ */

static void assert_sink(const char *url, const char *name, const char *path)
{
    struct config config;
    assert_accepted(read_sink, url, &config);
    const struct sink_config *sink = &config.sinks[0];
    assert_string_equal(sink->name, name);
    assert_string_equal(sink->path, path);
    assert_int_equal(strncmp(name, sink->destination->scheme, strlen(sink->destination->scheme)),
                     0);
    assert_non_null(sink->settings.encoder);
    config_free(&config);
    assert_null(config.sinks);
}

TEST(a_sink_url_has_a_scheme_and_perhaps_a_path)
{
    assert_sink("stdout:", "stdout:", "");
    assert_sink("stdout:?format=json&view=message", "stdout:", "");
    assert_sink("file:out.ndjson", "file:out.ndjson", "out.ndjson");
    assert_sink("file:/var/log/a;b&c=d#e?view=message", "file:/var/log/a;b&c=d#e",
                "/var/log/a;b&c=d#e");
    assert_sink("stdout:?format=lines&view=sample", "stdout:", "");
    assert_sink("stdout:?view=auto&format=lines", "stdout:", "");
    assert_sink("stdout:?view=auto&format=bytes&overflow=drop_oldest", "stdout:", "");
    assert_sink("file:///tmp/x", "file:///tmp/x", "///tmp/x");
}

TEST(a_sink_url_is_refused_where_it_goes_wrong)
{
    assert_refused(read_sink, "stdout:x", 8, "stdout: takes no path; keys come after a \"?\"");
    assert_refused(read_sink, "stdout:format=json", 8, "keys come after a \"?\"");
    assert_refused(read_sink, "stdout:?", 9, "a key=value is missing here");
    assert_refused(read_sink, "stdout:?frmat=json", 9, "did you mean \"format\"?");
    assert_refused(read_sink, "stdout:?view=a", 14, "view \"a\"");
    assert_refused(read_sink, "file:", 6, "the path is missing; write file:PATH");
    assert_refused(read_sink, "file:?format=json", 6, "the path is missing");
    assert_refused(read_sink, "file:x-%Q.json", 8, "there is no such field");
    assert_refused(read_sink, "file:x-%{sourc}.json", 8, "%{source}");
    assert_refused(read_sink, "file:x?keep=3", 8, "keep requires rotation");
    assert_refused(read_sink, "file:x?format=json&rotate_size=1MiB&max_files=3", 37,
                   "max_files requires a path with a field of values");
    assert_refused(read_sink, "stdout:?format=lines&view=message", 22,
                   "view=message, but format=lines writes only samples");
    assert_refused(read_sink, "file:x?view=message&format=lines", 8, "view=message, but");
    assert_refused(read_sink, "stdout:?format=bytes&view=message", 22,
                   "view=message, but format=bytes has no views");
    assert_refused(read_sink, "file:x?view=sample&format=bytes", 8,
                   "view=sample, but format=bytes has no views");
    assert_refused(read_sink, "file:x?a%20b=1", 8, "unknown key \"a%20b\"");
}

TEST(a_path_may_have_fields_and_its_files_may_rotate)
{
    struct config config;
    assert_accepted(read_sink,
                    "file:%Y/%{source}.json?rotate_size=1MiB&rotate_interval=1h&keep=3&max_files=5",
                    &config);
    const struct sink_config *sink = &config.sinks[0];
    assert_string_equal(sink->path, "%Y/%{source}.json");
    assert_int_equal(sink->settings.file.rotate_size, 1 << 20);
    assert_int_equal(sink->settings.file.rotate_interval, 3600000000000);
    assert_int_equal(sink->settings.file.keep, 3);
    assert_int_equal(sink->settings.file.max_files, 5);
    assert_null(sink->settings.file.compression);
    assert_int_equal(sink->settings.flush_interval, 0);
    assert_false(sink->settings.at_once);
    config_free(&config);
    assert_accepted(read_sink, "file:x?flush_interval=0", &config);
    assert_true(config.sinks[0].settings.at_once);
    config_free(&config);
    assert_accepted(read_sink, "file:%F.json?keep=3", &config);
    config_free(&config);
}

TEST(a_format_whose_blocks_are_files_is_for_files_and_collects_for_ten_seconds)
{
    struct config config;
    assert_accepted(read_sink, "file:x?format=families&keep=3&compress=squeeze", &config);
    assert_int_equal(config.sinks[0].settings.flush_interval, 10000000000);
    config_free(&config);
    assert_accepted(read_sink, "file:x?format=families&flush_interval=1m", &config);
    assert_int_equal(config.sinks[0].settings.flush_interval, 60000000000);
    config_free(&config);
    assert_refused(read_sink, "file:x?format=families&flush_interval=0", 24,
                   "flush_interval=0, but format=families writes a file for each flush_interval");
    assert_refused(read_sink, "stdout:?format=families", 9,
                   "format=families writes only complete files; write file:PATH");
    assert_refused(read_sink, "file:x?format=families&rotate_size=1MiB", 24,
                   "format=families writes a file for each flush_interval");
    assert_refused(read_sink, "file:x?rotate_interval=1h&format=families", 8,
                   "cannot rotate otherwise");
}

TEST(what_is_compressed_is_collected_for_a_second_unless_another_time_is_given)
{
    struct config config;
    assert_accepted(read_sink, "file:x?compress=squeeze", &config);
    assert_string_equal(config.sinks[0].settings.file.compression->name, "squeeze");
    assert_int_equal(config.sinks[0].settings.flush_interval, 1000000000);
    config_free(&config);
    assert_accepted(read_sink, "file:x?compress=squeeze&flush_interval=10ms", &config);
    assert_int_equal(config.sinks[0].settings.flush_interval, 10000000);
    config_free(&config);
    assert_refused(read_sink, "file:x?compress=zip", 17, "\"zip\" is not one of squeeze");
}

TEST(an_unknown_sink_is_refused_with_the_known_ones)
{
    const char *syntaxes = "is not a sink; write stdout: or file:PATH";
    assert_refused(read_sink, "kafka:topic", 1, syntaxes);
    assert_refused(read_sink, "", 1, syntaxes);
    assert_refused(read_sink, "udp://127.0.0.1:5555", 1, syntaxes);
    assert_refused(read_sink, "stdout", 1, "did you mean \"stdout:\"?");
    assert_refused(read_sink, "stdout?format=json", 1, "did you mean \"stdout:\"?");
    assert_refused(read_sink, "stdotu:", 1, "did you mean \"stdout:\"?");
    assert_refused(read_sink, "fiel:x", 1, "did you mean \"file:\"?");
    assert_refused(read_sink, "out/x.json", 1, "a path goes after file:");
}

/* --- URLs that conflict ----------------------------------------------------------------------- */

static bool listeners_conflict(const char *first, const char *second)
{
    struct config a, b;
    assert_accepted(read_listener, first, &a);
    assert_accepted(read_listener, second, &b);
    bool conflict = listener_configs_conflict(&a.listeners[0], &b.listeners[0]);
    config_free(&a);
    config_free(&b);
    return conflict;
}

static bool sinks_conflict(const char *first, const char *second)
{
    struct config a, b;
    assert_accepted(read_sink, first, &a);
    assert_accepted(read_sink, second, &b);
    bool conflict = sink_configs_conflict(&a.sinks[0], &b.sinks[0]);
    config_free(&a);
    config_free(&b);
    return conflict;
}

TEST(two_of_one_address_or_output_conflict)
{
    assert_true(listeners_conflict("udp://127.0.0.1:1", "udp://127.0.0.1:1?schema=riemann"));
    assert_true(listeners_conflict("udp://[::1]:1", "udp://[0:0::1]:1"));
    assert_false(listeners_conflict("udp://127.0.0.1:0", "udp://127.0.0.1:0"));
    assert_false(listeners_conflict("udp://127.0.0.1:1", "udp://127.0.0.1:2"));
    assert_false(listeners_conflict("udp://127.0.0.1:1", "udp://127.0.0.2:1"));
    assert_false(listeners_conflict("udp://0.0.0.0:1", "udp://[::]:1"));
    assert_false(listeners_conflict("udp://[fe80::1%1]:1", "udp://[fe80::1%2]:1"));
    assert_true(listeners_conflict("fd:x", "fd:x?schema=riemann"));
    assert_false(listeners_conflict("fd:x", "fd:y"));
    assert_false(listeners_conflict("fd:x", "udp://127.0.0.1:1"));
    assert_false(listeners_conflict("pcap:x", "pcap:x"));
    assert_true(sinks_conflict("stdout:", "stdout:?view=message"));
    assert_true(sinks_conflict("file:x", "file:x?view=message"));
    assert_false(sinks_conflict("file:x", "file:y"));
    assert_false(sinks_conflict("file:x", "stdout:"));
}

/* --- the format on a terminal ----------------------------------------------------------------- */

static enum terminal_kind plain_terminal(void)
{
    return TERMINAL_PLAIN;
}

static enum terminal_kind coloured_terminal(void)
{
    return TERMINAL_COLOUR;
}

static void assert_format(const char *url, enum terminal_kind (*output)(void), const char *name,
                          bool colour)
{
    static const struct encoder_ops people = {.name = "people", .for_people = true};
    static const struct encoder_ops json = {.name = "json"};
    static const struct encoder_ops *const encoders[] = {&json, &people, NULL};
    static const struct destination_ops to_stdout = {.scheme = "stdout",
                                                     .is_standard_output = true};
    static const struct destination_ops to_file = {
        .scheme = "file", .place_is = PLACE_FILES, .keys = DESTINATION_KEYS_FILE};
    static const struct destination_ops *const destinations[] = {&to_stdout, &to_file, NULL};
    struct config_registry registry = test_registry;
    struct config config = {.sinks = calloc(1, sizeof *config.sinks), .sink_count = 1};
    struct parse_error fault;
    assert_non_null(config.sinks);
    registry.encoders = encoders;
    registry.destinations = destinations;
    registry.output = output;
    assert_true(url_parse_sink(url, &registry, config.sinks, &fault));
    assert_string_equal(config.sinks->settings.encoder->name, name);
    assert_int_equal(config.sinks->settings.encoding.colour, colour);
    config_free(&config);
}

TEST(a_terminal_that_was_asked_nothing_gets_the_format_for_people)
{
    assert_format("stdout:", coloured_terminal, "people", true);
    assert_format("stdout:?view=message", plain_terminal, "people", false);
    assert_format("stdout:", NULL, "json", false);
    assert_format("stdout:?format=json", coloured_terminal, "json", false);
    assert_format("stdout:?format=people", coloured_terminal, "people", true);
    assert_format("stdout:?format=people", NULL, "people", false);
    assert_format("file:x", coloured_terminal, "json", false);
    assert_format("file:x?format=people", coloured_terminal, "people", false);
}

TEST(schemes_are_distinguished)
{
    assert_true(url_is_listener("udp://127.0.0.1:5555", &test_registry));
    assert_true(url_is_listener("pcap:x", &test_registry));
    assert_false(url_is_listener("udp", &test_registry));
    assert_false(url_is_listener("stdout:", &test_registry));
    assert_true(url_is_sink("stdout:", &test_registry));
    assert_true(url_is_sink("file:x", &test_registry));
    assert_false(url_is_sink("pcap:x", &test_registry));
}
