#include "tests/support/proto/wire.h"

#include <stdlib.h>
#include <string.h>

void wire_clear(struct wire *wire)
{
    wire->size = 0;
}

void wire_raw(struct wire *wire, const void *bytes, size_t size)
{
    if (size > WIRE_ROOM - wire->size)
        abort();
    if (size != 0)
        memcpy(wire->bytes + wire->size, bytes, size);
    wire->size += size;
}

static size_t make_varint(uint64_t value, uint8_t out[10])
{
    size_t size = 0;
    while (value >= 0x80) {
        out[size++] = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    out[size++] = (uint8_t)value;
    return size;
}

void wire_varint(struct wire *wire, uint64_t value)
{
    uint8_t bytes[10];
    wire_raw(wire, bytes, make_varint(value, bytes));
}

void wire_tag(struct wire *wire, uint32_t field, unsigned wire_type)
{
    wire_varint(wire, (uint64_t)field << 3 | wire_type);
}

void wire_uint(struct wire *wire, uint32_t field, uint64_t value)
{
    wire_tag(wire, field, 0);
    wire_varint(wire, value);
}

void wire_sint(struct wire *wire, uint32_t field, int64_t value)
{
    uint64_t bits = (uint64_t)value;
    wire_uint(wire, field, value < 0 ? ~(bits << 1) : bits << 1);
}

static void put_little_endian(struct wire *wire, uint64_t value, size_t size)
{
    uint8_t bytes[8];
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)(value >> 8 * i);
    wire_raw(wire, bytes, size);
}

void wire_fixed64(struct wire *wire, uint32_t field, uint64_t value)
{
    wire_tag(wire, field, 1);
    put_little_endian(wire, value, 8);
}

void wire_fixed32(struct wire *wire, uint32_t field, uint32_t value)
{
    wire_tag(wire, field, 5);
    put_little_endian(wire, value, 4);
}

void wire_double(struct wire *wire, uint32_t field, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    wire_fixed64(wire, field, bits);
}

void wire_float(struct wire *wire, uint32_t field, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    wire_fixed32(wire, field, bits);
}

void wire_bytes(struct wire *wire, uint32_t field, const void *bytes, size_t size)
{
    wire_tag(wire, field, 2);
    wire_varint(wire, size);
    wire_raw(wire, bytes, size);
}

void wire_text(struct wire *wire, uint32_t field, const char *text)
{
    wire_bytes(wire, field, text, strlen(text));
}

size_t wire_begin(struct wire *wire, uint32_t field)
{
    wire_tag(wire, field, 2);
    return wire->size;
}

void wire_end(struct wire *wire, size_t begun)
{
    uint8_t length[10];
    size_t content = wire->size - begun;
    size_t size = make_varint(content, length);
    wire_raw(wire, length, size); /* grows the message; the bytes are overwritten below */
    memmove(wire->bytes + begun + size, wire->bytes + begun, content);
    memcpy(wire->bytes + begun, length, size);
}

void wire_wrap(struct wire *wire, uint32_t field, size_t times)
{
    for (size_t i = 0; i < times; i++) {
        uint8_t head[20];
        size_t size = make_varint((uint64_t)field << 3 | 2, head);
        size += make_varint(wire->size, head + size);
        size_t content = wire->size;
        wire_raw(wire, head, size);
        memmove(wire->bytes + size, wire->bytes, content);
        memcpy(wire->bytes, head, size);
    }
}
