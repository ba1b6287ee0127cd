#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "collector/base/suggestion.h"
#include "collector/config/file.h"
#include "collector/config/keys.h"
#include "collector/config/option_table.h"
#include "collector/config/options.h"
#include "collector/config/page.h"
#include "collector/config/syntax.h"
#include "collector/contract/source.h"

/* First column of the help of an option or key. */
#define TEXT_COLUMN 28

/* First column of the continuation lines of a list. */
#define LIST_COLUMN 1

static void put_item(struct page *page, const char *item, bool is_last)
{
    char text[SYNTAX_SIZE + 2];
    snprintf(text, sizeof text, "%s%s", item, is_last ? "." : ",");
    page_put_words(page, LIST_COLUMN, text);
    if (is_last)
        page_new_line(page);
}

/* --- the help for one setting ----------------------------------------------------------------- */

static void put_help(struct page *page, const struct setting *setting)
{
    if (page->column >= TEXT_COLUMN)
        page_new_line(page);
    page_put_words(page, TEXT_COLUMN, setting->help);
}

/* Writes "(default 4MiB, 4KiB to 1GiB)" without a line break in it. */
static void put_default(struct page *page, const struct setting *setting, bool with_range)
{
    char text[SYNTAX_SIZE];
    char bracketed[SYNTAX_SIZE + 2];
    syntax_of_default(setting, with_range, text);
    if (text[0] == '\0')
        return;
    int length = snprintf(bracketed, sizeof bracketed, "(%s)", text);
    page_put_word(page, TEXT_COLUMN, bracketed, (size_t)length);
}

static void print_option(struct page *page, const struct option *option,
                         const struct config_registry *registry)
{
    char syntax[SYNTAX_SIZE];
    syntax_of_option(option, registry, syntax);
    const char letter[] = {'-', option->setting.letter, ',', ' ', '\0'};
    page_put(page, "  ");
    page_put(page, option->setting.letter != '\0' ? letter : "");
    page_put(page, "--");
    page_put(page, option->setting.name);
    page_put(page, syntax[0] != '\0' ? " " : "");
    page_put(page, syntax);
    put_help(page, &option->setting);
    put_default(page, &option->setting, false);
    page_new_line(page);
}

/* Writes "a|b|c"; wraps lines after a bar, and continues at the column of the first choice. */
static void put_choices(struct page *page, const char *text)
{
    size_t from = page->column;
    while (*text != '\0') {
        size_t length = strcspn(text, "|");
        length += text[length] == '|';
        if (page->column + length > PAGE_LAST_COLUMN) {
            page_new_line(page);
            page_indent(page, from);
        }
        fwrite(text, 1, length, page->to);
        page->column += length;
        text += length;
    }
}

static void print_key(struct page *page, const struct setting *key,
                      const struct config_registry *registry)
{
    char syntax[SYNTAX_SIZE];
    syntax_of_value(key, registry, syntax);
    page_put(page, "  ");
    page_put(page, key->name);
    page_put(page, "=");
    put_choices(page, syntax);
    put_help(page, key);
    put_default(page, key, true);
    page_new_line(page);
}

/* --- the page --------------------------------------------------------------------------------- */

static void print_keys(struct page *page, const char *title, unsigned scope,
                       const struct config_registry *registry)
{
    fprintf(page->to, "\nKeys of %s:\n", title);
    for (const struct setting *key = config_keys; key->name != NULL; key++)
        if ((key->scopes & scope) != 0)
            print_key(page, key, registry);
}

static void print_exit_codes(struct page *page)
{
    fputs("Exit codes:\n", page->to);
    for (const struct exit_meaning *exit = exit_meanings; exit->meaning != NULL; exit++) {
        char code[16];
        snprintf(code, sizeof code, "  %d", (int)exit->code);
        page_put(page, code);
        page_put_words(page, TEXT_COLUMN, exit->meaning);
        page_new_line(page);
    }
}

/* --- topics ----------------------------------------------------------------------------------- */

static void print_urls(FILE *to)
{
    fputs("A URL is SCHEME:PLACE?key=value&key=value; quote it for the shell. There is no\n"
          "percent-decoding. SIZE and TIME have a unit: 512B, 64KiB, 100MB; 500us, 10ms,\n"
          "2s, 1h.\n",
          to);
}

static void print_options(struct page *page, const struct config_registry *registry)
{
    fputs("Options (--name VALUE or --name=VALUE):\n", page->to);
    for (const struct option *option = command_options; option->setting.name != NULL; option++)
        print_option(page, option, registry);
}

static void print_listeners(struct page *page, const struct config_registry *registry)
{
    page_put(page, "Listeners are");
    for (size_t i = 0; registry->sources[i] != NULL; i++)
        put_item(page, registry->sources[i]->syntax, registry->sources[i + 1] == NULL);
    print_urls(page->to);
    fputs("ADDR is 192.0.2.1 or [2001:db8::1]; NAME is a socket's, from systemd.\n", page->to);
    print_keys(page, "a socket, udp://ADDR:PORT or fd:NAME", KEY_OF_UDP, registry);
    print_keys(page, "dtls://ADDR:PORT, which also has those of udp", KEY_OF_DTLS, registry);
    print_keys(page, "a stream, tcp://ADDR:PORT or unix:PATH", KEY_OF_STREAM, registry);
    print_keys(page, "tcp://ADDR:PORT, in addition", KEY_OF_TCP, registry);
    print_keys(page, "unix:PATH, in addition", KEY_OF_LOCAL, registry);
    print_keys(page, "a capture, pcap:FILE", KEY_OF_CAPTURE, registry);
}

static void print_schemas(struct page *page, const struct config_registry *registry)
{
    bool files = registry->schema_from_file != NULL;
    page_put(page, "Schemas are");
    for (size_t i = 0; registry->schemas[i] != NULL; i++)
        put_item(page, registry->schemas[i]->name, registry->schemas[i + 1] == NULL && !files);
    if (files)
        put_item(page, "or a file", true);
    print_keys(page, "a listener's schema; there may be several", KEY_OF_SCHEMA, registry);
    if (files)
        print_keys(page, "a schema from a file, in addition", KEY_OF_FILE, registry);
}

static void print_own_keys(struct page *page, const struct config_registry *registry)
{
    unsigned printed = 0;
    for (size_t i = 0; registry->destinations[i] != NULL; i++) {
        unsigned scope = key_table_own_scope(registry->destinations[i]);
        if (scope == 0 || (printed & scope) != 0)
            continue;
        char title[64];
        snprintf(title, sizeof title, "%s, in addition", key_table_own_name(scope));
        print_keys(page, title, scope, registry);
        printed |= scope;
    }
}

static void print_sinks(struct page *page, const struct config_registry *registry)
{
    const struct destination_ops *destination;
    page_put(page, "Sinks are");
    for (size_t i = 0; (destination = registry->destinations[i]) != NULL; i++) {
        char text[SYNTAX_SIZE];
        snprintf(text, sizeof text, "%s:%s", destination->scheme, destination_place(destination));
        put_item(page, text, registry->destinations[i + 1] == NULL);
    }
    print_urls(page->to);
    print_keys(page, "a sink", KEY_OF_SINK, registry);
    print_keys(page, "a file: sink, in addition", KEY_OF_FILE_SINK, registry);
    print_keys(page, "a udp: sink, in addition", KEY_OF_RELAY_SINK, registry);
    print_keys(page, "a delivery (http:, https:, kafka:, nats:), in addition", KEY_OF_DELIVERY_SINK,
               registry);
    print_keys(page, "an http: or https: sink, in addition", KEY_OF_HTTP_SINK, registry);
    print_keys(page, "a kafka: sink, in addition", KEY_OF_KAFKA_SINK, registry);
    print_keys(page, "a nats: sink, in addition", KEY_OF_NATS_SINK, registry);
    print_own_keys(page, registry);
    print_keys(page, "--dead-letter file:PATH", KEY_OF_DEAD_LETTERS, registry);
}

static void print_formats(struct page *page, const struct config_registry *registry)
{
    fputs("Formats (format= of a sink):\n", page->to);
    for (size_t i = 0; registry->encoders[i] != NULL; i++)
        put_item(page, registry->encoders[i]->name, registry->encoders[i + 1] == NULL);
}

static void print_exit(struct page *page, const struct config_registry *registry)
{
    (void)registry;
    print_exit_codes(page);
}

static void print_every_key(struct page *page, const struct config_registry *registry)
{
    print_listeners(page, registry);
    fputs("\n", page->to);
    print_schemas(page, registry);
    fputs("\n", page->to);
    print_sinks(page, registry);
}

static void print_all(struct page *page, const struct config_registry *registry)
{
    print_options(page, registry);
    fputs("\n", page->to);
    print_every_key(page, registry);
    fputs("\n", page->to);
    print_formats(page, registry);
    fputs("\n", page->to);
    print_exit_codes(page);
}

static const struct topic {
    const char *name, *about;
    void (*print)(struct page *page, const struct config_registry *registry);
} topics[] = {
    {"options", "all options", print_options},
    {"listeners", "sources of datagrams, and the keys of listeners", print_listeners},
    {"schemas", "decoding of datagrams, and the keys of schemas", print_schemas},
    {"sinks", "destinations of records, and the keys of sinks", print_sinks},
    {"formats", "output formats", print_formats},
    {"keys", "the keys of listeners, schemas and sinks", print_every_key},
    {"exit", "exit codes", print_exit},
    {"all", "all of these pages", print_all},
};
static const size_t topic_count = sizeof topics / sizeof topics[0];

static void print_first_page(struct page *page, const struct config_registry *registry)
{
    static const char *const frequent[] = {"listen",  "sink",   "config",     "check",
                                           "metrics", "memory", "dead-letter"};
    fprintf(
        page->to,
        "Usage: sluice [--listen URL]... [--sink URL]... [OPTION]...\n"
        "       sluice ctl reload|ledger|stop PID|%s; sluice explain WORD...\n"
        "       sluice schema FILE|FOLDER; sluice spill list|export FOLDER\n"
        "%s"
        "Receives protobuf telemetry by UDP and writes records; only data goes to stdout.\n\n",
        registry->local_syntax,
        config_file_library() == NULL
            ? "       sluice keygen NAME\n" /* the command `test` needs YAML */
            : "       sluice keygen NAME; sluice test [--record] [--report text|junit] FILE...\n");
    for (size_t i = 0; i < sizeof frequent / sizeof frequent[0]; i++)
        for (const struct option *one = command_options; one->setting.name != NULL; one++)
            if (strcmp(one->setting.name, frequent[i]) == 0)
                print_option(page, one, registry);
    fputs("\n", page->to);
    for (size_t i = 0; i < topic_count; i++)
        fprintf(page->to, "  --help %-17s %s\n", topics[i].name, topics[i].about);
    fputs("\nExamples; sluice(1) and sluice.yaml(5) have the rest:\n"
          "  sluice --listen 'udp://[::]:5555?schema=riemann' --sink file:samples.ndjson\n"
          "  sluice --listen pcap:day.pcap?schema=riemann --sink 'stdout:?view=message'\n",
          page->to);
}

static int unknown_topic(const char *topic, struct error *error)
{
    char given[QUOTED_SIZE];
    struct suggestion suggestion;
    struct parse_error wrong;
    suggestion_begin(&suggestion, topic, strlen(topic));
    parse_error_set(&wrong, 0, "--help has no topic %s; there are",
                    quoted(topic, strlen(topic), given));
    for (size_t i = 0; i < topic_count; i++) {
        parse_error_append(&wrong, "%s %s", i == 0 ? "" : ",", topics[i].name);
        suggestion_offer(&suggestion, topics[i].name);
    }
    parse_error_suggest(&wrong, suggestion_found(&suggestion));
    error_set(error, EXIT_CODE_USAGE, "%s", wrong.text);
    return -1;
}

int options_print_help(FILE *to, const struct config_registry *registry, const char *topic,
                       struct error *error)
{
    struct page page = {.to = to};
    if (topic == NULL) {
        print_first_page(&page, registry);
        return 0;
    }
    for (size_t i = 0; i < topic_count; i++) {
        if (strcmp(topics[i].name, topic) != 0)
            continue;
        topics[i].print(&page, registry);
        return 0;
    }
    return unknown_topic(topic, error);
}
