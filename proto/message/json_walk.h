/*
 * The functions of json.c, which write plain messages, and their state. json_well_known.c writes
 * protobuf's own types with these functions; json.c calls it through `write_well_known`. Private to
 * these two files.
 */
#ifndef SLUICE_PROTO_MESSAGE_JSON_WALK_H
#define SLUICE_PROTO_MESSAGE_JSON_WALK_H

#include "collector/contract/schema.h"
#include "proto/message/type.h"

struct json_walk {
    struct output *out;
    const struct json_style *style;
    struct arena *scratch;
    unsigned level;   /* nesting depth of the current message; 0: the outermost */
    size_t fallbacks; /* values without a JSON form */

    /*
     * Writes a message of a well-known type in the special JSON form of that type. Returns false if
     * the message has no such form; the caller then removes the output.
     */
    bool (*write_well_known)(struct json_walk *walk, const struct message_type *type,
                             const ProtobufCMessage *message);
};

/* Writes a message in the JSON form of its type. */
void json_write_message(struct json_walk *walk, const struct message_type *type,
                        const ProtobufCMessage *message);

/* Writes the fields of a message, without the braces around them. */
void json_write_fields(struct json_walk *walk, const struct message_type *type,
                       const ProtobufCMessage *message);

/* Writes the value at `at`, which is of the field's type. */
void json_write_value(struct json_walk *walk, const struct field_type *field, const void *at);

/* Write a repeated field as an array, and a map as an object. */
void json_write_list(struct json_walk *walk, const struct field_type *field,
                     const ProtobufCMessage *message);
void json_write_map(struct json_walk *walk, const struct field_type *field,
                    const ProtobufCMessage *message);

#endif
