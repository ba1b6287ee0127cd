/*
 * What protobuf-c's descriptors do not say about a message type, beside them.
 *
 * A tree (or graph, where types are recursive) that mirrors a ProtobufCMessageDescriptor and all it
 * refers to: names as the JSON mapping spells them, whether a type is recursive, and the mark that
 * bytes fields are strings. Every bytes field of a type built here is one: the .proto files set
 * string_as_bytes because protobuf-c's own strings end at the first NUL.
 *
 * Built once at start, then immutable: any thread may read it.
 */
#ifndef SLUICE_PROTO_MESSAGE_TYPE_H
#define SLUICE_PROTO_MESSAGE_TYPE_H

#include <protobuf-c/protobuf-c.h>
#include <stdbool.h>
#include <stddef.h>

#include "collector/schema.h"

/* Whether strings must be UTF-8: proto3 says yes, in proto2 they may hold anything. */
enum text_rule { TEXT_ANY_BYTES, TEXT_UTF8 };

struct field_type {
    const ProtobufCFieldDescriptor *descriptor;
    const struct message_type *message; /* of a message field, else NULL */
    const char *json_key;               /* "\"lowerCamelCase\":", with its length in bytes */
    size_t json_key_size;
    const char *proto_key; /* "\"as_in_the_file\":" */
    size_t proto_key_size;
};

struct message_type {
    const ProtobufCMessageDescriptor *descriptor;
    enum text_rule text_rule;
    bool recursive;                  /* can hold a message of its own type, at whatever distance */
    const struct field_type *fields; /* descriptor->n_fields of them, in its order */
};

/*
 * Builds the types that `root` reaches. Returns the root's, to be freed with message_type_destroy
 * (NULL is allowed there), or NULL where memory is short.
 */
struct message_type *message_type_create(const ProtobufCMessageDescriptor *root,
                                         enum text_rule text_rule);
void message_type_destroy(struct message_type *root);

/*
 * Decodes with protobuf_c_message_unpack into `arena`; its temporaries go to `scratch`. Says why it
 * refuses, which unpack does not: too deep (looked at before unpack recurses, where the type lets
 * it), too large (the arena was full) or malformed, which a string that breaks the type's text
 * rule is too. On refusal *message is NULL and the arena is as it was. What does not fit `scratch`
 * goes to the arena too; scratch->exhausted then tells that a larger one would help.
 */
enum decode_result message_decode(const struct message_type *type, const uint8_t *data, size_t size,
                                  struct arena *arena, struct arena *scratch,
                                  ProtobufCMessage **message);

/*
 * Whether the bytes, read as `type`, nest messages or groups more than `limit` levels deep. Bytes
 * that make no sense end the look; what is wrong with them is not told here.
 */
bool message_nests_deeper(const struct message_type *type, const uint8_t *data, size_t size,
                          unsigned limit);

/* Appends `message` in the protobuf JSON mapping (protobuf.dev, "ProtoJSON Format"). */
void message_write_json(const struct message_type *type, const ProtobufCMessage *message,
                        const struct json_style *style, struct output *out);

/* Appends `message` in the protobuf wire format. */
void message_write_protobuf(const ProtobufCMessage *message, struct output *out);

#endif
