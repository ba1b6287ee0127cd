/*
 * A path from a message to a field in it, or in its submessages: "sensor.readings.value". A step
 * is a field's name in the .proto file, or "[full.name]" of an extension. After a map the next
 * step is "key" or "value", because a map is a repeated field of entries.
 *
 * Up to FIELD_PATH_LISTS steps of a path may be repeated fields, each inside the previous one. The
 * path then leads to a value for each element of the innermost one. Paths are constant once they
 * are parsed; any thread may follow them.
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
    size_t lists[FIELD_PATH_LISTS]; /* indexes of the repeated fields in `steps`, the outermost
                                       first */
    size_t list_count;
};

/* For each repeated field of a path, the outermost first: the index of an element. */
struct field_place {
    size_t elements[FIELD_PATH_LISTS];
};

/* Stands in place of an index if no element is selected. Every list is shorter than this. */
#define NO_ELEMENT SIZE_MAX

/*
 * Parses a path of `length` bytes from a message of `type`. If the last step is a map, the path
 * leads to all its entries. Returns false with `error` filled (EXIT_CODE_CONFIG): the problem and a
 * suggestion, which is the full path of the field if a submessage has it, or else the most similar
 * name.
 */
bool field_path_parse(const struct message_type *type, const char *text, size_t length,
                      struct field_path *path, struct error *error);

/* Parses the path in an option, like field_path_parse. The error begins with the option's name. */
bool field_path_parse_option(const struct message_type *type, const char *option, const char *text,
                             size_t length, struct field_path *path, struct error *error);

/*
 * Fills the error with the reason why the last field of the option's path is unsuitable. Returns
 * false.
 */
bool field_path_refuse(const char *option, const struct field_path *path, const char *why,
                       struct error *error);

static inline const struct field_type *field_path_last(const struct field_path *path)
{
    return path->steps[path->count - 1];
}

/* Bytes of a path's text, with its NUL. A longer text is cut. */
#define FIELD_PATH_TEXT 256

/* Writes the first `steps` steps of the path as text to `buffer`. Returns `buffer`. */
const char *field_path_text(const struct field_path *path, size_t steps,
                            char buffer[FIELD_PATH_TEXT]);

/*
 * Returns true if both paths lead through the same repeated fields, as far as both have any. Each
 * element of the longer path then belongs to one element of the shorter path.
 */
bool field_path_same_lists(const struct field_path *a, const struct field_path *b);

/*
 * Returns the number of elements of the path's repeated field `list` (0: the outermost). `place`
 * selects elements of the repeated fields around it.
 */
size_t field_path_elements(const struct field_path *path, size_t list,
                           const ProtobufCMessage *message, const struct field_place *place);

/*
 * Returns the value at the end of the path for the elements that `place` selects, or NULL if a step
 * is absent. A field without presence counts as present even if it has its default. For a map at
 * the end, returns the message that contains it.
 */
const void *field_path_follow(const struct field_path *path, const ProtobufCMessage *message,
                              const struct field_place *place);

/* Returns true if the text is "*" or "PATH.*", which select all numbers in a message. */
bool field_path_is_wildcard(const char *text, size_t length);

/* Returns true if a comma-separated list has a wildcard. */
bool field_path_has_wildcard(const char *list);

/* Returns the field of the type that has this name in a path, or NULL. */
const struct field_type *field_path_find(const struct message_type *type, const char *text,
                                         size_t length);

/*
 * Returns the length of the first step in `text`, without a dot after it, but with a closing
 * bracket.
 */
size_t field_path_step(const char *text, size_t length);

/*
 * Searches the submessages of `type` for the path `text`, for example "watts", and writes its full
 * path from `type`, "racks.psus.watts", to `buffer`. If there are several, writes one with the
 * fewest steps. Returns false if there is none.
 */
bool field_path_find_below(const struct message_type *type, const char *text, size_t length,
                           char buffer[FIELD_PATH_TEXT]);

#endif
