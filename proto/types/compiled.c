/*
 * Makes types from the descriptors in protoc-c's code. They have only protobuf-c's information,
 * which is enough to decode a descriptor set. (The types for that cannot come from a descriptor
 * set.)
 */
#include <string.h>

#include "proto/types/loader.h"

struct walk {
    struct growing_arena *memory;
    struct met {
        const ProtobufCMessageDescriptor *descriptor;
        struct message_type *type;
        struct met *next;
    } * met;
};

static enum field_kind kind_of(const ProtobufCFieldDescriptor *field)
{
    switch (field->type) {
    case PROTOBUF_C_TYPE_INT32:
        return KIND_INT32;
    case PROTOBUF_C_TYPE_SINT32:
        return KIND_SINT32;
    case PROTOBUF_C_TYPE_SFIXED32:
        return KIND_SFIXED32;
    case PROTOBUF_C_TYPE_INT64:
        return KIND_INT64;
    case PROTOBUF_C_TYPE_SINT64:
        return KIND_SINT64;
    case PROTOBUF_C_TYPE_SFIXED64:
        return KIND_SFIXED64;
    case PROTOBUF_C_TYPE_UINT32:
        return KIND_UINT32;
    case PROTOBUF_C_TYPE_FIXED32:
        return KIND_FIXED32;
    case PROTOBUF_C_TYPE_UINT64:
        return KIND_UINT64;
    case PROTOBUF_C_TYPE_FIXED64:
        return KIND_FIXED64;
    case PROTOBUF_C_TYPE_FLOAT:
        return KIND_FLOAT;
    case PROTOBUF_C_TYPE_DOUBLE:
        return KIND_DOUBLE;
    case PROTOBUF_C_TYPE_BOOL:
        return KIND_BOOL;
    case PROTOBUF_C_TYPE_ENUM:
        return KIND_ENUM;
    case PROTOBUF_C_TYPE_MESSAGE:
        return KIND_MESSAGE;
    default:
        return KIND_BYTES;
    }
}

static enum field_presence presence_of(const ProtobufCFieldDescriptor *field)
{
    if (field->label == PROTOBUF_C_LABEL_REPEATED)
        return PRESENCE_REPEATED;
    if ((field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) != 0)
        return PRESENCE_ONEOF;
    if (field->label == PROTOBUF_C_LABEL_REQUIRED)
        return PRESENCE_REQUIRED;
    if (field->type == PROTOBUF_C_TYPE_MESSAGE)
        return PRESENCE_POINTER;
    return field->label == PROTOBUF_C_LABEL_OPTIONAL ? PRESENCE_FLAG : PRESENCE_IMPLICIT;
}

static struct message_type *type_of(struct walk *walk,
                                    const ProtobufCMessageDescriptor *descriptor);

static bool fill_field(struct walk *walk, struct field_type *field, uint16_t *required,
                       const ProtobufCFieldDescriptor *from)
{
    enum field_kind kind = kind_of(from);
    field->descriptor = from;
    field->number = from->id;
    field->offset = from->offset;
    field->quantifier = from->quantifier_offset;
    field->kind = (uint8_t)kind;
    field->presence = (uint8_t)presence_of(from);
    field->wire_type = field_kind_wire_type(kind);
    field->size = field_kind_size(kind);
    field->packable =
        field->presence == PRESENCE_REPEATED && kind != KIND_MESSAGE && kind != KIND_BYTES;
    field->packed = (from->flags & PROTOBUF_C_FIELD_FLAG_PACKED) != 0;
    if (field->presence == PRESENCE_REQUIRED)
        field->required = (*required)++;
    if (kind == KIND_ENUM)
        field->enumeration = from->descriptor;
    if (kind != KIND_MESSAGE)
        return true;
    field->message = type_of(walk, from->descriptor);
    return field->message != NULL;
}

/*
 * Returns the type of a descriptor, which is made at the first call. The recursion is at most as
 * deep as the number of types.
 */
static struct message_type *type_of(struct walk *walk, const ProtobufCMessageDescriptor *descriptor)
{
    for (struct met *met = walk->met; met != NULL; met = met->next)
        if (met->descriptor == descriptor)
            return met->type;
    size_t count = descriptor->n_fields;
    struct met *met = growing_arena_allocate(walk->memory, 1, sizeof *met);
    struct message_type *type = growing_arena_allocate(walk->memory, 1, sizeof *type);
    struct field_type *fields = growing_arena_allocate(walk->memory, count, sizeof *fields);
    if (met == NULL || type == NULL || fields == NULL)
        return NULL;
    *met = (struct met){descriptor, type, walk->met};
    walk->met = met;
    type->descriptor = descriptor;
    uint16_t required = 0;
    for (size_t i = 0; i < count; i++)
        if (!fill_field(walk, &fields[i], &required, &descriptor->fields[i]))
            return NULL;
    return message_type_index(walk->memory, type, fields, count) ? type : NULL;
}

const struct message_type *compiled_type(struct growing_arena *memory,
                                         const ProtobufCMessageDescriptor *root)
{
    struct walk walk = {.memory = memory};
    return type_of(&walk, root);
}

/* --- finding a type by name ------------------------------------------------------------------- */

/*
 * A step of the path from the root to a descriptor, so that the search does not visit a recursive
 * type again.
 */
struct step {
    const ProtobufCMessageDescriptor *descriptor;
    const struct step *before;
};

static const ProtobufCMessageDescriptor *find_below(const struct step *before,
                                                    const ProtobufCMessageDescriptor *descriptor,
                                                    const char *name)
{
    if (strcmp(descriptor->name, name) == 0)
        return descriptor;
    for (const struct step *step = before; step != NULL; step = step->before)
        if (step->descriptor == descriptor)
            return NULL;
    const struct step here = {descriptor, before};
    for (unsigned i = 0; i < descriptor->n_fields; i++) {
        if (descriptor->fields[i].type != PROTOBUF_C_TYPE_MESSAGE)
            continue;
        const ProtobufCMessageDescriptor *found =
            find_below(&here, descriptor->fields[i].descriptor, name);
        if (found != NULL)
            return found;
    }
    return NULL;
}

const ProtobufCMessageDescriptor *compiled_find(const ProtobufCMessageDescriptor *root,
                                                const char *name)
{
    return root == NULL ? NULL : find_below(NULL, root, name);
}
