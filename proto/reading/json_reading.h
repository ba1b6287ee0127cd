/*
 * The state and the functions of the files that read a message's JSON. The json_put functions
 * append to the state's output. Functions that return a bool return false with the reading's error
 * filled. One thread.
 */
#ifndef SLUICE_PROTO_READING_JSON_READING_H
#define SLUICE_PROTO_READING_JSON_READING_H

#include <stdbool.h>

#include "collector/base/error.h"
#include "collector/text/compiler.h"
#include "collector/text/output.h"
#include "proto/message/type.h"
#include "proto/reading/json_text.h"

#define JSON_PLACE_SIZE 256

struct json_reading {
    const char *text;              /* the whole JSON */
    const struct json_node *value; /* the value that is being read, for errors */
    struct output *out;            /* in the wire format */
    struct error *error;
    const char *called;          /* name of the JSON in errors */
    unsigned level;              /* number of enclosing messages */
    size_t place_size;           /* bytes of `place`, without its NUL */
    char place[JSON_PLACE_SIZE]; /* the current path: "readings[1].celsius" */

    /*
     * json_put_well_known. Called through a pointer, because json_fields.c and json_well_known.c
     * use each other.
     */
    bool (*put_well_known)(struct json_reading *reading, const struct message_type *type,
                           const struct json_node *value);
};

/* --- json_reading.c --------------------------------------------------------------------------- */

/* Fills the error with the position, the path and the problem. Returns false. */
bool json_refuse(struct json_reading *reading, const char *format, ...) PRINTF_LIKE(2, 3);

/*
 * json_enter and json_enter_element append a member or an element to the path. json_leave removes
 * it again; `entered` is the result of json_enter or json_enter_element.
 */
size_t json_enter(struct json_reading *reading, const char *name);
size_t json_enter_element(struct json_reading *reading, size_t index);
void json_leave(struct json_reading *reading, size_t entered);

/*
 * Decodes the output from `begun` on as a message of this type, and encodes it again as the
 * collector does: fields by number, packed, without zeroes.
 */
bool json_encode_again(struct json_reading *reading, const struct message_type *type, size_t begun);

/* --- json_scalar.c ---------------------------------------------------------------------------- */

/* Appends a value of a field that is not a message, with its tag. */
bool json_put_scalar(struct json_reading *reading, const struct field_type *field,
                     const struct json_node *value);

/* Appends a map's key, the name of `member`, with its tag. */
bool json_put_key(struct json_reading *reading, const struct field_type *field,
                  const struct json_node *member);

/* --- json_fields.c ---------------------------------------------------------------------------- */

/* Appends a value of any field, with its tag. */
bool json_put_value(struct json_reading *reading, const struct field_type *field,
                    const struct json_node *value);

/*
 * Appends the fields of a message whose JSON is an object of fields. Skips the member `skipped`,
 * which is not a field (NULL: none).
 */
bool json_put_fields(struct json_reading *reading, const struct message_type *type,
                     const struct json_node *object, const char *skipped);

/* Appends the fields of a message of any type. */
bool json_put_content(struct json_reading *reading, const struct message_type *type,
                      const struct json_node *value);

/* --- json_well_known.c ------------------------------------------------------------------------ */

/* Appends the fields of a message whose type has a special JSON form. */
bool json_put_well_known(struct json_reading *reading, const struct message_type *type,
                         const struct json_node *value);

#endif
