/*
 * A way from a message to a field in it, or in what it holds: "sensor.readings.value". A step is a
 * field's name as in the .proto file, or "[full.name]" of an extension.
 *
 * One step of a path may be a repeated field: the path then leads to a value for each of its
 * elements. Paths are made at start and immutable; any thread may follow them.
 */
#ifndef SLUICE_PROTO_RUNTIME_FIELD_PATH_H
#define SLUICE_PROTO_RUNTIME_FIELD_PATH_H

#include "collector/base/error.h"
#include "proto/message/type.h"

#define FIELD_PATH_STEPS 16

struct field_path {
    const struct field_type *steps[FIELD_PATH_STEPS];
    size_t count;
    size_t list; /* which step is repeated; `count` where none is */
};

/*
 * Reads a path of `length` bytes from `type` on. A map may only be its last step. Returns false
 * with `error` filled (EXIT_CODE_CONFIG), which says what is wrong with it and names the nearest
 * field.
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

/* Whether the two lead through the same repeated field. */
bool field_path_same_list(const struct field_path *a, const struct field_path *b);

/* How many elements the path's repeated field has in the message; 1 for a path without one. */
size_t field_path_elements(const struct field_path *path, const ProtobufCMessage *message);

/*
 * The value at the end of the path, for the `element`-th of its repeated field, or NULL where a
 * step is not there. A field without presence is there, also at its default. Of a map: the message
 * that has it.
 */
const void *field_path_follow(const struct field_path *path, const ProtobufCMessage *message,
                              size_t element);

#endif
