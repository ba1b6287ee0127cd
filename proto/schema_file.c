/*
 * Implements schemas from a user's file: a message type of a descriptor set, which is read when the
 * schema is created.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/message/count.h"
#include "proto/message/decode.h"
#include "proto/message/encode.h"
#include "proto/message/json.h"
#include "proto/message/undeclared.h"
#include "proto/runtime/descriptor_file.h"
#include "proto/runtime/nested.h"
#include "proto/runtime/sample_mapping.h"
#include "proto/runtime/sender.h"
#include "proto/schemas.h"
#include "proto/wildcard/wildcard.h"

/* A version of the message type, and the paths to sequence numbers and samples in its messages. */
struct file_variant {
    const struct message_type *type;
    struct sender_paths sender;
    struct sample_mapping samples;
};

struct file_schema {
    struct schema schema;
    struct type_set *set; /* owns the types */
    struct nested nested;
    char *warning;                 /* owned; NULL means no warning */
    struct file_variant *variants; /* one for each choice of `nested` */
    size_t variant_count;
    struct wildcard_plan *wildcard; /* NULL: no path in `value` ends with "*" */
};

/* A decoded message, and the values that are read from it only once. */
struct file_message {
    const struct file_variant *variant;
    const ProtobufCMessage *message;
    bool is_foreign; /* has only unknown fields, and so no samples */
    bool numbered;
    struct datagram_sequence sequence;
    const struct wildcard_part *parts; /* only if the schema has a wildcard plan */
};

static void destroy(struct schema *schema)
{
    if (schema == NULL)
        return;
    struct file_schema *made = (struct file_schema *)schema;
    for (size_t i = 0; i < made->variant_count; i++)
        sample_mapping_clear(&made->variants[i].samples);
    wildcard_plan_destroy(made->wildcard);
    type_set_destroy(made->set);
    free(made->variants);
    free(made->warning);
    nested_clear(&made->nested);
    free(made);
}

/* --- making a schema -------------------------------------------------------------------------- */

/* Makes the types of the variants. Every field of nested= must exist in at least one variant. */
static int make_types(struct file_schema *made, const struct message_type *root,
                      struct error *error)
{
    const struct nested *nested = &made->nested;
    struct nested_search search = {.found = {false}};
    for (size_t i = 0; i < made->variant_count; i++)
        if (nested_load(nested, made->set, root, i, &search, &made->variants[i].type, error) != 0)
            return -1;
    for (size_t i = 0; i < nested->field_count; i++) {
        if (search.found[i])
            continue;
        *error = search.missing[i];
        return -1;
    }
    return 0;
}

/*
 * Parses the paths for each variant. With several variants, each path must exist in at least one: a
 * first pass finds the existing paths, and a second one reports those that exist in none.
 */
static int make_paths(struct file_schema *made, const struct schema_options *options,
                      struct error *error)
{
    struct mapping_paths paths = {.probing = true};
    for (int turn = made->variant_count == 1; turn < 2; turn++, paths.probing = false) {
        /* Variant 0, for texts that are not listed, is the last. */
        for (size_t i = 1; i <= made->variant_count; i++) {
            struct file_variant *variant = &made->variants[i % made->variant_count];
            sample_mapping_clear(&variant->samples);
            if (!sender_parse(variant->type, options->sequence, options->sequence_key,
                              &variant->sender, error) ||
                !sample_mapping_parse(variant->type, options,
                                      made->variant_count == 1 ? NULL : &paths, &variant->samples,
                                      error))
                return -1;
        }
    }
    return 0;
}

/* Adds the path's last field, unless the path is empty or the field is in the list. */
static void add_other(struct wildcard_others *others, const struct message_type *root,
                      const struct field_path *path)
{
    if (path->count == 0)
        return;
    const struct wildcard_other other = wildcard_other_of(root, path);
    for (size_t i = 0; i < others->count; i++)
        if (wildcard_are_same(&others->fields[i], &other))
            return;
    others->fields[others->count++] = other;
}

static void add_others(struct wildcard_others *others, const struct file_variant *variant)
{
    add_other(others, variant->type, &variant->sender.number);
    for (size_t i = 0; i < variant->sender.key_count; i++)
        add_other(others, variant->type, &variant->sender.keys[i]);
    for (size_t i = 0; i < variant->samples.value_count; i++)
        add_other(others, variant->type, &variant->samples.values[i].path);
}

static int make_wildcard(struct file_schema *made, const struct schema_options *options,
                         struct error *error)
{
    if (!field_path_has_wildcard(options->value))
        return 0;
    struct wildcard_others others = {.count = 0};
    size_t most = 0;
    for (size_t i = 0; i < made->variant_count; i++)
        most += 1 + made->variants[i].sender.key_count + made->variants[i].samples.value_count;
    others.fields = calloc(most, sizeof *others.fields);
    const struct message_type **roots = calloc(made->variant_count, sizeof(void *));
    bool room = others.fields != NULL && roots != NULL;
    for (size_t i = 0; room && i < made->variant_count; i++) {
        add_others(&others, &made->variants[i]);
        roots[i] = made->variants[i].type;
    }
    if (!room)
        error_no_memory(error);
    int result = room ? wildcard_plan_make(roots, made->variant_count, options, &others,
                                           &made->wildcard, error)
                      : -1;
    free(others.fields);
    free(roots);
    return result;
}

static int keep_warning(struct file_schema *made, const char *source, struct error *error)
{
    size_t more;
    const char *text = type_set_warning(made->set, &more);
    if (text == NULL)
        return 0;
    size_t size = strlen(source) + strlen(text) + 64;
    made->warning = malloc(size);
    if (made->warning == NULL)
        return error_no_memory(error);
    int length = snprintf(made->warning, size, "%s: %s", source, text);
    if (more != 0)
        snprintf(made->warning + length, size - (size_t)length, " (and %zu more such pair%s)", more,
                 more == 1 ? "" : "s");
    made->schema.warning = made->warning;
    return 0;
}

static int fill(struct file_schema *made, const struct schema_options *options, struct error *error)
{
    if (options->text_samples && !field_path_has_wildcard(options->value)) {
        error_set(error, EXIT_CODE_CONFIG,
                  "texts: has a meaning only with value=* or value=PATH.*");
        return -1;
    }
    if (!nested_parse(options->nested, &made->nested, error) ||
        descriptor_file_load(options->source, &made->set, error) != 0)
        return -1;
    const struct message_type *root = type_set_require(made->set, options->message, error);
    if (root == NULL || !nested_find_text(&made->nested, root, error) ||
        (made->nested.by_package &&
         !nested_packages_find(made->set, &made->nested.packages, error)))
        return -1;
    made->variants = calloc(nested_choices(&made->nested), sizeof *made->variants);
    if (made->variants == NULL) {
        error_no_memory(error);
        return -1;
    }
    made->variant_count = nested_choices(&made->nested);
    if (make_types(made, root, error) != 0 || make_paths(made, options, error) != 0 ||
        make_wildcard(made, options, error) != 0 || keep_warning(made, options->source, error) != 0)
        return -1;
    made->schema.has_samples = options->value != NULL;
    made->schema.name = made->variants[0].type->descriptor->name;
    return 0;
}

/*
 * Copies the error, and puts the file's name in front unless the error begins with it. Returns -1.
 */
static int file_refuse(const char *path, const struct error *reason, struct error *error)
{
    size_t length = strlen(path);
    if (strncmp(reason->text, path, length) == 0 && reason->text[length] == ':')
        error_set(error, reason->code, "%s", reason->text);
    else
        error_set(error, reason->code, "%s: %s", path, reason->text);
    return -1;
}

static int read_and_fill(struct file_schema *made, const struct schema_options *options,
                         struct error *error)
{
    struct error reason;
    if (options->message == NULL) {
        error_set(error, EXIT_CODE_CONFIG, "%s: which message of it is missing (message=TYPE)",
                  options->source);
        return -1;
    }
    if (fill(made, options, &reason) != 0)
        return file_refuse(options->source, &reason, error);
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
    if (read_and_fill(made, options, error) != 0) {
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

static const struct file_message *message_of(const void *message)
{
    return message;
}

/* --- the operations --------------------------------------------------------------------------- */

/*
 * Returns true if the message has only unknown fields. Fields without presence then read as 0, but
 * must become neither samples nor sequence numbers.
 */
static bool is_foreign(const struct message_type *type, const struct decoded *decoded)
{
    return decoded->unknown_fields != 0 && message_count_fields(type, decoded->message).known == 0;
}

/*
 * Reads the sequence number, and the parts for wildcard paths. Returns false if the arena is full.
 */
static bool read_once(const struct file_schema *file, size_t choice, struct file_message *made,
                      struct arena *arena, struct decoded *out)
{
    return sender_read(&made->variant->sender, made->message, arena, &made->sequence,
                       &made->numbered) &&
           (file->wildcard == NULL ||
            wildcard_walk(file->wildcard, choice, made->message, arena, &made->parts, out));
}

static enum decode_result decode(const struct schema *schema, const uint8_t *data, size_t size,
                                 struct arena *arena, struct decoded *out)
{
    const struct file_schema *file = file_of(schema);
    size_t choice = nested_choose(&file->nested, data, size);
    const struct file_variant *variant = &file->variants[choice];
    size_t start = arena->used;
    struct file_message *made = arena_allocate(arena, sizeof *made);
    if (made == NULL)
        return decoded_no_room(out);
    enum decode_result result =
        message_decode(variant->type, data, size, SCHEMA_MAX_DEPTH, arena, out);
    if (result == DECODE_OK) {
        *made = (struct file_message){.variant = variant,
                                      .message = out->message,
                                      .is_foreign = is_foreign(variant->type, out)};
        if (!made->is_foreign && !read_once(file, choice, made, arena, out))
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
    const struct file_schema *file = file_of(schema);
    const struct file_message *made = message_of(message);
    if (made->is_foreign)
        return false;
    if (cursor->stage < WILDCARD_BEGIN || file->wildcard == NULL) {
        if (sample_mapping_next(&made->variant->samples, made->message, cursor, sample))
            return true;
        if (file->wildcard == NULL)
            return false;
        *cursor = (struct schema_cursor){.stage = WILDCARD_BEGIN, .scratch = cursor->scratch};
    }
    return wildcard_next_sample(made->parts, cursor, sample);
}

static bool next_label(const struct schema *schema, const void *message,
                       const struct sample *sample, struct schema_cursor *cursor,
                       struct label *label)
{
    (void)schema;
    const struct file_message *made = message_of(message);
    if (wildcard_is_sample(sample))
        return wildcard_next_label(sample, cursor, label);
    return sample_mapping_next_label(&made->variant->samples, made->message, sample, cursor, label);
}

static size_t write_json(const struct schema *schema, const void *message,
                         const struct json_style *style, struct arena *scratch, struct output *out)
{
    (void)schema;
    const struct file_message *made = message_of(message);
    return message_write_json(made->variant->type, made->message, style, scratch, out);
}

static struct schema_fields count_fields(const struct schema *schema, const void *message)
{
    (void)schema;
    const struct file_message *made = message_of(message);
    return message_count_fields(made->variant->type, made->message);
}

static bool find_undeclared(const struct schema *schema, const void *message,
                            struct schema_undeclared *out)
{
    (void)schema;
    const struct file_message *made = message_of(message);
    return message_find_undeclared(made->variant->type, made->message, out);
}

static void write_protobuf(const struct schema *schema, const void *message, struct output *out)
{
    (void)schema;
    const struct file_message *made = message_of(message);
    message_encode(made->variant->type, made->message, out);
}

static bool sequence(const struct schema *schema, const void *message,
                     struct datagram_sequence *out)
{
    (void)schema;
    const struct file_message *made = message_of(message);
    *out = made->sequence;
    return made->numbered;
}

static bool same_numbers(const struct schema *a, const struct schema *b)
{
    return sender_paths_equal(&file_of(a)->variants[0].sender, &file_of(b)->variants[0].sender);
}

const struct message_type *schema_file_type(const struct schema *schema)
{
    return file_of(schema)->variants[0].type;
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
    .find_undeclared = find_undeclared,
    .write_protobuf = write_protobuf,
    .sequence = sequence,
    .same_numbers = same_numbers,
};
