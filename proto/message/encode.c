/*
 * Writes a message from its end to its beginning, so that the length in front of a submessage is
 * known when it is written. The bytes are written to the end of the free room and then moved to its
 * beginning.
 */
#include "proto/message/encode.h"

#include <string.h>

#include "collector/base/wire.h"

/* The room from `begin` to `at` is free, and the output begins at `at`. */
struct back_writer {
    uint8_t *begin;
    uint8_t *at;
    bool overflow;
};

static void put_bytes(struct back_writer *writer, const void *bytes, size_t size)
{
    if (writer->overflow || size > (size_t)(writer->at - writer->begin)) {
        writer->overflow = true;
        return;
    }
    writer->at -= size;
    if (size != 0)
        memcpy(writer->at, bytes, size);
}

static void put_varint(struct back_writer *writer, uint64_t value)
{
    uint8_t bytes[WIRE_VARINT_MAX];
    size_t size = 0;
    for (; value >= 0x80; value >>= 7)
        bytes[size++] = (uint8_t)(value | 0x80);
    bytes[size++] = (uint8_t)value;
    put_bytes(writer, bytes, size);
}

static void put_tag(struct back_writer *writer, uint32_t number, uint32_t wire_type)
{
    put_varint(writer, (uint64_t)number << 3 | wire_type);
}

static void put_fixed(struct back_writer *writer, uint64_t value, size_t size)
{
    uint8_t bytes[8];
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)(value >> (8 * i));
    put_bytes(writer, bytes, size);
}

/* Returns the bits to write for a number. Signed 32-bit numbers are extended to 64 bits. */
static uint64_t load_number(const struct field_type *field, const void *place)
{
    if (field->size == 8) {
        uint64_t bits;
        memcpy(&bits, place, sizeof bits);
        return field->kind == KIND_SINT64 ? wire_zigzag64((int64_t)bits) : bits;
    }
    uint32_t bits;
    memcpy(&bits, place, sizeof bits);
    switch (field->kind) {
    case KIND_INT32:
    case KIND_ENUM:
        return (uint64_t)(int64_t)(int32_t)bits;
    case KIND_SINT32:
        return wire_zigzag32((int32_t)bits);
    case KIND_BOOL:
        return bits != 0;
    default:
        return bits;
    }
}

static void put_number(struct back_writer *writer, const struct field_type *field,
                       const void *place)
{
    uint64_t bits = load_number(field, place);
    if (field->wire_type == WIRE_VARINT)
        put_varint(writer, bits);
    else
        put_fixed(writer, bits, field->size);
}

static void put_message(struct back_writer *writer, const struct message_type *type,
                        const ProtobufCMessage *message);

static void put_child(struct back_writer *writer, const struct message_type *type,
                      const ProtobufCMessage *message)
{
    const uint8_t *end = writer->at;
    put_message(writer, type, message);
    put_varint(writer, (uint64_t)(end - writer->at));
}

static void put_value(struct back_writer *writer, const struct field_type *field, const void *place)
{
    switch (field->kind) {
    case KIND_STRING:
    case KIND_BYTES: {
        const ProtobufCBinaryData *text = place;
        put_bytes(writer, text->data, text->len);
        put_varint(writer, text->len);
        break;
    }
    case KIND_MESSAGE:
        put_child(writer, field->message, *(const ProtobufCMessage *const *)place);
        break;
    case KIND_GROUP:
        put_tag(writer, field->number, WIRE_GROUP_END);
        put_message(writer, field->message, *(const ProtobufCMessage *const *)place);
        break;
    default:
        put_number(writer, field, place);
        break;
    }
    put_tag(writer, field->number, field->wire_type);
}

static void put_repeated(struct back_writer *writer, const struct field_type *field,
                         const ProtobufCMessage *message)
{
    const char *list = *(const char *const *)field_value(field, message);
    size_t count = field_elements(field, message);
    if (count == 0)
        return;
    if (!field->packed) {
        while (count-- > 0)
            put_value(writer, field, list + count * field->size);
        return;
    }
    const uint8_t *end = writer->at;
    while (count-- > 0)
        put_number(writer, field, list + count * field->size);
    put_varint(writer, (uint64_t)(end - writer->at));
    put_tag(writer, field->number, WIRE_LENGTH);
}

static void put_unknown(struct back_writer *writer, const ProtobufCMessageUnknownField *unknown)
{
    put_bytes(writer, unknown->data, unknown->len);
    put_tag(writer, unknown->tag, (uint32_t)unknown->wire_type);
}

/* Writes the part of a message set's item that comes before its message. */
static void put_item_head(struct back_writer *writer, uint32_t id)
{
    put_tag(writer, WIRE_ITEM_MESSAGE, WIRE_LENGTH);
    put_varint(writer, id);
    put_tag(writer, WIRE_ITEM_ID, WIRE_VARINT);
    put_tag(writer, WIRE_ITEM, WIRE_GROUP_START);
}

static void put_set(struct back_writer *writer, const struct message_type *set,
                    const ProtobufCMessage *message)
{
    for (size_t i = message->n_unknown_fields; i-- > 0;) {
        const ProtobufCMessageUnknownField *unknown = &message->unknown_fields[i];
        if ((uint32_t)unknown->wire_type != WIRE_LENGTH) {
            put_unknown(writer, unknown);
            continue;
        }
        put_tag(writer, WIRE_ITEM, WIRE_GROUP_END);
        put_bytes(writer, unknown->data, unknown->len);
        put_item_head(writer, unknown->tag);
    }
    for (size_t i = set->field_count; i-- > 0 && !writer->overflow;) {
        const struct field_type *field = &set->fields[i];
        if (!field_is_present(field, message))
            continue;
        put_tag(writer, WIRE_ITEM, WIRE_GROUP_END);
        put_child(writer, field->message,
                  *(const ProtobufCMessage *const *)field_value(field, message));
        put_item_head(writer, field->number);
    }
}

/* The recursion is as deep as messages are nested, which the decoder has limited. */
static void put_message(struct back_writer *writer, const struct message_type *type,
                        const ProtobufCMessage *message)
{
    if (type->message_set) {
        put_set(writer, type, message);
        return;
    }
    for (size_t i = message->n_unknown_fields; i-- > 0;)
        put_unknown(writer, &message->unknown_fields[i]);
    for (size_t i = type->field_count; i-- > 0 && !writer->overflow;) {
        const struct field_type *field = &type->fields[i];
        if (field->presence == PRESENCE_REPEATED)
            put_repeated(writer, field, message);
        else if (type->map_entry || field_is_present(field, message))
            put_value(writer, field, field_value(field, message));
    }
}

void message_encode(const struct message_type *type, const ProtobufCMessage *message,
                    struct output *out)
{
    if (out->overflow)
        return;
    uint8_t *begin = (uint8_t *)out->data + out->used;
    uint8_t *end = (uint8_t *)out->data + out->capacity;
    struct back_writer writer = {.begin = begin, .at = end};
    put_message(&writer, type, message);
    if (writer.overflow) {
        out->overflow = true;
        return;
    }
    size_t size = (size_t)(end - writer.at);
    memmove(begin, writer.at, size);
    out->used += size;
}
