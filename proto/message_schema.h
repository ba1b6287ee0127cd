/*
 * Decodes and writes the messages of schemas that have one protobuf-c type. Each of these schemas
 * reads the samples in its own file.
 */
#ifndef SLUICE_PROTO_MESSAGE_SCHEMA_H
#define SLUICE_PROTO_MESSAGE_SCHEMA_H

#include <protobuf-c/protobuf-c.h>

#include "collector/contract/schema.h"
#include "proto/message/text_of.h"

struct field_change;
struct type_set;
struct message_type;

struct message_schema {
    struct schema schema;
    struct type_set *set; /* owned */
    const struct message_type *type;
};

/* The output of the build for a .proto file: its descriptor set, and protoc-c's code. */
struct compiled_proto {
    const unsigned char *set;
    const size_t *set_size;
    const ProtobufCMessageDescriptor *root;
    const struct field_change *changes; /* proto/types/type_set.h */
    size_t change_count;
};

/* Makes a built-in schema with the operations `ops`. Returns 0, or -1 with `error` filled. */
int message_schema_create(const struct schema_ops *ops, const struct compiled_proto *from,
                          struct schema **out, struct error *error);

/* Implement the operations of the same names in struct schema_ops. */
void message_schema_destroy(struct schema *schema);
enum decode_result message_schema_decode(const struct schema *schema, const uint8_t *data,
                                         size_t size, struct arena *arena, struct decoded *out);
size_t message_schema_write_json(const struct schema *schema, const void *message,
                                 const struct json_style *style, struct arena *scratch,
                                 struct output *out);
struct schema_fields message_schema_count_fields(const struct schema *schema, const void *message);
void message_schema_write_protobuf(const struct schema *schema, const void *message,
                                   struct output *out);

#endif
