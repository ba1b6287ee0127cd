#include "tests/fuzz/label_keys.h"

#include <stdlib.h>
#include <string.h>

#include "proto/message/decode.h"
#include "proto/message/encode.h"
#include "proto/runtime/field_value.h"
#include "proto/schemas.h"
#include "tests/fuzz/records.h"
#include "tests/fuzz/target.h"

/* The most labels of a sample. Further ones are omitted. */
#define MOST_LABELS 64

#define KEYS 1024

/* The different keys of labels, copied. */
struct keys {
    char *texts[KEYS];
    size_t sizes[KEYS];
    size_t count;
    bool is_full; /* a sample has MOST_LABELS labels, or there are too many keys */
};

static bool keys_have(const struct keys *keys, const char *text, size_t size)
{
    for (size_t i = 0; i < keys->count; i++)
        if (keys->sizes[i] == size && memcmp(keys->texts[i], text, size) == 0)
            return true;
    return false;
}

static void keys_add(struct keys *keys, const struct text *key)
{
    keys->is_full = keys->is_full || keys->count == KEYS;
    if (keys->is_full || keys_have(keys, key->data, key->size))
        return;
    char *text = malloc(key->size + 1);
    if (text == NULL)
        abort();
    memcpy(text, key->data, key->size);
    keys->texts[keys->count] = text;
    keys->sizes[keys->count++] = key->size;
}

static void keys_free(struct keys *keys)
{
    for (size_t i = 0; i < keys->count; i++)
        free(keys->texts[i]);
}

/* --- samples ---------------------------------------------------------------------------------- */

static void read_labels(const struct decoding *decoding, const struct sample *sample,
                        struct keys *keys)
{
    static uint8_t room[65536];
    struct arena scratch = {.base = room, .capacity = sizeof room};
    struct schema_cursor cursor = {.scratch = &scratch};
    struct label label;
    size_t count = 0;
    while (decoding->schema->ops->next_label(decoding->schema, decoding->decoded.message, sample,
                                             &cursor, &label)) {
        keys_add(keys, &label.key);
        keys->is_full = keys->is_full || ++count == MOST_LABELS;
    }
}

static bool read_keys(struct schema *schema, const struct output *bytes, struct keys *keys)
{
    static uint8_t room[65536];
    struct arena scratch = {.base = room, .capacity = sizeof room};
    struct schema_cursor cursor = {.scratch = &scratch};
    struct decoding decoding;
    struct sample sample;
    bool good = checked_decode(&decoding, schema, bytes->data, bytes->used);
    while (good && schema->ops->next_sample(schema, decoding.decoded.message, &cursor, &sample))
        read_labels(&decoding, &sample, keys);
    checked_forget(&decoding);
    return good;
}

/* --- a message that is left out --------------------------------------------------------------- */

/* Returns true if messages of the type may contain keys of labels. */
static bool has_keys(const struct message_type *type)
{
    bool number_in_oneof = false;
    bool name = false;
    for (size_t i = 0; i < type->field_count; i++) {
        const struct field_type *field = &type->fields[i];
        if (field->map && field->message->fields[1].kind == KIND_STRING)
            return true;
        name = name || strcmp(field->descriptor->name, "name") == 0 ||
               strcmp(field->descriptor->name, "key") == 0;
        number_in_oneof =
            number_in_oneof || (field->presence == PRESENCE_ONEOF && field_is_number(field));
        number_in_oneof = number_in_oneof || (field->message != NULL && type->field_count == 2);
    }
    return number_in_oneof && name;
}

/* Returns true if the message, or one inside it, may contain keys of labels. */
static bool finds_keys(const struct message_type *type, const ProtobufCMessage *message)
{
    if (message == NULL)
        return false; /* a map entry without a value */
    bool found = !type->map_entry && has_keys(type);
    for (size_t i = 0; i < type->field_count && !found; i++) {
        const struct field_type *field = &type->fields[i];
        bool repeated = field->presence == PRESENCE_REPEATED;
        if (field->message == NULL || (!repeated && !field_is_present(field, message)))
            continue;
        const void *at = field_value(field, message);
        const ProtobufCMessage *const *messages =
            repeated ? *(const ProtobufCMessage *const *const *)at : at;
        for (size_t k = 0; k < (repeated ? field_elements(field, message) : 1) && !found; k++)
            found = finds_keys(field->message, messages[k]);
    }
    return found;
}

/*
 * Returns a present field with a singular message other than `other`, searching from index `from`,
 * or NULL if there is none.
 */
static const struct field_type *find_message(const struct message_type *type,
                                             const ProtobufCMessage *message, size_t from,
                                             const struct field_type *other)
{
    for (size_t i = 0; i < type->field_count; i++) {
        const struct field_type *field = &type->fields[(i + from) % type->field_count];
        if (field != other && field->presence == PRESENCE_POINTER && field->message != NULL &&
            field_is_present(field, message))
            return field;
    }
    return NULL;
}

static void encode_without(const struct message_type *type, ProtobufCMessage *message,
                           const struct field_type *field, struct output *out)
{
    ProtobufCMessage **at = field_place(field, message);
    ProtobufCMessage *left = *at;
    *at = NULL;
    message_encode(type, message, out);
    *at = left;
}

/* --- the whole -------------------------------------------------------------------------------- */

static void expect_keys(const struct keys *keys, const struct keys *one, const struct keys *other)
{
    for (size_t i = 0; i < keys->count; i++)
        EXPECT(keys_have(one, keys->texts[i], keys->sizes[i]) ||
                   keys_have(other, keys->texts[i], keys->sizes[i]),
               "the label %.*s has another key without a message", (int)keys->sizes[i],
               keys->texts[i]);
}

/*
 * Compares the keys of the whole message with the keys of two messages, each without one
 * submessage. The two must have no other keys, and each key must be in at least one of them.
 */
static void compare(struct schema *schema, const struct output *whole, const struct output less[2])
{
    struct keys all = {.count = 0};
    struct keys some[2] = {{.count = 0}, {.count = 0}};
    if (read_keys(schema, whole, &all) && read_keys(schema, &less[0], &some[0]) &&
        read_keys(schema, &less[1], &some[1]) && !all.is_full) {
        expect_keys(&all, &some[0], &some[1]);
        expect_keys(&some[0], &all, &all);
        expect_keys(&some[1], &all, &all);
    }
    keys_free(&all);
    keys_free(&some[0]);
    keys_free(&some[1]);
}

static void check_message(struct schema *schema, const struct message_type *root,
                          ProtobufCMessage *message, uint64_t choice)
{
    const struct field_type *one = find_message(root, message, choice, NULL);
    const struct field_type *other = find_message(root, message, choice, one);
    struct output whole = {.data = malloc(MAX_DECODED), .capacity = MAX_DECODED};
    struct output less[2] = {{.data = malloc(MAX_DECODED), .capacity = MAX_DECODED},
                             {.data = malloc(MAX_DECODED), .capacity = MAX_DECODED}};
    if (whole.data == NULL || less[0].data == NULL || less[1].data == NULL)
        abort();
    if (one != NULL && other != NULL) {
        message_encode(root, message, &whole);
        encode_without(root, message, one, &less[0]);
        encode_without(root, message, other, &less[1]);
        if (!whole.overflow && !less[0].overflow && !less[1].overflow)
            compare(schema, &whole, less);
    }
    free(whole.data);
    free(less[0].data);
    free(less[1].data);
}

void check_label_keys(const char *path, const char *type, const struct message_type *root,
                      const uint8_t *data, size_t size, uint64_t choice)
{
    const struct schema_options options = {.source = path, .message = type, .value = "*"};
    struct arena arena = {.base = malloc(MAX_DECODED), .capacity = MAX_DECODED};
    struct schema *schema;
    struct decoded decoded;
    struct error error;
    if (arena.base == NULL)
        abort();
    if (message_decode(root, data, size, SCHEMA_MAX_DEPTH, &arena, &decoded) == DECODE_OK &&
        decoded.unknown_fields == 0 && !finds_keys(root, decoded.message) &&
        schema_file.create(&options, &schema, &error) == 0) {
        size_t at = (size_t)((const uint8_t *)decoded.message - arena.base);
        check_message(schema, root, (ProtobufCMessage *)(void *)(arena.base + at), choice);
        schema_file.destroy(schema);
    }
    free(arena.base);
}
