#include "tools/manual/json_schema.h"

#include <string.h>

#include "collector/config/file.h"
#include "collector/config/keys.h"
#include "collector/config/option_table.h"
#include "collector/config/syntax.h"
#include "collector/config/units.h"
#include "collector/text/json_writer.h"

/* The number of bytes for the whole schema. */
#define SCHEMA_SIZE (256 * 1024)

/* The number of bytes for the pattern of a quantity. */
#define PATTERN_SIZE 128

struct writing {
    struct output out;
    const struct config_registry *registry;
};

/* --- parts ------------------------------------------------------------------------------------ */

static void put_text(struct writing *writing, const char *name, const char *text)
{
    json_key(&writing->out, name, strlen(name));
    json_string(&writing->out, text, strlen(text));
}

static void begin_member(struct writing *writing, const char *name)
{
    json_key(&writing->out, name, strlen(name));
    json_object_begin(&writing->out);
}

static void put_flag(struct writing *writing, const char *name, bool value)
{
    json_key(&writing->out, name, strlen(name));
    json_bool(&writing->out, value);
}

static void put_string(struct writing *writing, const char *text)
{
    json_string(&writing->out, text, strlen(text));
}

static void put_number(struct writing *writing, const char *name, uint64_t value)
{
    json_key(&writing->out, name, strlen(name));
    json_uint64(&writing->out, value);
}

static void put_array_begin(struct writing *writing, const char *name)
{
    json_key(&writing->out, name, strlen(name));
    json_array_begin(&writing->out);
}

/* --- values ----------------------------------------------------------------------------------- */

/* Writes the pattern of a quantity: a number with a unit, or 0. */
static void put_quantity(struct writing *writing, enum quantity quantity)
{
    char pattern[PATTERN_SIZE] = "^(0|[0-9]+([.][0-9]+)?(";
    const char *name = quantity_unit(quantity, 0);
    for (size_t i = 0; name != NULL; name = quantity_unit(quantity, ++i)) {
        strncat(pattern, i == 0 ? "" : "|", sizeof pattern - strlen(pattern) - 1);
        strncat(pattern, name, sizeof pattern - strlen(pattern) - 1);
    }
    strncat(pattern, "))$", sizeof pattern - strlen(pattern) - 1);
    put_array_begin(writing, "anyOf");
    json_object_begin(&writing->out);
    put_text(writing, "type", "string");
    put_text(writing, "pattern", pattern);
    json_object_end(&writing->out);
    json_object_begin(&writing->out);
    json_key_literal(&writing->out, "const");
    json_uint64(&writing->out, 0);
    json_object_end(&writing->out);
    json_array_end(&writing->out);
}

/*
 * Writes the type and the limits of a count. Omits a maximum that a double cannot represent
 * exactly. The program checks it anyway.
 */
static void put_count(struct writing *writing, const struct setting *setting)
{
    const uint64_t exact = UINT64_C(1) << 53;
    put_array_begin(writing, "anyOf");
    json_object_begin(&writing->out);
    put_text(writing, "type", "integer");
    put_number(writing, "minimum", setting->minimum);
    if (setting->maximum != 0 && setting->maximum <= exact)
        put_number(writing, "maximum", setting->maximum);
    json_object_end(&writing->out);
    json_object_begin(&writing->out);
    put_text(writing, "type", "string");
    put_text(writing, "pattern", "^[0-9]+$");
    json_object_end(&writing->out);
    json_array_end(&writing->out);
}

/*
 * For some choices, adds the values that a YAML 1.1 reader makes of them. It reads "off" and "true"
 * as booleans, and "1" as a number, and not as strings.
 */
static void put_other_reading(struct writing *writing, const char *choice)
{
    static const char *const words[2][3] = {{"off", "no", "false"}, {"on", "yes", "true"}};
    bool on = strcmp(choice, "on") == 0 || strcmp(choice, "true") == 0;
    if (on || strcmp(choice, "off") == 0 || strcmp(choice, "false") == 0) {
        json_bool(&writing->out, on);
        for (size_t i = 0; i < 3; i++)
            if (strcmp(words[on][i], choice) != 0)
                put_string(writing, words[on][i]);
    } else if (strcmp(choice, "1") == 0)
        json_uint64(&writing->out, 1);
}

static bool put_choices(struct writing *writing, const struct setting *setting)
{
    const char *name = setting_choice(setting, writing->registry, 0);
    if (name == NULL)
        return false;
    bool open = setting->type == SETTING_SCHEMA; /* a file is also allowed */
    if (open)
        put_text(writing, "type", "string");
    put_array_begin(writing, open ? "examples" : "enum");
    for (size_t i = 0; name != NULL; name = setting_choice(setting, writing->registry, ++i)) {
        put_string(writing, name);
        if (!open)
            put_other_reading(writing, name);
    }
    json_array_end(&writing->out);
    return true;
}

/* Allows any word. A YAML reader makes a string, a number or a boolean of it. */
static void put_any_word(struct writing *writing)
{
    put_array_begin(writing, "type");
    put_string(writing, "string");
    put_string(writing, "number");
    put_string(writing, "boolean");
    json_array_end(&writing->out);
}

/* Allows several words, either as a text with commas or as a list. */
static void put_words(struct writing *writing)
{
    put_array_begin(writing, "type");
    put_string(writing, "string");
    put_string(writing, "number");
    put_string(writing, "boolean");
    put_string(writing, "array");
    json_array_end(&writing->out);
    put_number(writing, "minItems", 1);
    begin_member(writing, "items");
    put_any_word(writing);
    json_object_end(&writing->out);
}

static void put_value(struct writing *writing, const struct setting *setting)
{
    switch (setting->type) {
    case SETTING_COUNT:
        put_count(writing, setting);
        break;
    case SETTING_SIZE:
        put_quantity(writing, QUANTITY_SIZE);
        break;
    case SETTING_DURATION:
        put_quantity(writing, QUANTITY_DURATION);
        break;
    default:
        if (setting_is_list(setting))
            put_words(writing);
        else if (!put_choices(writing, setting))
            put_any_word(writing);
    }
}

static void put_setting(struct writing *writing, const struct setting *setting)
{
    char text[SYNTAX_SIZE];
    begin_member(writing, setting->name);
    put_text(writing, "description", setting->help);
    put_value(writing, setting);
    syntax_of_default(setting, false, text);
    if (text[0] != '\0')
        put_text(writing, "default", setting->default_text);
    json_object_end(&writing->out);
}

/* --- maps ------------------------------------------------------------------------------------- */

/*
 * A map of keys in the configuration file. `place` is its required key, and `what` describes that
 * key if it is not in the table of keys.
 */
struct map {
    const char *name, *place, *what;
    unsigned scopes;
    bool has_schemas;
};

static const struct map maps[] = {
    {"listener", "address", "where datagrams come from: udp://ADDR:PORT, tcp://ADDR:PORT, ...",
     KEY_OF_ANY_LISTENER | KEY_OF_SCHEMA | KEY_OF_FILE, true},
    {"schema", "schema", NULL, KEY_OF_SCHEMA | KEY_OF_FILE, false},
    {"sink", "to", "where records go: stdout, file:PATH, ...", KEY_OF_ANY_SINK, false},
    {"letters", "to", "where dead letters go: file:PATH", KEY_OF_DEAD_LETTERS, false},
};

static void put_reference(struct writing *writing, const char *map)
{
    char path[64];
    snprintf(path, sizeof path, "#/definitions/%s", map);
    put_text(writing, "$ref", path);
}

static void put_list(struct writing *writing, const char *map, bool urls)
{
    put_text(writing, "type", "array");
    put_number(writing, "minItems", 1);
    put_number(writing, "maxItems", CONFIG_LIST_MAX);
    begin_member(writing, "items");
    if (urls) {
        put_array_begin(writing, "anyOf");
        json_object_begin(&writing->out);
        put_text(writing, "type", "string");
        json_object_end(&writing->out);
        json_object_begin(&writing->out);
        put_reference(writing, map);
        json_object_end(&writing->out);
        json_array_end(&writing->out);
    } else {
        put_reference(writing, map);
    }
    json_object_end(&writing->out);
}

static void put_properties(struct writing *writing, const struct map *map)
{
    if (map->what != NULL) {
        begin_member(writing, map->place);
        put_text(writing, "description", map->what);
        put_text(writing, "type", "string");
        json_object_end(&writing->out);
    }
    if (map->has_schemas) {
        begin_member(writing, "schemas");
        put_text(writing, "description", "several schemas; the first that matches has a datagram");
        put_list(writing, "schema", false);
        json_object_end(&writing->out);
    }
    for (const struct setting *key = config_keys; key->name != NULL; key++)
        if ((key->scopes & map->scopes) != 0 && !key->open &&
            (map->what == NULL || strcmp(key->name, map->place) != 0))
            put_setting(writing, key);
}

/* Writes a pattern for each key such as "kafka.NAME", whose last part the user chooses. */
static void put_open_keys(struct writing *writing, const struct map *map)
{
    begin_member(writing, "patternProperties");
    for (const struct setting *key = config_keys; key->name != NULL; key++) {
        char pattern[PATTERN_SIZE];
        if ((key->scopes & map->scopes) == 0 || !key->open)
            continue;
        snprintf(pattern, sizeof pattern, "^%.*s.", (int)key_prefix(key), key->name);
        begin_member(writing, pattern);
        put_text(writing, "description", key->help);
        put_any_word(writing);
        json_object_end(&writing->out);
    }
    json_object_end(&writing->out);
}

static void put_map(struct writing *writing, const struct map *map)
{
    begin_member(writing, map->name);
    put_text(writing, "type", "object");
    put_flag(writing, "additionalProperties", false);
    put_array_begin(writing, "required");
    put_string(writing, map->place);
    json_array_end(&writing->out);
    begin_member(writing, "properties");
    put_properties(writing, map);
    json_object_end(&writing->out);
    put_open_keys(writing, map);
    json_object_end(&writing->out);
}

/* --- the file --------------------------------------------------------------------------------- */

static void put_url_option(struct writing *writing, const struct option *option)
{
    begin_member(writing, option->setting.name);
    put_text(writing, "description", option->setting.help);
    put_array_begin(writing, "anyOf");
    json_object_begin(&writing->out);
    put_text(writing, "type", "string");
    json_object_end(&writing->out);
    json_object_begin(&writing->out);
    put_reference(writing, "letters");
    json_object_end(&writing->out);
    json_array_end(&writing->out);
    json_object_end(&writing->out);
}

static void put_list_option(struct writing *writing, const struct option *option)
{
    bool listeners = option->action == OPTION_LISTEN;
    begin_member(writing, option_list_name(option));
    put_text(writing, "description", option->setting.help);
    const char *map = listeners ? "listener" : "sink";
    put_array_begin(writing, "anyOf");
    json_object_begin(&writing->out);
    put_text(writing, "type", "string");
    json_object_end(&writing->out);
    json_object_begin(&writing->out);
    put_reference(writing, map);
    json_object_end(&writing->out);
    json_object_begin(&writing->out);
    put_list(writing, map, true);
    json_object_end(&writing->out);
    json_array_end(&writing->out);
    json_object_end(&writing->out);
}

static void put_options(struct writing *writing)
{
    for (const struct option *option = command_options; option->setting.name != NULL; option++) {
        if (option->action == OPTION_DEAD_LETTERS)
            put_url_option(writing, option);
        else if (option_list_name(option) != NULL)
            put_list_option(writing, option);
        else if (option->action == OPTION_VALUE)
            put_setting(writing, &option->setting);
    }
}

static void put_other_lists(struct writing *writing)
{
    begin_member(writing, CONFIG_FILE_MORE);
    put_text(writing, "description", "more files, or folders of them, in their order");
    put_array_begin(writing, "type");
    put_string(writing, "array");
    put_string(writing, "string");
    json_array_end(&writing->out);
    begin_member(writing, "items");
    put_text(writing, "type", "string");
    json_object_end(&writing->out);
    json_object_end(&writing->out);
    begin_member(writing, CONFIG_FILE_TESTS);
    put_text(writing, "description", "tests of this configuration, for sluice test");
    put_text(writing, "type", "array");
    json_object_end(&writing->out);
}

static void put_all(struct writing *writing)
{
    json_object_begin(&writing->out);
    put_text(writing, "$schema", "http://json-schema.org/draft-07/schema#");
    put_text(writing, "title", "sluice.yaml(5), the configuration of Sluice");
    put_text(writing, "type", "object");
    put_flag(writing, "additionalProperties", false);
    begin_member(writing, "properties");
    put_options(writing);
    put_other_lists(writing);
    json_object_end(&writing->out);
    begin_member(writing, "definitions");
    for (size_t i = 0; i < sizeof maps / sizeof maps[0]; i++)
        put_map(writing, &maps[i]);
    json_object_end(&writing->out);
    json_object_end(&writing->out);
    output_char(&writing->out, '\n');
}

int json_schema_write(FILE *out, const struct config_registry *registry)
{
    static char bytes[SCHEMA_SIZE];
    struct writing writing = {.out = {.data = bytes, .capacity = sizeof bytes},
                              .registry = registry};
    put_all(&writing);
    if (writing.out.overflow)
        return -1;
    fwrite(bytes, 1, writing.out.used, out);
    return 0;
}
