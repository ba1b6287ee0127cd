/*
 * Appends protobuf's wire format (protobuf.dev, "Encoding") to an output, field by field.
 *
 * Written by hand rather than through generated structures because a load generator needs to know
 * where in the bytes a value stands, to put the next one there. One thread per output.
 */
#ifndef SLUICE_PROTO_READING_WIRE_H
#define SLUICE_PROTO_READING_WIRE_H

#include <stddef.h>
#include <stdint.h>

#include "collector/text/output.h"

/* Bytes that the value takes as a varint, 1 to 10. */
size_t wire_varint_size(uint64_t value);

/* Writes the varint at `at` and returns its size. */
size_t wire_put_varint(uint8_t *at, uint64_t value);

/* Writes eight bytes, the least significant first. */
void wire_put_fixed64(uint8_t *at, uint64_t value);

/* Appends the field `number` with its value. */
void wire_varint(struct output *out, unsigned number, uint64_t value);
void wire_fixed64(struct output *out, unsigned number, uint64_t value);
void wire_double(struct output *out, unsigned number, double value);
void wire_float(struct output *out, unsigned number, float value);
void wire_fixed32(struct output *out, unsigned number, uint32_t value);
void wire_bytes(struct output *out, unsigned number, const void *bytes, size_t size);
void wire_text(struct output *out, unsigned number, const char *text);

/* The same text with `padding` times the letter x after it. */
void wire_padded_text(struct output *out, unsigned number, const char *text, size_t padding);

/*
 * A field that is a message: begin, append its fields, end with what begin returned. The length is
 * put in between at the end, which moves the message's bytes.
 */
size_t wire_begin(struct output *out, unsigned number);
void wire_end(struct output *out, size_t begun);

/* A field that is a group: its fields stand between the two. */
void wire_group_begin(struct output *out, unsigned number);
void wire_group_end(struct output *out, unsigned number);

#endif
