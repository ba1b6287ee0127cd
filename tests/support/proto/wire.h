/*
 * Writes Protobuf's wire format field by field, so that a test can also write invalid messages. A
 * zero-initialised wire is empty. A message larger than WIRE_ROOM ends the program.
 */
#ifndef SLUICE_TESTS_SUPPORT_PROTO_WIRE_H
#define SLUICE_TESTS_SUPPORT_PROTO_WIRE_H

#include <stddef.h>
#include <stdint.h>

#define WIRE_ROOM ((size_t)256 * 1024)

struct wire {
    uint8_t bytes[WIRE_ROOM];
    size_t size;
};

void wire_clear(struct wire *wire);
void wire_raw(struct wire *wire, const void *bytes, size_t size);
void wire_varint(struct wire *wire, uint64_t value);
void wire_tag(struct wire *wire, uint32_t field, unsigned wire_type);

/* Each of these functions writes one field. */
void wire_uint(struct wire *wire, uint32_t field, uint64_t value);
void wire_sint(struct wire *wire, uint32_t field, int64_t value); /* zigzag encoding */
void wire_fixed64(struct wire *wire, uint32_t field, uint64_t value);
void wire_fixed32(struct wire *wire, uint32_t field, uint32_t value);
void wire_double(struct wire *wire, uint32_t field, double value);
void wire_float(struct wire *wire, uint32_t field, float value);
void wire_bytes(struct wire *wire, uint32_t field, const void *bytes, size_t size);
void wire_text(struct wire *wire, uint32_t field, const char *text);

/* A submessage: its fields are those written between wire_begin and wire_end. */
size_t wire_begin(struct wire *wire, uint32_t field);
void wire_end(struct wire *wire, size_t begun);

/*
 * Makes all bytes so far the content of a field, and repeats that `times` times. So these bytes
 * become nested `times` levels deep.
 */
void wire_wrap(struct wire *wire, uint32_t field, size_t times);

#endif
