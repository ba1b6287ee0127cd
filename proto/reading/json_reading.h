/*
 * Common declarations of the files that read a message's JSON: the state, and, file by file from
 * the lowest, functions that append to its output. Functions that return a bool return false with
 * the reading's error filled. One thread.
 */
#ifndef SLUICE_PROTO_READING_JSON_READING_H
#define SLUICE_PROTO_READING_JSON_READING_H

#include <stdbool.h>

#include "collector/base/compiler.h"
#include "collector/base/error.h"
#include "collector/text/output.h"
#include "proto/message/type.h"
#include "proto/reading/json_text.h"

#define JSON_PLACE_SIZE 256

struct json_reading {
    const char *text;              /* the whole JSON */
    const struct json_node *value; /* that is read */
    struct output *out;            /* in the wire format */
    struct error *error;
    const char *called;          /* name of the JSON in errors */
    unsigned level;              /* open messages */
    size_t place_size;           /* of `place`, without its NUL */
    char place[JSON_PLACE_SIZE]; /* the current path: "readings[1].celsius" */

    /* json_put_well_known, which json_fields.c needs and which needs json_fields.c. */
    bool (*put_well_known)(struct json_reading *reading, const struct message_type *type,
                           const struct json_node *value);
};

/* --- json_reading.c --------------------------------------------------------------------------- */

/* Sets the error to the current position and the problem. */
bool json_refuse(struct json_reading *reading, const char *format, ...) PRINTF_LIKE(2, 3);

/* Enters a place within the current one, and leaves it: leave takes the result of enter. */
size_t json_enter(struct json_reading *reading, const char *name);
size_t json_enter_element(struct json_reading *reading, size_t index);
void json_leave(struct json_reading *reading, size_t entered);

/*
 * Writes the message of this type that begins at `begun` and ends the output in the form of the
 * collector's own encoder: fields by number, packed, without zeroes.
 */
bool json_encode_again(struct json_reading *reading, const struct message_type *type, size_t begun);

/* --- json_scalar.c ---------------------------------------------------------------------------- */

/* Appends a value of a field that is not a message, with its tag. */
bool json_put_scalar(struct json_reading *reading, const struct field_type *field,
                     const struct json_node *value);

/* The same for a map's key, which is the name of a member. */
bool json_put_key(struct json_reading *reading, const struct field_type *field,
                  const struct json_node *member);

/* --- json_fields.c ---------------------------------------------------------------------------- */

/* Appends a value of any field with its tag. */
bool json_put_value(struct json_reading *reading, const struct field_type *field,
                    const struct json_node *value);

/*
 * Appends the fields of a message that is an object of fields. `skipped` is a name with another
 * meaning there, or NULL.
 */
bool json_put_fields(struct json_reading *reading, const struct message_type *type,
                     const struct json_node *object, const char *skipped);

/* Appends the fields of any message. */
bool json_put_content(struct json_reading *reading, const struct message_type *type,
                      const struct json_node *value);

/* --- json_well_known.c ------------------------------------------------------------------------ */

/* Appends the fields of a message of a type with a special JSON form. */
bool json_put_well_known(struct json_reading *reading, const struct message_type *type,
                         const struct json_node *value);

#endif
