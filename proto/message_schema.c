#include "proto/message_schema.h"

#include <stdlib.h>

/* What of the options only a schema from a file has; NULL where none is given. */
static const char *option_of_files(const struct schema_options *options)
{
    if (options->message != NULL)
        return "message";
    if (options->sequence != NULL || options->sequence_key != NULL)
        return "sequence";
    if (options->name != NULL || options->value != NULL || options->time != NULL ||
        options->labels != NULL)
        return "a mapping of samples";
    return NULL;
}

int message_schema_create(const struct schema_ops *ops, const ProtobufCMessageDescriptor *root,
                          enum text_rule text_rule, const struct schema_options *options,
                          struct schema **out, struct error *error)
{
    const char *stray = option_of_files(options);
    if (stray != NULL) {
        error_set(error, EXIT_CODE_CONFIG, "schema %s: %s is for a schema from a file", ops->name,
                  stray);
        return -1;
    }
    struct message_schema *made = calloc(1, sizeof *made);
    if (made != NULL)
        made->type = message_type_create(root, text_rule);
    if (made == NULL || made->type == NULL) {
        free(made);
        error_set(error, EXIT_CODE_INTERNAL, "schema %s: out of memory", ops->name);
        return -1;
    }
    made->schema =
        (struct schema){.ops = ops, .name = ops->name, .has_samples = ops->next_sample != NULL};
    *out = &made->schema;
    return 0;
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
                                         struct decoded *out)
{
    ProtobufCMessage *decoded = NULL;
    enum decode_result result =
        message_decode(type_of(schema), data, size, arena, scratch, &decoded);
    *out = (struct decoded){.message = decoded};
    return result;
}

size_t message_schema_write_json(const struct schema *schema, const void *message,
                                 const struct json_style *style, struct arena *scratch,
                                 struct output *out)
{
    (void)scratch;
    message_write_json(type_of(schema), message, style, out);
    return 0;
}

void message_schema_write_protobuf(const struct schema *schema, const void *message,
                                   struct output *out)
{
    (void)schema;
    message_write_protobuf(message, out);
}
