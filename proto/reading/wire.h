/*
 * Appends fields in protobuf's wire format (protobuf.dev, "Encoding") to an output. Does not use
 * generated structures: a load generator needs the position of each value in the output, to replace
 * it by the next value. One thread per output.
 */
#ifndef SLUICE_PROTO_READING_WIRE_H
#define SLUICE_PROTO_READING_WIRE_H

#include <stddef.h>
#include <stdint.h>

#include "collector/text/output.h"

/* Returns the bytes of the value as a varint, 1 to 10. */
size_t wire_varint_size(uint64_t value);

/* Writes a varint to `at` and returns its size. */
size_t wire_put_varint(uint8_t *at, uint64_t value);

/* Writes eight bytes to `at` in little endian. */
void wire_put_fixed64(uint8_t *at, uint64_t value);

/* Append the field `number` with its value. */
void wire_varint(struct output *out, unsigned number, uint64_t value);
void wire_fixed64(struct output *out, unsigned number, uint64_t value);
void wire_double(struct output *out, unsigned number, double value);
void wire_float(struct output *out, unsigned number, float value);
void wire_fixed32(struct output *out, unsigned number, uint32_t value);
void wire_bytes(struct output *out, unsigned number, const void *bytes, size_t size);
void wire_text(struct output *out, unsigned number, const char *text);

/* Appends a field with the text and `padding` letters x. */
void wire_padded_text(struct output *out, unsigned number, const char *text, size_t padding);

/*
 * Append a field that is a message: call wire_begin, append the message's fields, and call wire_end
 * with the result of wire_begin. wire_end inserts the length, and moves the message for it.
 */
size_t wire_begin(struct output *out, unsigned number);
void wire_end(struct output *out, size_t begun);

/* Append a field that is a group: its fields are appended between the two calls. */
void wire_group_begin(struct output *out, unsigned number);
void wire_group_end(struct output *out, unsigned number);

#endif
