#include "collector/config/setting.h"

#include <stdlib.h>
#include <string.h>

#include "collector/base/suggestion.h"
#include "collector/config/match.h"
#include "collector/config/units.h"
#include "collector/contract/compression.h"
#include "collector/platform/file_system.h"
#include "collector/platform/notifier.h"
#include "collector/text/copy.h"
#include "collector/text/text.h"

/* A setting of type SETTING_ENUM is stored as an unsigned, so its enum must have the same size. */
_Static_assert(sizeof(enum sink_view) == sizeof(unsigned), "an enum is as large as an unsigned");
_Static_assert(sizeof(enum framing) == sizeof(unsigned), "an enum is as large as an unsigned");

static void *field_of(const struct setting *setting, void *target)
{
    return (char *)target + setting->offset;
}

static bool setting_parse_number(const struct setting *setting, enum quantity quantity,
                                 const char *text, size_t length, void *target,
                                 struct parse_error *fault)
{
    char given[QUOTED_SIZE];
    char limit[QUANTITY_TEXT_SIZE];
    uint64_t value = 0;
    if (setting->minimum == 0 && length == 1 && *text == '0')
        quantity = QUANTITY_COUNT; /* 0 needs no unit */
    const char *problem = quantity_parse(quantity, text, length, &value);
    if (problem != NULL)
        return parse_error_set(fault, 0, "%s %s %s", setting->name, quoted(text, length, given),
                               problem);
    if (value < setting->minimum) {
        quantity_format(quantity, setting->minimum, limit);
        return parse_error_set(fault, 0, "%s %s is less than the minimum %s", setting->name,
                               quoted(text, length, given), limit);
    }
    if (value > setting->maximum) {
        quantity_format(quantity, setting->maximum, limit);
        return parse_error_set(fault, 0, "%s %s is more than the maximum %s", setting->name,
                               quoted(text, length, given), limit);
    }
    uint64_t *field = field_of(setting, target);
    *field = value;
    return true;
}

const char *setting_choice(const struct setting *setting, const struct config_registry *registry,
                           size_t at)
{
    switch (setting->type) {
    case SETTING_BOOL:
    case SETTING_ENUM:
        return setting->choices[at];
    case SETTING_SCHEMA:
        return registry->schemas[at] != NULL ? registry->schemas[at]->name : NULL;
    case SETTING_ENCODER:
        return registry->encoders[at] != NULL ? registry->encoders[at]->name : NULL;
    case SETTING_COMPRESSION:
        return registry->compressions[at] != NULL ? registry->compressions[at]->name : NULL;
    case SETTING_NOTIFIER:
        if (at == 0)
            return "auto";
        return registry->notifiers[at - 1] != NULL ? registry->notifiers[at - 1]->name : NULL;
    default:
        return NULL;
    }
}

static bool not_a_choice(const struct setting *setting, const struct config_registry *registry,
                         const char *text, size_t length, struct parse_error *fault)
{
    char given[QUOTED_SIZE];
    struct suggestion suggestion;
    suggestion_begin(&suggestion, text, length);
    parse_error_set(fault, 0, "%s %s is not one of", setting->name, quoted(text, length, given));
    const char *name;
    for (size_t i = 0; (name = setting_choice(setting, registry, i)) != NULL; i++) {
        parse_error_append(fault, "%s %s", i == 0 ? "" : ",", name);
        suggestion_offer(&suggestion, name);
    }
    if (setting->type == SETTING_SCHEMA && registry->schema_from_file != NULL)
        parse_error_append(fault, ", nor a folder, nor a file, which has a \".\" in its name");
    parse_error_suggest(fault, suggestion_found(&suggestion));
    return false;
}

static void store_choice(const struct setting *setting, const struct config_registry *registry,
                         size_t at, void *target)
{
    void *field = field_of(setting, target);
    if (setting->type == SETTING_BOOL) {
        *(bool *)field = at == 1;
    } else if (setting->type == SETTING_ENUM) {
        unsigned value = (unsigned)at;
        memcpy(field, &value, sizeof value); /* memcpy works for any integer type of the enum */
    } else if (setting->type == SETTING_SCHEMA) {
        ((struct schema_config *)field)->ops = registry->schemas[at];
    } else if (setting->type == SETTING_ENCODER) {
        *(const struct encoder_ops **)field = registry->encoders[at];
    } else if (setting->type == SETTING_COMPRESSION) {
        *(const struct compression_ops **)field = registry->compressions[at];
    } else if (setting->type == SETTING_NOTIFIER) {
        *(const struct notifier_backend **)field = at == 0 ? NULL : registry->notifiers[at - 1];
    }
}

/* The words that every setting with two values accepts for on and off, besides its own words. */
static const struct {
    const char *word;
    bool on;
} switch_words[] = {{"on", true},   {"yes", true}, {"true", true},
                    {"off", false}, {"no", false}, {"false", false}};

/* Returns true if the setting's own words mean on and off. Some settings have two other choices. */
static bool is_switch(const struct setting *setting)
{
    return setting->type == SETTING_BOOL &&
           (strcmp(setting->choices[1], "on") == 0 || strcmp(setting->choices[1], "true") == 0);
}

static int find_switch_word(const struct setting *setting, const char *text, size_t length)
{
    for (size_t i = 0; is_switch(setting) && i < sizeof switch_words / sizeof switch_words[0];
         i++) {
        const char *word = switch_words[i].word;
        size_t same = 0;
        while (same < length && (text[same] | 0x20) == word[same])
            same++;
        if (same == length && word[same] == '\0')
            return switch_words[i].on;
    }
    return -1;
}

static bool parse_choice(const struct setting *setting, const struct config_registry *registry,
                         const char *text, size_t length, void *target, struct parse_error *fault)
{
    const char *name;
    for (size_t i = 0; (name = setting_choice(setting, registry, i)) != NULL; i++) {
        if (strlen(name) != length || memcmp(name, text, length) != 0)
            continue;
        store_choice(setting, registry, i, target);
        return true;
    }
    int meant = find_switch_word(setting, text, length);
    if (meant >= 0) {
        store_choice(setting, registry, (size_t)meant, target);
        return true;
    }
    return not_a_choice(setting, registry, text, length, fault);
}

static bool setting_parse_text(const struct setting *setting, const char *text, size_t length,
                               char **out, struct parse_error *fault)
{
    if (length == 0)
        return parse_error_set(fault, 0, "%s \"\" is empty", setting->name);
    *out = text_copy(text, length);
    return *out != NULL || parse_error_no_memory(fault);
}

static bool is_choice(const struct setting *setting, const struct config_registry *registry,
                      const char *text)
{
    const char *name;
    for (size_t i = 0; (name = setting_choice(setting, registry, i)) != NULL; i++)
        if (strcmp(name, text) == 0)
            return true;
    return false;
}

/*
 * Stores a schema. The text is a path if it contains '.' or '/', or if a folder with that name
 * exists. Otherwise it is the name of a built-in schema.
 */
static bool parse_schema(const struct setting *setting, const struct config_registry *registry,
                         const char *text, size_t length, void *target, struct parse_error *fault)
{
    char given[QUOTED_SIZE];
    struct schema_config *schema = field_of(setting, target);
    if (length == 0)
        return not_a_choice(setting, registry, text, length, fault);
    if (!setting_parse_text(setting, text, length, &schema->source, fault))
        return false;
    file_path_normalise(schema->source);
    schema->from_file =
        strpbrk(schema->source, "./") != NULL ||
        (registry->schema_from_file != NULL && !is_choice(setting, registry, schema->source) &&
         folder_is_readable(schema->source));
    schema->ops = registry->schema_from_file;
    if (!schema->from_file)
        return parse_choice(setting, registry, text, length, target, fault);
    if (schema->ops == NULL)
        return parse_error_set(fault, 0,
                               "%s %s is a file; this program was built without schemas from files",
                               setting->name, quoted(text, length, given));
    return true;
}

/*
 * Parses an address that begins with the same scheme as `syntax`, up to the colon. The address must
 * have more text after the colon.
 */
static bool parse_local(const struct setting *setting, const char *syntax, const char *text,
                        size_t length, char **out, struct parse_error *fault)
{
    char given[QUOTED_SIZE];
    size_t scheme = strcspn(syntax, ":") + 1;
    if (length > scheme && memcmp(text, syntax, scheme) == 0)
        return setting_parse_text(setting, text, length, out, fault);
    return parse_error_set(fault, 0, "%s %s is not of the form %s", setting->name,
                           quoted(text, length, given), syntax);
}

bool setting_parse(const struct setting *setting, const struct config_registry *registry,
                   const char *text, size_t length, void *target, struct parse_error *fault)
{
    switch (setting->type) {
    case SETTING_COUNT:
        return setting_parse_number(setting, QUANTITY_COUNT, text, length, target, fault);
    case SETTING_SIZE:
        return setting_parse_number(setting, QUANTITY_SIZE, text, length, target, fault);
    case SETTING_DURATION:
        return setting_parse_number(setting, QUANTITY_DURATION, text, length, target, fault);
    case SETTING_BOOL:
    case SETTING_ENUM:
    case SETTING_ENCODER:
    case SETTING_COMPRESSION:
    case SETTING_NOTIFIER:
        return parse_choice(setting, registry, text, length, target, fault);
    case SETTING_SCHEMA:
        return parse_schema(setting, registry, text, length, target, fault);
    case SETTING_MATCH:
        return match_parse(text, length, field_of(setting, target), fault);
    case SETTING_TEXT:
        return setting_parse_text(setting, text, length, field_of(setting, target), fault);
    case SETTING_PARSED:
        return setting->parse(setting->name, text, length, field_of(setting, target), fault);
    case SETTING_LOCAL:
        return parse_local(setting, registry->local_syntax, text, length, field_of(setting, target),
                           fault);
    case SETTING_NONE:
        break;
    }
    return parse_error_set(fault, 0, "%s takes no value", setting->name);
}

bool setting_equal(const struct setting *setting, const void *a, const void *b)
{
    const void *one = (const char *)a + setting->offset;
    const void *other = (const char *)b + setting->offset;
    switch (setting->type) {
    case SETTING_COUNT:
    case SETTING_SIZE:
    case SETTING_DURATION:
        return *(const uint64_t *)one == *(const uint64_t *)other;
    case SETTING_ENUM:
        return memcmp(one, other, sizeof(unsigned)) == 0;
    case SETTING_NOTIFIER:
        return *(const struct notifier_backend *const *)one ==
               *(const struct notifier_backend *const *)other;
    case SETTING_TEXT:
    case SETTING_LOCAL:
        return same_text(*(char *const *)one, *(char *const *)other);
    case SETTING_PARSED:
        return setting->equal != NULL && setting->equal(one, other);
    default:
        return false;
    }
}

size_t setting_path(const struct setting *setting, const struct config_registry *registry,
                    const char *text, size_t length)
{
    const char *name;
    if (setting->type == SETTING_LOCAL) {
        size_t scheme = strcspn(registry->local_syntax, ":") + 1;
        return strcmp(registry->local_syntax + scheme, "PATH") == 0 ? scheme : length;
    }
    if (setting->type != SETTING_SCHEMA)
        return length;
    for (size_t i = 0; (name = setting_choice(setting, registry, i)) != NULL; i++)
        if (strlen(name) == length && memcmp(name, text, length) == 0)
            return length;
    return 0;
}

bool setting_is_list(const struct setting *setting)
{
    static const char nested_end[] = ";...";
    const char *syntax = setting->syntax;
    size_t length = syntax == NULL ? 0 : strlen(syntax);
    return length >= sizeof nested_end && strchr(syntax, ',') != NULL &&
           strcmp(syntax + length - (sizeof nested_end - 1), nested_end) != 0;
}
