#include <stdio.h>
#include <string.h>

#include "collector/base/suggestion.h"
#include "collector/config/file.h"
#include "collector/config/file_parts.h"
#include "collector/config/keys.h"

/*
 * Converts the map of a listener, a sink or dead letters to the equivalent URL. The map's keys are
 * in any order; in the URL a schema precedes its keys.
 */
enum part { PART_PLACE, PART_KEYS, PART_SCHEMA, PART_OF_SCHEMA, PART_COUNT };

#define KEY_NAME_SIZE 128

/* Name of the list of a listener's schemas; it is not a key. */
#define SCHEMAS "schemas"

struct map {
    unsigned scopes;
    const char *place_name;       /* key for the place of the URL; NULL means the map of a schema */
    const char *place_others;     /* names that other programs use for place_name, for
                                     suggestions */
    struct provenance_mark begin; /* beginning of the map */
    struct provenance_text parts[PART_COUNT];
    size_t place_line, schemas_line, lines[KEYS_MAX]; /* lines of the place, of `schemas` and of
                                                         each key; 0: not given */
};

struct schemas {
    struct map *listener;
    size_t count;
};

static bool read_map(struct file_reading *reading, struct map *map);

static void free_map(struct map *map)
{
    for (size_t i = 0; i < PART_COUNT; i++)
        provenance_text_free(&map->parts[i]);
}

/* --- reading one key -------------------------------------------------------------------------- */

/* Reads the next YAML event: the value of the key `name`, which must be a text. */
static bool map_read_text(struct file_reading *reading, const char *name)
{
    if (!file_next(reading))
        return false;
    if (reading->piece.kind != PIECE_TEXT)
        return file_wrong_kind(reading, name, "a single value");
    return reading->piece.length != 0 ||
           file_refuse(reading, reading->piece.mark, "\"%s\" has no value", name);
}

static bool check_sign(const struct file_reading *reading, const char *name, char sign,
                       const char *why)
{
    const struct yaml_piece *piece = &reading->piece;
    const char *found = memchr(piece->text, sign, piece->length);
    if (found == NULL)
        return true;
    struct provenance_mark mark = piece->text_mark;
    if (piece->exact)
        for (const char *c = piece->text; c < found; c++)
            mark.column += ((unsigned char)*c & 0xc0) != 0x80;
    return file_refuse(reading, mark, "\"%s\" contains \"%c\": %s", name, sign, why);
}

static bool map_put_value(const struct file_reading *reading, struct provenance_text *text)
{
    const struct yaml_piece *piece = &reading->piece;
    return provenance_text_put_marked(text, piece->text, piece->length, piece->text_mark,
                                      piece->exact) ||
           file_no_memory(reading);
}

static bool read_items(struct file_reading *reading, const char *name, char sign,
                       struct provenance_text *text)
{
    struct provenance_mark begin = reading->piece.mark;
    size_t count = 0;
    while (file_next(reading) && reading->piece.kind != PIECE_LIST_END) {
        if (reading->piece.kind != PIECE_TEXT || reading->piece.length == 0)
            return file_refuse(reading, reading->piece.mark, "an item of \"%s\" is %s", name,
                               file_piece_name(reading));
        if (count++ != 0 && !provenance_text_put(text, ",", 1))
            return file_no_memory(reading);
        if ((sign != '\0' && !check_sign(reading, name, sign, "it begins the next key in a URL")) ||
            !map_put_value(reading, text))
            return false;
    }
    return reading->piece.kind == PIECE_LIST_END &&
           (count != 0 ||
            file_refuse(reading, begin, "\"%s\" is an empty list; leave it out", name));
}

bool file_read_value(struct file_reading *reading, const struct setting *setting, const char *name,
                     char sign, struct provenance_text *text)
{
    if (reading->piece.kind == PIECE_LIST && setting_is_list(setting))
        return read_items(reading, name, sign, text);
    if (reading->piece.kind != PIECE_TEXT)
        return file_wrong_kind(reading, name, "a single value");
    if (reading->piece.length == 0)
        return file_refuse(reading, reading->piece.mark, "\"%s\" has no value", name);
    return (sign == '\0' || check_sign(reading, name, sign, "it begins the next key in a URL")) &&
           map_put_value(reading, text);
}

static bool read_place(struct file_reading *reading, struct map *map)
{
    const char *name = map->place_name;
    return file_note_line(reading, name, &map->place_line) && map_read_text(reading, name) &&
           check_sign(reading, name, '?', "write keys as separate entries of the map") &&
           map_put_value(reading, &map->parts[PART_PLACE]);
}

static enum part map_part_of(const struct setting *key)
{
    if (key->type == SETTING_SCHEMA)
        return PART_SCHEMA;
    return (key->scopes & (KEY_OF_SCHEMA | KEY_OF_FILE)) != 0 ? PART_OF_SCHEMA : PART_KEYS;
}

/*
 * Reads the value of `key`, and appends key and value to the part of the URL that the key belongs
 * to.
 */
static bool map_read_key(struct file_reading *reading, struct map *map, const struct setting *key)
{
    struct provenance_text *part = &map->parts[map_part_of(key)];
    struct provenance_mark mark = reading->piece.mark;
    size_t ignored = 0;
    size_t *line = key->open ? &ignored : &map->lines[key - config_keys];
    char name[KEY_NAME_SIZE]; /* copied, because reading the next YAML event overwrites it */
    if (key->open)
        copy_printable(name, sizeof name, reading->piece.text, reading->piece.length);
    else
        snprintf(name, sizeof name, "%s", key->name); /* the key's own name; the name in the file
                                                       * may have hyphens */
    if (!file_note_line(reading, key->name, line))
        return false;
    if (map->schemas_line != 0 && part != &map->parts[PART_KEYS])
        return file_refuse(reading, mark, "key \"%s\" belongs to a schema; put it under " SCHEMAS,
                           key->name);
    if (!provenance_text_put(part, "&", 1) ||
        !provenance_text_put_marked(part, name, strlen(name), mark, true) ||
        !provenance_text_put(part, "=", 1))
        return file_no_memory(reading);
    return file_next(reading) && file_read_value(reading, key, name, '&', part);
}

/* --- a listener's schemas --------------------------------------------------------------------- */

static bool read_schema(struct file_reading *reading, struct schemas *schemas)
{
    struct map map = {.scopes = KEY_OF_SCHEMA | KEY_OF_FILE, .begin = reading->piece.mark};
    struct provenance_text *all = &schemas->listener->parts[PART_OF_SCHEMA];
    bool good = false;
    if (reading->piece.kind != PIECE_MAP)
        return file_refuse(reading, map.begin,
                           "an item of " SCHEMAS " is %s; write \"schema: NAME\"",
                           file_piece_name(reading));
    if (schemas->count++ == CONFIG_LIST_MAX)
        return file_refuse(reading, map.begin, SCHEMAS " has more than %d items", CONFIG_LIST_MAX);
    if (read_map(reading, &map)) {
        good = map.parts[PART_SCHEMA].length != 0;
        if (!good)
            file_refuse(reading, map.begin, "this schema has no name; write \"schema: NAME\"");
        else if (!provenance_text_append(all, &map.parts[PART_SCHEMA]) ||
                 !provenance_text_append(all, &map.parts[PART_OF_SCHEMA]))
            good = file_no_memory(reading);
    }
    free_map(&map);
    return good;
}

static bool read_schemas(struct file_reading *reading, struct map *map)
{
    struct schemas schemas = {.listener = map};
    struct provenance_mark mark = reading->piece.mark;
    if (!file_note_line(reading, SCHEMAS, &map->schemas_line))
        return false;
    if (map->parts[PART_SCHEMA].length != 0 || map->parts[PART_OF_SCHEMA].length != 0)
        return file_refuse(reading, mark,
                           "there is a key of a schema next to " SCHEMAS "; put it under that");
    if (!file_next(reading))
        return false;
    if (reading->piece.kind != PIECE_LIST)
        return file_refuse(reading, reading->piece.mark,
                           SCHEMAS " must be a list (each item begins with \"- \"), not %s",
                           file_piece_name(reading));
    while (file_next(reading) && reading->piece.kind != PIECE_LIST_END)
        if (!read_schema(reading, &schemas))
            return false;
    if (reading->piece.kind != PIECE_LIST_END)
        return false;
    return schemas.count != 0 ||
           file_refuse(reading, mark, SCHEMAS " is empty; leave it out for the default schema");
}

/* --- maps ------------------------------------------------------------------------------------- */

/*
 * Fills the error as key_find does, but also suggests names that only maps have: the key of the
 * place, and `schemas`.
 */
static bool unknown_key(const struct file_reading *reading, const struct map *map,
                        struct parse_error *fault)
{
    const struct yaml_piece *piece = &reading->piece;
    char given[QUOTED_SIZE];
    struct suggestion suggestion;
    for (const struct option *option = command_options; option->setting.name != NULL; option++)
        if (file_piece_is(reading, option_list_name(option)))
            return file_refuse(reading, piece->mark,
                               "\"%s\" is a list of the file, not a key; begin it in column 1",
                               option_list_name(option));
    suggestion_begin(&suggestion, piece->text, piece->length);
    for (const struct setting *key = config_keys; key->name != NULL; key++)
        if (key_is_called(key, piece->text, piece->length))
            return file_parse_error(reading, piece->mark, fault);
    keys_offer(map->scopes, &suggestion);
    if (map->place_name != NULL) {
        suggestion_offer(&suggestion, map->place_name);
        suggestion_offer_others(&suggestion, map->place_others, map->place_name);
    }
    if ((map->scopes & KEY_OF_UDP) != 0)
        suggestion_offer(&suggestion, SCHEMAS);
    if (suggestion_found(&suggestion) != NULL) {
        parse_error_set(fault, 0, "unknown key %s", quoted(piece->text, piece->length, given));
        parse_error_suggest(fault, suggestion_found(&suggestion));
    }
    return file_parse_error(reading, piece->mark, fault);
}

/*
 * Finds the key whose name was just read; the name may have hyphens in place of underscores.
 * Returns NULL with the error filled if there is no such key.
 */
static const struct setting *find_map_key(const struct file_reading *reading, const struct map *map)
{
    const struct yaml_piece *piece = &reading->piece;
    struct parse_error fault;
    char name[KEY_NAME_SIZE];
    const struct setting *key = key_find(map->scopes, piece->text, piece->length, &fault);
    if (key == NULL && memchr(piece->text, '-', piece->length) != NULL &&
        piece->length < sizeof name) {
        struct parse_error other;
        for (size_t i = 0; i < piece->length; i++)
            name[i] = piece->text[i] == '-' ? '_' : piece->text[i];
        key = key_find(map->scopes, name, piece->length, &other);
        if (key == NULL && key_find(~0u, name, piece->length, &fault) != NULL) {
            file_parse_error(reading, piece->mark, &other); /* a known key, but not allowed here */
            return NULL;
        }
    }
    if (key == NULL)
        unknown_key(reading, map, &fault);
    return key;
}

static bool map_read_pair(struct file_reading *reading, struct map *map)
{
    if (reading->piece.kind != PIECE_TEXT)
        return file_wrong_piece(reading, "a key");
    if (file_piece_is(reading, map->place_name))
        return read_place(reading, map);
    if ((map->scopes & KEY_OF_UDP) != 0 && file_piece_is(reading, SCHEMAS))
        return read_schemas(reading, map);
    const struct setting *key = find_map_key(reading, map);
    return key != NULL && map_read_key(reading, map, key);
}

static bool read_map(struct file_reading *reading, struct map *map)
{
    while (file_next(reading)) {
        if (reading->piece.kind == PIECE_MAP_END)
            return true;
        if (!map_read_pair(reading, map))
            return false;
    }
    return false;
}

/* --- URLs ------------------------------------------------------------------------------------- */

static struct map empty_map(const struct option *option, struct provenance_mark begin)
{
    struct map map = {
        .place_name = "to", .place_others = "path file filename url target output", .begin = begin};
    if (option->action == OPTION_LISTEN) {
        map.place_name = "address";
        map.place_others = "listen listen_address bind bind_address host url endpoint "
                           "service_address";
        map.scopes = KEY_OF_ANY_LISTENER | KEY_OF_SCHEMA | KEY_OF_FILE;
    } else if (option->action == OPTION_SINK) {
        map.scopes = KEY_OF_ANY_SINK;
    } else {
        map.scopes = KEY_OF_DEAD_LETTERS;
    }
    return map;
}

/* Completes "stdout" to "stdout:", which would need quotation marks in YAML. */
static bool complete_place(const struct option *option, struct provenance_text *place)
{
    return option->action != OPTION_SINK || strchr(place->data, ':') != NULL ||
           strpbrk(place->data, "./\\") != NULL || provenance_text_put(place, ":", 1);
}

static bool put_together(const struct option *option, struct map *map, struct provenance_text *url)
{
    if (!provenance_text_append(url, &map->parts[PART_PLACE]) || !complete_place(option, url))
        return false;
    size_t keys_at = url->length;
    for (int part = PART_KEYS; part < PART_COUNT; part++)
        if (!provenance_text_append(url, &map->parts[part]))
            return false;
    if (url->length != keys_at)
        url->data[keys_at] = '?'; /* replaces the '&' before the first key */
    return true;
}

static bool add_map(struct file_reading *reading, const struct option *option)
{
    struct map map = empty_map(option, reading->piece.mark);
    struct provenance_text url = {0};
    bool good = read_map(reading, &map);
    if (good && map.place_line == 0)
        good =
            file_refuse(reading, map.begin, "\"%s\" is missing here; write %s: %s, for example",
                        map.place_name, map.place_name,
                        strcmp(map.place_name, "address") == 0 ? "udp://ADDR:PORT" : "file:PATH");
    if (good && (!put_together(option, &map, &url) ||
                 provenance_add(reading->provenance, option, PROVENANCE_FILE, &url) == NULL))
        good = file_no_memory(reading);
    provenance_text_free(&url);
    free_map(&map);
    return good;
}

bool file_read_url(struct file_reading *reading, const struct option *option)
{
    struct provenance_text url = {0};
    if (reading->piece.kind == PIECE_MAP)
        return add_map(reading, option);
    if (reading->piece.kind != PIECE_TEXT || reading->piece.length == 0)
        return file_wrong_piece(reading, option->action == OPTION_LISTEN
                                             ? "a URL or a map with \"address\""
                                             : "a URL or a map with \"to\"");
    bool good =
        map_put_value(reading, &url) && (complete_place(option, &url) || file_no_memory(reading));
    if (good && provenance_add(reading->provenance, option, PROVENANCE_FILE, &url) == NULL)
        good = file_no_memory(reading);
    provenance_text_free(&url);
    return good;
}
