/* Determines the properties of each field of a message: type, presence, references and names. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/text/json_writer.h"
#include "proto/types/loader.h"

#define LABEL_REQUIRED 2
#define LABEL_REPEATED 3
#define NUMBER_MAX     536870911 /* the largest field number outside of message sets */

/* --- names ------------------------------------------------------------------------------------ */

/*
 * Writes a name in lowerCamelCase, like protoc's json_name: removes each underscore, and makes the
 * letter after it upper case. Returns the length.
 */
static size_t camel_case(const char *name, char *out)
{
    size_t used = 0;
    bool raise = false;
    for (; *name != '\0'; name++) {
        if (*name == '_') {
            raise = true;
            continue;
        }
        bool lower = *name >= 'a' && *name <= 'z';
        out[used++] = (char)(raise && lower ? *name - 'a' + 'A' : *name);
        raise = false;
    }
    return used;
}

/* Makes the key `"name":` for JSON; the name of an extension is in brackets. */
static const char *make_key(struct loader *loader, const char *name, size_t length, bool extension,
                            size_t *size)
{
    struct growing_arena *memory = &loader->set->memory;
    char *plain = growing_arena_allocate(memory, length + 3, 1);
    struct output key = {.capacity = 6 * (length + 2) + 4};
    key.data = growing_arena_allocate(memory, key.capacity, 1);
    if (plain == NULL || key.data == NULL) {
        loader_no_memory(loader);
        return NULL;
    }
    plain[0] = '[';
    memcpy(plain + 1, name, length);
    plain[length + 1] = ']';
    json_string(&key, extension ? plain : plain + 1, extension ? length + 2 : length);
    output_char(&key, ':');
    *size = key.used;
    return key.data;
}

static bool name_field(struct loader *loader, const struct field_source *source,
                       struct field_type *field)
{
    const char *name = source->name;
    size_t length = strlen(name);
    const char *json = name;
    size_t json_length = length;
    if (!source->extension && source->from->json_name.len != 0) {
        json = (const char *)source->from->json_name.data;
        json_length = source->from->json_name.len;
    } else if (!source->extension) {
        char *camel = growing_arena_allocate(&loader->set->memory, length + 1, 1);
        if (camel == NULL)
            return loader_no_memory(loader);
        json_length = camel_case(name, camel);
        json = camel;
    }
    field->proto_key = make_key(loader, name, length, source->extension, &field->proto_key_size);
    field->json_key = make_key(loader, json, json_length, source->extension, &field->json_key_size);
    return field->proto_key != NULL && field->json_key != NULL;
}

/* --- types ------------------------------------------------------------------------------------ */

/* Removes the leading dot that marks a full name from the name of the field's type. */
static void strip_dot(const Field *from, const char **name, size_t *length)
{
    *name = (const char *)from->type_name.data;
    *length = from->type_name.len;
    if (*length != 0 && **name == '.') {
        ++*name;
        --*length;
    }
}

static bool refers_to_nothing(struct loader *loader, const struct message_definition *definition,
                              const struct field_source *source)
{
    char *name = loader_text(loader, source->from->type_name);
    return loader_refuse(loader, "\"%s\" of \"%s\" is of type \"%s\", which is not in it",
                         source->name, definition->name, name != NULL ? name : "");
}

/* Finds the field's message or enum. Some sets do not state which of the two it is. */
static bool resolve(struct loader *loader, const struct message_definition *definition,
                    const struct field_source *source, struct field_type *field)
{
    const char *name;
    size_t length;
    strip_dot(source->from, &name, &length);
    const struct message_definition *message = NULL;
    const struct enum_definition *enumeration = NULL;
    if (field->kind != KIND_ENUM)
        message = definition_of_message(loader->set, name, length);
    if (message == NULL && (field->kind == KIND_ENUM || field->kind == 0))
        enumeration = definition_of_enum(loader->set, name, length);
    if (message == NULL && enumeration == NULL)
        return refers_to_nothing(loader, definition, source);
    if (message != NULL) {
        field->message = message->type;
        if (field->kind == 0)
            field->kind = KIND_MESSAGE;
        field->map = message->type->map_entry;
        if (field->map && (source->from->label != LABEL_REPEATED || field->kind != KIND_MESSAGE))
            return loader_refuse(loader, "\"%s\" of \"%s\" is of a map's entry and no map",
                                 source->name, definition->name);
        return true;
    }
    field->kind = KIND_ENUM;
    field->enumeration = enumeration->descriptor;
    if (definition->type->not_supported == NULL)
        definition->type->not_supported = enumeration->not_supported;
    field->closed = enumeration->closed;
    field->null_value = strcmp(enumeration->name, "google.protobuf.NullValue") == 0;
    return true;
}

static enum field_presence presence_of(const struct field_type *field, const Field *from,
                                       const struct features *features, bool map_entry)
{
    bool message = field->kind == KIND_MESSAGE || field->kind == KIND_GROUP;
    if (from->label == LABEL_REPEATED)
        return PRESENCE_REPEATED;
    if (from->has_oneof_index && !from->proto3_optional)
        return PRESENCE_ONEOF;
    if (map_entry)
        return message ? PRESENCE_POINTER : PRESENCE_IMPLICIT;
    if (from->label == LABEL_REQUIRED || features->required)
        return PRESENCE_REQUIRED;
    if (message)
        return PRESENCE_POINTER;
    return features->implicit && !from->proto3_optional ? PRESENCE_IMPLICIT : PRESENCE_FLAG;
}

static bool is_sound(struct loader *loader, const struct message_definition *definition,
                     const struct field_source *source)
{
    const Field *from = source->from;
    const char *wrong = NULL;
    if (!loader_is_name(from->name, false))
        wrong = "is not a valid name";
    else if (from->number < 1 || (from->number > NUMBER_MAX && !definition->type->message_set))
        wrong = "has an invalid number";
    else if (from->label < 1 || from->label > LABEL_REPEATED)
        wrong = "has an invalid label";
    else if (from->type < 0 || from->type >= KIND_END)
        wrong = "has an invalid type";
    else if (from->has_oneof_index &&
             (source->extension || from->label == LABEL_REPEATED || from->oneof_index < 0 ||
              (size_t)from->oneof_index >= definition->from->n_oneof_decl))
        wrong = "is in an invalid oneof";
    if (wrong != NULL)
        return loader_refuse(loader, "\"%s\" of \"%s\" %s", source->name, definition->name, wrong);
    return true;
}

static bool is_in_set(const struct field_type *field)
{
    return field->extension && field->kind == KIND_MESSAGE && field->presence == PRESENCE_POINTER;
}

static const struct field_change *find_change(const struct loader *loader,
                                              const struct message_definition *definition,
                                              const struct field_source *source)
{
    for (size_t i = 0; i < loader->change_count; i++)
        if (strcmp(loader->changes[i].message, definition->name) == 0 &&
            strcmp(loader->changes[i].field, source->name) == 0)
            return &loader->changes[i];
    return NULL;
}

static bool apply_change(struct loader *loader, const struct message_definition *definition,
                         const struct field_source *source, const struct field_change *change,
                         struct field_type *field)
{
    if (field->kind != KIND_BYTES)
        return loader_refuse(loader, "\"%s\" of \"%s\" is not a bytes field", source->name,
                             definition->name);
    field->hex = change->hex;
    return true;
}

static bool name_oneof(struct loader *loader, const struct message_definition *definition,
                       const Field *from, struct field_type *field)
{
    if (field->presence != PRESENCE_ONEOF)
        return true;
    field->oneof = loader_text(loader, definition->from->oneof_decl[from->oneof_index]->name);
    return field->oneof != NULL || loader_no_memory(loader);
}

static bool fill_field(struct loader *loader, struct message_definition *definition,
                       const struct field_source *source, struct field_type *field)
{
    const Field *from = source->from;
    struct features features = source->scope;
    if (!is_sound(loader, definition, source))
        return false;
    if (from->options != NULL)
        features_apply(&features, from->options->features);
    field->number = (uint32_t)from->number;
    field->kind = (uint8_t)from->type;
    field->extension = source->extension;
    if (definition->type->not_supported == NULL)
        definition->type->not_supported = source->not_supported;
    bool refers = field->kind == 0 || field->kind == KIND_MESSAGE || field->kind == KIND_GROUP ||
                  field->kind == KIND_ENUM;
    if (refers && !resolve(loader, definition, source, field))
        return false;
    if (field->kind == KIND_MESSAGE && features.delimited && !field->map &&
        !definition->type->map_entry)
        field->kind = KIND_GROUP;
    const struct field_change *change = find_change(loader, definition, source);
    if (change != NULL && !apply_change(loader, definition, source, change, field))
        return false;
    bool map_entry = definition->type->map_entry;
    field->presence = (uint8_t)presence_of(field, from, &features, map_entry);
    if (definition->type->message_set && !is_in_set(field))
        return loader_refuse(loader,
                             "\"%s\" of the message set \"%s\" is not an optional message that "
                             "extends it",
                             source->name, definition->name);
    field->wire_type = field_kind_wire_type(field->kind);
    field->size = field_kind_size(field->kind);
    field->utf8 = field->kind == KIND_STRING && features.utf8;
    if (map_entry)
        field->closed = false; /* the decoder checks a map entry as a whole */
    field->packable = field->presence == PRESENCE_REPEATED && field->message == NULL &&
                      field->kind != KIND_STRING && field->kind != KIND_BYTES;
    field->packed = field->packable && features.packed;
    if (field->packable && from->options != NULL && from->options->has_packed)
        field->packed = from->options->packed;
    return name_oneof(loader, definition, from, field) && name_field(loader, source, field);
}

/* --- messages --------------------------------------------------------------------------------- */

static int by_number(const void *a, const void *b)
{
    const struct field_source *left = a;
    const struct field_source *right = b;
    if (left->from->number != right->from->number)
        return left->from->number < right->from->number ? -1 : 1;
    return (left->order > right->order) - (left->order < right->order);
}

/* Keeps a warning about the first pair with the same number, and counts the others. */
static bool warn_of_same_number(struct loader *loader, const struct message_definition *definition,
                                const struct field_source *first, const struct field_source *second)
{
    struct type_set *set = loader->set;
    if (set->warning_count++ != 0)
        return true;
    size_t size = strlen(first->name) + strlen(second->name) + strlen(definition->name) + 96;
    char *text = growing_arena_allocate(&set->memory, size, 1);
    if (text == NULL)
        return loader_no_memory(loader);
    snprintf(text, size,
             "the extensions \"%s\" and \"%s\" of \"%s\" have the same number %" PRId32
             "; the first counts",
             first->name, second->name, definition->name, first->from->number);
    set->warning = text;
    return true;
}

/*
 * Refuses fields with the same number, unless both are extensions: then the first one is kept, with
 * a warning, because protoc only warns, too.
 */
static bool check_numbers(struct loader *loader, struct message_definition *definition)
{
    struct field_source *sources = definition->sources;
    size_t kept = 0;
    for (size_t i = 0; i < definition->source_count; i++) {
        const struct field_source *before = kept == 0 ? NULL : &sources[kept - 1];
        if (before == NULL || before->from->number != sources[i].from->number)
            sources[kept++] = sources[i];
        else if (!before->extension || !sources[i].extension)
            return loader_refuse(loader, "\"%s\" and \"%s\" of \"%s\" have the same number",
                                 before->name, sources[i].name, definition->name);
        else if (!warn_of_same_number(loader, definition, before, &sources[i]))
            return false;
    }
    definition->source_count = kept;
    return true;
}

static bool copy_ranges(struct loader *loader, const struct message_definition *definition)
{
    const Message *from = definition->from;
    struct number_range *ranges =
        growing_arena_allocate(&loader->set->memory, from->n_extension_range, sizeof *ranges);
    if (ranges == NULL)
        return loader_no_memory(loader);
    for (size_t i = 0; i < from->n_extension_range; i++)
        ranges[i] = (struct number_range){(uint32_t)from->extension_range[i]->start,
                                          (uint32_t)from->extension_range[i]->end};
    definition->type->extension_ranges = ranges;
    definition->type->extension_range_count = from->n_extension_range;
    return true;
}

bool loader_make_fields(struct loader *loader, struct message_definition *definition)
{
    size_t count = definition->source_count;
    if (count >= UINT16_MAX)
        return loader_refuse(loader, "\"%s\" has too many fields", definition->name);
    qsort(definition->sources, count, sizeof *definition->sources, by_number);
    if (!check_numbers(loader, definition) || !copy_ranges(loader, definition))
        return false;
    count = definition->source_count;
    definition->fields =
        growing_arena_allocate(&loader->set->memory, count, sizeof *definition->fields);
    if (definition->fields == NULL)
        return loader_no_memory(loader);
    uint16_t required = 0;
    for (size_t i = 0; i < count; i++) {
        struct field_type *field = &definition->fields[i];
        if (!fill_field(loader, definition, &definition->sources[i], field))
            return false;
        if (field->presence == PRESENCE_REQUIRED)
            field->required = required++;
    }
    return true;
}
