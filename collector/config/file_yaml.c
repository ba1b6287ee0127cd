/*
 * Reads a configuration file and the files that it names. The top level of each file is a map of
 * options.
 */
#include "collector/config/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/base/suggestion.h"
#include "collector/config/file_parts.h"
#include "collector/config/keys.h"
#include "collector/platform/input_file.h"

static const char *name_in_file(const struct option *option)
{
    switch (option->action) {
    case OPTION_LISTEN:
    case OPTION_SINK:
        return option_list_name(option);
    case OPTION_DEAD_LETTERS:
    case OPTION_VALUE:
        return option->setting.name;
    case OPTION_CONFIG:
    case OPTION_FLAG:
    case OPTION_HELP:
    case OPTION_VERSION:
    case OPTION_SCHEMA:
        break;
    }
    return NULL;
}

const char *config_file_library(void)
{
    static char name[32];
    if (yaml_reading_version() == NULL)
        return NULL;
    snprintf(name, sizeof name, "libyaml %s", yaml_reading_version());
    return name;
}

/* --- names ------------------------------------------------------------------------------------ */

/*
 * If the name that was just read is a key or an option that is not allowed at the top level, fills
 * `fault` and returns true.
 */
static bool is_elsewhere(const struct file_reading *reading, struct parse_error *fault)
{
    for (const struct option *option = command_options; option->setting.name != NULL; option++) {
        if (!file_piece_is(reading, option->setting.name))
            continue;
        if (option_list_name(option) != NULL)
            parse_error_set(fault, 0, "in a file --%s is the list \"%s\"", option->setting.name,
                            option_list_name(option));
        else
            parse_error_set(fault, 0, "--%s is only allowed on the command line",
                            option->setting.name);
        return true;
    }
    for (const struct setting *key = config_keys; key->name != NULL; key++) {
        if (!file_piece_is(reading, key->name))
            continue;
        parse_error_set(fault, 0, "key \"%s\" is for %s, not for the file as a whole", key->name,
                        key_scope_name(key->scopes));
        return true;
    }
    return false;
}

static bool unknown_name(const struct file_reading *reading)
{
    const struct yaml_piece *piece = &reading->piece;
    char given[QUOTED_SIZE];
    struct suggestion suggestion;
    struct parse_error fault;
    if (is_elsewhere(reading, &fault))
        return file_parse_error(reading, piece->mark, &fault);
    suggestion_begin(&suggestion, piece->text, piece->length);
    for (const struct option *option = command_options; option->setting.name != NULL; option++)
        if (name_in_file(option) != NULL) {
            suggestion_offer(&suggestion, name_in_file(option));
            suggestion_offer_others(&suggestion, option->setting.others, name_in_file(option));
        }
    suggestion_offer(&suggestion, CONFIG_FILE_TESTS);
    suggestion_offer(&suggestion, CONFIG_FILE_MORE);
    suggestion_offer_others(&suggestion, "include includes include_files import conf_d",
                            CONFIG_FILE_MORE);
    parse_error_set(&fault, 0, "unknown option %s", quoted(piece->text, piece->length, given));
    if (suggestion_found(&suggestion) == NULL)
        parse_error_append(&fault, "; a file has listeners, sinks and what --help lists");
    parse_error_suggest(&fault, suggestion_found(&suggestion));
    return file_parse_error(reading, piece->mark, &fault);
}

/* --- values ----------------------------------------------------------------------------------- */

static bool read_file_value(struct file_reading *reading, const struct option *option)
{
    struct provenance_text text = {0};
    bool good = file_read_value(reading, &option->setting, option->setting.name, '\0', &text) &&
                (provenance_add(reading->provenance, option, PROVENANCE_FILE, &text) != NULL ||
                 file_no_memory(reading));
    provenance_text_free(&text);
    return good;
}

static bool read_list(struct file_reading *reading, const struct option *option)
{
    const char *name = option_list_name(option);
    size_t count = 0;
    if (reading->piece.kind == PIECE_MAP ||
        (reading->piece.kind == PIECE_TEXT && reading->piece.length != 0))
        return file_read_url(reading, option); /* one element, not in a list */
    if (reading->piece.kind != PIECE_LIST)
        return file_wrong_kind(reading, name, FILE_LIST_DUE);
    struct provenance_mark mark = reading->piece.mark;
    while (file_next(reading)) {
        if (reading->piece.kind == PIECE_LIST_END) {
            return count != 0 || file_refuse(reading, mark,
                                             "\"%s\" is empty; leave it out for the default", name);
        }
        if (count++ == CONFIG_LIST_MAX)
            return file_refuse(reading, reading->piece.mark, "\"%s\" has more than %d items", name,
                               CONFIG_LIST_MAX);
        if (!file_read_url(reading, option))
            return false;
    }
    return false;
}

/* --- the document ----------------------------------------------------------------------------- */

/*
 * Records that an option is given in this file. A list may be given once in each file, other
 * options once in all files.
 */
static bool note_given(const struct file_reading *reading, const char *name, bool is_list,
                       struct file_place *place)
{
    if (place->path == NULL || (is_list && place->path != reading->path)) {
        *place = (struct file_place){reading->path, reading->piece.mark.line};
        return true;
    }
    if (place->path == reading->path)
        return file_note_line(reading, name, &place->line);
    return file_refuse(reading, reading->piece.mark, "\"%s\" is given twice; first at %s:%zu", name,
                       place->path, place->line);
}

/*
 * Returns true if the YAML text that was just read is the option's name. The text may have
 * underscores in place of hyphens.
 */
static bool is_option(const struct file_reading *reading, const char *name)
{
    const struct yaml_piece *piece = &reading->piece;
    size_t same = 0;
    if (name == NULL || piece->kind != PIECE_TEXT || strlen(name) != piece->length)
        return false;
    while (same < piece->length &&
           (piece->text[same] == name[same] || (piece->text[same] == '_' && name[same] == '-')))
        same++;
    return same == piece->length;
}

static bool read_option_pair(struct file_reading *reading)
{
    const struct option *option = command_options;
    if (reading->piece.kind != PIECE_TEXT)
        return file_wrong_piece(reading, "a name");
    if (file_piece_is(reading, CONFIG_FILE_TESTS)) {
        reading->provenance->has_tests = true;
        return file_next(reading) && file_skip(reading);
    }
    if (file_piece_is(reading, CONFIG_FILE_MORE))
        return file_read_more(reading);
    while (option->setting.name != NULL && !is_option(reading, name_in_file(option)))
        option++;
    if (option->setting.name == NULL)
        return unknown_name(reading);
    bool is_list = option_list_name(option) != NULL;
    if (!note_given(reading, name_in_file(option), is_list,
                    &reading->given->options[option - command_options]) ||
        !file_next(reading))
        return false;
    if (is_list)
        return read_list(reading, option);
    return option->action == OPTION_DEAD_LETTERS ? file_read_url(reading, option)
                                                 : read_file_value(reading, option);
}

static bool read_document(struct file_reading *reading)
{
    if (!file_next(reading))
        return false;
    if (reading->piece.kind == PIECE_END)
        return true;
    if (reading->piece.kind != PIECE_MAP)
        return file_wrong_piece(reading, "\"name: value\"");
    while (file_next(reading)) {
        if (reading->piece.kind == PIECE_MAP_END)
            return file_next(reading); /* the end of the document */
        if (!read_option_pair(reading))
            return false;
    }
    return false;
}

static bool parse_config_file(struct file_reading *reading, const char *text, size_t length)
{
    reading->yaml = yaml_reading_begin(text, length);
    bool good = reading->yaml != NULL && provenance_add_file(reading->provenance, reading->path);
    good = good ? read_document(reading) : file_no_memory(reading);
    yaml_reading_end(reading->yaml);
    return good;
}

/* --- the file --------------------------------------------------------------------------------- */

bool config_file_load(const char *path, char **bytes, size_t *length, struct error *error)
{
    struct error why;
    *length = 0;
    if (config_file_library() == NULL) {
        error_set(error, EXIT_CODE_CONFIG, "%s: this program was built without YAML (libyaml)",
                  path);
        return false;
    }
    *bytes = malloc(CONFIG_FILE_MAX + 1);
    if (*bytes == NULL) {
        error_no_memory(error);
        return false;
    }
    int result = input_load(path, *bytes, CONFIG_FILE_MAX + 1, length, &why);
    if (result != 0)
        error_set(error, why.code == EXIT_CODE_BAD_INPUT ? EXIT_CODE_CONFIG : why.code, "%s",
                  why.text);
    else if (*length > CONFIG_FILE_MAX)
        error_set(error, EXIT_CODE_CONFIG, "%s: larger than 1MiB, the limit for a configuration",
                  path);
    if (result == 0 && *length <= CONFIG_FILE_MAX)
        return true;
    free(*bytes);
    return false;
}

/* --- reading all files ------------------------------------------------------------------------ */

static bool read_file(struct file_reading *reading)
{
    char *bytes;
    size_t length;
    if (!config_file_load(reading->path, &bytes, &length, reading->error)) {
        struct parse_error why;
        if (reading->named_in == NULL || reading->error->code == EXIT_CODE_INTERNAL)
            return false;
        parse_error_set(&why, 0, "%s", reading->error->text);
        reading->path = reading->named_in;
        return file_parse_error(reading, reading->named_at, &why);
    }
    bool good = parse_config_file(reading, bytes, length);
    free(bytes);
    return good;
}

bool config_file_read(const char *path, struct provenance *provenance, struct error *error)
{
    struct files_given given = {.more_line = 0};
    struct file_names more = {.count = 0};
    struct file_reading reading = {
        .path = path, .provenance = provenance, .given = &given, .more = &more, .error = error};
    bool good = read_file(&reading);
    reading.more = NULL;
    reading.named_in = path;
    for (size_t i = 0; good && i < more.count; i++) {
        reading.path = more.paths[i];
        reading.named_at = more.marks[i];
        good = read_file(&reading);
    }
    file_names_free(&more);
    return good;
}
