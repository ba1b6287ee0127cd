/*
 * Lays out the fields of a message in memory, and makes protobuf-c's descriptor of it. If
 * protoc-c's code has the type, uses the layout and the descriptor in that code.
 */
#include <stdlib.h>
#include <string.h>

#include "proto/types/loader.h"

/* --- a layout of our own ---------------------------------------------------------------------- */

static uint32_t layout_take(uint32_t *end, uint32_t size)
{
    uint32_t at = *end;
    *end += size;
    return at;
}

static uint32_t place_size(const struct field_type *field)
{
    return field->presence == PRESENCE_REPEATED ? sizeof(void *) : field->size;
}

/*
 * The part of the struct that all fields of a oneof share: the oneof's case, and room for the
 * largest field.
 */
struct shared_place {
    uint32_t quantifier, offset, size;
    bool used;
};

static void measure_oneofs(const struct message_definition *definition, struct shared_place *oneofs)
{
    for (size_t i = 0; i < definition->source_count; i++) {
        const struct field_type *field = &definition->fields[i];
        if (field->presence != PRESENCE_ONEOF)
            continue;
        struct shared_place *oneof = &oneofs[definition->sources[i].from->oneof_index];
        oneof->used = true;
        if (place_size(field) > oneof->size)
            oneof->size = place_size(field);
    }
}

/*
 * Places the members of eight or more bytes. place_narrow then adds the smaller ones, so that there
 * are no gaps.
 */
static uint32_t place_wide(struct message_definition *definition, struct shared_place *oneofs,
                           size_t oneof_count)
{
    uint32_t end = sizeof(ProtobufCMessage);
    for (size_t i = 0; i < definition->source_count; i++) {
        struct field_type *field = &definition->fields[i];
        if (field->presence == PRESENCE_REPEATED)
            field->quantifier = layout_take(&end, sizeof(size_t));
        if (field->presence != PRESENCE_ONEOF && place_size(field) >= 8)
            field->offset = layout_take(&end, place_size(field));
    }
    for (size_t i = 0; i < oneof_count; i++)
        if (oneofs[i].used && oneofs[i].size >= 8)
            oneofs[i].offset = layout_take(&end, oneofs[i].size);
    return end;
}

static uint32_t place_narrow(struct message_definition *definition, struct shared_place *oneofs,
                             size_t oneof_count, uint32_t end)
{
    for (size_t i = 0; i < oneof_count; i++) {
        if (!oneofs[i].used)
            continue;
        oneofs[i].quantifier = layout_take(&end, sizeof(uint32_t));
        if (oneofs[i].size < 8)
            oneofs[i].offset = layout_take(&end, oneofs[i].size);
    }
    for (size_t i = 0; i < definition->source_count; i++) {
        struct field_type *field = &definition->fields[i];
        if (field->presence == PRESENCE_ONEOF) {
            const struct shared_place *oneof = &oneofs[definition->sources[i].from->oneof_index];
            field->offset = oneof->offset;
            field->quantifier = oneof->quantifier;
            continue;
        }
        if (field->presence == PRESENCE_FLAG)
            field->quantifier = layout_take(&end, sizeof(protobuf_c_boolean));
        if (place_size(field) < 8)
            field->offset = layout_take(&end, place_size(field));
    }
    return (end + 7) & ~(uint32_t)7;
}

static bool place_fields(struct loader *loader, struct message_definition *definition)
{
    size_t oneof_count = definition->from->n_oneof_decl;
    struct shared_place *oneofs =
        growing_arena_allocate(&loader->set->memory, oneof_count, sizeof *oneofs);
    if (oneofs == NULL)
        return loader_no_memory(loader);
    measure_oneofs(definition, oneofs);
    uint32_t end = place_wide(definition, oneofs, oneof_count);
    definition->descriptor->sizeof_message = place_narrow(definition, oneofs, oneof_count, end);
    return true;
}

/* --- protobuf-c's descriptor ------------------------------------------------------------------ */

static ProtobufCType type_of(enum field_kind kind)
{
    static const ProtobufCType types[KIND_END] = {
        [KIND_DOUBLE] = PROTOBUF_C_TYPE_DOUBLE,     [KIND_FLOAT] = PROTOBUF_C_TYPE_FLOAT,
        [KIND_INT64] = PROTOBUF_C_TYPE_INT64,       [KIND_UINT64] = PROTOBUF_C_TYPE_UINT64,
        [KIND_INT32] = PROTOBUF_C_TYPE_INT32,       [KIND_FIXED64] = PROTOBUF_C_TYPE_FIXED64,
        [KIND_FIXED32] = PROTOBUF_C_TYPE_FIXED32,   [KIND_BOOL] = PROTOBUF_C_TYPE_BOOL,
        [KIND_STRING] = PROTOBUF_C_TYPE_BYTES,      [KIND_GROUP] = PROTOBUF_C_TYPE_MESSAGE,
        [KIND_MESSAGE] = PROTOBUF_C_TYPE_MESSAGE,   [KIND_BYTES] = PROTOBUF_C_TYPE_BYTES,
        [KIND_UINT32] = PROTOBUF_C_TYPE_UINT32,     [KIND_ENUM] = PROTOBUF_C_TYPE_ENUM,
        [KIND_SFIXED32] = PROTOBUF_C_TYPE_SFIXED32, [KIND_SFIXED64] = PROTOBUF_C_TYPE_SFIXED64,
        [KIND_SINT32] = PROTOBUF_C_TYPE_SINT32,     [KIND_SINT64] = PROTOBUF_C_TYPE_SINT64,
    };
    return types[kind];
}

static ProtobufCLabel label_of(enum field_presence presence)
{
    switch (presence) {
    case PRESENCE_REPEATED:
        return PROTOBUF_C_LABEL_REPEATED;
    case PRESENCE_REQUIRED:
        return PROTOBUF_C_LABEL_REQUIRED;
    case PRESENCE_IMPLICIT:
        return PROTOBUF_C_LABEL_NONE;
    default:
        return PROTOBUF_C_LABEL_OPTIONAL;
    }
}

static void describe_field(ProtobufCFieldDescriptor *to, const struct field_type *field,
                           const char *name)
{
    to->name = name;
    to->id = field->number;
    to->label = label_of(field->presence);
    to->type = type_of(field->kind);
    to->quantifier_offset = field->quantifier;
    to->offset = field->offset;
    if (field->message != NULL)
        to->descriptor = field->message->descriptor;
    else
        to->descriptor = field->enumeration;
    if (field->packed)
        to->flags |= PROTOBUF_C_FIELD_FLAG_PACKED;
    if (field->presence == PRESENCE_ONEOF)
        to->flags |= PROTOBUF_C_FIELD_FLAG_ONEOF;
}

struct named_index {
    const char *name;
    unsigned index;
};

static int by_name(const void *a, const void *b)
{
    const struct named_index *left = a;
    const struct named_index *right = b;
    return strcmp(left->name, right->name);
}

static bool sort_by_name(struct loader *loader, ProtobufCMessageDescriptor *descriptor)
{
    struct growing_arena *memory = &loader->set->memory;
    size_t count = descriptor->n_fields;
    struct named_index *sorted = growing_arena_allocate(memory, count, sizeof *sorted);
    unsigned *indices = growing_arena_allocate(memory, count, sizeof *indices);
    if (sorted == NULL || indices == NULL)
        return loader_no_memory(loader);
    for (size_t i = 0; i < count; i++)
        sorted[i] = (struct named_index){descriptor->fields[i].name, (unsigned)i};
    qsort(sorted, count, sizeof *sorted, by_name);
    for (size_t i = 0; i < count; i++) {
        if (i != 0 && strcmp(sorted[i - 1].name, sorted[i].name) == 0)
            return loader_refuse(loader, "\"%s\" has two fields \"%s\"", descriptor->name,
                                 sorted[i].name);
        indices[i] = sorted[i].index;
    }
    descriptor->fields_sorted_by_name = indices;
    return true;
}

/* Lists the ranges of consecutive numbers, and the end marker that protobuf-c expects. */
static bool list_ranges(struct loader *loader, ProtobufCMessageDescriptor *descriptor)
{
    unsigned count = descriptor->n_fields;
    ProtobufCIntRange *ranges =
        growing_arena_allocate(&loader->set->memory, count + 1, sizeof *ranges);
    if (ranges == NULL)
        return loader_no_memory(loader);
    unsigned used = 0;
    for (unsigned i = 0; i < count; i++)
        if (i == 0 || descriptor->fields[i].id != descriptor->fields[i - 1].id + 1)
            ranges[used++] = (ProtobufCIntRange){(int)descriptor->fields[i].id, i};
    ranges[used] = (ProtobufCIntRange){0, count};
    descriptor->field_ranges = ranges;
    descriptor->n_field_ranges = used;
    return true;
}

static bool describe(struct loader *loader, struct message_definition *definition)
{
    size_t count = definition->source_count;
    ProtobufCMessageDescriptor *descriptor = definition->descriptor;
    ProtobufCFieldDescriptor *fields =
        growing_arena_allocate(&loader->set->memory, count, sizeof *fields);
    if (fields == NULL)
        return loader_no_memory(loader);
    for (size_t i = 0; i < count; i++) {
        describe_field(&fields[i], &definition->fields[i], definition->sources[i].name);
        definition->fields[i].descriptor = &fields[i];
        if (!loader_set_default(loader, &definition->fields[i], &definition->sources[i],
                                &fields[i]))
            return false;
    }
    descriptor->n_fields = (unsigned)count;
    descriptor->fields = count == 0 ? NULL : fields; /* protobuf-c requires NULL for 0 fields */
    return sort_by_name(loader, descriptor) && list_ranges(loader, descriptor);
}

/* --- a layout of protoc-c's ------------------------------------------------------------------- */

/* Uses the layout of protoc-c's code. Fields that the code lacks count as unknown. */
static bool adopt(struct loader *loader, struct message_definition *definition)
{
    size_t kept = 0;
    uint16_t required = 0;
    for (size_t i = 0; i < definition->source_count; i++) {
        struct field_type *field = &definition->fields[i];
        const ProtobufCFieldDescriptor *compiled =
            protobuf_c_message_descriptor_get_field(definition->compiled, field->number);
        if (compiled == NULL)
            continue;
        bool flagged = (compiled->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) != 0;
        if (compiled->type != type_of(field->kind) ||
            flagged != (field->presence == PRESENCE_ONEOF))
            return loader_refuse(loader, "\"%s\" of \"%s\" is not what the program has",
                                 definition->sources[i].name, definition->name);
        field->descriptor = compiled;
        field->offset = compiled->offset;
        field->quantifier = compiled->quantifier_offset;
        if (field->presence == PRESENCE_REQUIRED)
            field->required = required++;
        definition->fields[kept++] = *field;
    }
    definition->source_count = kept;
    return true;
}

/* --- maps ------------------------------------------------------------------------------------- */

static bool is_key(const struct field_type *key)
{
    return key->number == 1 && key->presence == PRESENCE_IMPLICIT && key->kind != KIND_DOUBLE &&
           key->kind != KIND_FLOAT && key->kind != KIND_BYTES && key->kind != KIND_ENUM;
}

static bool check_entry(struct loader *loader, const struct message_definition *definition)
{
    const struct field_type *fields = definition->fields;
    if (definition->source_count == 2 && is_key(&fields[0]) && fields[1].number == 2 &&
        (fields[1].presence == PRESENCE_IMPLICIT || fields[1].presence == PRESENCE_POINTER) &&
        definition->compiled == NULL)
        return true;
    return loader_refuse(loader, "\"%s\" is not a valid map entry", definition->name);
}

static void mark_closed_values(const struct loader *loader, struct message_definition *definition)
{
    for (size_t i = 0; i < definition->source_count; i++) {
        struct field_type *field = &definition->fields[i];
        if (!field->map)
            continue;
        const char *name = field->message->descriptor->name;
        const struct message_definition *entry =
            definition_of_message(loader->set, name, strlen(name));
        const ProtobufCEnumDescriptor *values =
            entry->source_count == 2 ? entry->fields[1].enumeration : NULL;
        if (values != NULL)
            field->closed_values =
                definition_of_enum(loader->set, values->name, strlen(values->name))->closed;
    }
}

/* An enum value of an empty map entry is the enum's first value. */
static void set_first_value(const struct loader *loader, const struct message_definition *entry)
{
    const struct field_type *value = &entry->fields[1];
    if (value->kind != KIND_ENUM)
        return;
    const char *name = value->enumeration->name;
    int32_t first = definition_of_enum(loader->set, name, strlen(name))->from->value[0]->number;
    void *prototype = (void *)(uintptr_t)entry->type->prototype;
    memcpy(field_place(value, prototype), &first, sizeof first);
}

static void apply_defaults(const struct message_type *type)
{
    void *prototype = (void *)(uintptr_t)type->prototype;
    for (size_t i = 0; i < type->field_count; i++) {
        const struct field_type *field = &type->fields[i];
        if (field->descriptor->default_value != NULL && field->presence != PRESENCE_ONEOF)
            memcpy(field_place(field, prototype), field->descriptor->default_value, field->size);
    }
}

/* --- the whole layout ------------------------------------------------------------------------- */

bool loader_lay_out(struct loader *loader, struct message_definition *definition)
{
    struct message_type *type = definition->type;
    if (definition->compiled != NULL) {
        if (!adopt(loader, definition))
            return false;
    } else if (!place_fields(loader, definition) || !describe(loader, definition)) {
        return false;
    }
    if (type->map_entry && !check_entry(loader, definition))
        return false;
    mark_closed_values(loader, definition);
    if (!message_type_index(&loader->set->memory, type, definition->fields,
                            definition->source_count))
        return loader_no_memory(loader);
    if (type->map_entry)
        set_first_value(loader, definition);
    else if (definition->compiled == NULL)
        apply_defaults(type);
    type->well_known = well_known_of(type);
    return loader_make_steps(&loader->set->memory, type) || loader_no_memory(loader);
}
