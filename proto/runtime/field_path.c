#include "proto/runtime/field_path.h"

#include <string.h>

#include "collector/base/parse_error.h"
#include "collector/base/suggestion.h"

/* --- parsing ---------------------------------------------------------------------------------- */

/* Bytes of the step at the beginning of `text`: up to a dot, or to the bracket that closes. */
static size_t step_length(const char *text, size_t length)
{
    const char *end = memchr(text, length != 0 && *text == '[' ? ']' : '.', length);
    if (end == NULL)
        return length;
    return (size_t)(end - text) + (*end == ']');
}

/* A field's name as a path has it: extensions in brackets; without quotes around it. */
static bool is_called(const struct field_type *field, const char *text, size_t length)
{
    /* `"name":` */
    return field->proto_key_size == length + 3 && memcmp(field->proto_key + 1, text, length) == 0;
}

static bool no_such_field(const struct message_type *type, const char *text, size_t length,
                          struct error *error)
{
    char given[QUOTED_SIZE];
    struct parse_error fault;
    struct suggestion suggestion;
    suggestion_begin(&suggestion, text, length);
    for (size_t i = 0; i < type->field_count; i++)
        suggestion_offer(&suggestion, type->fields[i].descriptor->name);
    parse_error_set(&fault, 0, "has no field %s", quoted(text, length, given));
    parse_error_suggest(&fault, suggestion_found(&suggestion));
    error_set(error, EXIT_CODE_CONFIG, "message \"%s\" %s", type->descriptor->name, fault.text);
    return false;
}

static const struct field_type *find_field(const struct message_type *type, const char *text,
                                           size_t length)
{
    for (size_t i = 0; i < type->field_count; i++)
        if (is_called(&type->fields[i], text, length))
            return &type->fields[i];
    return NULL;
}

static bool add_step(struct field_path *path, const struct field_type *field, struct error *error)
{
    const char *name = field->descriptor->name;
    if (path->count == FIELD_PATH_STEPS) {
        error_set(error, EXIT_CODE_CONFIG, "the path has more than %d steps", FIELD_PATH_STEPS);
        return false;
    }
    if (field->presence == PRESENCE_REPEATED && !field->map) {
        if (path->list != FIELD_PATH_STEPS) {
            error_set(error, EXIT_CODE_CONFIG,
                      "\"%s\" is the second repeated field on the way; there can be one", name);
            return false;
        }
        path->list = path->count;
    }
    path->steps[path->count++] = field;
    return true;
}

bool field_path_parse(const struct message_type *type, const char *text, size_t length,
                      struct field_path *path, struct error *error)
{
    *path = (struct field_path){.list = FIELD_PATH_STEPS};
    for (size_t at = 0;;) {
        size_t step = step_length(text + at, length - at);
        const struct field_type *field = find_field(type, text + at, step);
        if (field == NULL)
            return no_such_field(type, text + at, step, error);
        if (!add_step(path, field, error))
            return false;
        at += step;
        if (at == length)
            break;
        if (text[at] != '.' || at + 1 == length || field->message == NULL || field->map) {
            char given[QUOTED_SIZE];
            error_set(error, EXIT_CODE_CONFIG, "nothing can follow \"%s\" in the path %s",
                      field->descriptor->name, quoted(text, length, given));
            return false;
        }
        at++;
        type = field->message;
    }
    if (path->list > path->count)
        path->list = path->count;
    return true;
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

bool field_path_same_list(const struct field_path *a, const struct field_path *b)
{
    if (a->list == a->count || b->list == b->count || a->list != b->list)
        return false;
    return memcmp(a->steps, b->steps, (a->list + 1) * sizeof a->steps[0]) == 0;
}

/* --- following -------------------------------------------------------------------------------- */

/* The message that the first `steps` steps lead to, none of them repeated; NULL: not there. */
static const ProtobufCMessage *descend(const struct field_path *path, size_t from, size_t to,
                                       const ProtobufCMessage *message)
{
    for (size_t i = from; i < to && message != NULL; i++)
        message = field_is_present(path->steps[i], message)
                      ? *(const ProtobufCMessage *const *)field_value(path->steps[i], message)
                      : NULL;
    return message;
}

size_t field_path_elements(const struct field_path *path, const ProtobufCMessage *message)
{
    if (path->list == path->count)
        return 1;
    message = descend(path, 0, path->list, message);
    return message == NULL ? 0 : field_elements(path->steps[path->list], message);
}

const void *field_path_follow(const struct field_path *path, const ProtobufCMessage *message,
                              size_t element)
{
    size_t last = path->count - 1;
    if (path->list < path->count) {
        const struct field_type *list = path->steps[path->list];
        message = descend(path, 0, path->list, message);
        if (message == NULL || element >= field_elements(list, message))
            return NULL;
        const char *at = *(const char *const *)field_value(list, message) + element * list->size;
        if (path->list == last)
            return at;
        message = descend(path, path->list + 1, last, *(ProtobufCMessage *const *)(const void *)at);
    } else {
        message = descend(path, 0, last, message);
    }
    const struct field_type *field = path->steps[last];
    if (message == NULL)
        return NULL;
    if (field->map)
        return message;
    return field->presence == PRESENCE_IMPLICIT || field_is_present(field, message)
               ? field_value(field, message)
               : NULL;
}
