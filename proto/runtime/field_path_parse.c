#include <string.h>

#include "collector/base/parse_error.h"
#include "collector/base/suggestion.h"
#include "proto/runtime/field_path.h"

/*
 * Searches the submessages for the rest of the path from byte `at` on. If one has it, suggests the
 * full path.
 */
static bool suggest_below(const struct message_type *type, const char *text, size_t length,
                          size_t at, struct parse_error *fault)
{
    char below[FIELD_PATH_TEXT];
    char whole[2 * FIELD_PATH_TEXT];
    if (at >= FIELD_PATH_TEXT || !field_path_find_below(type, text + at, length - at, below))
        return false;
    memcpy(whole, text, at);
    memcpy(whole + at, below, strlen(below) + 1);
    parse_error_suggest(fault, whole);
    return true;
}

static bool no_such_field(const struct message_type *type, const char *text, size_t length,
                          size_t at, struct error *error)
{
    char given[QUOTED_SIZE];
    struct parse_error fault;
    struct suggestion suggestion;
    size_t step = field_path_step(text + at, length - at);
    parse_error_set(&fault, 0, "has no field %s", quoted(text + at, step, given));
    if (!suggest_below(type, text, length, at, &fault)) {
        suggestion_begin(&suggestion, text + at, step);
        for (size_t i = 0; i < type->field_count; i++)
            suggestion_offer(&suggestion, type->fields[i].descriptor->name);
        parse_error_suggest(&fault, suggestion_found(&suggestion));
    }
    error_set(error, EXIT_CODE_CONFIG, "message \"%s\" %s", type->descriptor->name, fault.text);
    return false;
}

/*
 * Appends a step. A repeated field is also added to the path's lists, but a map only if another
 * step follows.
 */
static bool add_step(struct field_path *path, const struct field_type *field, bool last,
                     struct error *error)
{
    if (path->count == FIELD_PATH_STEPS) {
        error_set(error, EXIT_CODE_CONFIG, "the path has more than %d steps", FIELD_PATH_STEPS);
        return false;
    }
    if (field->presence == PRESENCE_REPEATED && !(field->map && last)) {
        if (path->list_count == FIELD_PATH_LISTS) {
            error_set(error, EXIT_CODE_CONFIG,
                      "\"%s\" is one repeated field too many on the way; there can be %d",
                      field->descriptor->name, FIELD_PATH_LISTS);
            return false;
        }
        path->lists[path->list_count++] = path->count;
    }
    path->steps[path->count++] = field;
    return true;
}

bool field_path_parse(const struct message_type *type, const char *text, size_t length,
                      struct field_path *path, struct error *error)
{
    *path = (struct field_path){0};
    for (size_t at = 0;;) {
        size_t step = field_path_step(text + at, length - at);
        const struct field_type *field = field_path_find(type, text + at, step);
        if (field == NULL)
            return no_such_field(type, text, length, at, error);
        at += step;
        if (!add_step(path, field, at == length, error))
            return false;
        if (at == length)
            return true;
        if (text[at] != '.' || at + 1 == length || field->message == NULL) {
            char given[QUOTED_SIZE];
            error_set(error, EXIT_CODE_CONFIG, "nothing can follow \"%s\" in the path %s",
                      field->descriptor->name, quoted(text, length, given));
            return false;
        }
        at++;
        type = field->message;
    }
}

bool field_path_parse_option(const struct message_type *type, const char *option, const char *text,
                             size_t length, struct field_path *path, struct error *error)
{
    struct error reason;
    if (field_path_parse(type, text, length, path, &reason))
        return true;
    error_set(error, reason.code, "%s: %s", option, reason.text);
    return false;
}

bool field_path_refuse(const char *option, const struct field_path *path, const char *why,
                       struct error *error)
{
    error_set(error, EXIT_CODE_CONFIG, "%s: \"%s\" %s", option,
              field_path_last(path)->descriptor->name, why);
    return false;
}
