#include "collector/config/apply.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/base/rule.h"
#include "collector/config/command_name.h"
#include "collector/config/option_table.h"
#include "collector/config/url.h"
#include "collector/config/variables.h"
#include "collector/contract/destination.h"
#include "collector/text/copy.h"
#include "collector/text/secret_url.h"

_Static_assert(sizeof(enum ledger_format) == sizeof(unsigned), "SETTING_ENUM stores an unsigned");
_Static_assert(sizeof(enum log_level) == sizeof(unsigned), "SETTING_ENUM stores an unsigned");
_Static_assert(sizeof(enum log_format) == sizeof(unsigned), "SETTING_ENUM stores an unsigned");
_Static_assert(sizeof(enum thread_use) == sizeof(unsigned), "SETTING_ENUM stores an unsigned");

/* --- errors ----------------------------------------------------------------------------------- */

/* The maximum size of the suffix of a name, as in "#2", including the NUL. */
#define NUMBER_SIZE 24

/* Most bytes of a URL in an error; a longer URL is cut before and after the fault. */
#define EXCERPT_MAX 160

struct excerpt {
    char text[EXCERPT_MAX + 1];
    const char *before, *after; /* "..." if the URL continues, otherwise "" */
};

/*
 * Copies the part of the URL around the fault, with secrets masked. Returns false if memory is
 * short.
 */
static bool make_excerpt(const char *url, const struct parse_error *fault, struct excerpt *excerpt)
{
    size_t at = fault->at;
    size_t length = fault->hides_value ? at : strlen(url);
    size_t start = 0;
    char *blanked = text_copy(url, length);
    if (blanked == NULL)
        return false;
    secret_url_blank(blanked, length);
    if (length > EXCERPT_MAX && at > EXCERPT_MAX / 2) {
        start = at - EXCERPT_MAX / 2;
        if (start > length - EXCERPT_MAX)
            start = length - EXCERPT_MAX;
        while ((blanked[start] & 0xc0) == 0x80)
            start++; /* not in the middle of a UTF-8 character */
    }
    size_t shown =
        copy_printable(excerpt->text, sizeof excerpt->text, blanked + start, length - start);
    free(blanked);
    excerpt->before = start > 0 ? "..." : "";
    excerpt->after = url[start + shown] != '\0' ? "..." : "";
    return true;
}

/* Writes the source of an entry that is not from a file: "--listen" or "SLUICE_LISTEN". */
static void name_source(const struct provenance_entry *entry, char *name)
{
    if (entry->by == PROVENANCE_ENVIRONMENT)
        provenance_variable(entry->option, name);
    else
        snprintf(name, PROVENANCE_VARIABLE_SIZE, "--%s", entry->option->setting.name);
}

static enum exit_code code_of(const struct provenance_entry *entry, const struct parse_error *fault)
{
    if (fault->no_memory)
        return EXIT_CODE_INTERNAL;
    return entry->by == PROVENANCE_ARGUMENT ? EXIT_CODE_USAGE : EXIT_CODE_CONFIG;
}

static bool apply_no_memory(const struct applying *applying)
{
    error_set(applying->error, EXIT_CODE_INTERNAL, "not enough memory");
    return false;
}

static bool wrong_in_file(const struct applying *applying, const struct provenance_entry *entry,
                          const struct parse_error *fault)
{
    struct provenance_mark mark = provenance_text_mark(&entry->text, fault->at);
    error_set(applying->error, code_of(entry, fault), "%s:%zu:%zu: %s",
              applying->provenance->files[entry->file], mark.line, mark.column, fault->text);
    return false;
}

static bool wrong_url(const struct applying *applying, const struct provenance_entry *entry,
                      const struct parse_error *fault)
{
    struct excerpt shown;
    char source[PROVENANCE_VARIABLE_SIZE];
    if (entry->by == PROVENANCE_FILE)
        return wrong_in_file(applying, entry, fault);
    name_source(entry, source);
    if (!make_excerpt(entry->text.data, fault, &shown))
        return apply_no_memory(applying);
    error_set(applying->error, code_of(entry, fault), "%s %s%s%s, column %zu: %s", source,
              shown.before, shown.text, shown.after, fault->at + 1, fault->text);
    return false;
}

static bool wrong_value(const struct applying *applying, const struct provenance_entry *entry,
                        const struct parse_error *fault)
{
    char source[PROVENANCE_VARIABLE_SIZE];
    if (entry->by == PROVENANCE_FILE)
        return wrong_in_file(applying, entry, fault);
    name_source(entry, source);
    if (entry->by == PROVENANCE_ENVIRONMENT)
        error_set(applying->error, code_of(entry, fault), "%s: %s", source, fault->text);
    else
        error_set(applying->error, code_of(entry, fault), "--%s", fault->text);
    return false;
}

/* --- values ----------------------------------------------------------------------------------- */

static void *append_zeroed(void **array, size_t *count, size_t size)
{
    char *grown = realloc(*array, (*count + 1) * size);
    if (grown == NULL)
        return NULL;
    *array = grown;
    char *element = grown + *count * size;
    memset(element, 0, size);
    (*count)++;
    return element;
}

/*
 * Sets *place to "FILE:LINE:COLUMN" if the entry is from a file. Returns false if memory is short.
 */
static bool note_place(const struct applying *applying, const struct provenance_entry *entry,
                       char **place)
{
    if (entry->by != PROVENANCE_FILE)
        return true;
    struct provenance_mark mark = provenance_text_mark(&entry->text, 0);
    const char *file = applying->provenance->files[entry->file];
    size_t size = strlen(file) + 64;
    *place = malloc(size);
    if (*place == NULL)
        return apply_no_memory(applying);
    snprintf(*place, size, "%s:%zu:%zu", file, mark.line, mark.column);
    return true;
}

/*
 * Reports that an entry is refused because of an earlier one: "an earlier --listen has this address
 * already".
 */
static bool conflict(const struct applying *applying, const struct provenance_entry *entry,
                     const char *what, const char *does)
{
    struct parse_error fault;
    if (entry->by == PROVENANCE_ARGUMENT)
        parse_error_set(&fault, 0, "an earlier --%s %s", entry->option->setting.name, does);
    else
        parse_error_set(&fault, 0, "an earlier %s %s", what, does);
    return wrong_url(applying, entry, &fault);
}

static bool add_listener(const struct applying *applying, const struct provenance_entry *entry)
{
    struct config *config = applying->config;
    struct parse_error fault;
    void *array = config->listeners;
    struct listener_config *added =
        append_zeroed(&array, &config->listener_count, sizeof *config->listeners);
    if (added == NULL)
        return apply_no_memory(applying);
    config->listeners = array;
    if (!url_parse_listener(entry->text.data, applying->registry, added, &fault))
        return wrong_url(applying, entry, &fault);
    added->url = text_copy(entry->text.data, entry->text.length);
    if (added->url == NULL)
        return apply_no_memory(applying);
    for (const struct listener_config *other = config->listeners; other != added; other++)
        if (listener_configs_conflict(other, added))
            return conflict(applying, entry, "listener",
                            address_is_multicast(&added->address)
                                ? "has this multicast group already; give each of them its own "
                                  "id=NAME"
                                : "has this address already");
    return note_place(applying, entry, &added->written_at);
}

static bool is_taken(const struct sink_config *sinks, const struct sink_config *end,
                     const char *name)
{
    for (; sinks != end; sinks++)
        if (strcmp(sinks->name, name) == 0)
            return true;
    return false;
}

static void number_name(const struct config *config, struct sink_config *added, size_t length)
{
    size_t number = 1;
    while (is_taken(config->sinks, added, added->name))
        snprintf(added->name + length, NUMBER_SIZE, "#%zu", ++number);
}

/*
 * Sets a sink's name, which is logged and shown, without the secrets that its URL may contain. The
 * name of a command is that of its program, "command:psql"; the name of other sinks is the URL with
 * secrets masked. Returns false if memory is short.
 */
static bool name_sink(const struct config *config, struct sink_config *added)
{
    char program[COMMAND_NAME_SIZE] = "";
    size_t length = strlen(added->name);
    char *name = malloc(SECRET_URL_ROOM(length) + COMMAND_NAME_SIZE + NUMBER_SIZE);
    if (name == NULL)
        return false;
    if (added->destination->place_is == PLACE_COMMAND) {
        command_name(added->path, strlen(added->path), program);
        length = strlen(added->destination->scheme) + 1;
        memcpy(name, added->name, length);
    } else {
        length = secret_url_mask(added->name, length, name);
    }
    strcpy(name + length, program);
    free(added->name);
    added->name = name;
    number_name(config, added, length + strlen(program));
    return true;
}

static bool apply_sink(const struct applying *applying, const struct provenance_entry *entry)
{
    struct config *config = applying->config;
    struct parse_error fault;
    void *array = config->sinks;
    struct sink_config *added = append_zeroed(&array, &config->sink_count, sizeof *config->sinks);
    if (added == NULL)
        return apply_no_memory(applying);
    config->sinks = array;
    if (!url_parse_sink(entry->text.data, applying->registry, added, &fault))
        return wrong_url(applying, entry, &fault);
    added->url = text_copy(entry->text.data, entry->text.length);
    if (added->url == NULL)
        return apply_no_memory(applying);
    for (const struct sink_config *other = config->sinks; other != added; other++)
        if (sink_configs_conflict(other, added))
            return conflict(applying, entry, "sink", "writes there already");
    if (!name_sink(config, added))
        return apply_no_memory(applying);
    return note_place(applying, entry, &added->written_at);
}

static bool set_dead_letter(const struct applying *applying, const struct provenance_entry *entry)
{
    struct parse_error fault;
    return url_parse_dead_letter(entry->text.data, applying->registry,
                                 &applying->config->dead_letter, &fault) ||
           wrong_url(applying, entry, &fault);
}

static bool set_value(const struct applying *applying, const struct provenance_entry *entry)
{
    struct parse_error fault;
    return setting_parse(&entry->option->setting, applying->registry, entry->text.data,
                         entry->text.length, applying->config, &fault) ||
           wrong_value(applying, entry, &fault);
}

/* Refuses "${NAME}" in a file, except in a command, where the shell expands it. */
static bool check_references(const struct applying *applying, const struct provenance_entry *entry)
{
    struct parse_error fault;
    size_t command = entry->option->action == OPTION_SINK
                         ? url_command_length(entry->text.data, applying->registry)
                         : 0;
    if (entry->by != PROVENANCE_FILE || !variable_reference(entry->text.data + command, &fault))
        return true;
    fault.at += command;
    return wrong_in_file(applying, entry, &fault);
}

bool apply_entry(const struct applying *applying, const struct provenance_entry *entry)
{
    RULE(entry->by != PROVENANCE_FILE || entry->file < applying->provenance->file_count,
         "an entry names one of its files");
    if (!check_references(applying, entry))
        return false;
    switch (entry->option->action) {
    case OPTION_LISTEN:
        return add_listener(applying, entry);
    case OPTION_SINK:
        return apply_sink(applying, entry);
    case OPTION_DEAD_LETTERS:
        return set_dead_letter(applying, entry);
    case OPTION_CONFIG:
    case OPTION_VALUE:
        return set_value(applying, entry);
    case OPTION_FLAG:
    case OPTION_HELP:
    case OPTION_VERSION:
    case OPTION_SCHEMA:
        break;
    }
    return true;
}

bool apply_check_dead_letters(const struct applying *applying, const struct provenance_entry *entry)
{
    const struct config *config = applying->config;
    const char *name = config->dead_letter.name;
    RULE(name != NULL, "dead letters are checked after their entry was applied");
    struct parse_error fault;
    for (size_t i = 0; i < config->sink_count; i++) {
        if (strcmp(config->sinks[i].name, name) != 0)
            continue;
        parse_error_set(&fault, 0, "dead-letter %s: a %s writes there", name,
                        entry->by == PROVENANCE_ARGUMENT ? "--sink" : "sink");
        return wrong_value(applying, entry, &fault);
    }
    return true;
}

void apply_place_option(const struct config *config, struct error *error)
{
    const struct provenance *provenance = config->provenance;
    char place[sizeof error->text];
    char name[sizeof error->text];
    if (provenance == NULL || strncmp(error->text, "--", 2) != 0)
        return;
    size_t length = strcspn(error->text, " :");
    snprintf(name, sizeof name, "%.*s", (int)length, error->text);
    const struct option *option = option_named(name);
    for (size_t i = 0; i < provenance->count; i++) {
        const struct provenance_entry *entry = &provenance->entries[i];
        if (entry->option != option || entry->by == PROVENANCE_ARGUMENT ||
            entry->by == PROVENANCE_DEFAULT)
            continue;
        struct provenance_mark mark = provenance_text_mark(&entry->text, 0);
        if (entry->by == PROVENANCE_ENVIRONMENT)
            name_source(entry, place);
        else
            snprintf(place, sizeof place, "%s:%zu:%zu", provenance->files[entry->file], mark.line,
                     mark.column);
        memmove(error->text, error->text + 2, strlen(error->text + 2) + 1);
        error_place(error, place);
        return;
    }
}
