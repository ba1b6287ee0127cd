/*
 * Tests that the output of --print-config is read back as the same configuration, for every option
 * and key, and names the origin of each value.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/config/keys.h"
#include "collector/config/option_table.h"
#include "collector/config/options.h"
#include "collector/config/units.h"
#include "collector/platform/file_system.h"
#include "tests/support/config/config_tables.h"
#include "tests/support/platform/scratch_directory.h"
#include "tests/support/test.h"

static char *print_to(const char *name, const struct config *config)
{
    size_t size;
    FILE *file = fopen(scratch_path(name), "wb");
    assert_non_null(file);
    options_print_config(file, config, &test_registry);
    assert_int_equal(fclose(file), 0);
    return scratch_read(name, &size);
}

static char *print_arguments(const char *option, const char *value)
{
    char words[3][600];
    char *argv[] = {words[0], words[1], words[2], NULL};
    struct config config;
    struct error error = {0};
    snprintf(words[0], sizeof words[0], "sluice");
    snprintf(words[1], sizeof words[1], "%s", option);
    snprintf(words[2], sizeof words[2], "%s", value);
    if (options_parse(3, argv, &test_registry, &config, &error) != OPTIONS_RUN)
        fail_msg("no good example, give a better one: %s", error.text);
    char *printed = print_to("first.yaml", &config);
    config_free(&config);
    return printed;
}

static void without_origins(char *text)
{
    char *to = text;
    for (char *from = text; *from != '\0';) {
        char *end = strchr(from, '\n');
        char *comment = strstr(from, " # ");
        assert_non_null(end);
        assert_true(comment == NULL || comment > from);
        size_t length = (size_t)((comment != NULL && comment < end ? comment : end) - from);
        memmove(to, from, length);
        to[length] = '\n';
        to += length + 1;
        from = end + 1;
    }
    *to = '\0';
}

/*
 * Prints the configuration that has this option, reads the output back, and asserts that printing
 * it again gives the same text. The text must contain `line`.
 */
static void comes_round(const char *option, const char *value, const char *line)
{
    char *first = print_arguments(option, value);
    char *second = print_arguments("--config", scratch_path("first.yaml"));
    assert_non_null(strstr(second, "first.yaml:"));
    if (strstr(first, line) == NULL)
        fail_msg("\"%s\" is not in:\n%s", line, first);
    without_origins(first);
    without_origins(second);
    assert_string_equal(first, second);
    free(first);
    free(second);
}

/* --- every option and key --------------------------------------------------------------------- */

/*
 * Values for the keys whose valid values valid_value() cannot derive from their rows in the table.
 */
static const struct {
    const char *name, *value;
} values[] = {
    {"match", "source:10.0.0.0/8"},
    {"allow", "10.0.0.0/8,::1"},
    {"deny", "10.0.0.1"},
    {"include", "cpu.*;host=web*,mem?"},
    {"exclude", "a=b"},
    {"sample", "1/10"},
    {"rename", "a:b,c:d"},
    {"keep_label", "host,tmp,k8s.*"},
    {"drop_label", "tmp,k8s.*"},
    {"rename_label", "a:b"},
    {"add_label", "dc=fra 1,rack=#7"},
    {"receiver-cpus", "0,2-3"},
    {"control", "unix:/run/sluice/s"},
    {"metrics", "[::1]:9126"},
    {"min-free", "5%"},
    {"notifier", "edge"},
    {"compress", "squeeze"},
    {"format", "lines"},
    {"buckets", "changed"},
    {"source", "ff05::1"},
    {"framing", "cisco-mdt"},
    {"mode", "0660"},
};

/* Keys that are only valid together with other keys, and these other keys. */
static const struct {
    const char *name, *beside;
} besides[] = {
    {"kernel_filter", "allow=::1&"},
    {"buckets", "format=lines&"},
    {"counter_suffix", "format=lines&"},
    {"native_histograms", "format=lines&"},
    {"exemplars", "format=lines&"},
    {"numbers", "format=lines&"},
    {"columns", "format=lines&"},
    {"tls", "cert=a&key=b&"},
    {"cert", "tls=on&key=b&"},
    {"key", "tls=on&cert=a&"},
    {"client_ca", "tls=on&cert=a&key=b&"},
    {"keep", "rotate_size=1MiB&"},
    {"keep_time", "rotate_size=1MiB&"},
    {"keep_size", "rotate_size=1MiB&"},
    {"sequence_key", "sequence=a&"},
    {"name", "value=a&"},
    {"labels", "value=a&"},
    {"segment_memory", "schema=riemann&framing=udp-notif&"},
    {"segment_timeout", "schema=riemann&framing=udp-notif&"},
    {"keys", "schema=riemann&framing=sealed&"},
    {"state", "schema=riemann&framing=sealed&keys=a&"},
};

static void example_of(const struct setting *setting, char *value, size_t size)
{
    const char *last = NULL;
    const char *name;
    for (size_t i = 0; (name = setting_choice(setting, &test_registry, i)) != NULL; i++)
        last = name;
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        if (strcmp(values[i].name, setting->name) == 0)
            last = values[i].value;
    if (last != NULL)
        snprintf(value, size, "%s", last);
    else if (setting->type == SETTING_COUNT)
        quantity_format(QUANTITY_COUNT, setting->maximum, value);
    else if (setting->type == SETTING_SIZE)
        quantity_format(QUANTITY_SIZE, setting->maximum, value);
    else if (setting->type == SETTING_DURATION)
        quantity_format(QUANTITY_DURATION, setting->maximum, value);
    else
        snprintf(value, size, "a.b");
}

static const char *beside_for_dtls(const char *name)
{
    if (strcmp(name, "cert") == 0)
        return "key=b&";
    return strcmp(name, "key") == 0 ? "cert=a&" : "cert=a&key=b&";
}

static void key_comes_round(const char *option, const char *url, const struct setting *key)
{
    char value[100], whole[400], line[200];
    const char *beside = "";
    example_of(key, value, sizeof value);
    if (strcmp(key->name, "source") == 0 || strcmp(key->name, "id") == 0)
        url = "udp://[ff15::1]:5555?"; /* keys of a multicast group */
    if (strcmp(key->name, "content_type") == 0)
        url = "tcp://[::]:5555?schema=riemann&framing=frame-streams&";
    for (size_t i = 0; i < sizeof besides / sizeof besides[0]; i++)
        if (strcmp(besides[i].name, key->name) == 0)
            beside = besides[i].beside;
    if (strncmp(url, "dtls:", 5) == 0)
        beside = beside_for_dtls(key->name);
    if (strcmp(key->name, "time") == 0) /* `time` is a key of sinks and of schemas */
        beside = key->scopes == KEY_OF_SINK ? "max_age=1h&" : "value=a&";
    if (strcmp(key->name, "max_age") == 0 && key->scopes != KEY_OF_SINK)
        beside = "schema=riemann&framing=sealed&keys=a&";
    snprintf(whole, sizeof whole, "%s%s%s=%s", url, beside, key->name, value);
    snprintf(line, sizeof line, "%s: ", key->name);
    comes_round(option, whole, line);
}

TEST_WITH(every_key_comes_round, scratch_make, scratch_remove)
{
    (void)state;
    static const struct {
        enum key_scope scope;
        const char *option, *url;
    } places[] = {
        {KEY_OF_UDP, "--listen", "udp://[::]:5555?"},
        {KEY_OF_DTLS, "--listen", "dtls://[::]:5555?"},
        {KEY_OF_CAPTURE, "--listen", "pcap:a b.pcap?"},
        {KEY_OF_STREAM, "--listen", "tcp://[::]:5555?schema=riemann&framing=length32&"},
        {KEY_OF_TCP, "--listen", "tcp://[::]:5555?schema=riemann&framing=length32&"},
        {KEY_OF_LOCAL, "--listen", "unix:/run/s?schema=riemann&framing=length32&"},
        {KEY_OF_SCHEMA, "--listen",
         "udp://0.0.0.0:1?schema=riemann&match=magic:00&schema=riemann&"},
        {KEY_OF_FILE, "--listen",
         "udp://0.0.0.0:1?schema=a.desc&message=p.M&header=3&match="
         "magic:00&schema=b.desc&"},
        {KEY_OF_SINK, "--sink", "stdout:?"},
        {KEY_OF_FILE_SINK, "--sink", "file:/var/log/%F/%{source}.n?"},
        {KEY_OF_DEAD_LETTERS, "--dead-letter", "file:dead?"},
    };
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        for (const struct setting *key = config_keys; key->name != NULL; key++) {
            char url[200];
            const char *message = strcmp(key->name, "message") == 0 ? "" : "message=p.M&";
            if ((key->scopes & places[i].scope) == 0 || key->type == SETTING_SCHEMA)
                continue;
            if (strcmp(key->name, "mode") == 0 && !file_modes_exist())
                continue; /* systems without file modes refuse it */
            snprintf(url, sizeof url, "%s%s", places[i].url,
                     places[i].scope == KEY_OF_FILE ? message : "");
            key_comes_round(places[i].option, url, key);
        }
    }
}

TEST_WITH(every_option_comes_round, scratch_make, scratch_remove)
{
    (void)state;
    for (const struct option *option = command_options; option->setting.name != NULL; option++) {
        char name[100], value[100], line[200];
        if (option->action != OPTION_VALUE)
            continue;
        example_of(&option->setting, value, sizeof value);
        snprintf(name, sizeof name, "--%s", option->setting.name);
        snprintf(line, sizeof line, "%s: ", option->setting.name);
        comes_round(name, value, line);
    }
}

/* --- texts with special characters ------------------------------------------------------------ */

TEST_WITH(every_text_comes_round, scratch_make, scratch_remove)
{
    (void)state;
    static const char *const texts[] = {
        "x",
        "a b",
        " a ",
        "'a'",
        "\"a\"",
        "a: b",
        "a #b",
        "- a",
        "%%",
        "a:",
        "[a]",
        "{a}",
        "a\\b",
        "a\nb",
        "\t",
        "*",
        "!x",
        "\x01\x7f",
        "...",
        "---",
        "~",
        "@a`",
        "null",
        "\xc3\xa4",
        "\xe2\x80\xa8",
        "a'b",
        "\xf0\x9f\x92\xa7",
        "\xc2\x85",
        "\xef\xbb\xbf",
        "a|b>c",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        char url[100];
        size_t at;
        snprintf(url, sizeof url, "file:%s?format=lines", texts[i]);
        if (file_path_fault(texts[i], &at) == NULL)
            comes_round("--sink", url, "  - to: ");
        snprintf(url, sizeof url, "stdout:?include=%s", texts[i]);
        comes_round("--sink", url, "    include: ");
    }
}

/* --- the origins of values -------------------------------------------------------------------- */

static bool value_of(const char *name, char **value)
{
    *value = NULL;
    if (strcmp(name, "SLUICE_STOP_TIMEOUT") != 0)
        return true;
    *value = calloc(1, 3);
    assert_non_null(*value);
    memcpy(*value, "3s", 2);
    return true;
}

static bool no_names(const char *prefix, bool (*visit)(void *context, const char *name),
                     void *context)
{
    (void)prefix;
    (void)visit;
    (void)context;
    return true;
}

static const struct options_environment environment = {value_of, no_names};

TEST_WITH(each_value_says_where_it_comes_from, scratch_make, scratch_remove)
{
    (void)state;
    char program[] = "sluice", option[] = "--config", path[512], memory[] = "--memory=1GiB";
    char *argv[] = {program, option, path, memory, NULL};
    char expected[2000];
    struct config config;
    struct error error = {0};
    scratch_put_text("c.yaml", "listeners:\n"
                               "- address: pcap:x\n"
                               "  port: 5555\n"
                               "dead-letter: file:y?rate=5\n");
    snprintf(path, sizeof path, "%s", scratch_path("c.yaml"));
    assert_int_equal(options_read(4, argv, &environment, &test_registry, &config, &error),
                     OPTIONS_RUN);
    char *printed = print_to("p.yaml", &config);
    snprintf(expected, sizeof expected,
             "listeners:\n"
             "  - address: pcap:x # %s:2\n"
             "    max_decoded: 512KiB # default\n"
             "    port: 5555 # %s:3\n"
             "    schemas:\n"
             "      - schema: telemetry # default\n"
             "        framing: datagram # default\n"
             "        header: 0 # default\n"
             "sinks:\n"
             "  - to: 'stdout:' # default\n"
             "    format: json # default\n",
             path, path);
    assert_int_equal(strncmp(printed, expected, strlen(expected)), 0);
    snprintf(expected, sizeof expected,
             "dead-letter:\n"
             "  to: file:y # %s:4\n"
             "  max_size: 64MiB # default\n"
             "  rate: 5 # %s:4\n"
             "memory: 1GiB # command line\n"
             "stop-timeout: 3s # environment: SLUICE_STOP_TIMEOUT\n"
             "stall-timeout: 10s # default\n"
             "ledger: text # default\n",
             path, path);
    if (strstr(printed, expected) == NULL)
        fail_msg("%s is not in:\n%s", expected, printed);
    free(printed);
    config_free(&config);
}

TEST_WITH(a_default_that_would_be_wrong_is_left_out, scratch_make, scratch_remove)
{
    (void)state;
    char *printed = print_arguments("--sink", "file:plain");
    assert_null(strstr(printed, "max_files"));
    free(printed);
    printed = print_arguments("--sink", "file:%{source}.n");
    assert_non_null(strstr(printed, "max_files: 1000 # default"));
    free(printed);
    printed = print_arguments("--listen", "udp://[::]:1?schema=riemann");
    assert_null(strstr(printed, "segment_memory"));
    free(printed);
    printed = print_arguments("--listen", "udp://[::]:1?schema=riemann&framing=udp-notif");
    assert_non_null(strstr(printed, "segment_memory: 4MiB # default"));
    free(printed);
}
