#include "collector/config/config_walk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/base/rule.h"
#include "collector/config/keys.h"
#include "collector/config/option_table.h"
#include "collector/config/url.h"

struct walk {
    const struct config *config;
    const struct config_registry *registry;
    config_visitor *visit;
    void *context;
    const struct provenance_entry *entry;
    struct config_value value; /* its members part, index and schema belong to the current entry */
};

/* --- values ----------------------------------------------------------------------------------- */

static void set_name(struct config_value *value, const struct setting *setting)
{
    value->setting = setting;
    value->name = setting == NULL ? "" : setting->name;
    value->name_length = strlen(value->name);
}

static void visit_value(const struct walk *walk, struct config_value *value, size_t at)
{
    const struct provenance_entry *entry = walk->entry;
    RULE(at <= entry->text.length, "a value begins within its entry");
    value->origin = (struct config_origin){.by = entry->by, .option = entry->option};
    if (entry->by == PROVENANCE_FILE) {
        value->origin.file = walk->config->provenance->files[entry->file];
        value->origin.line = provenance_text_mark(&entry->text, at).line;
    }
    walk->visit(walk->context, value);
}

static void visit_written(const struct walk *walk, const struct setting *setting, size_t at,
                          size_t length)
{
    const struct provenance_entry *entry = walk->entry;
    struct config_value value = walk->value;
    RULE(length <= entry->text.length && at <= entry->text.length - length,
         "a value lies within its entry");
    set_name(&value, setting);
    value.text = entry->text.data == NULL ? "" : entry->text.data + at;
    value.length = length;
    visit_value(walk, &value, at);
}

static void visit_default(const struct walk *walk, const struct setting *setting)
{
    struct config_value value = walk->value;
    set_name(&value, setting);
    value.text = setting->default_text;
    value.length = strlen(setting->default_text);
    value.origin = (struct config_origin){.by = PROVENANCE_DEFAULT, .option = walk->entry->option};
    walk->visit(walk->context, &value);
}

/* --- keys ------------------------------------------------------------------------------------- */

struct key_range {
    size_t at, end;
};

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

static bool is_listener(const struct walk *walk, const char *url)
{
    struct config tried = {.listeners = calloc(1, sizeof *tried.listeners), .listener_count = 1};
    struct parse_error ignored;
    bool is = false;
    if (tried.listeners == NULL)
        tried.listener_count = 0;
    else
        is = url_parse_listener(url, walk->registry, tried.listeners, &ignored);
    config_free(&tried);
    return is;
}

/*
 * Returns true if the URL can be parsed as a sink and the result has the format of the current
 * sink. The format can differ, because the default may depend on whether standard output is a
 * terminal.
 */
static bool is_sink(const struct walk *walk, const char *url)
{
    const struct encoder_ops *format = walk->config->sinks[walk->value.index].settings.encoder;
    struct config tried = {.sinks = calloc(1, sizeof *tried.sinks), .sink_count = 1};
    struct parse_error ignored;
    bool is = false;
    if (tried.sinks == NULL)
        tried.sink_count = 0;
    else
        is = url_parse_sink(url, walk->registry, tried.sinks, &ignored) &&
             tried.sinks->settings.encoder == format;
    config_free(&tried);
    return is;
}

/* Returns true for the key framing= of a stream: its default depends on the schema. */
static bool is_framing_of_stream(const struct walk *walk, const struct setting *key)
{
    unsigned kind = walk->config->listeners[walk->value.index].source->keys;
    return key->scopes == KEY_OF_SCHEMA && key->offset == offsetof(struct schema_config, framing) &&
           key_scopes_are_stream(kind);
}

/*
 * Returns true if this listener or sink accepts the key when it has its default value. A listener
 * or sink refuses keys of features that it does not use, even with the default.
 */
static bool may_say(const struct walk *walk, unsigned scopes, const struct setting *key)
{
    const unsigned own = KEY_OF_ANY_LISTENER;
    if ((scopes & KEY_OF_SCHEMA) != 0)
        return !is_framing_of_stream(walk, key);
    if ((scopes & (own | KEY_OF_SINK)) == 0)
        return true;
    const char *url = walk->entry->text.data;
    size_t size = strlen(url) + strlen(key->name) + strlen(key->default_text) + 3;
    char *with = malloc(size);
    if (with == NULL)
        return false;
    snprintf(with, size, "%s%c%s=%s", url, strchr(url, '?') != NULL ? '&' : '?', key->name,
             key->default_text);
    bool may = (scopes & KEY_OF_SINK) != 0 ? is_sink(walk, with) : is_listener(walk, with);
    free(with);
    return may;
}

/*
 * Returns true if the key may be refused when the program is started again. For a listener with the
 * scheme fd: it is not known whether its sockets are datagram sockets or streams, and this key is
 * for only one of the two.
 */
static bool may_be_refused(const struct setting *key, unsigned scopes)
{
    const unsigned streams = KEY_OF_STREAM | KEY_OF_TCP;
    bool is_unknown = (scopes & KEY_OF_UDP) != 0 && (scopes & streams) != 0;
    return is_unknown && ((key->scopes & KEY_OF_UDP) == 0 || (key->scopes & streams) == 0);
}

static void visit_open(const struct walk *walk, const struct setting *key, struct key_range range)
{
    const char *url = walk->entry->text.data;
    for (size_t at = range.at; at < range.end; at += strcspn(url + at, "&") + 1) {
        size_t name = strcspn(url + at, "=&");
        if (!key_is_called(key, url + at, name))
            continue;
        struct config_value value = walk->value;
        value.setting = key;
        value.name = url + at;
        value.name_length = name;
        value.text = url + at + name + 1;
        value.length = strcspn(value.text, "&");
        visit_value(walk, &value, at + name + 1);
    }
}

/*
 * Visits the keys of these scopes. A key in the range is visited with its value, any other key with
 * its default.
 */
static void visit_keys(const struct walk *walk, unsigned scopes, struct key_range range)
{
    const char *url = walk->entry->text.data;
    for (const struct setting *key = config_keys; key->name != NULL; key++) {
        size_t length = 0;
        if ((key->scopes & scopes) == 0 || key->type == SETTING_SCHEMA)
            continue;
        size_t at = find_value(url, range, key->name, &length);
        if (key->open)
            visit_open(walk, key, range);
        else if (at != 0)
            visit_written(walk, key, at, length);
        else if (key->default_text != NULL && !may_be_refused(key, scopes) &&
                 may_say(walk, scopes, key))
            visit_default(walk, key);
    }
}

/* --- schemas ---------------------------------------------------------------------------------- */

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

static void visit_schemas(struct walk *walk, struct key_range keys)
{
    const char *url = walk->entry->text.data;
    const struct setting *key = schema_key();
    size_t at = next_schema(url, keys, keys.at);
    walk->value.schema = 1;
    if (at == keys.end) {
        visit_default(walk, key);
        visit_keys(walk, KEY_OF_SCHEMA, (struct key_range){keys.end, keys.end});
    }
    for (; at < keys.end; walk->value.schema++) {
        size_t value = at + strlen("schema=");
        size_t next = next_schema(url, keys, at + strcspn(url + at, "&") + 1);
        visit_written(walk, key, value, strcspn(url + value, "&"));
        visit_keys(walk, KEY_OF_SCHEMA | KEY_OF_FILE, (struct key_range){at, next});
        at = next;
    }
    walk->value.schema = 0;
}

/* --- options ---------------------------------------------------------------------------------- */

/* Visits the URL without keys. Returns the range of the keys after it. */
static struct key_range visit_place(const struct walk *walk)
{
    size_t place = strcspn(walk->entry->text.data, "?");
    size_t end = walk->entry->text.length;
    visit_written(walk, NULL, 0, place);
    return (struct key_range){place < end ? place + 1 : end, end};
}

static void visit_listener(struct walk *walk, const struct listener_config *listener)
{
    walk->value.part = CONFIG_OF_LISTENER;
    struct key_range keys = visit_place(walk);
    visit_keys(walk, listener->source->keys, keys);
    visit_schemas(walk, keys);
}

static void visit_sink(struct walk *walk, const struct sink_config *sink)
{
    walk->value.part = CONFIG_OF_SINK;
    visit_keys(walk, keys_of_sink(sink->destination), visit_place(walk));
}

/* Visits the current entry; `index` is its number among the entries of its option. */
static void visit_entry(struct walk *walk, size_t index)
{
    const struct provenance_entry *entry = walk->entry;
    walk->value = (struct config_value){.part = CONFIG_OF_PROGRAM, .index = index};
    switch (entry->option->action) {
    case OPTION_LISTEN:
        RULE(index < walk->config->listener_count, "each entry of --listen is a listener");
        visit_listener(walk, &walk->config->listeners[index]);
        break;
    case OPTION_SINK:
        RULE(index < walk->config->sink_count, "each entry of --sink is a sink");
        visit_sink(walk, &walk->config->sinks[index]);
        break;
    case OPTION_DEAD_LETTERS:
        walk->value.part = CONFIG_OF_DEAD_LETTERS;
        visit_keys(walk, KEY_OF_DEAD_LETTERS, visit_place(walk));
        break;
    case OPTION_VALUE:
        visit_written(walk, &entry->option->setting, 0, entry->text.length);
        break;
    case OPTION_CONFIG:
    case OPTION_FLAG:
    case OPTION_HELP:
    case OPTION_VERSION:
    case OPTION_SCHEMA:
        break;
    }
}

void config_walk(const struct config *config, const struct config_registry *registry,
                 config_visitor *visit, void *context)
{
    const struct provenance *provenance = config->provenance;
    struct walk walk = {.config = config, .registry = registry, .visit = visit, .context = context};
    for (const struct option *option = command_options; option->setting.name != NULL; option++) {
        size_t index = 0;
        for (size_t i = 0; i < provenance->count; i++) {
            if (provenance->entries[i].option != option)
                continue;
            walk.entry = &provenance->entries[i];
            visit_entry(&walk, index++);
        }
    }
}
