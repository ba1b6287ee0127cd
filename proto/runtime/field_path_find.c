/* Finds the full path of a field if a user gave only its last part. */
#include <string.h>

#include "proto/runtime/field_path.h"

/*
 * The number of types that are searched, the nearest first. In a larger set a suggestion may be
 * missing.
 */
#define MOST_TYPES 256

/* A type, and the field through which it was reached. */
struct reached {
    const struct message_type *type;
    const struct field_type *by; /* NULL: the search began with this type */
    size_t from;
    size_t steps;
};

struct search {
    struct reached types[MOST_TYPES];
    size_t count;
};

static bool is_reached(const struct search *search, const struct message_type *type)
{
    for (size_t i = 0; i < search->count; i++)
        if (search->types[i].type == type)
            return true;
    return false;
}

/* Returns true if messages of the type have this path. */
static bool leads_somewhere(const struct message_type *type, const char *text, size_t length)
{
    for (size_t at = 0; type != NULL;) {
        size_t step = field_path_step(text + at, length - at);
        const struct field_type *field = field_path_find(type, text + at, step);
        at += step;
        if (field == NULL || at == length)
            return field != NULL;
        if (text[at] != '.')
            return false;
        at++;
        type = field->message;
    }
    return false;
}

static bool write_path(const struct search *search, size_t index, const char *text, size_t length,
                       char buffer[FIELD_PATH_TEXT])
{
    struct field_path path = {.count = search->types[index].steps};
    for (size_t i = path.count; i != 0; i--) {
        path.steps[i - 1] = search->types[index].by;
        index = search->types[index].from;
    }
    size_t used = strlen(field_path_text(&path, path.count, buffer));
    if (used + length + 2 > FIELD_PATH_TEXT)
        return false;
    buffer[used++] = '.';
    memcpy(buffer + used, text, length);
    buffer[used + length] = '\0';
    return true;
}

bool field_path_find_below(const struct message_type *type, const char *text, size_t length,
                           char buffer[FIELD_PATH_TEXT])
{
    struct search search = {.types = {{.type = type}}, .count = 1};
    for (size_t i = 0; i < search.count && length != 0; i++) {
        const struct reached *here = &search.types[i];
        if (i != 0 && leads_somewhere(here->type, text, length))
            return write_path(&search, i, text, length, buffer);
        for (size_t k = 0; k < here->type->field_count; k++) {
            const struct field_type *field = &here->type->fields[k];
            if (field->message == NULL || search.count == MOST_TYPES ||
                here->steps + 1 == FIELD_PATH_STEPS || is_reached(&search, field->message))
                continue;
            search.types[search.count++] =
                (struct reached){field->message, field, i, here->steps + 1};
        }
    }
    return false;
}
