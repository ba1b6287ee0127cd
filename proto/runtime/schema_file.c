/*
 * A schema that a user brings: a message of a descriptor set that is read when the schema is made.
 */
#include <stdlib.h>
#include <string.h>

#include "proto/message/count.h"
#include "proto/message/decode.h"
#include "proto/message/encode.h"
#include "proto/message/json.h"
#include "proto/runtime/descriptor_file.h"
#include "proto/runtime/sample_mapping.h"
#include "proto/runtime/sender.h"
#include "proto/schemas.h"

struct file_schema {
    struct schema schema;
    struct type_set *set;
    const struct message_type *type;
    struct sender_paths sender;
    struct sample_mapping samples;
};

/* What decode makes: the message, and beside it what is derived from it once. */
struct file_message {
    const ProtobufCMessage *message;
    bool numbered;
    struct datagram_sequence sequence;
};

static void destroy(struct schema *schema)
{
    if (schema == NULL)
        return;
    struct file_schema *made = (struct file_schema *)schema;
    sample_mapping_clear(&made->samples);
    type_set_destroy(made->set);
    free(made);
}

/* Puts the file's name in front of what is wrong. */
static int refuse(const char *path, const struct error *reason, struct error *error)
{
    error_set(error, reason->code, "%s: %s", path, reason->text);
    return -1;
}

static int fill(struct file_schema *made, const struct schema_options *options, struct error *error)
{
    struct error reason;
    if (options->message == NULL) {
        error_set(error, EXIT_CODE_CONFIG, "%s: which message of it is missing (message=TYPE)",
                  options->source);
        return -1;
    }
    if (descriptor_file_load(options->source, &made->set, error) != 0)
        return -1;
    made->type = type_set_require(made->set, options->message, &reason);
    if (made->type == NULL ||
        !sender_parse(made->type, options->sequence, options->sequence_key, &made->sender,
                      &reason) ||
        !sample_mapping_parse(made->type, options, &made->samples, &reason))
        return refuse(options->source, &reason, error);
    made->schema.has_samples = made->samples.value_count != 0;
    made->schema.name = made->type->descriptor->name;
    return 0;
}

static int create(const struct schema_options *options, struct schema **out, struct error *error)
{
    struct file_schema *made = calloc(1, sizeof *made);
    if (made == NULL) {
        error_set(error, EXIT_CODE_INTERNAL, "%s: out of memory", options->source);
        return -1;
    }
    made->schema.ops = &schema_file;
    if (fill(made, options, error) != 0) {
        destroy(&made->schema);
        return -1;
    }
    *out = &made->schema;
    return 0;
}

static const struct file_schema *file_of(const struct schema *schema)
{
    return (const struct file_schema *)schema;
}

static const ProtobufCMessage *message_of(const void *message)
{
    return ((const struct file_message *)message)->message;
}

static enum decode_result decode(const struct schema *schema, const uint8_t *data, size_t size,
                                 struct arena *arena, struct decoded *out)
{
    const struct file_schema *file = file_of(schema);
    size_t start = arena->used;
    struct file_message *made = arena_allocate(arena, sizeof *made);
    if (made == NULL)
        return decoded_no_room(out);
    enum decode_result result =
        message_decode(file->type, data, size, SCHEMA_MAX_DEPTH, arena, out);
    if (result == DECODE_OK) {
        made->message = out->message;
        if (!sender_read(&file->sender, made->message, arena, &made->sequence, &made->numbered))
            result = decoded_no_room(out);
    }
    if (result == DECODE_OK)
        out->message = made;
    else
        arena->used = start;
    return result;
}

static bool next_sample(const struct schema *schema, const void *message,
                        struct schema_cursor *cursor, struct sample *sample)
{
    return sample_mapping_next(&file_of(schema)->samples, message_of(message), cursor, sample);
}

static bool next_label(const struct schema *schema, const void *message,
                       const struct sample *sample, struct schema_cursor *cursor,
                       struct label *label)
{
    return sample_mapping_next_label(&file_of(schema)->samples, message_of(message), sample, cursor,
                                     label);
}

static size_t write_json(const struct schema *schema, const void *message,
                         const struct json_style *style, struct arena *scratch, struct output *out)
{
    return message_write_json(file_of(schema)->type, message_of(message), style, scratch, out);
}

static struct schema_fields count_fields(const struct schema *schema, const void *message)
{
    return message_count_fields(file_of(schema)->type, message_of(message));
}

static void write_protobuf(const struct schema *schema, const void *message, struct output *out)
{
    message_encode(file_of(schema)->type, message_of(message), out);
}

static bool sequence(const struct schema *schema, const void *message,
                     struct datagram_sequence *out)
{
    (void)schema;
    const struct file_message *made = message;
    *out = made->sequence;
    return made->numbered;
}

static bool same_numbers(const struct schema *a, const struct schema *b)
{
    return sender_paths_equal(&file_of(a)->sender, &file_of(b)->sender);
}

const struct schema_ops schema_file = {
    .name = "file",
    .accepts_empty = true,
    .create = create,
    .destroy = destroy,
    .decode = decode,
    .next_sample = next_sample,
    .next_label = next_label,
    .write_json = write_json,
    .count_fields = count_fields,
    .write_protobuf = write_protobuf,
    .sequence = sequence,
    .same_numbers = same_numbers,
};
