#include "proto/reading/wire.h"

enum wire_type {
    WIRE_VARINT = 0,
    WIRE_FIXED64 = 1,
    WIRE_BYTES = 2,
    WIRE_GROUP_BEGIN = 3,
    WIRE_GROUP_END = 4,
    WIRE_FIXED32 = 5,
};

#define VARINT_MAX 10

size_t wire_varint_size(uint64_t value)
{
    size_t size = 1;
    for (; value >= 0x80; value >>= 7)
        size++;
    return size;
}

size_t wire_put_varint(uint8_t *at, uint64_t value)
{
    size_t size = 0;
    for (; value >= 0x80; value >>= 7)
        at[size++] = (uint8_t)(value | 0x80);
    at[size++] = (uint8_t)value;
    return size;
}

void wire_put_fixed64(uint8_t *at, uint64_t value)
{
    for (int i = 0; i < 8; i++)
        at[i] = (uint8_t)(value >> (8 * i));
}

static void put_varint(struct output *out, uint64_t value)
{
    uint8_t bytes[VARINT_MAX];
    output_bytes(out, bytes, wire_put_varint(bytes, value));
}

static void put_tag(struct output *out, unsigned number, enum wire_type type)
{
    put_varint(out, (uint64_t)number << 3 | (unsigned)type);
}

void wire_varint(struct output *out, unsigned number, uint64_t value)
{
    put_tag(out, number, WIRE_VARINT);
    put_varint(out, value);
}

void wire_fixed64(struct output *out, unsigned number, uint64_t value)
{
    uint8_t bytes[8];
    wire_put_fixed64(bytes, value);
    put_tag(out, number, WIRE_FIXED64);
    output_bytes(out, bytes, sizeof bytes);
}

void wire_double(struct output *out, unsigned number, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    wire_fixed64(out, number, bits);
}

void wire_float(struct output *out, unsigned number, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    wire_fixed32(out, number, bits);
}

void wire_fixed32(struct output *out, unsigned number, uint32_t value)
{
    uint8_t bytes[4];
    for (int i = 0; i < 4; i++)
        bytes[i] = (uint8_t)(value >> (8 * i));
    put_tag(out, number, WIRE_FIXED32);
    output_bytes(out, bytes, sizeof bytes);
}

void wire_bytes(struct output *out, unsigned number, const void *bytes, size_t size)
{
    put_tag(out, number, WIRE_BYTES);
    put_varint(out, size);
    output_bytes(out, bytes, size);
}

void wire_text(struct output *out, unsigned number, const char *text)
{
    wire_bytes(out, number, text, strlen(text));
}

void wire_padded_text(struct output *out, unsigned number, const char *text, size_t padding)
{
    size_t length = strlen(text);
    put_tag(out, number, WIRE_BYTES);
    put_varint(out, length + padding);
    output_bytes(out, text, length);
    char *at = output_reserve(out, padding);
    if (at != NULL)
        memset(at, 'x', padding);
}

size_t wire_begin(struct output *out, unsigned number)
{
    put_tag(out, number, WIRE_BYTES);
    return out->used;
}

void wire_end(struct output *out, size_t begun)
{
    size_t size = out->used - begun;
    size_t length_size = wire_varint_size(size);
    if (output_reserve(out, length_size) == NULL)
        return;
    memmove(out->data + begun + length_size, out->data + begun, size);
    wire_put_varint((uint8_t *)out->data + begun, size);
}

void wire_group_begin(struct output *out, unsigned number)
{
    put_tag(out, number, WIRE_GROUP_BEGIN);
}

void wire_group_end(struct output *out, unsigned number)
{
    put_tag(out, number, WIRE_GROUP_END);
}
