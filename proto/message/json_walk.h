/*
 * For json.c and json_well_known.c only. json.c writes ordinary messages. json_well_known.c writes
 * protobuf's own types, with the functions of json.c, which calls it through `write_well_known`.
 */
#ifndef SLUICE_PROTO_MESSAGE_JSON_WALK_H
#define SLUICE_PROTO_MESSAGE_JSON_WALK_H

#include "collector/contract/schema.h"
#include "proto/message/type.h"

struct json_walk {
    struct output *out;
    const struct json_style *style;
    struct arena *scratch;
    unsigned level;   /* depth of the current message; 0 means the outermost */
    size_t fallbacks; /* values without a JSON form */

    /*
     * Writes a message of a well-known type in the JSON form of that type. Returns false if it has
     * no such form; the caller then removes the output.
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

/* Writes one value of the field, which is at `at`. */
void json_write_value(struct json_walk *walk, const struct field_type *field, const void *at);

/* Write a repeated field as an array, and a map as an object. */
void json_write_list(struct json_walk *walk, const struct field_type *field,
                     const ProtobufCMessage *message);
void json_write_map(struct json_walk *walk, const struct field_type *field,
                    const ProtobufCMessage *message);

#endif
