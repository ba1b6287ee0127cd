#include "tools/manual/entry.h"

#include <stdio.h>
#include <string.h>

#include "collector/config/keys.h"
#include "collector/config/option_table.h"
#include "collector/program/registry.h"

_Static_assert(COMMAND_SYNTAX_SIZE <= SYNTAX_SIZE, "an entry has no room for it");
_Static_assert(KEYS_MAX <= ENTRIES_MAX && OPTIONS_MAX <= ENTRIES_MAX, "raise ENTRIES_MAX");

/* Adds a value to the entry's values, unless it has a character that a shell would interpret. */
static void add_value(struct entry *entry, const char *value, size_t length)
{
    size_t used = strlen(entry->values);
    if (length == 0 || strcspn(value, " |'\\$`") < length)
        return;
    snprintf(entry->values + used, sizeof entry->values - used, "%s%.*s", used == 0 ? "" : "|",
             (int)length, value);
}

static enum entry_offer offer_of_syntax(const char *syntax)
{
    if (strcmp(syntax, "FOLDER") == 0)
        return OFFER_FOLDER;
    return strcmp(syntax, "FILE") == 0 || strcmp(syntax, "PATH") == 0 ? OFFER_FILE : OFFER_NOTHING;
}

/* --- entries of the collector ----------------------------------------------------------------- */

static void offer_values(struct entry *entry, const struct setting *setting)
{
    const char *name = setting_choice(setting, &program_registry, 0);
    for (size_t i = 0; name != NULL; name = setting_choice(setting, &program_registry, ++i))
        add_value(entry, name, strlen(name));
    if (entry->values[0] == '\0' && setting->default_text != NULL)
        add_value(entry, setting->default_text, strlen(setting->default_text));
}

static enum entry_offer offer_of_option(const struct option *option)
{
    switch (option->action) {
    case OPTION_LISTEN:
        return OFFER_LISTENER;
    case OPTION_SINK:
        return OFFER_SINK;
    case OPTION_DEAD_LETTERS:
        return OFFER_LETTERS;
    default:
        return option->setting.syntax != NULL ? offer_of_syntax(option->setting.syntax)
                                              : OFFER_NOTHING;
    }
}

static size_t entries_of_collector(struct entry entries[ENTRIES_MAX])
{
    size_t count = 0;
    for (const struct option *option = command_options; option->setting.name != NULL; option++) {
        struct entry *entry = &entries[count++];
        *entry = (struct entry){
            .name = option->setting.name,
            .help = option->setting.help,
            .letter = option->setting.letter,
            .repeats = option->action == OPTION_LISTEN || option->action == OPTION_SINK,
            .offer = offer_of_option(option),
        };
        syntax_of_option(option, &program_registry, entry->syntax);
        syntax_of_default(&option->setting, true, entry->default_text);
        if (entry->offer == OFFER_NOTHING)
            offer_values(entry, &option->setting);
    }
    return count;
}

size_t entries_of_keys(unsigned scopes, struct entry entries[ENTRIES_MAX])
{
    size_t count = 0;
    for (const struct setting *key = config_keys; key->name != NULL; key++) {
        if ((key->scopes & scopes) == 0)
            continue;
        struct entry *entry = &entries[count++];
        *entry = (struct entry){.name = key->name, .help = key->help};
        syntax_of_value(key, &program_registry, entry->syntax);
        syntax_of_default(key, true, entry->default_text);
        offer_values(entry, key);
    }
    return count;
}

/* --- entries of a tool ------------------------------------------------------------------------ */

/*
 * Adds those words of a syntax such as "N|max" that users type as they are. Omits placeholders,
 * which are in capitals.
 */
static void offer_words(struct entry *entry)
{
    static const char capitals[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    const char *word = entry->syntax;
    if (strchr(word, '|') == NULL)
        return;
    while (*word != '\0') {
        size_t length = strcspn(word, "|");
        if (strcspn(word, capitals) >= length)
            add_value(entry, word, length);
        word += length + (word[length] == '|');
    }
}

static void add_command_option(const struct command *command, const struct command_option *option,
                               struct entry *entry)
{
    *entry = (struct entry){
        .name = option->name, .help = option->help, .letter = command_letter(option)};
    command_syntax(command, option, entry->syntax);
    entry->offer = offer_of_syntax(entry->syntax);
    offer_words(entry);
}

size_t entries_of_options(const struct command *command, struct entry entries[ENTRIES_MAX])
{
    const struct command_option *option;
    size_t count = 0;
    if (command == NULL)
        return entries_of_collector(entries);
    for (option = command->options; option->name != NULL && count < ENTRIES_MAX; option++)
        add_command_option(command, option, &entries[count++]);
    for (option = command_common_options; option->name != NULL && count < ENTRIES_MAX; option++)
        add_command_option(command, option, &entries[count++]);
    return count;
}
