#include "proto/runtime/sender.h"

#include <string.h>

#include "proto/runtime/field_value.h"

/* Separates the parts of a sender's name. Usual texts do not contain this byte. */
#define SEPARATOR '\0'

static bool parse_one(const struct message_type *type, const char *option, const char *text,
                      size_t length, struct field_path *path, struct error *error)
{
    if (!field_path_parse_option(type, option, text, length, path, error))
        return false;
    if (path->list_count != 0)
        return field_path_refuse(option, path, "is reached through a repeated field", error);
    if (field_path_last(path)->message != NULL)
        return field_path_refuse(option, path, "is a message, not a value", error);
    return true;
}

static bool parse_keys(const struct message_type *type, const char *text,
                       struct sender_paths *paths, struct error *error)
{
    for (;;) {
        text += strspn(text, " "); /* a line break in a configuration file becomes a blank */
        size_t length = strcspn(text, ",");
        if (paths->key_count == SENDER_KEYS) {
            error_set(error, EXIT_CODE_CONFIG, "sequence_key: more than %d paths", SENDER_KEYS);
            return false;
        }
        if (!parse_one(type, "sequence_key", text, length, &paths->keys[paths->key_count++], error))
            return false;
        if (text[length] == '\0')
            return true;
        text += length + 1;
    }
}

bool sender_parse(const struct message_type *type, const char *number, const char *keys,
                  struct sender_paths *paths, struct error *error)
{
    *paths = (struct sender_paths){0};
    if (number == NULL)
        return true;
    if (!parse_one(type, "sequence", number, strlen(number), &paths->number, error))
        return false;
    if (!field_is_integer(field_path_last(&paths->number)))
        return field_path_refuse("sequence", &paths->number, "is not an integer", error);
    return keys == NULL || parse_keys(type, keys, paths, error);
}

/* Returns false if the number is negative, which counts as not given. */
static bool read_number(const struct field_type *field, const void *at, uint64_t *number)
{
    struct field_number read = field_read_number(field, at);
    *number = read.is.as_unsigned;
    return read.type == FIELD_UNSIGNED || read.is.as_signed >= 0;
}

/*
 * Returns true if the sender's counter begins again at 0 after its largest number: it is an
 * unsigned field of 32 bits.
 */
static bool wraps(const struct field_type *field)
{
    return field->kind == KIND_UINT32 || field->kind == KIND_FIXED32;
}

bool sender_read(const struct sender_paths *paths, const ProtobufCMessage *message,
                 struct arena *arena, struct datagram_sequence *sequence, bool *numbered)
{
    *numbered = false;
    if (paths->number.count == 0)
        return true;
    const void *at = field_path_follow(&paths->number, message, NULL);
    if (at == NULL || !read_number(field_path_last(&paths->number), at, &sequence->number))
        return true;
    struct output name = {.data = (char *)arena->base + arena->used,
                          .capacity = arena->capacity - arena->used};
    for (size_t i = 0; i < paths->key_count; i++) {
        const void *key = field_path_follow(&paths->keys[i], message, NULL);
        if (key != NULL)
            field_write_text(field_path_last(&paths->keys[i]), key, &name);
        output_char(&name, SEPARATOR);
    }
    if (name.overflow || arena_allocate(arena, name.used) == NULL)
        return false;
    sequence->sender = (struct text){name.data, name.used};
    sequence->boot_id = 0;
    sequence->wraps = wraps(field_path_last(&paths->number));
    *numbered = true;
    return true;
}

/* --- comparing paths -------------------------------------------------------------------------- */

/* Returns true if both fields are the same in the wire format; their names may differ. */
static bool same_field(const struct field_type *a, const struct field_type *b)
{
    return a->number == b->number && a->kind == b->kind && a->presence == b->presence;
}

static bool same_path(const struct field_path *a, const struct field_path *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (!same_field(a->steps[i], b->steps[i]))
            return false;
    return true;
}

bool sender_paths_equal(const struct sender_paths *a, const struct sender_paths *b)
{
    if (!same_path(&a->number, &b->number) || a->key_count != b->key_count)
        return false;
    for (size_t i = 0; i < a->key_count; i++)
        if (!same_path(&a->keys[i], &b->keys[i]))
            return false;
    return true;
}
