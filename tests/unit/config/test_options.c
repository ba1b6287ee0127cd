#include <stdio.h>
#include <string.h>

#include "collector/config/keys.h"
#include "collector/config/option_table.h"
#include "collector/config/options.h"
#include "tests/support/config/config_tables.h"
#include "tests/support/test.h"

/* Parses the arguments, which do not include the program's name. The last argument is NULL. */
static enum options_result parse(struct config *config, struct error *error, const char *first,
                                 va_list more)
{
    char words[32][600];
    char *argv[34] = {words[0]};
    int argc = 1;
    snprintf(words[0], sizeof words[0], "sluice");
    for (const char *word = first; word != NULL; word = va_arg(more, const char *)) {
        assert_true(argc < 32);
        snprintf(words[argc], sizeof words[argc], "%s", word);
        argv[argc] = words[argc];
        argc++;
    }
    enum options_result result = options_parse(argc, argv, &test_registry, config, error);
    /* Overwrites argv, because the config must not refer to it. */
    memset(words, 'X', sizeof words);
    return result;
}

static struct config accepted(const char *first, ...)
{
    struct config config;
    struct error error = {0};
    va_list more;
    va_start(more, first);
    enum options_result result = parse(&config, &error, first, more);
    va_end(more);
    if (result != OPTIONS_RUN)
        fail_msg("result %d: %s", (int)result, error.text);
    return config;
}

static void assert_all_zero(const struct config *config)
{
    assert_null(config->listeners);
    assert_null(config->sinks);
    assert_int_equal(config->listener_count, 0);
    assert_int_equal(config->sink_count, 0);
}

static void refused(const char *text, const char *first, ...)
{
    struct config config;
    struct error error = {0};
    va_list more;
    va_start(more, first);
    enum options_result result = parse(&config, &error, first, more);
    va_end(more);
    if (result == OPTIONS_RUN) {
        config_free(&config);
        fail_msg("accepted; should say: %s", text);
    }
    assert_int_equal(result, OPTIONS_WRONG);
    assert_string_equal(error.text, text);
    assert_int_equal(error.code, EXIT_CODE_USAGE);
    assert_all_zero(&config);
}

/* --- values of options ------------------------------------------------------------------------ */

TEST(without_arguments_riemann_goes_to_stdout)
{
    struct config config = accepted(NULL);
    assert_int_equal(config.listener_count, 1);
    assert_string_equal(config.listeners[0].name, "udp://127.0.0.1:5555");
    assert_string_equal(config.listeners[0].schemas[0].ops->name, "riemann");
    assert_int_equal(config.sink_count, 1);
    assert_string_equal(config.sinks[0].name, "stdout:");
    assert_string_equal(config.sinks[0].settings.encoder->name, "json");
    assert_false(config.request.check);
    assert_int_equal(config.limits.duration_ns, 0);
    assert_int_equal(config.limits.max_datagrams, 0);
    assert_int_equal(config.limits.memory, 0);
    assert_int_equal(config.limits.stop_timeout_ns, 2000000000);
    assert_int_equal(config.ledger, LEDGER_TEXT);
    assert_int_equal(config.log.level, LOG_INFO);
    assert_int_equal(config.log.format, LOG_TEXT);
    assert_null(config.access.control);
    assert_null(config.user);
    assert_int_equal(config.access.metrics.address.family, ADDRESS_NONE);
    config_free(&config);
    assert_all_zero(&config);
    config_free(&config);
}

TEST(dead_letters_are_configured_by_a_url)
{
    struct config config = accepted("--dead-letter", "file:/tmp/a=b.pcapng", NULL);
    assert_string_equal(config.dead_letter.name, "file:/tmp/a=b.pcapng");
    assert_string_equal(config.dead_letter.path, "/tmp/a=b.pcapng");
    assert_int_equal(config.dead_letter.max_size, 64 << 20);
    assert_int_equal(config.dead_letter.rate, 100);
    config_free(&config);
    config = accepted("--dead-letter=file:x?rate=7&max_size=1MiB", "--sink", "file:y", NULL);
    assert_int_equal(config.dead_letter.max_size, 1 << 20);
    assert_int_equal(config.dead_letter.rate, 7);
    config_free(&config);
    config = accepted(NULL);
    assert_null(config.dead_letter.name);
    config_free(&config);
}

TEST(a_wrong_place_for_dead_letters_is_refused)
{
    refused("--dead-letter has no value; write --dead-letter URL", "--dead-letter", NULL);
    refused("--dead-letter x.pcapng, column 1: \"x.pcapng\" is not a file; write file:PATH",
            "--dead-letter", "x.pcapng", NULL);
    refused("--dead-letter file:, column 6: the path is missing; write file:PATH", "--dead-letter",
            "file:", NULL);
    refused("--dead-letter file:%Y, column 6: \"%\" in a path is reserved for fields of time",
            "--dead-letter", "file:%Y", NULL);
    refused("--dead-letter file:x?rat=1, column 8: unknown key \"rat\"; did you mean \"rate\"?",
            "--dead-letter", "file:x?rat=1", NULL);
    refused("--dead-letter file:x?view=auto, column 8: key \"view\" is for a sink, not for dead "
            "letters",
            "--dead-letter", "file:x?view=auto", NULL);
    refused("--dead-letter is given twice", "--dead-letter", "file:x", "--dead-letter", "file:y",
            NULL);
    refused("--dead-letter file:x: a --sink writes there", "--dead-letter", "file:x?rate=1",
            "--sink", "file:x?view=auto", NULL);
    refused("--sink stdout:?rate=1, column 9: key \"rate\" is for dead letters, not for a sink",
            "--sink", "stdout:?rate=1", NULL);
}

TEST(a_check_may_connect)
{
    struct config config = accepted("--check=connect", "--check-timeout", "300ms", NULL);
    assert_int_equal(config.request.check, CHECK_CONNECTS);
    assert_int_equal(config.request.check_timeout_ns, 300000000);
    config_free(&config);
    config = accepted("--check", NULL);
    assert_int_equal(config.request.check, 1);
    assert_int_equal(config.request.check_timeout_ns, UINT64_C(5000000000));
    config_free(&config);
}

TEST(every_option_is_read)
{
    struct config config = accepted(
        "--check", "--duration", "10s", "--max-datagrams", "1000", "--memory", "8MiB",
        "--stop-timeout", "500ms", "--stall-timeout", "3s", "--ledger", "json", "--log-level",
        "warning", "--log-format", "json", "--log-repeats", "1m", "--control", "unix:a b", "--user",
        "sluice:adm", "--metrics", "0.0.0.0:9126", NULL);
    assert_true(config.request.check);
    assert_int_equal(config.limits.duration_ns, UINT64_C(10000000000));
    assert_int_equal(config.limits.max_datagrams, 1000);
    assert_int_equal(config.limits.memory, 8388608);
    assert_int_equal(config.limits.stop_timeout_ns, 500000000);
    assert_int_equal(config.limits.stall_timeout_ns, UINT64_C(3000000000));
    assert_int_equal(config.log.repeats_ns, UINT64_C(60000000000));
    assert_int_equal(config.ledger, LEDGER_JSON);
    assert_int_equal(config.log.level, LOG_WARNING);
    assert_int_equal(config.log.format, LOG_JSON);
    assert_string_equal(config.access.control, "unix:a b");
    assert_string_equal(config.user, "sluice:adm");
    assert_int_equal(config.access.metrics.address.port, 9126);
    assert_true(address_is_wildcard(&config.access.metrics.address));
    config_free(&config);
}

/* --- options that a reload changes ------------------------------------------------------------ */

/*
 * Returns the name of an option that would need a restart when a program without options reloads
 * with the given ones. Returns "" if there is none.
 */
static const char *fixed_change(const char *first, ...)
{
    struct config from = accepted(NULL);
    struct config to;
    struct error error = {0};
    va_list more;
    va_start(more, first);
    assert_int_equal(parse(&to, &error, first, more), OPTIONS_RUN);
    va_end(more);
    const struct option *option = option_fixed_change(&from, &to);
    config_free(&from);
    config_free(&to);
    return option != NULL ? option->setting.name : "";
}

TEST(a_reload_cannot_change_what_a_start_alone_sets_up)
{
    static const char *const fixed[][2] = {
        {"dead-letter", "--dead-letter=file:x"},
        {"duration", "--duration=1s"},
        {"max-datagrams", "--max-datagrams=7"},
        {"min-free", "--min-free=1GiB"},
        {"notifier", "--notifier=edge"},
        {"threads", "--threads=1"},
        {"receiver-cpus", "--receiver-cpus=0"},
        {"control", "--control=unix:x"},
        {"metrics", "--metrics=9126"},
        {"metrics-host", "--metrics-host=sluice.example"},
        {"metrics-token-file", "--metrics-token-file=token"},
        {"user", "--user=nobody"},
        {"sandbox", "--sandbox=on"},
        {"stall-timeout", "--stall-timeout=1s"},
    };
    size_t rows = 0;
    for (const struct option *option = command_options; option->setting.name != NULL; option++)
        rows += option->change == OPTION_FIXED;
    assert_int_equal(sizeof fixed / sizeof fixed[0], rows);
    for (size_t i = 0; i < rows; i++)
        assert_string_equal(fixed_change(fixed[i][1], NULL), fixed[i][0]);
}

TEST(a_reload_changes_the_other_options)
{
    assert_string_equal(fixed_change(NULL), "");
    assert_string_equal(fixed_change("--memory=8MiB", "--stop-timeout=1s", "--ledger=json",
                                     "--log-level=error", "--log-format=json", "--log-repeats=1s",
                                     "--sink=file:x", "--listen=udp://[::1]:7?schema=telemetry",
                                     NULL),
                        "");
}

/* --- spellings of an option ------------------------------------------------------------------- */

static void serves_metrics_at(const char *value, const char *address)
{
    char text[ADDRESS_TEXT_SIZE];
    struct config config = accepted("--metrics", value, NULL);
    address_format(&config.access.metrics.address, text);
    assert_string_equal(text, address);
    config_free(&config);
}

static void assert_min_free(const char *value, uint64_t bytes, uint64_t percent)
{
    struct config config = accepted("--min-free", value, NULL);
    assert_int_equal(config.limits.min_free.bytes, bytes);
    assert_int_equal(config.limits.min_free.percent, percent);
    config_free(&config);
}

TEST(what_stays_free_of_a_disk_is_a_size_or_a_share)
{
    assert_min_free("10GiB", UINT64_C(10) << 30, 0);
    assert_min_free("5%", 0, 5);
    assert_min_free("99%", 0, 99);
    refused("--min-free \"0%\" is not a percentage from 1% to 99%", "--min-free=0%", NULL);
    refused("--min-free \"100%\" is not a percentage from 1% to 99%", "--min-free=100%", NULL);
    refused("--min-free \"5\" has no unit; give one of B, kB, MB, GB, KiB, MiB, GiB",
            "--min-free=5", NULL);
    refused("--min-free \"%\" is not a number", "--min-free=%", NULL);
}

TEST(metrics_without_an_address_are_for_this_machine_alone)
{
    serves_metrics_at("9126", "127.0.0.1:9126");
    serves_metrics_at(":9126", "127.0.0.1:9126");
    serves_metrics_at("0", "127.0.0.1:0");
    serves_metrics_at("192.0.2.1:65535", "192.0.2.1:65535");
    serves_metrics_at("[::1]:9126", "[::1]:9126");
    static const char *const wrong[] = {"",       ":",        "localhost:9126", "127.0.0.1",
                                        ":65536", "::1:9126", "http://[::1]:1", "[::1]"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "--metrics \"%s\" is not an address; write 127.0.0.1:9126, [::1]:9126 or a port: "
                 "names are not looked up",
                 wrong[i]);
        char argument[64];
        snprintf(argument, sizeof argument, "--metrics=%s", wrong[i]);
        refused(text, argument, NULL);
    }
}

TEST(metrics_may_be_at_a_path)
{
    struct config config = accepted("--metrics", "unix:/run/sluice/metrics", NULL);
    assert_int_equal(config.access.metrics.address.family, ADDRESS_LOCAL);
    assert_string_equal(config.access.metrics.path, "/run/sluice/metrics");
    config_free(&config);
    refused("--metrics unix: has no file; write unix:/run/sluice/metrics", "--metrics=unix:", NULL);
    refused("--metrics unix: has no file; write unix:/run/sluice/metrics", "--metrics=unix:@a",
            NULL);
    char argument[256] = "--metrics=unix:";
    memset(argument + strlen(argument), 'x', LOCAL_NAME_MOST + 1);
    refused("--metrics: the path of a socket has at most 107 bytes", argument, NULL);
}

TEST(a_value_may_follow_an_equals_sign)
{
    struct config config =
        accepted("--listen=udp://[::1]:7?schema=telemetry", "--sink=file:a=b?view=message",
                 "--duration=1m", "--ledger=text", "--stop-timeout=0s", NULL);
    assert_int_equal(config.listener_count, 1);
    assert_string_equal(config.listeners[0].name, "udp://[::1]:7");
    assert_string_equal(config.listeners[0].schemas[0].ops->name, "telemetry");
    assert_int_equal(config.sink_count, 1);
    assert_string_equal(config.sinks[0].path, "a=b");
    assert_int_equal(config.sinks[0].settings.encoding.view, VIEW_MESSAGE);
    assert_int_equal(config.limits.duration_ns, UINT64_C(60000000000));
    assert_int_equal(config.limits.stop_timeout_ns, 0);
    config_free(&config);
}

TEST(listeners_and_sinks_may_be_many_and_keep_their_order)
{
    struct config config = accepted("--sink", "file:a", "--listen", "udp://127.0.0.1:1", "--sink",
                                    "stdout:", "--listen", "pcap:b", "--listen",
                                    "udp://127.0.0.1:2", "--sink", "file:c", NULL);
    assert_int_equal(config.listener_count, 3);
    assert_string_equal(config.listeners[0].name, "udp://127.0.0.1:1");
    assert_string_equal(config.listeners[1].name, "pcap:b");
    assert_string_equal(config.listeners[2].name, "udp://127.0.0.1:2");
    assert_int_equal(config.sink_count, 3);
    assert_string_equal(config.sinks[0].name, "file:a");
    assert_string_equal(config.sinks[1].name, "stdout:");
    assert_string_equal(config.sinks[2].name, "file:c");
    config_free(&config);
}

TEST(the_defaults_of_listeners_and_sinks_stand_in_alone)
{
    struct config config = accepted("--sink", "file:a", NULL);
    assert_string_equal(config.listeners[0].name, "udp://127.0.0.1:5555");
    assert_int_equal(config.sink_count, 1);
    config_free(&config);
    config = accepted("--listen", "pcap:a", NULL);
    assert_int_equal(config.listener_count, 1);
    assert_string_equal(config.sinks[0].name, "stdout:");
    config_free(&config);
}

TEST(the_limits_of_the_options_hold)
{
    struct config config = accepted("--duration", "1ns", "--max-datagrams", "1", "--memory", "1B",
                                    "--stop-timeout", "1h", NULL);
    config_free(&config);
    config = accepted("--duration", "876000h", "--max-datagrams", "18446744073709551615",
                      "--memory", "1024GiB", NULL);
    assert_true(config.limits.max_datagrams == UINT64_MAX);
    config_free(&config);
    refused("--duration \"0s\" is less than the minimum 1ns", "--duration", "0s", NULL);
    refused("--duration \"876001h\" is more than the maximum 36500d", "--duration", "876001h",
            NULL);
    refused("--max-datagrams \"0\" is less than the minimum 1", "--max-datagrams", "0", NULL);
    refused("--memory \"0B\" is less than the minimum 1B", "--memory", "0B", NULL);
    refused("--memory \"1025GiB\" is more than the maximum 1024GiB", "--memory", "1025GiB", NULL);
    refused("--control \"/run/a\" is not of the form unix:PATH", "--control", "/run/a", NULL);
    refused("--control \"unix:\" is not of the form unix:PATH", "--control", "unix:", NULL);
    refused("--user \"\" is empty", "--user=", NULL);
    refused("--stop-timeout \"61m\" is more than the maximum 1h", "--stop-timeout", "61m", NULL);
}

/* --- help and version ------------------------------------------------------------------------- */

static enum options_result result_of(const char *first, ...)
{
    struct config config;
    struct error error = {0};
    va_list more;
    va_start(more, first);
    enum options_result result = parse(&config, &error, first, more);
    va_end(more);
    assert_all_zero(&config);
    return result;
}

TEST(help_and_version_end_the_reading)
{
    assert_int_equal(result_of("--help", NULL), OPTIONS_HELP);
    assert_int_equal(result_of("--version", NULL), OPTIONS_VERSION);
    assert_int_equal(result_of("--sink", "file:x", "--help", "--wrong", NULL), OPTIONS_HELP);
    assert_int_equal(result_of("--version", "--help", NULL), OPTIONS_VERSION);
    assert_int_equal(result_of("--wrong", "--help", NULL), OPTIONS_WRONG);
    assert_int_equal(result_of("-h", "--wrong", NULL), OPTIONS_HELP);
    assert_int_equal(result_of("--sink", "file:x", "-V", NULL), OPTIONS_VERSION);
    refused("--version takes no value", "--version=", NULL);
}

static const char *schema_of(const char *first, const char *second, const char *third)
{
    static char words[4][24]; /* static, because the result refers to these words */
    const char *const given[] = {"sluice", first, second, third};
    char *argv[4];
    int argc = 0;
    for (; argc < 4 && given[argc] != NULL; argc++) {
        snprintf(words[argc], sizeof words[argc], "%s", given[argc]);
        argv[argc] = words[argc];
    }
    struct config config;
    struct error error = {0};
    assert_int_equal(options_parse(argc, argv, &test_registry, &config, &error), OPTIONS_SCHEMA);
    assert_all_zero(&config);
    return config.request.schema_name;
}

TEST(a_schema_to_print_ends_the_reading)
{
    assert_string_equal(schema_of("--print-schema", "telemetry", "--wrong"), "telemetry");
    assert_string_equal(schema_of("--print-schema=any", NULL, NULL), "any");
    assert_string_equal(schema_of("--check", "--print-schema=", NULL), "");
    refused("--print-schema has no value; write --print-schema NAME", "--print-schema", NULL);
    refused("--print-schema has no value; write --print-schema NAME", "--print-schema", "--help",
            NULL);
}

static void read_help(const struct config_registry *registry, char *text, size_t size)
{
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_int_equal(options_print_help(file, registry, "all", NULL), 0);
    rewind(file);
    size_t length = fread(text, 1, size - 1, file);
    assert_true(length > 0 && length < size - 1);
    text[length] = '\0';
    fclose(file);
}

static void assert_mentions(const char *text, const char *format, const char *name)
{
    char wanted[128];
    snprintf(wanted, sizeof wanted, format, name);
    if (strstr(text, wanted) == NULL)
        fail_msg("the help does not say '%s'", wanted);
}

TEST(help_names_every_option_and_key_with_its_default)
{
    char text[32768];
    read_help(&test_registry, text, sizeof text);
    for (const struct option *option = command_options; option->setting.name != NULL; option++) {
        const char letter[] = {'-', option->setting.letter, '\0'};
        bool lettered = option->setting.letter != '\0';
        assert_mentions(text, lettered ? ", --%s" : "\n  --%s", option->setting.name);
        if (lettered)
            assert_mentions(text, "\n  %s, --", letter);
        if (option->setting.default_text != NULL)
            assert_mentions(text, "(default %s)", option->setting.default_text);
    }
    for (const struct setting *key = config_keys; key->name != NULL; key++) {
        assert_mentions(text, "\n  %s=", key->name);
        if (key->default_text != NULL)
            assert_mentions(text, "(default %s", key->default_text);
        else if (key->syntax != NULL)
            assert_mentions(text, "=%s", key->syntax);
    }
    assert_mentions(text, "%s", "schema=riemann|telemetry|FILE|FOLDER");
    assert_mentions(text, "%s", "(default 4MiB, 4KiB to 512MiB)");
    assert_mentions(text, "%s", "stdout:, file:PATH");
    assert_mentions(text, "%s", "  64                        wrong command line\n");
}

TEST(help_fits_100_columns)
{
    char text[32768];
    read_help(&test_registry, text, sizeof text);
    for (const char *line = text; *line != '\0';) {
        size_t length = strcspn(line, "\n");
        if (length > 100)
            fail_msg("%zu columns: %.*s", length, (int)length, line);
        if (length != 0 && line[length - 1] == ' ')
            fail_msg("a blank at the end: %.*s", (int)length, line);
        line += length + 1;
    }
}

TEST(help_stands_below_a_long_list_of_choices)
{
    static const struct schema_ops long_name = {.name = "a-schema-with-a-long-name"};
    static const struct schema_ops other_name = {.name = "another"};
    static const struct schema_ops *const schemas[] = {&long_name, &other_name, NULL};
    struct config_registry registry = test_registry;
    registry.schemas = schemas;
    registry.schema_from_file = NULL;
    char text[32768];
    read_help(&registry, text, sizeof text);
    assert_mentions(text, "  schema=a-schema-with-a-long-name|another\n%28s", "");
    assert_mentions(text, "\n%28show to decode the datagrams", "");
}

/* --- refusals --------------------------------------------------------------------------------- */

TEST(an_unknown_option_suggests_the_nearest)
{
    refused("unknown option \"--lisen\"; did you mean \"--listen\"?", "--lisen", "x", NULL);
    refused("unknown option \"--sinks\"; did you mean \"--sink\"?", "--sinks=x", NULL);
    refused("unknown option \"--max_datagrams\"; did you mean \"--max-datagrams\"?",
            "--max_datagrams", "1", NULL);
    refused("unknown option \"-x\"; see --help", "-x", NULL);
    refused("unknown option \"-hV\"; see --help", "-hV", NULL);
    refused("unknown option \"--h\"; did you mean \"--help\"?", "--h", NULL);
    refused("unknown option \"-duration\"; did you mean \"--duration\"?", "-duration", NULL);
    refused("unknown option \"--colour\"; see --help", "--colour", NULL);
    refused("unknown option \"--\"; see --help", "--", NULL);
    refused("unknown option \"-\"; see --help", "-", NULL);
    refused("unknown option \"--\"; see --help", "--=x", NULL);
}

TEST(a_stray_argument_is_refused)
{
    refused("unexpected argument \"x\"; options begin with --, see --help", "x", NULL);
    refused("unexpected argument \"\"; options begin with --, see --help", "", NULL);
    refused("unexpected argument \"/etc/a.yaml\"; a configuration file follows --config",
            "/etc/a.yaml", NULL);
    refused("unexpected argument \"explian\"; did you mean \"explain\"?", "explian", "ring_full",
            NULL);
    refused("unexpected argument \"explain\"; the command \"explain\" must be the first argument",
            "--check", "explain", NULL);
    refused("unexpected argument \"pcap:x\"; a listener follows --listen", "pcap:x", NULL);
    refused("unexpected argument \"stdout:\"; a sink follows --sink", "--check", "stdout:", NULL);
}

TEST(an_option_without_its_value_is_refused)
{
    refused("--listen has no value; write --listen URL", "--listen", NULL);
    refused("--sink has no value; write --sink URL", "--sink", "--check", NULL);
    refused("--duration has no value; write --duration VALUE", "--duration", NULL);
    refused("--check takes no value except \"connect\"", "--check=1", NULL);
    refused("--print-config takes no value", "--print-config=connect", NULL);
    refused("--duration \"\" is empty", "--duration=", NULL);
    refused("--duration \"\" is empty", "--duration", "", NULL);
}

TEST(a_wrong_value_names_its_option)
{
    refused("--duration \"10\" has no unit; give one of ns, us, ms, s, m, h, d", "--duration", "10",
            NULL);
    refused("--duration \"-1s\" is negative", "--duration", "-1s", NULL);
    refused("--memory \"8M\" has an unknown unit; give one of B, kB, MB, GB, KiB, MiB, GiB",
            "--memory=8M", NULL);
    refused("--max-datagrams \"1k\" is not a plain whole number", "--max-datagrams", "1k", NULL);
    refused("--ledger \"jsn\" is not one of text, json; did you mean \"json\"?", "--ledger", "jsn",
            NULL);
    refused("--log-level \"warn\" is not one of error, warning, info; did you mean \"warning\"?",
            "--log-level", "warn", NULL);
}

TEST(an_option_with_a_value_stands_once)
{
    refused("--duration is given twice", "--duration", "1s", "--duration", "1s", NULL);
    struct config config = accepted("--check", "--check", NULL);
    config_free(&config);
}

TEST(a_wrong_url_names_its_column)
{
    refused("--listen udp://127.0.0.1:5555?shema=x, column 22: unknown key \"shema\"; did you mean "
            "\"schema\"?",
            "--listen", "udp://127.0.0.1:5555?shema=x", NULL);
    refused("--sink stdout:?format=json&view=x, column 26: view \"x\" is not one of auto, "
            "sample, message, record",
            "--sink=stdout:?format=json&view=x", NULL);
    refused(
        "--sink stdout, column 1: \"stdout\" is not a sink; write stdout: or file:PATH; did you "
        "mean \"stdout:\"?",
        "--sink", "stdout", NULL);
}

TEST(what_was_read_before_the_error_is_released)
{
    refused("--sink file:b?, column 8: a key=value is missing here", "--listen", "udp://[::]:1",
            "--listen", "pcap:x", "--sink", "file:a", "--sink", "file:b?", NULL);
    refused("--listen pcap:y?port=x, column 13: port \"x\" is not a number", "--sink", "file:a",
            "--listen", "pcap:x", "--listen", "pcap:y?port=x", NULL);
}

TEST(two_of_one_place_are_refused)
{
    refused("--sink stdout:?view=message, column 1: an earlier --sink writes there already",
            "--sink", "stdout:", "--sink", "stdout:?view=message", NULL);
    refused("--sink file:x, column 1: an earlier --sink writes there already", "--sink", "file:x",
            "--sink", "stdout:", "--sink", "file:x", NULL);
    refused("--listen udp://127.0.0.1:1, column 1: an earlier --listen has this address already",
            "--listen", "udp://127.0.0.1:1", "--listen", "udp://127.0.0.1:1", NULL);
    struct config config =
        accepted("--listen", "udp://127.0.0.1:0", "--listen", "udp://127.0.0.1:0", NULL);
    assert_int_equal(config.listener_count, 2);
    config_free(&config);
}

TEST(a_long_url_is_shown_around_its_fault)
{
    char url[520];
    struct config config;
    struct error error = {0};
    char *argv[] = {url, url, url};
    char option[] = "--listen";
    argv[1] = option;

    /*
     * Each character has two bytes, so a text that is cut inside of a character would be invalid.
     */
    snprintf(url, sizeof url, "pcap:");
    while (strlen(url) < 480)
        strncat(url, "\xc3\xa4", 3);
    strncat(url, "?prot=1", 8);
    assert_int_equal(options_parse(3, argv, &test_registry, &config, &error), OPTIONS_WRONG);
    assert_non_null(strstr(error.text, "--listen ...\xc3\xa4"));
    assert_non_null(strstr(error.text, "\xc3\xa4?prot=1, column 483: unknown key \"prot\"; did"));

    url[0] = 'x';
    assert_int_equal(options_parse(3, argv, &test_registry, &config, &error), OPTIONS_WRONG);
    assert_non_null(strstr(error.text, "--listen xcap:\xc3\xa4"));
    assert_non_null(strstr(error.text, "\xc3\xa4..., column 1: \"xcap:\xc3\xa4"));
}

TEST(no_program_name_is_no_arguments)
{
    struct config config;
    struct error error;
    char *argv[] = {NULL};
    assert_int_equal(options_parse(0, argv, &test_registry, &config, &error), OPTIONS_RUN);
    assert_int_equal(config.listener_count, 1);
    config_free(&config);
}
