#include "tests/fuzz/every_number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/message/count.h"
#include "proto/message/decode.h"
#include "proto/runtime/descriptor_file.h"
#include "proto/runtime/field_value.h"
#include "proto/schemas.h"
#include "tests/fuzz/label_keys.h"
#include "tests/fuzz/records.h"
#include "tests/fuzz/target.h"

/* Bit patterns of values, so that they can be sorted and compared. */
struct values {
    uint64_t *bits;
    size_t count, capacity;
};

static void values_add(struct values *values, uint64_t bits)
{
    if (values->count == values->capacity) {
        values->capacity = 2 * values->capacity + 64;
        values->bits = realloc(values->bits, values->capacity * sizeof *values->bits);
        if (values->bits == NULL)
            abort();
    }
    values->bits[values->count++] = bits;
}

static int by_bits(const void *a, const void *b)
{
    const uint64_t *left = a;
    const uint64_t *right = b;
    return (*left > *right) - (*left < *right);
}

/* Returns true if `all` contains each value of `some` at least as often. Sorts both. */
static bool contains(struct values *all, struct values *some)
{
    size_t at = 0;
    if (all->count != 0)
        qsort(all->bits, all->count, sizeof *all->bits, by_bits);
    if (some->count != 0)
        qsort(some->bits, some->count, sizeof *some->bits, by_bits);
    for (size_t i = 0; i < some->count; i++, at++) {
        while (at < all->count && all->bits[at] < some->bits[i])
            at++;
        if (at == all->count || all->bits[at] != some->bits[i])
            return false;
    }
    return true;
}

/* --- samples ---------------------------------------------------------------------------------- */

static uint64_t bits_of_double(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint64_t bits_of_sample(const struct sample *sample)
{
    switch (sample->type) {
    case SAMPLE_INT64:
        return (uint64_t)sample->value.int64;
    case SAMPLE_UINT64:
        return sample->value.uint64;
    default:
        return bits_of_double(sample->value.number);
    }
}

/*
 * Reads the samples that a schema with this value= yields. Returns false if the schema or the
 * message is refused.
 */
static bool read_samples(const char *path, const char *type, const char *value, const uint8_t *data,
                         size_t size, struct values *values)
{
    static uint8_t room[65536];
    struct arena scratch = {.base = room, .capacity = sizeof room};
    const struct schema_options options = {.source = path, .message = type, .value = value};
    struct schema_cursor cursor = {.scratch = &scratch};
    struct schema *schema;
    struct decoding decoding;
    struct sample sample;
    struct error error;
    if (schema_file.create(&options, &schema, &error) != 0)
        return false;
    bool good = checked_decode(&decoding, schema, data, size);
    while (good && schema->ops->next_sample(schema, decoding.decoded.message, &cursor, &sample))
        values_add(values, bits_of_sample(&sample));
    checked_forget(&decoding);
    schema->ops->destroy(schema);
    return good;
}

/* --- numbers ---------------------------------------------------------------------------------- */

/* State of reading a message by its type. */
struct reading {
    struct values numbers;
    size_t elements; /* number of messages and of elements of lists and maps */
    bool is_plain;   /* no field so far may be a time, a name or a label, so every number must be a
                        sample */
};

static bool has_word(const char *name, const char *word)
{
    for (; *name != '\0'; name++) {
        size_t i = 0;
        while (word[i] != '\0' && (name[i] | 0x20) == word[i])
            i++;
        if (word[i] == '\0')
            return true;
    }
    return false;
}

/*
 * Returns true if the field's name or role says that it may be a time, a name or a label instead of
 * a sample.
 */
static bool may_mean_more(const struct field_type *field)
{
    static const char *const words[] = {"time", "sec", "name", "key"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (has_word(field->descriptor->name, words[i]))
            return true;
    const char *dot = strrchr(field->descriptor->name, '.');
    const char *name = dot == NULL ? field->descriptor->name : dot + 1;
    return field->roles != 0 || (strlen(name) < 6 && has_word(name, "t") && has_word(name, "s"));
}

static void read_message(struct reading *reading, const struct message_type *type,
                         const ProtobufCMessage *message);

static void read_value(struct reading *reading, const struct field_type *field, const void *value)
{
    if (field->message != NULL) {
        read_message(reading, field->message, *(const ProtobufCMessage *const *)value);
        return;
    }
    if (!field_is_number(field) || field->kind == KIND_ENUM)
        return;
    struct field_number number = field_read_number(field, value);
    values_add(&reading->numbers, number.type == FIELD_SIGNED ? (uint64_t)number.is.as_signed
                                  : number.type == FIELD_UNSIGNED
                                      ? number.is.as_unsigned
                                      : bits_of_double(number.is.as_double));
}

static void read_entry(struct reading *reading, const struct field_type *map,
                       const ProtobufCMessage *entry)
{
    const struct field_type *value = &map->message->fields[1];
    read_value(reading, value, field_value(value, entry));
}

static void read_list(struct reading *reading, const struct field_type *field,
                      const ProtobufCMessage *message)
{
    const char *elements = *(const char *const *)field_value(field, message);
    for (size_t i = 0; i < field_elements(field, message); i++) {
        const void *element = elements + i * field->size;
        reading->elements++;
        if (field->map)
            read_entry(reading, field, *(const ProtobufCMessage *const *)element);
        else
            read_value(reading, field, element);
    }
}

static void read_message(struct reading *reading, const struct message_type *type,
                         const ProtobufCMessage *message)
{
    if (message == NULL)
        return; /* a map entry without a value */
    for (size_t i = 0; i < type->field_count; i++) {
        const struct field_type *field = &type->fields[i];
        reading->is_plain = reading->is_plain && !may_mean_more(field);
        if (field->presence == PRESENCE_REPEATED)
            read_list(reading, field, message);
        else if (field->presence == PRESENCE_IMPLICIT || field_is_present(field, message))
            read_value(reading, field, field_value(field, message));
    }
}

/* --- a path ----------------------------------------------------------------------------------- */

#define PATH_ROOM 512

/*
 * Writes a path to `path`; `choice` selects its steps. Returns false if it does not end at a
 * number.
 */
static bool choose_path(const struct message_type *type, uint64_t choice, char path[PATH_ROOM])
{
    size_t used = 0;
    for (unsigned steps = 0; steps < 6 && type->field_count != 0; steps++, choice /= 7) {
        const struct field_type *field = &type->fields[choice % type->field_count];
        const char *name = field->descriptor->name;
        int size = snprintf(path + used, PATH_ROOM - used, field->extension ? "%s[%s]" : "%s%s",
                            used == 0 ? "" : ".", name);
        if (size < 0 || (used += (size_t)size) >= PATH_ROOM)
            return false;
        if (field->message == NULL)
            return field_is_number(field) && field->kind != KIND_ENUM;
        type = field->message;
    }
    return false;
}

/* --- the whole -------------------------------------------------------------------------------- */

/*
 * Returns true if the message has only fields that the type does not have. Such a message has no
 * samples, because none of its numbers was sent.
 */
static bool is_foreign(const struct message_type *type, const struct decoded *decoded)
{
    return decoded->unknown_fields != 0 && message_count_fields(type, decoded->message).known == 0;
}

static void check_path(const char *path, const char *type, const struct message_type *root,
                       const uint8_t *data, size_t size, uint64_t choice, struct values *all)
{
    char value[PATH_ROOM];
    struct values some = {0};
    if (choose_path(root, choice, value) && read_samples(path, type, value, data, size, &some))
        EXPECT(contains(all, &some), "samples of %s are not among those of *", value);
    free(some.bits);
}

void check_every_number(const char *path, const char *type, const uint8_t *data, size_t size,
                        uint64_t choice)
{
    struct type_set *set;
    struct error error;
    struct values samples = {0};
    struct reading reading = {.elements = 1, .is_plain = true};
    struct arena arena = {.base = malloc(MAX_DECODED), .capacity = MAX_DECODED};
    struct decoded decoded;
    if (arena.base == NULL)
        abort();
    if (descriptor_file_load(path, &set, &error) != 0) {
        free(arena.base);
        return;
    }
    const struct message_type *root = type_set_find(set, type, strlen(type));
    if (root != NULL && read_samples(path, type, "*", data, size, &samples)) {
        EXPECT(message_decode(root, data, size, SCHEMA_MAX_DEPTH, &arena, &decoded) == DECODE_OK,
               "only value=* decodes it");
        if (is_foreign(root, &decoded))
            EXPECT(samples.count == 0, "%zu samples of unknown fields", samples.count);
        else
            read_message(&reading, root, decoded.message);
        EXPECT(samples.count <= reading.numbers.count + reading.elements || !reading.is_plain,
               "%zu samples of %zu numbers and %zu elements", samples.count, reading.numbers.count,
               reading.elements);
        EXPECT(!reading.is_plain || contains(&samples, &reading.numbers),
               "a number is not a sample");
        if (reading.is_plain)
            check_path(path, type, root, data, size, choice, &samples);
        check_label_keys(path, type, root, data, size, choice);
    }
    type_set_destroy(set);
    free(reading.numbers.bits);
    free(samples.bits);
    free(arena.base);
}
