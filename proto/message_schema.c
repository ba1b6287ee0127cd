#include "proto/message_schema.h"

#include <stdlib.h>

#include "proto/message/count.h"
#include "proto/message/decode.h"
#include "proto/message/encode.h"
#include "proto/message/json.h"
#include "proto/types/type_set.h"

int message_schema_create(const struct schema_ops *ops, const struct compiled_proto *from,
                          struct schema **out, struct error *error)
{
    struct message_schema *made = calloc(1, sizeof *made);
    if (made == NULL) {
        error_set(error, EXIT_CODE_INTERNAL, "schema %s: out of memory", ops->name);
        return -1;
    }
    made->schema =
        (struct schema){.ops = ops, .name = ops->name, .has_samples = ops->next_sample != NULL};
    if (type_set_load_changed(ops->name, from->set, *from->set_size, from->root, from->changes,
                              from->change_count, &made->set, error) == 0)
        made->type = type_set_require(made->set, from->root->name, error);
    if (made->type == NULL) {
        message_schema_destroy(&made->schema);
        return -1;
    }
    *out = &made->schema;
    return 0;
}

void message_schema_destroy(struct schema *schema)
{
    if (schema == NULL)
        return;
    struct message_schema *made = (struct message_schema *)schema;
    type_set_destroy(made->set);
    free(made);
}

static const struct message_type *type_of(const struct schema *schema)
{
    return ((const struct message_schema *)schema)->type;
}

enum decode_result message_schema_decode(const struct schema *schema, const uint8_t *data,
                                         size_t size, struct arena *arena, struct decoded *out)
{
    return message_decode(type_of(schema), data, size, SCHEMA_MAX_DEPTH, arena, out);
}

size_t message_schema_write_json(const struct schema *schema, const void *message,
                                 const struct json_style *style, struct arena *scratch,
                                 struct output *out)
{
    return message_write_json(type_of(schema), message, style, scratch, out);
}

struct schema_fields message_schema_count_fields(const struct schema *schema, const void *message)
{
    return message_count_fields(type_of(schema), message);
}

void message_schema_write_protobuf(const struct schema *schema, const void *message,
                                   struct output *out)
{
    message_encode(type_of(schema), message, out);
}
