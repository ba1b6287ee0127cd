/*
 * A way from a message to a field in it, or in what it holds: "sensor.readings.value". A step is a
 * field's name as in the .proto file, or "[full.name]" of an extension. After a map follows "key"
 * or "value": it is a repeated field of entries.
 *
 * Up to FIELD_PATH_LISTS steps of a path may be repeated fields, each inside the one before: the
 * path then leads to a value for each element of the innermost. Paths are made at start and
 * immutable; any thread may follow them.
 */
#ifndef SLUICE_PROTO_RUNTIME_FIELD_PATH_H
#define SLUICE_PROTO_RUNTIME_FIELD_PATH_H

#include "collector/base/error.h"
#include "proto/message/type.h"

#define FIELD_PATH_STEPS 16
#define FIELD_PATH_LISTS 4

struct field_path {
    const struct field_type *steps[FIELD_PATH_STEPS];
    size_t count;
    size_t lists[FIELD_PATH_LISTS]; /* which steps are repeated, the outermost first */
    size_t list_count;
};

/* An element of each repeated field of a path, the outermost first. */
struct field_place {
    size_t elements[FIELD_PATH_LISTS];
};

/* In place of an element: none. No list is as long. */
#define NO_ELEMENT SIZE_MAX

/*
 * Reads a path of `length` bytes from `type` on. A map that is its last step stands for all its
 * entries. Returns false with `error` filled (EXIT_CODE_CONFIG), which says what is wrong with it
 * and names the field that was probably meant: the nearest name, or the full path where the field
 * lies deeper.
 */
bool field_path_parse(const struct message_type *type, const char *text, size_t length,
                      struct field_path *path, struct error *error);

/* The same for a path that an option gives: the error begins with the option's name. */
bool field_path_parse_option(const struct message_type *type, const char *option, const char *text,
                             size_t length, struct field_path *path, struct error *error);

/* Fills the error with why what the option's path leads to will not do. Returns false. */
bool field_path_refuse(const char *option, const struct field_path *path, const char *why,
                       struct error *error);

static inline const struct field_type *field_path_last(const struct field_path *path)
{
    return path->steps[path->count - 1];
}

/* Bytes of a path's text, with the final NUL; a longer one is cut. */
#define FIELD_PATH_TEXT 256

/* Writes the first `steps` steps of the path as a text to `buffer`. Returns `buffer`. */
const char *field_path_text(const struct field_path *path, size_t steps,
                            char buffer[FIELD_PATH_TEXT]);

/*
 * Whether the repeated fields of one path are the first ones of the other: an element of the one
 * with more of them has one place in the other.
 */
bool field_path_same_lists(const struct field_path *a, const struct field_path *b);

/*
 * How many elements the path's repeated field `list` (counted from 0, the outermost) has, inside
 * the elements of `place` of those around it.
 */
size_t field_path_elements(const struct field_path *path, size_t list,
                           const ProtobufCMessage *message, const struct field_place *place);

/*
 * The value at the end of the path, for the elements of `place`, or NULL where a step is not there.
 * A field without presence is there, also at its default. Of a map: the message that has it.
 */
const void *field_path_follow(const struct field_path *path, const ProtobufCMessage *message,
                              const struct field_place *place);

/* The field of the type that a path calls so, or NULL. */
const struct field_type *field_path_find(const struct message_type *type, const char *text,
                                         size_t length);

/* Bytes of the step at the beginning of `text`: up to a dot, or to the bracket that closes. */
size_t field_path_step(const char *text, size_t length);

/*
 * The path of a field below `type` (but not in it) that `text` leads to from where it lies:
 * "racks.psus.watts" for "watts"; the one with the fewest steps. Writes it to `buffer`, or returns
 * false where there is none within reach.
 */
bool field_path_find_below(const struct message_type *type, const char *text, size_t length,
                           char buffer[FIELD_PATH_TEXT]);

#endif
