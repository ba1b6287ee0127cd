#include "proto/runtime/field_path.h"

#include <string.h>

#include "collector/text/text.h"

bool field_path_is_wildcard(const char *text, size_t length)
{
    return text_is(text, length, "*") || text_ends(text, length, ".*");
}

bool field_path_has_wildcard(const char *list)
{
    while (list != NULL) {
        size_t length = strcspn(list, ",");
        if (field_path_is_wildcard(list, length))
            return true;
        list = list[length] == ',' ? list + length + 1 : NULL;
    }
    return false;
}

/* --- paths as text ---------------------------------------------------------------------------- */

size_t field_path_step(const char *text, size_t length)
{
    const char *end = memchr(text, length != 0 && *text == '[' ? ']' : '.', length);
    if (end == NULL)
        return length;
    return (size_t)(end - text) + (*end == ']');
}

/*
 * Returns true if the text is the field's name in a path: that of the .proto file, or an
 * extension's in brackets.
 */
static bool is_called(const struct field_type *field, const char *text, size_t length)
{
    /* a key is "name": with quotes and a colon */
    return field->proto_key_size == length + 3 && memcmp(field->proto_key + 1, text, length) == 0;
}

const struct field_type *field_path_find(const struct message_type *type, const char *text,
                                         size_t length)
{
    for (size_t i = 0; i < type->field_count; i++)
        if (is_called(&type->fields[i], text, length))
            return &type->fields[i];
    return NULL;
}

const char *field_path_text(const struct field_path *path, size_t steps,
                            char buffer[FIELD_PATH_TEXT])
{
    size_t used = 0;
    for (size_t i = 0; i < steps; i++) {
        const struct field_type *field = path->steps[i];
        size_t size = field->proto_key_size - 3;
        if (used + size + 2 > FIELD_PATH_TEXT)
            break;
        if (i != 0)
            buffer[used++] = '.';
        memcpy(buffer + used, field->proto_key + 1, size);
        used += size;
    }
    buffer[used] = '\0';
    return buffer;
}

bool field_path_same_lists(const struct field_path *a, const struct field_path *b)
{
    size_t common = a->list_count < b->list_count ? a->list_count : b->list_count;
    return common == 0 ||
           memcmp(a->steps, b->steps, (a->lists[common - 1] + 1) * sizeof a->steps[0]) == 0;
}

/* --- following -------------------------------------------------------------------------------- */

/*
 * Returns the message that a step leads to, or NULL if it is absent. The step is not the last one
 * of its path. For a repeated field, **element is the index, and *element is advanced.
 */
static inline const ProtobufCMessage *
step_into(const struct field_type *field, const ProtobufCMessage *message, const size_t **element)
{
    const void *at = field_value(field, message);
    if (field->presence == PRESENCE_REPEATED) {
        size_t index = *(*element)++;
        return index < field_elements(field, message)
                   ? (*(const ProtobufCMessage *const *const *)at)[index]
                   : NULL;
    }
    if (field->presence == PRESENCE_ONEOF && !field_is_present(field, message))
        return NULL;
    return *(const ProtobufCMessage *const *)at;
}

/* Returns the message with the field of step `to`, or NULL if a message on the way is absent. */
static inline const ProtobufCMessage *descend(const struct field_path *path, size_t to,
                                              const ProtobufCMessage *message,
                                              const struct field_place *place)
{
    const size_t *element = place == NULL ? NULL : place->elements;
    for (size_t i = 0; i < to && message != NULL; i++)
        message = step_into(path->steps[i], message, &element);
    return message;
}

size_t field_path_elements(const struct field_path *path, size_t list,
                           const ProtobufCMessage *message, const struct field_place *place)
{
    message = descend(path, path->lists[list], message, place);
    return message == NULL ? 0 : field_elements(path->steps[path->lists[list]], message);
}

const void *field_path_follow(const struct field_path *path, const ProtobufCMessage *message,
                              const struct field_place *place)
{
    size_t last = path->count - 1;
    const struct field_type *field = path->steps[last];
    message = descend(path, last, message, place);
    if (message == NULL)
        return NULL;
    if (field->map)
        return message;
    if (field->presence == PRESENCE_REPEATED) {
        size_t element = place->elements[path->list_count - 1];
        if (element >= field_elements(field, message))
            return NULL;
        return *(const char *const *)field_value(field, message) + element * field->size;
    }
    return field->presence == PRESENCE_IMPLICIT || field_is_present(field, message)
               ? field_value(field, message)
               : NULL;
}
