/* --print-config: the configuration as a file, from what it was made of. */
#include <stdlib.h>
#include <string.h>

#include "collector/config/keys.h"
#include "collector/config/option_table.h"
#include "collector/config/options.h"
#include "collector/config/provenance.h"
#include "collector/config/url.h"
#include "collector/config/yaml_text.h"

struct printing {
    FILE *to;
    const struct config *config;
    const struct config_registry *registry;
    const struct provenance_entry *entry; /* whose value is printed */
};

/* --- where values come from ------------------------------------------------------------------- */

static void put_origin(const struct printing *printing, const struct provenance_entry *entry,
                       size_t at)
{
    char name[PROVENANCE_VARIABLE_SIZE];
    switch (entry->by) {
    case PROVENANCE_ARGUMENT:
        fputs(" # command line\n", printing->to);
        break;
    case PROVENANCE_ENVIRONMENT:
        provenance_variable(entry->option, name);
        fprintf(printing->to, " # environment: %s\n", name);
        break;
    case PROVENANCE_FILE: {
        char path[256];
        const char *file = printing->config->provenance->files[entry->file];
        copy_printable(path, sizeof path, file, strlen(file));
        fprintf(printing->to, " # %s:%zu\n", path, provenance_text_mark(&entry->text, at).line);
        break;
    }
    case PROVENANCE_DEFAULT:
        fputs(" # default\n", printing->to);
        break;
    }
}

/* --- keys ------------------------------------------------------------------------------------- */

/* Some keys of a URL: those from byte `at` to byte `end`. */
struct key_range {
    size_t at, end;
};

static void put_key(const struct printing *printing, const char *indent, const struct setting *key,
                    const char *value, size_t length)
{
    fprintf(printing->to, "%s%s: ", indent, key->name);
    yaml_text_write(printing->to, value, length);
}

/* Finds "name=" in the range. Returns where its value begins, or 0. */
static size_t find_value(const char *url, struct key_range range, const char *name, size_t *length)
{
    size_t name_length = strlen(name);
    for (size_t at = range.at; at < range.end; at += strcspn(url + at, "&") + 1) {
        if (strncmp(url + at, name, name_length) != 0 || url[at + name_length] != '=')
            continue;
        *length = strcspn(url + at, "&") - name_length - 1;
        return at + name_length + 1;
    }
    return 0;
}

static bool is_listener(const struct printing *printing, const char *url)
{
    struct config tried = {.listeners = calloc(1, sizeof *tried.listeners), .listener_count = 1};
    struct parse_error ignored;
    bool is = false;
    if (tried.listeners == NULL)
        tried.listener_count = 0;
    else
        is = url_parse_listener(url, printing->registry, tried.listeners, &ignored);
    config_free(&tried);
    return is;
}

static bool is_sink(const struct printing *printing, const char *url)
{
    struct config tried = {.sinks = calloc(1, sizeof *tried.sinks), .sink_count = 1};
    struct parse_error ignored;
    bool is = false;
    if (tried.sinks == NULL)
        tried.sink_count = 0;
    else
        is = url_parse_sink(url, printing->registry, tried.sinks, &ignored);
    config_free(&tried);
    return is;
}

/*
 * Whether a listener or a sink may say what is its default anyway: a key that is about what this
 * one has not is wrong wherever it stands.
 */
static bool may_say(const struct printing *printing, unsigned scopes, const struct setting *key)
{
    const unsigned own = KEY_OF_UDP | KEY_OF_STREAM | KEY_OF_CAPTURE;
    if ((scopes & (own | KEY_OF_SINK)) == 0)
        return true;
    const char *url = printing->entry->text.data;
    size_t size = strlen(url) + strlen(key->name) + strlen(key->default_text) + 3;
    char *with = malloc(size);
    if (with == NULL)
        return false;
    snprintf(with, size, "%s%c%s=%s", url, strchr(url, '?') != NULL ? '&' : '?', key->name,
             key->default_text);
    bool may = (scopes & KEY_OF_SINK) != 0 ? is_sink(printing, with) : is_listener(printing, with);
    free(with);
    return may;
}

/* Where it is not known which kind of socket a listener has, the key may be refused at the start.
 */
static bool may_be_refused(const struct setting *key, unsigned scopes)
{
    const unsigned kinds = KEY_OF_UDP | KEY_OF_STREAM;
    return (scopes & kinds) == kinds && (key->scopes & kinds) != kinds;
}

/* Prints all that the range has of an open key. */
static void put_open(const struct printing *printing, const char *indent, const struct setting *key,
                     struct key_range range)
{
    const char *url = printing->entry->text.data;
    for (size_t at = range.at; at < range.end; at += strcspn(url + at, "&") + 1) {
        size_t name = strcspn(url + at, "=&");
        if (!key_is_called(key, url + at, name))
            continue;
        size_t value = at + name + 1;
        fprintf(printing->to, "%s%.*s: ", indent, (int)name, url + at);
        yaml_text_write(printing->to, url + value, strcspn(url + value, "&"));
        put_origin(printing, printing->entry, value);
    }
}

/* Prints the keys of the scopes that the range has, and of the others their defaults. */
static void put_keys(const struct printing *printing, const char *indent, unsigned scopes,
                     struct key_range range)
{
    const char *url = printing->entry->text.data;
    for (const struct setting *key = config_keys; key->name != NULL; key++) {
        size_t length = 0;
        if ((key->scopes & scopes) == 0 || key->type == SETTING_SCHEMA)
            continue;
        size_t at = find_value(url, range, key->name, &length);
        if (key->open) {
            put_open(printing, indent, key, range);
        } else if (at != 0) {
            put_key(printing, indent, key, url + at, length);
            put_origin(printing, printing->entry, at);
        } else if (key->default_text != NULL && !may_be_refused(key, scopes) &&
                   may_say(printing, scopes, key)) {
            put_key(printing, indent, key, key->default_text, strlen(key->default_text));
            fputs(" # default\n", printing->to);
        }
    }
}

/* --- schemas ---------------------------------------------------------------------------------- */

/* The next "schema=" from byte `at` on, or the end of the range. */
static size_t next_schema(const char *url, struct key_range range, size_t at)
{
    while (at < range.end && strncmp(url + at, "schema=", 7) != 0)
        at += strcspn(url + at, "&") + 1;
    return at < range.end ? at : range.end;
}

static const struct setting *schema_key(void)
{
    const struct setting *key = config_keys;
    while (key->type != SETTING_SCHEMA)
        key++;
    return key;
}

static void put_schemas(const struct printing *printing, struct key_range keys)
{
    static const char first[] = "      - ";
    static const char others[] = "        ";
    const char *url = printing->entry->text.data;
    const struct setting *key = schema_key();
    size_t at = next_schema(url, keys, keys.at);
    fputs("    schemas:\n", printing->to);
    if (at == keys.end) {
        put_key(printing, first, key, key->default_text, strlen(key->default_text));
        fputs(" # default\n", printing->to);
        put_keys(printing, others, KEY_OF_SCHEMA, (struct key_range){keys.end, keys.end});
    }
    while (at < keys.end) {
        size_t value = at + strlen("schema=");
        size_t next = next_schema(url, keys, at + strcspn(url + at, "&") + 1);
        put_key(printing, first, key, url + value, strcspn(url + value, "&"));
        put_origin(printing, printing->entry, value);
        put_keys(printing, others, KEY_OF_SCHEMA | KEY_OF_FILE, (struct key_range){at, next});
        at = next;
    }
}

/* --- options ---------------------------------------------------------------------------------- */

/* Prints where it is, in a list's item or a map. Returns the range of its keys. */
static struct key_range put_place(const struct printing *printing, const char *name)
{
    const char *url = printing->entry->text.data;
    size_t place = strcspn(url, "?");
    size_t end = printing->entry->text.length;
    fprintf(printing->to, "%s: ", name);
    yaml_text_write(printing->to, url, place);
    put_origin(printing, printing->entry, 0);
    return (struct key_range){place < end ? place + 1 : end, end};
}

static void put_listener(const struct printing *printing, const struct listener_config *listener)
{
    struct key_range keys = put_place(printing, "  - address");
    put_keys(printing, "    ", listener->source->keys, keys);
    put_schemas(printing, keys);
}

static void put_sink(const struct printing *printing, const struct sink_config *sink)
{
    struct key_range keys = put_place(printing, "  - to");
    put_keys(printing, "    ", keys_of_sink(sink->destination), keys);
}

/* Prints the entry, which is number `index` of its option. */
static void put_entry(const struct printing *printing, size_t index)
{
    const struct provenance_entry *entry = printing->entry;
    const char *name = entry->option->setting.name;
    switch (entry->option->action) {
    case OPTION_LISTEN:
        fputs(index == 0 ? "listeners:\n" : "", printing->to);
        put_listener(printing, &printing->config->listeners[index]);
        break;
    case OPTION_SINK:
        fputs(index == 0 ? "sinks:\n" : "", printing->to);
        put_sink(printing, &printing->config->sinks[index]);
        break;
    case OPTION_LETTERS:
        fprintf(printing->to, "%s:\n", name);
        put_keys(printing, "  ", KEY_OF_LETTERS, put_place(printing, "  to"));
        break;
    case OPTION_VALUE:
        fprintf(printing->to, "%s: ", name);
        yaml_text_write(printing->to, entry->text.data, entry->text.length);
        put_origin(printing, entry, 0);
        break;
    case OPTION_CONFIG:
    case OPTION_FLAG:
    case OPTION_HELP:
    case OPTION_VERSION:
    case OPTION_SCHEMA:
        break;
    }
}

void options_print_config(FILE *to, const struct config *config,
                          const struct config_registry *registry)
{
    const struct provenance *provenance = config->provenance;
    for (const struct option *option = command_options; option->setting.name != NULL; option++) {
        size_t index = 0;
        for (size_t i = 0; i < provenance->count; i++) {
            if (provenance->entries[i].option != option)
                continue;
            const struct printing printing = {to, config, registry, &provenance->entries[i]};
            put_entry(&printing, index++);
        }
    }
}
