/*
 * A path from a message to a field in it, or in its submessages: "sensor.readings.value". A step is
 * a field's name in the .proto file, or "[full.name]" of an extension. After a map follows "key" or
 * "value": it is a repeated field of entries.
 *
 * Up to FIELD_PATH_LISTS steps of a path may be repeated fields, each inside the one before: the
 * path then leads to a value for each element of the innermost. Paths are made at the start and
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
    size_t lists[FIELD_PATH_LISTS]; /* the repeated steps, the outermost first */
    size_t list_count;
};

/* An element of each repeated field of a path, the outermost first. */
struct field_place {
    size_t elements[FIELD_PATH_LISTS];
};

/* Instead of an element: none. Lists are always shorter. */
#define NO_ELEMENT SIZE_MAX

/*
 * Parses a path of `length` bytes, starting at `type`. A map as the last step means all its
 * entries. Returns false with `error` filled (EXIT_CODE_CONFIG): the problem, and the probably
 * intended field, which is the nearest name, or the full path if the field is deeper.
 */
bool field_path_parse(const struct message_type *type, const char *text, size_t length,
                      struct field_path *path, struct error *error);

/* The same for the path in an option: the error begins with the option's name. */
bool field_path_parse_option(const struct message_type *type, const char *option, const char *text,
                             size_t length, struct field_path *path, struct error *error);

/*
 * Fills the error with the reason why the field at the end of the option's path is unsuitable.
 * Returns false.
 */
bool field_path_refuse(const char *option, const struct field_path *path, const char *why,
                       struct error *error);

static inline const struct field_type *field_path_last(const struct field_path *path)
{
    return path->steps[path->count - 1];
}

/* Size of a path's text, with the final NUL; a longer one is cut. */
#define FIELD_PATH_TEXT 256

/* Writes the first `steps` steps of the path as text to `buffer`. Returns `buffer`. */
const char *field_path_text(const struct field_path *path, size_t steps,
                            char buffer[FIELD_PATH_TEXT]);

/*
 * Whether the repeated fields of one path are a prefix of the other's: then an element of the
 * longer one has exactly one place in the other.
 */
bool field_path_same_lists(const struct field_path *a, const struct field_path *b);

/*
 * Number of elements of the path's repeated field `list` (from 0, the outermost), inside the
 * elements of `place` of the enclosing ones.
 */
size_t field_path_elements(const struct field_path *path, size_t list,
                           const ProtobufCMessage *message, const struct field_place *place);

/*
 * The value at the end of the path, for the elements of `place`, or NULL if a step is absent. A
 * field without presence is present, also with its default. For a map: the message that contains
 * it.
 */
const void *field_path_follow(const struct field_path *path, const ProtobufCMessage *message,
                              const struct field_place *place);

/* The field of the type with that name in a path, or NULL. */
const struct field_type *field_path_find(const struct message_type *type, const char *text,
                                         size_t length);

/* Length of the step at the beginning of `text`: up to a dot, or to the closing bracket. */
size_t field_path_step(const char *text, size_t length);

/*
 * The path of a field below `type` (but not in it) from which `text` is reached: "racks.psus.watts"
 * for "watts"; the one with the fewest steps. Writes it to `buffer`. Returns false if there is none
 * within reach.
 */
bool field_path_find_below(const struct message_type *type, const char *text, size_t length,
                           char buffer[FIELD_PATH_TEXT]);

#endif
