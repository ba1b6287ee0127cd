#include "proto/reading/json_message.h"

#include <stdlib.h>
#include <string.h>

#include "proto/message_schema.h"
#include "proto/reading/json_reading.h"
#include "proto/runtime/descriptor_file.h"
#include "proto/schemas.h"

/*
 * An upper bound for the bytes in the wire format for each character of JSON. For example, the
 * three characters "-1," become at most 16 bytes, with the tag.
 */
#define BYTES_PER_CHARACTER 16

/* A type and its owner, which is the schema or the set. */
struct opened_type {
    const struct message_type *type;
    struct schema *schema;
    struct type_set *set;
};

static void close_type(struct opened_type *opened)
{
    if (opened->schema != NULL)
        opened->schema->ops->destroy(opened->schema);
    type_set_destroy(opened->set);
}

/* Opens the type of a built-in schema. Each such schema begins with a struct message_schema. */
static int open_builtin(const char *name, struct opened_type *opened, struct error *error)
{
    const struct schema_options options = {.source = name};
    for (const struct schema_ops *const *one = builtin_schemas; *one != NULL; one++)
        if (strcmp((*one)->name, name) == 0) {
            if ((*one)->create(&options, &opened->schema, error) != 0)
                return -1;
            opened->type = ((const struct message_schema *)opened->schema)->type;
            return 0;
        }
    error_set(error, EXIT_CODE_USAGE, "--schema: there is no \"%s\"", name);
    return -1;
}

static int open_type(const struct json_message_type *wanted, struct opened_type *opened,
                     struct error *error)
{
    if (wanted->schema != NULL)
        return open_builtin(wanted->schema, opened, error);
    if (descriptor_file_load(wanted->file, &opened->set, error) != 0)
        return -1;
    struct error reason;
    opened->type = type_set_require(opened->set, wanted->message, &reason);
    if (opened->type != NULL)
        return 0;
    error_set(error, reason.code, "%s: %s", wanted->file, reason.text);
    return -1;
}

static int put_root(const struct message_type *type, const char *called, const char *json,
                    struct output *out, struct error *error)
{
    struct growing_arena arena = {0};
    struct error reason;
    const struct json_node *root = json_text_parse(json, &arena, &reason);
    bool good = false;
    if (root == NULL) {
        error_set(error, reason.code, "%s: %s", called, reason.text);
    } else {
        struct json_reading reading = {
            .text = json,
            .value = root,
            .out = out,
            .error = error,
            .called = called,
            .put_well_known = json_put_well_known,
        };
        good = json_put_content(&reading, type, root) && json_encode_again(&reading, type, 0);
    }
    growing_arena_free(&arena);
    return good ? 0 : -1;
}

int json_message_encode_type(const struct message_type *type, const char *called, const char *json,
                             uint8_t **bytes, size_t *size, struct error *error)
{
    size_t capacity = strlen(json) * BYTES_PER_CHARACTER + 64;
    struct output out = {.data = malloc(capacity), .capacity = capacity};
    if (out.data == NULL)
        return error_no_memory(error);
    if (put_root(type, called, json, &out, error) != 0) {
        free(out.data);
        return -1;
    }
    *bytes = (uint8_t *)out.data;
    *size = out.used;
    return 0;
}

int json_message_encode(const struct json_message_type *type, const char *json, uint8_t **bytes,
                        size_t *size, struct error *error)
{
    struct opened_type opened = {.type = NULL};
    int result = open_type(type, &opened, error);
    if (result == 0)
        result = json_message_encode_type(
            opened.type, type->called != NULL ? type->called : "--json", json, bytes, size, error);
    close_type(&opened);
    return result;
}
