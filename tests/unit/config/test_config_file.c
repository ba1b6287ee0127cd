#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/config/file.h"
#include "collector/config/options.h"
#include "tests/support/config/config_tables.h"
#include "tests/support/platform/scratch_directory.h"
#include "tests/support/test.h"

/* --- reading ---------------------------------------------------------------------------------- */

/* The environment variables of a test: names and values alternately, then NULL. */
static const char *const *variables;

static char *copy_of(const char *text)
{
    char *copy = malloc(strlen(text) + 1);
    assert_non_null(copy);
    return strcpy(copy, text);
}

static bool value_of(const char *name, char **value)
{
    *value = NULL;
    for (const char *const *one = variables; one != NULL && *one != NULL; one += 2)
        if (strcmp(one[0], name) == 0)
            *value = copy_of(one[1]);
    return true;
}

static bool each(const char *prefix, bool (*visit)(void *context, const char *name), void *context)
{
    for (const char *const *one = variables; one != NULL && *one != NULL; one += 2)
        if (strncmp(one[0], prefix, strlen(prefix)) == 0 && !visit(context, one[0]))
            break;
    return true;
}

static const struct options_environment environment = {value_of, each};

static enum options_result read_text(const char *text, char *option, char *value,
                                     struct config *config, struct error *error)
{
    static char program[] = "sluice", config_option[] = "--config";
    char path[512];
    scratch_put_text("c.yaml", text);
    snprintf(path, sizeof path, "%s", scratch_path("c.yaml"));
    char *argv[] = {program, config_option, path, option, value, NULL};
    int argc = option == NULL ? 3 : value == NULL ? 4 : 5;
    return options_read(argc, argv, &environment, &test_registry, config, error);
}

static struct config accepted_with(const char *text, char *option, char *value)
{
    struct config config;
    struct error error = {0};
    if (read_text(text, option, value, &config, &error) != OPTIONS_RUN)
        fail_msg("refused: %s", error.text);
    return config;
}

static struct config accepted(const char *text)
{
    return accepted_with(text, NULL, NULL);
}

static void refused(const char *text, const char *says)
{
    struct config config;
    struct error error = {0};
    if (read_text(text, NULL, NULL, &config, &error) == OPTIONS_RUN) {
        config_free(&config);
        fail_msg("accepted; should say: %s", says);
    }
    const char *path = scratch_path("c.yaml");
    assert_int_equal(strncmp(error.text, path, strlen(path)), 0);
    assert_string_equal(error.text + strlen(path) + 1, says);
    assert_int_equal(error.code, EXIT_CODE_CONFIG);
    assert_null(config.listeners);
}

/* --- the values in a file --------------------------------------------------------------------- */

TEST_WITH(a_file_says_what_options_and_urls_say, scratch_make, scratch_remove)
{
    (void)state;
    struct config config = accepted("# a comment\n"
                                    "memory: 32MiB\n"
                                    "stop-timeout: \"500ms\"\n"
                                    "ledger: json\n"
                                    "listeners:\n"
                                    "  - receive_buffer: 64MiB\n"
                                    "    schemas:\n"
                                    "      - match: source:10.0.0.0/8\n"
                                    "        schema: riemann\n"
                                    "      - {schema: telemetry, header: 4}\n"
                                    "    address: udp://[::]:5555\n"
                                    "  - udp://127.0.0.1:1?schema=riemann&receivers=2\n"
                                    "sinks:\n"
                                    "  - {to: file:/var/log/m.ndjson, format: lines}\n"
                                    "  - to: stdout\n"
                                    "dead-letter:\n"
                                    "  to: 'file:dead'\n"
                                    "  rate: 7\n");
    assert_int_equal(config.limits.memory, 32 << 20);
    assert_int_equal(config.limits.stop_timeout_ns, 500000000);
    assert_int_equal(config.ledger, LEDGER_JSON);
    assert_int_equal(config.listener_count, 2);
    const struct listener_config *first = &config.listeners[0];
    assert_string_equal(first->name, "udp://[::]:5555");
    assert_int_equal(first->receive_buffer, 64 << 20);
    assert_int_equal(first->schema_count, 2);
    assert_string_equal(first->schemas[0].source, "riemann");
    assert_int_equal(first->schemas[0].match.kind, MATCH_SOURCE);
    assert_string_equal(first->schemas[1].source, "telemetry");
    assert_int_equal(first->schemas[1].header, 4);
    assert_int_equal(config.listeners[1].receivers, 2);
    assert_int_equal(config.sink_count, 2);
    assert_string_equal(config.sinks[0].path, "/var/log/m.ndjson");
    assert_string_equal(config.sinks[0].settings.encoder->name, "lines");
    assert_string_equal(config.sinks[1].name, "stdout:");
    assert_string_equal(config.dead_letter.path, "dead");
    assert_int_equal(config.dead_letter.rate, 7);
    config_free(&config);
}

TEST_WITH(a_schema_alone_needs_no_list, scratch_make, scratch_remove)
{
    (void)state;
    struct config config = accepted("listeners:\n"
                                    "- match: magic:00ff\n"
                                    "  schema: riemann\n"
                                    "  address: udp://0.0.0.0:1\n");
    assert_int_equal(config.listeners[0].schema_count, 1);
    assert_string_equal(config.listeners[0].schemas[0].source, "riemann");
    assert_int_equal(config.listeners[0].schemas[0].match.kind, MATCH_MAGIC);
    config_free(&config);
}

TEST_WITH(a_single_listener_or_sink_needs_no_list, scratch_make, scratch_remove)
{
    (void)state;
    struct config config = accepted("listeners: udp://127.0.0.1:1\nsinks:\n  to: stdout\n");
    assert_int_equal(config.listener_count, 1);
    assert_string_equal(config.listeners[0].name, "udp://127.0.0.1:1");
    assert_int_equal(config.sink_count, 1);
    assert_string_equal(config.sinks[0].name, "stdout:");
    config_free(&config);
    refused("listeners:\n  address: udp://0.0.0.0:1\n  recievers: 2\n",
            "3:3: unknown key \"recievers\"; did you mean \"receivers\"?");
}

TEST_WITH(hyphens_and_underscores_in_names_are_alike, scratch_make, scratch_remove)
{
    (void)state;
    struct config config = accepted("stop_timeout: 3s\n"
                                    "dead_letter: file:dead\n"
                                    "listeners:\n"
                                    "- address: udp://127.0.0.1:1\n"
                                    "  receive-buffer: 64MiB\n");
    assert_int_equal(config.limits.stop_timeout_ns, 3000000000);
    assert_string_equal(config.dead_letter.path, "dead");
    assert_int_equal(config.listeners[0].receive_buffer, 64 << 20);
    assert_string_equal(config.listeners[0].url, "udp://127.0.0.1:1?receive_buffer=64MiB");
    config_free(&config);
    refused("stop_timeout: 3s\nstop-timeout: 3s\n",
            "2:1: \"stop-timeout\" is given twice; first on line 1");
    refused("listeners:\n- address: udp://127.0.0.1:1\n  max-datagram: 1B\n  max_datagram: 1B\n",
            "4:3: \"max_datagram\" is given twice; first on line 3");
    refused("sinks:\n- to: stdout\n  receive-buffer: 1MiB\n",
            "3:3: key \"receive_buffer\" is for a udp listener, not for a sink");
    refused("listeners:\n- address: udp://127.0.0.1:1\n  recieve-buffer: 1B\n",
            "3:3: unknown key \"recieve-buffer\"; did you mean \"receive_buffer\"?");
}

TEST_WITH(a_switch_has_the_words_of_yaml, scratch_make, scratch_remove)
{
    (void)state;
    static const char *const words[] = {"off", "on", "no", "yes", "false", "true", "No", "TRUE"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        char text[200];
        snprintf(text, sizeof text,
                 "listeners:\n- address: udp://[::]:1\n  ipv6_only: %s\n  gro: %s\n", words[i],
                 words[i]);
        struct config config = accepted(text);
        assert_int_equal(config.listeners[0].ipv6_only, i % 2);
        assert_int_equal(config.listeners[0].gro, i % 2);
        config_free(&config);
    }
    refused("listeners:\n- address: udp://[::]:1\n  ipv6_only: onn\n",
            "3:14: ipv6_only \"onn\" is not one of false, true");
    refused("listeners:\n- address: udp://[::]:1\n  spread: yes\n",
            "3:11: spread \"yes\" is not one of flow, datagram");
}

TEST_WITH(a_list_may_be_written_with_commas_or_as_a_list, scratch_make, scratch_remove)
{
    (void)state;
    struct config config = accepted("listeners:\n"
                                    "- address: udp://127.0.0.1:1\n"
                                    "  allow:\n"
                                    "  - 10.0.0.0/8\n"
                                    "  - 192.0.2.0/24\n"
                                    "metrics-host: [a.example, b.example]\n"
                                    "sinks:\n"
                                    "- to: stdout\n"
                                    "  drop_label: [pid]\n");
    assert_string_equal(config.listeners[0].url, "udp://127.0.0.1:1?allow=10.0.0.0/8,192.0.2.0/24");
    assert_string_equal(config.sinks[0].url, "stdout:?drop_label=pid");
    config_free(&config);
    refused("listeners:\n- address: udp://127.0.0.1:1\n  allow:\n  - 10.0.0.0/8\n  - 10.0.0.0/33\n",
            "5:14: allow, element 2: \"33\" is not a number of bits from 0 to 32");
    refused("sinks:\n- to: stdout\n  drop_label: []\n",
            "3:15: \"drop_label\" is an empty list; leave it out");
    refused("sinks:\n- to: stdout\n  drop_label: [a, [b]]\n",
            "3:19: an item of \"drop_label\" is a list");
    refused("sinks:\n- to: stdout\n  drop_label: [a, b&c]\n",
            "3:20: \"drop_label\" contains \"&\": it begins the next key in a URL");
}

TEST_WITH(mistakes_of_indentation_and_place_are_refused_with_what_to_do, scratch_make,
          scratch_remove)
{
    (void)state;
    refused(
        "listeners:\n  - address: udp://127.0.0.1:1\n  schema: riemann\n",
        "3:3: not valid YAML: did not find expected '-' indicator while parsing a block collection "
        "that begins on line 2; the lines of a map, and the \"-\" of a list, begin in the same "
        "column");
    refused("listeners:\n- address: udp://127.0.0.1:1\n\tschema: riemann\n",
            "3:1: not valid YAML: found a tab character that violates indentation while scanning a "
            "plain scalar that begins on line 2; indent with spaces, not tabs");
    refused("listeners:\n- address: udp://127.0.0.1:1\n  sinks:\n  - to: stdout\n",
            "3:3: \"sinks\" is a list of the file, not a key; begin it in column 1");
    refused("sinks:\n- to: stdout\n  linger.ms: 20\n",
            "3:3: unknown key \"linger.ms\"; a property of librdkafka is \"kafka.linger.ms\"");
    refused("sinks:\n- to: stdout\n  nothing_like_it: 20\n",
            "3:3: unknown key \"nothing_like_it\"; --help sinks lists the keys of a sink");
}

TEST_WITH(an_empty_file_sets_nothing, scratch_make, scratch_remove)
{
    (void)state;
    static const char *const texts[] = {"", "# nothing\n", "---\n{}\n", "{}"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct config config = accepted(texts[i]);
        assert_int_equal(config.listener_count, 1);
        assert_int_equal(config.limits.stop_timeout_ns, 2000000000);
        config_free(&config);
    }
}

TEST_WITH(things_know_where_they_were_written, scratch_make, scratch_remove)
{
    (void)state;
    struct config config = accepted("sinks:\n"
                                    "  - to: stdout\n"
                                    "  - file:x\n");
    char place[600];
    snprintf(place, sizeof place, "%s:2:9", scratch_path("c.yaml"));
    assert_string_equal(config.sinks[0].written_at, place);
    snprintf(place, sizeof place, "%s:3:5", scratch_path("c.yaml"));
    assert_string_equal(config.sinks[1].written_at, place);
    assert_null(config.listeners[0].written_at);
    config_free(&config);
}

/* --- precedence ------------------------------------------------------------------------------- */

TEST_WITH(the_command_line_wins_over_the_file, scratch_make, scratch_remove)
{
    (void)state;
    char memory[] = "--memory=1GiB", listen[] = "--listen", url[] = "udp://127.0.0.1:9";
    static const char text[] = "memory: 32MiB\n"
                               "listeners: [udp://127.0.0.1:1, udp://127.0.0.1:2]\n"
                               "sinks: [file:a, file:b]\n";
    struct config config = accepted_with(text, memory, NULL);
    assert_int_equal(config.limits.memory, 1 << 30);
    assert_int_equal(config.listener_count, 2);
    config_free(&config);
    config = accepted_with(text, listen, url);
    assert_int_equal(config.limits.memory, 32 << 20);
    assert_int_equal(config.listener_count, 1);
    assert_int_equal(config.listeners[0].address.port, 9);
    assert_int_equal(config.sink_count, 2);
    config_free(&config);
}

TEST_WITH(the_environment_is_between_the_two, scratch_make, scratch_remove)
{
    (void)state;
    static const char *const set[] = {"SLUICE_MEMORY",
                                      "64MiB",
                                      "SLUICE_STOP_TIMEOUT",
                                      "3s",
                                      "SLUICE_SINK",
                                      "  file:x\tfile:y?format=lines\n",
                                      "SLUICE_LEDGER",
                                      " ",
                                      NULL};
    char memory[] = "--memory=1GiB";
    variables = set;
    struct config config =
        accepted_with("stop-timeout: 5s\nledger: json\nsinks: [file:z]\n", memory, NULL);
    assert_int_equal(config.limits.memory, 1 << 30);
    assert_int_equal(config.limits.stop_timeout_ns, 3000000000);
    assert_int_equal(config.sink_count, 2);
    assert_string_equal(config.sinks[1].name, "file:y");
    assert_int_equal(config.ledger, LEDGER_JSON); /* a blank variable is ignored */
    config_free(&config);
    variables = NULL;
}

TEST_WITH(a_wrong_variable_is_reported_by_its_name, scratch_make, scratch_remove)
{
    (void)state;
    static const char *const memory[] = {"SLUICE_MEMORY", "64", NULL};
    static const char *const sink[] = {"SLUICE_SINK", "stdout:?formt=json", NULL};
    struct config config;
    struct error error = {0};
    variables = memory;
    assert_int_equal(read_text("", NULL, NULL, &config, &error), OPTIONS_WRONG);
    assert_int_equal(error.code, EXIT_CODE_CONFIG);
    assert_string_equal(error.text, "SLUICE_MEMORY: memory \"64\" has no unit; give one of B, kB, "
                                    "MB, GB, KiB, MiB, GiB");
    variables = sink;
    assert_int_equal(read_text("", NULL, NULL, &config, &error), OPTIONS_WRONG);
    assert_string_equal(error.text, "SLUICE_SINK stdout:?formt=json, column 9: unknown key "
                                    "\"formt\"; did you mean \"format\"?");
    variables = NULL;
}

static void assert_refused_variable(const char *name, const char *value, const char *text)
{
    const char *const set[] = {name, value, NULL};
    struct config config;
    struct error error = {0};
    variables = set;
    assert_int_equal(read_text("", NULL, NULL, &config, &error), OPTIONS_WRONG);
    assert_int_equal(error.code, EXIT_CODE_CONFIG);
    assert_string_equal(error.text, text);
    variables = NULL;
}

TEST_WITH(a_variable_one_edit_from_a_known_one_is_refused, scratch_make, scratch_remove)
{
    (void)state;
    assert_refused_variable("SLUICE_MEMROY", "64MiB",
                            "no option has the environment variable \"SLUICE_MEMROY\"; did you "
                            "mean \"SLUICE_MEMORY\"?");
    assert_refused_variable("SLUICE_SINKS", "stdout:",
                            "no option has the environment variable \"SLUICE_SINKS\"; did you mean "
                            "\"SLUICE_SINK\"?");
    assert_refused_variable("SLUICE_STOPTIMEOUT", "2s",
                            "no option has the environment variable \"SLUICE_STOPTIMEOUT\"; did "
                            "you mean \"SLUICE_STOP_TIMEOUT\"?");
    assert_refused_variable("SLUICE_memory", "1GiB",
                            "no option has the environment variable \"SLUICE_memory\"; did you "
                            "mean \"SLUICE_MEMORY\"?");
}

static char warned[400];

static void keep_warning(const char *text)
{
    strncat(warned, text, sizeof warned - strlen(warned) - 2);
    strcat(warned, "\n");
}

TEST_WITH(another_unknown_variable_is_reported_with_the_nearest_name, scratch_make, scratch_remove)
{
    (void)state;
    static const char *const set[] = {"SLUICE_VERBOSITY",
                                      "3",
                                      "SLUICE_COLOUR",
                                      "1",
                                      "SLUICE_MEMORY",
                                      "1GiB",
                                      "PATH",
                                      "/bin",
                                      NULL};
    variables = set;
    struct config config = accepted("");
    warned[0] = '\0';
    options_check_environment(&environment, keep_warning);
    assert_string_equal(warned, "no option has the environment variable \"SLUICE_VERBOSITY\"; did "
                                "you mean \"SLUICE_LOG_LEVEL\"?\n"
                                "no option has the environment variable \"SLUICE_COLOUR\"\n");
    config_free(&config);
    variables = NULL;
}

TEST_WITH(what_kubernetes_sets_for_a_service_is_not_ours, scratch_make, scratch_remove)
{
    (void)state;
    static const char *const set[] = {"SLUICE_PORT",
                                      "udp://10.0.0.1:5555",
                                      "SLUICE_PORT_5555_UDP_ADDR",
                                      "10.0.0.1",
                                      "SLUICE_SERVICE_HOST",
                                      "10.0.0.1",
                                      "SLUICE_SINK_SERVICE_PORT",
                                      "5555",
                                      "SLUICE_METRICS_PORT",
                                      "tcp://10.0.0.1:9100",
                                      "SLUICE_METRICS_PORT_9100_TCP_PROTO",
                                      "tcp",
                                      NULL};
    variables = set;
    struct config config = accepted("");
    warned[0] = '\0';
    options_check_environment(&environment, keep_warning);
    assert_string_equal(warned, "");
    config_free(&config);
    variables = NULL;
}

static void refused_reference(const char *text, const char *place_and_name)
{
    char expected[200];
    snprintf(expected, sizeof expected,
             "%s is not expanded in configuration files; an option can be set by its "
             "environment variable",
             place_and_name);
    refused(text, expected);
}

TEST_WITH(a_reference_to_a_variable_is_refused_as_nothing_replaces_it, scratch_make, scratch_remove)
{
    (void)state;
    refused_reference("memory: ${MEMORY}\n", "1:9: \"${MEMORY}\"");
    refused_reference("sinks:\n  - to: file:/var/log/${HOST}.ndjson\n", "2:23: \"${HOST}\"");
    refused_reference("listeners:\n  - address: udp://${ADDR:-0.0.0.0}:5555\n",
                      "2:20: \"${ADDR:-0.0.0.0}\"");
    refused_reference("sinks:\n  - to: stdout\n    format: ${FORMAT}\n", "3:13: \"${FORMAT}\"");
}

TEST_WITH(a_dollar_sign_alone_is_no_reference, scratch_make, scratch_remove)
{
    (void)state;
    struct config config = accepted("sinks:\n  - to: file:a$b${}\n");
    assert_string_equal(config.sinks[0].path, "a$b${}");
    config_free(&config);
}

TEST_WITH(a_variable_may_name_the_file, scratch_make, scratch_remove)
{
    (void)state;
    static char program[] = "sluice";
    char *argv[] = {program, NULL};
    struct config config;
    struct error error = {0};
    scratch_put_text("c.yaml", "memory: 32MiB\n");
    const char *const set[] = {"SLUICE_CONFIG", scratch_path("c.yaml"), NULL};
    variables = set;
    assert_int_equal(options_read(1, argv, &environment, &test_registry, &config, &error),
                     OPTIONS_RUN);
    assert_int_equal(config.limits.memory, 32 << 20);
    config_free(&config);
    variables = NULL;
}

TEST_WITH(what_the_command_line_wins_over_is_checked_all_the_same, scratch_make, scratch_remove)
{
    (void)state;
    char memory[] = "--memory=1GiB";
    struct config config;
    struct error error = {0};
    assert_int_equal(read_text("memory: 64\n", memory, NULL, &config, &error), OPTIONS_WRONG);
    assert_non_null(strstr(error.text, "c.yaml:1:9: memory \"64\" has no unit"));
}

/* --- refusals: values ------------------------------------------------------------------------- */

TEST_WITH(an_unknown_name_suggests_the_nearest, scratch_make, scratch_remove)
{
    (void)state;
    refused("memroy: 1MiB\n", "1:1: unknown option \"memroy\"; did you mean \"memory\"?");
    refused("stop_timeot: 1s\n",
            "1:1: unknown option \"stop_timeot\"; did you mean \"stop-timeout\"?");
    refused("lisseners: []\n", "1:1: unknown option \"lisseners\"; did you mean \"listeners\"?");
    refused("\n  qqqq: x\n", "2:3: unknown option \"qqqq\"; a file has listeners, sinks and what "
                             "--help lists");
    refused("listeners:\n  - address: udp://0.0.0.0:1\n    recieve_buffer: 1MiB\n",
            "3:5: unknown key \"recieve_buffer\"; did you mean \"receive_buffer\"?");
    refused("listeners:\n  - adress: udp://0.0.0.0:1\n",
            "2:5: unknown key \"adress\"; did you mean \"address\"?");
    refused("listeners:\n  - schemass: []\n",
            "2:5: unknown key \"schemass\"; did you mean \"schemas\"?");
    refused("sinks: [{to: stdout, formt: json}]\n",
            "1:22: unknown key \"formt\"; did you mean \"format\"?");
}

TEST_WITH(a_name_of_another_place_is_refused_with_its_own, scratch_make, scratch_remove)
{
    (void)state;
    refused("listen: udp://0.0.0.0:1\n", "1:1: in a file --listen is the list \"listeners\"");
    refused("check: true\n", "1:1: --check is only allowed on the command line");
    refused("config: x\n", "1:1: --config is only allowed on the command line");
    refused("rate: 3\n", "1:1: key \"rate\" is for dead letters, not for the file as a whole");
    refused(
        "sinks:\n- to: stdout\n  receivers: 2\n",
        "3:3: key \"receivers\" is for a udp listener and a tcp or unix listener, not for a sink");
    refused("sinks:\n- to: stdout\n  rotate_size: 1MiB\n",
            "3:3: key \"rotate_size\" is for a file: sink, not for a stdout: or command: "
            "sink");
    refused("listeners:\n- address: pcap:x\n  receivers: 2\n",
            "3:3: key \"receivers\" is for a udp listener and a tcp or unix listener, not for a "
            "capture "
            "listener");
    refused("listeners:\n- address: udp://0.0.0.0:1\n  schemas:\n  - schema: riemann\n"
            "    receivers: 2\n",
            "5:5: key \"receivers\" is for a udp listener and a tcp or unix listener, not for a "
            "listener's "
            "schema");
}

TEST_WITH(a_wrong_value_is_reported_with_its_place, scratch_make, scratch_remove)
{
    (void)state;
    refused("\nmemory: 64\n",
            "2:9: memory \"64\" has no unit; give one of B, kB, MB, GB, KiB, MiB, GiB");
    refused("ledger: 'jsn'\n",
            "1:10: ledger \"jsn\" is not one of text, json; did you mean \"json\"?");
    refused("listeners:\n- address: udp://0.0.0.0:1\n  receive_buffer: 64\n",
            "3:19: receive_buffer \"64\" has no unit; give one of B, kB, MB, GB, KiB, MiB, GiB");
    refused("listeners:\n- address: udp://0.0.0.0:x\n",
            "2:26: port \"x\" is not a number from 0 to 65535");
    refused("listeners:\n- address: udp://0.0.0.0:1\n  allow: 10.0.0.0/8,x\n",
            "3:21: allow, element 2 \"x\" is not a numeric address, or network as in 10.1.0.0/16");
    refused("listeners:\n- udp://0.0.0.0:1?gro=maybe\n",
            "2:23: gro \"maybe\" is not one of off, on");
    refused("listeners:\n- address: udp://0.0.0.0:1\n  schemas:\n  - schema: riemannn\n",
            "4:13: schema \"riemannn\" is not one of riemann, telemetry, nor a folder, nor a file, "
            "which has a \".\" in its name; did you mean \"riemann\"?");
    refused("sinks:\n- to: elsewhere\n", "2:7: \"elsewhere:\" is not a sink; write stdout: or "
                                         "file:PATH");
    refused("dead-letter: stdout\n", "1:14: \"stdout\" is not a file; write file:PATH");
}

TEST_WITH(columns_are_characters, scratch_make, scratch_remove)
{
    (void)state;
    refused("sinks: [{\"to\": \"file:\xc3\xa4\xc3\xb6?x\"}]\n",
            "1:24: \"to\" contains \"?\": write keys as separate entries of the map");
    refused(
        "sinks:\n- {to: file:\xc3\xa4\xc3\xb6%!}\n",
        "2:15: \"%!\": there is no such field; there are %Y %m %d %H %M %S %y %j %F %s, %{source}, "
        "%{listener}, %{schema} and %{sender}, and %% is a percent sign");
}

TEST_WITH(a_value_of_the_wrong_kind_is_refused, scratch_make, scratch_remove)
{
    (void)state;
    refused("memory: [1MiB]\n", "1:9: \"memory\" must be a single value, not a list");
    refused("memory: {a: b}\n", "1:9: \"memory\" must be a single value, not a map");
    refused("memory:\n", "1:8: \"memory\" has no value");
    refused("listeners:\n",
            "1:11: \"listeners\" must be a list (each item begins with \"- \"), not empty");
    refused("sinks: []\n", "1:8: \"sinks\" is empty; leave it out for the default");
    refused("sinks: [[]]\n", "1:9: this must be a URL or a map with \"to\", not a list");
    refused("sinks:\n- \n- stdout:\n", "2:2: this must be a URL or a map with \"to\", not empty");
    refused("dead-letter: [x]\n", "1:14: this must be a URL or a map with \"to\", not a list");
    refused("sinks:\n- to: stdout\n  format: [json]\n",
            "3:11: \"format\" must be a single value, not a list");
    refused("sinks:\n- to: stdout\n  format:\n", "3:10: \"format\" has no value");
    refused("listeners:\n- address: udp://0.0.0.0:1\n  schemas: riemann\n",
            "3:12: schemas must be a list (each item begins with \"- \"), not a text");
    refused("listeners:\n- address: udp://0.0.0.0:1\n  schemas: [riemann]\n",
            "3:13: an item of schemas is a text; write \"schema: NAME\"");
    refused("[a]: b\n", "1:1: this must be a name, not a list");
    refused("sinks: [{[a]: b}]\n", "1:10: this must be a key, not a list");
    refused("memory\n", "1:1: this must be \"name: value\", not a text");
    refused("- memory\n", "1:1: this must be \"name: value\", not a list");
}

/* --- refusals: keys that require each other --------------------------------------------------- */

TEST_WITH(what_is_missing_is_reported, scratch_make, scratch_remove)
{
    (void)state;
    refused("sinks:\n- format: json\n", "2:3: \"to\" is missing here; write to: file:PATH, "
                                        "for example");
    refused("listeners:\n- receivers: 2\n", "2:3: \"address\" is missing here; write address: "
                                            "udp://ADDR:PORT, for example");
    refused("listeners:\n- address: udp://0.0.0.0:1\n  schemas:\n  - header: 4\n",
            "4:5: this schema has no name; write \"schema: NAME\"");
    refused("listeners:\n- address: udp://0.0.0.0:1\n  schemas: []\n",
            "3:3: schemas is empty; leave it out for the default schema");
    refused("listeners:\n- address: udp://0.0.0.0:1\n  header: 4\n",
            "3:3: key \"header\" belongs to a schema; write schema= before it");
    refused("listeners:\n- address: udp://0.0.0.0:1\n  schema: a.desc\n",
            "3:3: schema \"a.desc\" is a file; message=FULL.NAME is missing, the type of the "
            "message in a datagram");
}

TEST_WITH(what_comes_twice_is_refused, scratch_make, scratch_remove)
{
    (void)state;
    refused("memory: 1MiB\nledger: json\nmemory: 2MiB\n",
            "3:1: \"memory\" is given twice; first on line 1");
    refused("sinks:\n- to: stdout\n  format: json\n  format: json\n",
            "4:3: \"format\" is given twice; first on line 3");
    refused("sinks:\n- to: stdout\n  to: stdout\n", "3:3: \"to\" is given twice; first on line 2");
    refused("listeners:\n- address: udp://0.0.0.0:1\n- udp://0.0.0.0:1\n",
            "3:3: an earlier listener has this address already");
    refused("sinks: [file:x, {to: file:x}]\n", "1:22: an earlier sink writes there already");
    refused("sinks: [file:x]\ndead-letter: {to: file:x}\n",
            "2:19: dead-letter file:x: a sink writes there");
    refused("listeners:\n- address: udp://0.0.0.0:1\n  schema: riemann\n  schemas:\n"
            "  - schema: riemann\n",
            "4:3: there is a key of a schema next to schemas; put it under that");
    refused("listeners:\n- address: udp://0.0.0.0:1\n  schemas:\n  - schema: riemann\n"
            "  header: 2\n",
            "5:3: key \"header\" belongs to a schema; put it under schemas");
}

TEST_WITH(what_does_not_go_together_is_reported_where_it_is, scratch_make, scratch_remove)
{
    (void)state;
    refused("sinks:\n- view: message\n  to: stdout\n  format: lines\n",
            "2:3: view=message, but format=lines writes only samples");
    refused("listeners:\n- address: udp://0.0.0.0:1\n  schemas:\n  - schema: riemann\n"
            "  - schema: telemetry\n",
            "5:5: this schema is never reached: the schema before it has no match=, so it matches "
            "every datagram and must be the last");
}

TEST_WITH(a_value_cannot_begin_another_key, scratch_make, scratch_remove)
{
    (void)state;
    refused("sinks:\n- to: stdout\n  include: a&format=lines\n",
            "3:13: \"include\" contains \"&\": it begins the next key in a URL");
    refused("sinks:\n- to: file:a?format=lines\n",
            "2:13: \"to\" contains \"?\": write keys as separate entries of the map");
}

/* --- refusals: YAML --------------------------------------------------------------------------- */

TEST_WITH(what_a_configuration_has_no_use_for_is_refused_by_name, scratch_make, scratch_remove)
{
    (void)state;
    refused("memory: &m 1MiB\n",
            "1:9: anchors are not supported; put a text that begins with \"&\" in quotation marks");
    refused("memory: *m\n",
            "1:9: aliases are not supported; put a text that begins with \"*\" in quotation marks");
    refused("memory: !!str 1MiB\n",
            "1:9: tags are not supported; put a text that begins with \"!\" in quotation marks");
    refused("memory: 1MiB\n---\nmemory: 2MiB\n",
            "2:1: a second document begins here; only one is allowed");
    refused("memory: \"1\\0\"\n", "1:9: a text contains a NUL character");
}

TEST_WITH(what_is_no_yaml_is_refused_with_its_place, scratch_make, scratch_remove)
{
    (void)state;
    refused("sinks:\n- to: stdout:\n",
            "2:13: not valid YAML: mapping values are not allowed in this context; put a text that "
            "contains \": \" or ends with \":\" in quotation marks");
    refused("listeners:\n- udp://[::]:1\n  receivers: 2\n",
            "3:12: not valid YAML: mapping values are not allowed in this context; a list element "
            "that has keys is a map: write \"- address: URL\" (\"- to: URL\" for a sink), and the "
            "keys below it");
    refused("sinks:\n- to: stdout\n x: y\n",
            "3:2: not valid YAML: did not find expected key while parsing a block mapping that "
            "begins on line 1; the lines of a map, and the \"-\" of a list, begin in the same "
            "column");
    refused("memory: 1MiB\nledger: \"\xff\"\n",
            "2:10: not valid YAML: invalid leading UTF-8 octet");
    refused("memory: 'x\n\n", "3:1: not valid YAML: found unexpected end of stream while "
                              "scanning a quoted scalar that begins on line 1");
}

TEST_WITH(nesting_is_bounded_by_what_there_is, scratch_make, scratch_remove)
{
    (void)state;
    size_t size = CONFIG_FILE_MAX - 10;
    char *text = calloc(1, size + 1);
    assert_non_null(text);
    memset(text, '[', size);
    refused(text, "1:1: this must be \"name: value\", not a list");
    free(text);
}

TEST_WITH(a_list_has_an_end, scratch_make, scratch_remove)
{
    (void)state;
    char *text = calloc(CONFIG_LIST_MAX + 3, 24);
    assert_non_null(text);
    size_t used = (size_t)sprintf(text, "listeners:\n");
    for (int i = 0; i <= CONFIG_LIST_MAX; i++)
        used += (size_t)sprintf(text + used, "- udp://0.0.0.0:%d\n", i + 1);
    refused(text, "1026:3: \"listeners\" has more than 1024 items");
    free(text);
}

TEST_WITH(a_file_that_cannot_be_read_is_refused, scratch_make, scratch_remove)
{
    (void)state;
    static char program[] = "sluice", option[] = "--config";
    char path[512];
    struct config config;
    struct error error = {0};
    char *argv[] = {program, option, path, NULL};
    snprintf(path, sizeof path, "%s", scratch_path("none"));
    assert_int_equal(options_parse(3, argv, &test_registry, &config, &error), OPTIONS_WRONG);
    assert_int_equal(error.code, EXIT_CODE_CONFIG);
    assert_non_null(strstr(error.text, "cannot be opened"));
    char *text = calloc(1, CONFIG_FILE_MAX + 2);
    assert_non_null(text);
    memset(text, '#', CONFIG_FILE_MAX + 1);
    scratch_put("none", text, CONFIG_FILE_MAX + 1);
    free(text);
    assert_int_equal(options_parse(3, argv, &test_registry, &config, &error), OPTIONS_WRONG);
    assert_int_equal(error.code, EXIT_CODE_CONFIG);
    assert_non_null(strstr(error.text, "larger than 1MiB"));
}
