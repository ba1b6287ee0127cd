#include "proto/message_schema.h"

#include <stdlib.h>

struct schema *message_schema_create(const struct schema_ops *ops,
                                     const ProtobufCMessageDescriptor *root,
                                     enum text_rule text_rule)
{
    struct message_schema *made = calloc(1, sizeof *made);
    if (made == NULL)
        return NULL;
    made->schema.ops = ops;
    made->type = message_type_create(root, text_rule);
    if (made->type == NULL) {
        free(made);
        return NULL;
    }
    return &made->schema;
}

void message_schema_destroy(struct schema *schema)
{
    if (schema == NULL)
        return;
    struct message_schema *made = (struct message_schema *)schema;
    message_type_destroy(made->type);
    free(made);
}

static const struct message_type *type_of(const struct schema *schema)
{
    return ((const struct message_schema *)schema)->type;
}

enum decode_result message_schema_decode(const struct schema *schema, const uint8_t *data,
                                         size_t size, struct arena *arena, struct arena *scratch,
                                         const void **message)
{
    ProtobufCMessage *decoded = NULL;
    enum decode_result result =
        message_decode(type_of(schema), data, size, arena, scratch, &decoded);
    *message = decoded;
    return result;
}

void message_schema_write_json(const struct schema *schema, const void *message,
                               const struct json_style *style, struct output *out)
{
    message_write_json(type_of(schema), message, style, out);
}

void message_schema_write_protobuf(const struct schema *schema, const void *message,
                                   struct output *out)
{
    (void)schema;
    message_write_protobuf(message, out);
}
