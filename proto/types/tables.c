#include <string.h>

#include "collector/base/wire.h"
#include "proto/types/loader.h"

/* Fields with numbers below this are looked up directly, in an array. */
#define DIRECT_MAX 1024

static const struct {
    uint8_t size, wire_type;
} kinds[KIND_END] = {
    [KIND_DOUBLE] = {8, WIRE_FIXED64},
    [KIND_FLOAT] = {4, WIRE_FIXED32},
    [KIND_INT64] = {8, WIRE_VARINT},
    [KIND_UINT64] = {8, WIRE_VARINT},
    [KIND_INT32] = {4, WIRE_VARINT},
    [KIND_FIXED64] = {8, WIRE_FIXED64},
    [KIND_FIXED32] = {4, WIRE_FIXED32},
    [KIND_BOOL] = {sizeof(protobuf_c_boolean), WIRE_VARINT},
    [KIND_STRING] = {sizeof(ProtobufCBinaryData), WIRE_LENGTH},
    [KIND_GROUP] = {sizeof(void *), WIRE_GROUP_START},
    [KIND_MESSAGE] = {sizeof(void *), WIRE_LENGTH},
    [KIND_BYTES] = {sizeof(ProtobufCBinaryData), WIRE_LENGTH},
    [KIND_UINT32] = {4, WIRE_VARINT},
    [KIND_ENUM] = {4, WIRE_VARINT},
    [KIND_SFIXED32] = {4, WIRE_FIXED32},
    [KIND_SFIXED64] = {8, WIRE_FIXED64},
    [KIND_SINT32] = {4, WIRE_VARINT},
    [KIND_SINT64] = {8, WIRE_VARINT},
};

_Static_assert(sizeof(protobuf_c_boolean) == 4, "a bool is stored as 32 bits");

uint8_t field_kind_size(enum field_kind kind)
{
    return kinds[kind].size;
}

uint8_t field_kind_wire_type(enum field_kind kind)
{
    return kinds[kind].wire_type;
}

static bool index_numbers(struct growing_arena *memory, struct message_type *type)
{
    size_t last = 0;
    while (last < type->field_count && type->fields[last].number < DIRECT_MAX)
        last++;
    if (last == 0)
        return true;
    type->direct_count = type->fields[last - 1].number + 1;
    uint16_t *direct = growing_arena_allocate(memory, type->direct_count, sizeof *direct);
    if (direct == NULL)
        return false;
    for (size_t i = 0; i < last; i++)
        direct[type->fields[i].number] = (uint16_t)(i + 1);
    type->direct = direct;
    return true;
}

static bool list_repeated(struct growing_arena *memory, struct message_type *type)
{
    uint16_t *repeated = growing_arena_allocate(memory, type->field_count, sizeof *repeated);
    if (repeated == NULL)
        return false;
    for (size_t i = 0; i < type->field_count; i++) {
        if (type->fields[i].presence != PRESENCE_REPEATED)
            continue;
        repeated[type->repeated_count++] = (uint16_t)i;
        type->has_maps = type->has_maps || type->fields[i].map;
    }
    type->repeated = repeated;
    return true;
}

/* Makes the empty message, followed by a bit for each required field. */
static bool make_prototype(struct growing_arena *memory, struct message_type *type)
{
    size_t struct_size = (type->descriptor->sizeof_message + 7) & ~(size_t)7;
    type->required_offset = struct_size;
    type->size = struct_size + (type->required_count + 63) / 64 * sizeof(uint64_t);
    size_t pieces = (type->size + PROTOTYPE_PIECE - 1) / PROTOTYPE_PIECE;
    ProtobufCMessage *prototype = growing_arena_allocate(memory, pieces, PROTOTYPE_PIECE);
    if (prototype == NULL)
        return false;
    if (type->descriptor->message_init != NULL)
        type->descriptor->message_init(prototype);
    prototype->descriptor = type->descriptor;
    type->prototype = prototype;
    return true;
}

bool message_type_index(struct growing_arena *memory, struct message_type *type,
                        const struct field_type *fields, size_t count)
{
    type->fields = fields;
    type->field_count = count;
    for (size_t i = 0; i < count; i++)
        type->required_count += fields[i].presence == PRESENCE_REQUIRED;
    return index_numbers(memory, type) && list_repeated(memory, type) &&
           make_prototype(memory, type);
}
