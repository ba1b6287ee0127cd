#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/config/keys.h"
#include "tests/support/config/config_tables.h"
#include "tests/support/test.h"

struct target {
    struct listener_config listener;
    struct sink_config sink;
};

static void *part_of(struct target *target, unsigned scopes)
{
    return (scopes & KEY_OF_ANY_SINK) != 0 ? (void *)&target->sink : (void *)&target->listener;
}

static bool read_keys(unsigned scope, const char *text, struct target *target,
                      struct parse_error *fault)
{
    struct keys_given given = {{0}};
    *target = (struct target){0};
    *fault = (struct parse_error){0};
    return (*text == '\0' ||
            keys_parse(scope, &test_registry, text, part_of(target, scope), &given, fault)) &&
           keys_apply_defaults(scope, &test_registry, &given, part_of(target, scope), fault);
}

static struct target assert_reads(unsigned scope, const char *text)
{
    struct target target;
    struct parse_error fault;
    if (!read_keys(scope, text, &target, &fault))
        fail_msg("'%s' for %s: %s", text, key_scope_name(scope), fault.text);
    return target;
}

static void assert_refused(enum key_scope scope, const char *text, size_t at, const char *why)
{
    struct target target;
    struct parse_error fault;
    if (read_keys(scope, text, &target, &fault))
        fail_msg("'%s' was accepted for %s", text, key_scope_name(scope));
    if (strstr(fault.text, why) == NULL)
        fail_msg("'%s': %s\nshould say: %s", text, fault.text, why);
    if (fault.at != at)
        fail_msg("'%s': %s: at %zu, not %zu", text, fault.text, fault.at, at);
}

/* --- numbers ---------------------------------------------------------------------------------- */

#define LISTENER_FIELD(field) offsetof(struct listener_config, field)

static const struct number_key {
    enum key_scope scope;
    const char *name;
    size_t offset; /* in struct listener_config */
    uint64_t default_value;
    const char *least, *most, *below, *above;
    uint64_t least_value, most_value;
} number_keys[] = {
    {KEY_OF_UDP, "receive_buffer", LISTENER_FIELD(receive_buffer), 4194304, "4KiB", "512MiB",
     "4095B", "536870913B", 4096, 536870912},
    {KEY_OF_UDP, "receivers", LISTENER_FIELD(receivers), 1, "1", "64", "0", "65", 1, 64},
    {KEY_OF_UDP, "max_datagram", LISTENER_FIELD(max_datagram), 65536, "1B", "64KiB", "0B", "65537B",
     1, 65536},
    {KEY_OF_UDP, "busy_poll", LISTENER_FIELD(busy_poll), 0, "0", "100ms", NULL, "101ms", 0,
     100000000},
    {KEY_OF_UDP, "coalesce", LISTENER_FIELD(coalesce), 5000000, "0", "10ms", NULL, "10001us", 0,
     10000000},
    {KEY_OF_STREAM, "coalesce", LISTENER_FIELD(coalesce), 5000000, "0", "10ms", NULL, "10001us", 0,
     10000000},
    {KEY_OF_UDP, "max_decoded", LISTENER_FIELD(max_decoded), 524288, "1KiB", "64MiB", "1023B",
     "65537KiB", 1024, 67108864},
    {KEY_OF_CAPTURE, "max_decoded", LISTENER_FIELD(max_decoded), 524288, "1KiB", "64MiB", "1023B",
     "65537KiB", 1024, 67108864},
    {KEY_OF_UDP, "rate_limit", LISTENER_FIELD(rate_limit), 0, "1", "1000000", "0", "1000001", 1,
     1000000},
    {KEY_OF_CAPTURE, "rate_limit", LISTENER_FIELD(rate_limit), 0, "1", "1000000", "0", "1000001", 1,
     1000000},
    {KEY_OF_CAPTURE, "port", LISTENER_FIELD(port), 0, "0", "65535", NULL, "65536", 0, 65535},
};
static const size_t number_key_count = sizeof number_keys / sizeof number_keys[0];

static void assert_number(const struct number_key *key, const char *value, uint64_t expected)
{
    char text[64] = "";
    uint64_t found;
    if (value != NULL)
        snprintf(text, sizeof text, "%s=%s", key->name, value);
    struct target target = assert_reads(key->scope, text);
    memcpy(&found, (const char *)&target.listener + key->offset, sizeof found);
    if (found != expected)
        fail_msg("'%s' of %s is %" PRIu64 ", not %" PRIu64, text, key->name, found, expected);
}

TEST(a_number_has_its_default_and_its_range)
{
    for (size_t i = 0; i < number_key_count; i++) {
        const struct number_key *key = &number_keys[i];
        char text[64];
        char why[128];
        assert_number(key, NULL, key->default_value);
        assert_number(key, key->least, key->least_value);
        assert_number(key, key->most, key->most_value);
        if (key->below != NULL) {
            snprintf(text, sizeof text, "%s=%s", key->name, key->below);
            snprintf(why, sizeof why, "%s \"%s\" is less than the minimum %s", key->name,
                     key->below, key->least);
            assert_refused(key->scope, text, strlen(key->name) + 1, why);
        }
        snprintf(text, sizeof text, "%s=%s", key->name, key->above);
        snprintf(why, sizeof why, "%s \"%s\" is more than the maximum %s", key->name, key->above,
                 key->most);
        assert_refused(key->scope, text, strlen(key->name) + 1, why);
    }
}

TEST(a_number_is_written_with_its_unit_and_nothing_else)
{
    assert_refused(KEY_OF_UDP, "receive_buffer=64", 15, "\"64\" has no unit; give one of B, kB");
    assert_refused(KEY_OF_UDP, "receive_buffer=0", 15, "\"0\" has no unit");
    assert_refused(KEY_OF_UDP, "receive_buffer=", 15, "receive_buffer \"\" is empty");
    assert_refused(KEY_OF_UDP, "receivers=2B", 10, "is not a plain whole number");
    assert_refused(KEY_OF_CAPTURE, "port=http", 5, "port \"http\" is not a number");
    assert_refused(KEY_OF_CAPTURE, "port=-1", 5, "is negative");
}

/* --- choices ---------------------------------------------------------------------------------- */

TEST(format_is_one_of_the_table_and_json_if_not_given)
{
    assert_string_equal(assert_reads(KEY_OF_SINK, "").sink.settings.encoder->name, "json");
    assert_string_equal(assert_reads(KEY_OF_SINK, "format=lines").sink.settings.encoder->name,
                        "lines");
    assert_refused(
        KEY_OF_SINK, "format=jsno", 7,
        "format \"jsno\" is not one of lines, json, bytes, families; did you mean \"json\"?");
}

TEST(the_other_choices_are_read)
{
    struct target target = assert_reads(KEY_OF_SINK, "");
    assert_int_equal(target.sink.settings.encoding.view, VIEW_AUTO);
    assert_false(target.sink.settings.encoding.json.proto_names);
    assert_false(target.sink.settings.encoding.json.int64_numbers);
    assert_false(target.sink.settings.encoding.json.show_unknown);
    assert_false(assert_reads(KEY_OF_UDP, "").listener.ipv6_only);

    target = assert_reads(KEY_OF_SINK, "view=message&names=proto&int64=number&unknown=show");
    assert_int_equal(target.sink.settings.encoding.view, VIEW_MESSAGE);
    assert_true(target.sink.settings.encoding.json.show_unknown);
    assert_true(target.sink.settings.encoding.json.proto_names);
    assert_true(target.sink.settings.encoding.json.int64_numbers);

    target = assert_reads(KEY_OF_SINK, "view=sample&names=json&int64=string&unknown=hide");
    assert_false(target.sink.settings.encoding.json.show_unknown);
    assert_int_equal(target.sink.settings.encoding.view, VIEW_SAMPLE);
    assert_false(target.sink.settings.encoding.json.proto_names);
    assert_false(target.sink.settings.encoding.json.int64_numbers);

    assert_true(assert_reads(KEY_OF_UDP, "ipv6_only=true").listener.ipv6_only);
    assert_false(assert_reads(KEY_OF_UDP, "ipv6_only=false").listener.ipv6_only);
    assert_true(assert_reads(KEY_OF_UDP, "ipv6_only=yes").listener.ipv6_only);
    assert_refused(KEY_OF_UDP, "ipv6_only=yess", 10, "\"yess\" is not one of false, true");
    assert_refused(KEY_OF_SINK, "view=msg", 5, "\"msg\" is not one of auto, sample, message");
    assert_refused(KEY_OF_SINK, "names=camel", 6, "is not one of json, proto");
    assert_refused(KEY_OF_SINK, "unknown=yes", 8, "is not one of hide, show");
    assert_refused(KEY_OF_SINK, "int64=int", 6, "is not one of string, number");
}

TEST(one_choice_does_not_disturb_its_neighbours)
{
    struct target target = assert_reads(KEY_OF_SINK, "names=proto");
    assert_true(target.sink.settings.encoding.json.proto_names);
    assert_false(target.sink.settings.encoding.json.int64_numbers);
    assert_int_equal(target.sink.settings.encoding.view, VIEW_AUTO);
    target = assert_reads(KEY_OF_SINK, "int64=number");
    assert_false(target.sink.settings.encoding.json.proto_names);
    assert_true(target.sink.settings.encoding.json.int64_numbers);
}

/* --- names of keys ---------------------------------------------------------------------------- */

TEST(an_unknown_key_suggests_the_nearest_of_its_scope)
{
    assert_refused(KEY_OF_UDP, "recieve_buffer=4MiB", 0, "did you mean \"receive_buffer\"?");
    assert_refused(KEY_OF_CAPTURE, "prot=1", 0, "did you mean \"port\"?");
    assert_refused(KEY_OF_SINK, "View=sample", 0, "did you mean \"view\"?");
    assert_refused(KEY_OF_SINK, "schemas=x", 0,
                   "unknown key \"schemas\"; --help sinks lists the keys of a sink");
    assert_refused(KEY_OF_UDP, "x", 0, "unknown key \"x\"");
}

TEST(the_name_that_another_program_has_for_a_key_suggests_ours)
{
    assert_refused(KEY_OF_UDP, "recv_buf=4MiB", 0,
                   "unknown key \"recv_buf\"; did you mean \"receive_buffer\"?");
    assert_refused(KEY_OF_UDP, "rcvbufSize=4MiB", 0, "did you mean \"receive_buffer\"?");
    assert_refused(KEY_OF_UDP, "so-rcvbuf=4MiB", 0, "did you mean \"receive_buffer\"?");
    assert_refused(KEY_OF_UDP, "workers=2", 0, "did you mean \"receivers\"?");
    assert_refused(KEY_OF_SINK, "encoding=json", 0, "did you mean \"format\"?");
    assert_refused(KEY_OF_SINK, "tags=a", 0, "did you mean \"add_label\"?");
    assert_refused(KEY_OF_FILE, "tags=a", 0, "did you mean \"labels\"?");
    assert_refused(KEY_OF_UDP, "tags=a", 0, "--help listeners lists the keys of a udp listener");
}

/*
 * A word that is a key of this scope would never be looked up among the names that other programs
 * use for a key.
 */
TEST(no_other_name_is_a_key_of_the_same_scope)
{
    for (const struct setting *key = config_keys; key->name != NULL; key++) {
        for (const char *other = key->others; other != NULL && *other != '\0';) {
            size_t length = strcspn(other, " ");
            struct parse_error fault;
            assert_null(key_find(key->scopes, other, length, &fault));
            if (strstr(fault.text, key->name) == NULL)
                fail_msg("%.*s does not suggest %s: %s", (int)length, other, key->name, fault.text);
            other += length + strspn(other + length, " ");
        }
    }
}

TEST(a_key_of_another_scope_says_where_it_belongs)
{
    assert_refused(KEY_OF_UDP, "port=1", 0,
                   "key \"port\" is for a capture listener, not for a udp listener");
    assert_refused(KEY_OF_CAPTURE, "receivers=2", 0,
                   "key \"receivers\" is for a udp listener and a tcp or unix listener, not for a "
                   "capture listener");
    assert_refused(KEY_OF_SINK, "schema=riemann", 0,
                   "key \"schema\" is for a listener's schema, not for a sink");
    assert_refused(
        KEY_OF_SINK, "max_decoded=1MiB", 0,
        "key \"max_decoded\" is for a udp listener, a capture listener and a tcp or unix "
        "listener, not for a "
        "sink");
    assert_refused(KEY_OF_SINK, "value=x", 0, "is for a schema from a file, not for a sink");
    assert_refused(KEY_OF_UDP, "format=json", 0, "is for a sink, not for a udp listener");
}

TEST(keys_of_files_are_for_sinks_that_are_files)
{
    assert_int_equal(keys_of_sink(test_registry.destinations[0]), KEY_OF_SINK);
    unsigned scopes = keys_of_sink(test_registry.destinations[1]);
    assert_int_equal(assert_reads(scopes, "").sink.settings.file.sync, SYNC_NEVER);
    assert_int_equal(assert_reads(scopes, "view=auto&fsync=close").sink.settings.file.sync,
                     SYNC_CLOSE);
    assert_int_equal(assert_reads(scopes, "fsync=interval").sink.settings.file.sync, SYNC_INTERVAL);
    assert_refused(
        KEY_OF_SINK, "fsync=close", 0,
        "key \"fsync\" is for a file: sink and an http:, kafka: or nats: sink, not for a "
        "stdout: or command: sink");
}

TEST(records_are_only_collected_for_a_time_where_that_is_asked_for)
{
    assert_int_equal(assert_reads(KEY_OF_SINK, "").sink.settings.flush_interval, 0);
    assert_int_equal(assert_reads(KEY_OF_SINK, "flush_interval=5s").sink.settings.flush_interval,
                     5000000000);
    assert_int_equal(assert_reads(KEY_OF_SINK, "flush_interval=0").sink.settings.flush_interval, 0);
}

TEST(to_kafka_more_blocks_are_in_flight_than_elsewhere)
{
    const unsigned scopes = KEY_OF_SINK | KEY_OF_DELIVERY_SINK;
    assert_int_equal(assert_reads(scopes | KEY_OF_HTTP_SINK, "").sink.settings.delivery.in_flight,
                     4);
    assert_int_equal(assert_reads(scopes | KEY_OF_NATS_SINK, "").sink.settings.delivery.in_flight,
                     4);
    assert_int_equal(assert_reads(scopes | KEY_OF_KAFKA_SINK, "").sink.settings.delivery.in_flight,
                     8);
}

/*
 * Each expected text has a byte 0, the id in four bytes, the number of indices, and each index. The
 * number and the indices are doubled (zigzag).
 */
TEST(a_schema_id_is_the_head_of_a_registry)
{
    static const struct {
        const char *keys;
        size_t size;
        const char *head;
    } cases[] = {
        {"schema_id=1", 6, "\0\0\0\0\x01\0"},
        {"schema_id=1:0", 6, "\0\0\0\0\x01\0"},
        {"schema_id=100002:1", 7, "\0\0\x01\x86\xa2\x02\x02"},
        {"schema_id=2147483647:0.3", 8, "\0\x7f\xff\xff\xff\x04\0\x06"},
        {"schema_id=7:2.1.64", 10, "\0\0\0\0\x07\x06\x04\x02\x80\x01"},
    };
    static const char *const wrong[] = {"0",   "",     "x",  "-1",  "2147483648",          "1:",
                                        "1:.", "1:0.", ":1", "1.2", "1:0.0.0.0.0.0.0.0.0", "1:x"};
    const unsigned scopes = KEY_OF_SINK | KEY_OF_KAFKA_SINK;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct target target = assert_reads(scopes, cases[i].keys);
        const struct message_head *head = &target.sink.settings.encoding.head;
        assert_int_equal(head->size, cases[i].size);
        assert_memory_equal(head->bytes, cases[i].head, head->size);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char keys[64];
        snprintf(keys, sizeof keys, "schema_id=%s", wrong[i]);
        assert_refused(scopes, keys, 10, "is not the number of a schema");
    }
}

TEST(an_open_key_has_any_name_and_stands_for_each_of_them_once)
{
    const unsigned scopes = KEY_OF_SINK | KEY_OF_KAFKA_SINK;
    struct target target = assert_reads(scopes, "kafka.a.b=1&view=auto&kafka.a=x=2");
    assert_string_equal(target.sink.settings.broker.kafka, "a.b=1\na=x=2\n");
    free(target.sink.settings.broker.kafka);
    struct parse_error fault;
    assert_false(read_keys(scopes, "kafka.a=1&kafka.ab=2&kafka.a=3", &target, &fault));
    assert_non_null(strstr(fault.text, "the property \"a\" is given twice"));
    assert_int_equal(fault.at, 27);
    free(target.sink.settings.broker.kafka);
    assert_refused(scopes, "kafka.=1", 0, "unknown key \"kafka.\"");
    assert_refused(KEY_OF_SINK, "kafka.a=1", 0,
                   "is for a kafka: sink, not for a stdout: or "
                   "command: sink");
}

TEST(a_property_that_is_a_secret_is_refused_and_no_error_shows_it)
{
    static const char *const secrets[] = {
        "kafka.sasl.password=hidden", "kafka.ssl.key.password=hidden", "kafka.ssl.key.pem=hidden",
        "kafka.sasl.oauthbearer.client.secret=hidden", "kafka.sasl.oauthbearer.config=hidden"};
    for (size_t i = 0; i < sizeof secrets / sizeof secrets[0]; i++) {
        struct target target;
        struct parse_error fault;
        assert_false(read_keys(KEY_OF_KAFKA_SINK, secrets[i], &target, &fault));
        assert_true(fault.hides_value);
        assert_int_equal(fault.at, 6);
        assert_non_null(strstr(fault.text, "is a secret; put it into properties_file="));
        assert_null(strstr(fault.text, "hidden"));
        assert_null(target.sink.settings.broker.kafka);
    }
}

TEST(a_key_stands_once)
{
    assert_refused(KEY_OF_UDP, "receivers=2&max_datagram=1B&receivers=2", 28,
                   "key \"receivers\" is given twice");
}

TEST(every_part_is_a_key_and_a_value)
{
    assert_refused(KEY_OF_UDP, "&receivers=2", 0, "a key=value is missing here");
    assert_refused(KEY_OF_UDP, "receivers=2&", 12, "a key=value is missing here");
    assert_refused(KEY_OF_UDP, "receivers=2&&port=1", 12, "a key=value is missing here");
    assert_refused(KEY_OF_UDP, "receivers", 0, "key \"receivers\" has no value; write receivers=");
    assert_refused(KEY_OF_UDP, "=2", 0, "the key before \"=\" is missing");
    assert_refused(KEY_OF_UDP, "ipv6_only=true=x", 10, "ipv6_only \"true=x\" is not one of");
    assert_refused(KEY_OF_UDP, "ipv6_only=tru%65", 10, "is not one of");
}

TEST(the_fault_is_reported_where_it_is)
{
    assert_refused(KEY_OF_UDP, "ipv6_only=true&receivers=x", 25, "receivers \"x\"");
    assert_refused(KEY_OF_UDP, "ipv6_only=true&reciever=2", 15, "unknown key");
}

TEST(a_strangers_text_is_shown_short_and_on_one_line)
{
    assert_refused(KEY_OF_UDP, "a\nb\x7f=1", 0, "unknown key \"a?b?\"");
    char text[400];
    memset(text, 'x', sizeof text);
    memcpy(text, "ipv6_only=", 10);
    text[sizeof text - 1] = '\0';
    assert_refused(KEY_OF_UDP, text, 10, "xxx...\" is not one of false, true");
}

/* --- each row of the table of keys ------------------------------------------------------------ */

static void assert_default_allowed(const struct setting *key)
{
    struct target target = {0};
    struct schema_config schema = {0};
    struct parse_error fault;
    void *into = (key->scopes & KEY_OF_SCHEMA) != 0 ? &schema : part_of(&target, key->scopes);
    if (!setting_parse(key, &test_registry, key->default_text, strlen(key->default_text), into,
                       &fault))
        fail_msg("default: %s", fault.text);
    free(schema.source);
}

/* Each key has a default, a range, a list of choices or a syntax, which --help prints. */
TEST(every_key_is_complete_and_its_default_is_allowed)
{
    for (const struct setting *key = config_keys; key->name != NULL; key++) {
        assert_non_null(key->help);
        assert_int_not_equal(key->scopes, 0);
        for (const struct setting *other = config_keys; other != key; other++)
            if (strcmp(other->name, key->name) == 0)
                assert_int_equal(other->scopes & key->scopes, 0);
        if (key->default_text != NULL)
            assert_default_allowed(key);
        else if (key->maximum == 0 && setting_choice(key, &test_registry, 0) == NULL)
            assert_non_null(key->syntax);
    }
}

/* --- keys that a destination declares --------------------------------------------------------- */

struct own_settings {
    char *word;
    uint64_t patience;
};

static const struct setting own_keys[] = {
    {"word", SETTING_TEXT, .offset = offsetof(struct own_settings, word), .syntax = "TEXT",
     .help = "a text"},
    {"patience", SETTING_DURATION, .offset = offsetof(struct own_settings, patience),
     .default_text = "2s", .minimum = 1, .maximum = UINT64_C(10000000000), .help = "a time"},
    {.name = NULL},
};
static const struct destination_ops line = {.scheme = "line", .own_keys = own_keys};

TEST(a_destination_has_the_keys_that_it_declares)
{
    static const struct destination_ops *const destinations[] = {&line, &line, NULL};
    assert_int_equal(keys_of_sink(&line), KEY_OF_SINK);
    key_table_add_own(destinations);
    key_table_add_own(destinations);
    const unsigned scopes = keys_of_sink(&line);
    assert_int_equal(scopes, KEY_OF_SINK | KEY_OF_OWN_FIRST);
    struct target target = assert_reads(scopes, "word=x");
    const struct own_settings *own = (const void *)target.sink.settings.own;
    assert_string_equal(own->word, "x");
    assert_int_equal(own->patience, 2000000000);
    free(own->word);
    assert_refused(KEY_OF_FILE_SINK, "word=x", 0,
                   "key \"word\" is for a line: sink, not for a file: sink");
}

/*
 * The program protects its memory from other processes only if a key with this mark is set. So each
 * key that names a file of secrets needs the mark.
 */
TEST(each_key_that_names_a_file_of_secrets_is_marked)
{
    static const char *const words[] = {"key",        "token",      "password", "secret",
                                        "credential", "properties", "header",   "client_cert"};
    size_t marked = 0;
    for (const struct setting *key = config_keys; key->name != NULL; key++) {
        if (key->syntax == NULL || strcmp(key->syntax, "FILE") != 0)
            continue;
        marked += key->secret_file;
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            if (strstr(key->name, words[i]) != NULL && !key->secret_file)
                fail_msg("%s= has no secret_file in its row", key->name);
    }
    assert_true(marked >= 8);
}
