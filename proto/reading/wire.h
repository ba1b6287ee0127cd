/*
 * Appends protobuf's wire format (protobuf.dev, "Encoding") to an output, field by field.
 *
 * Written by hand rather than through generated structures because a load generator must know the
 * position of a value, to replace it by the next one. One thread for each output.
 */
#ifndef SLUICE_PROTO_READING_WIRE_H
#define SLUICE_PROTO_READING_WIRE_H

#include <stddef.h>
#include <stdint.h>

#include "collector/text/output.h"

/* Size of the value as a varint, 1 to 10 bytes. */
size_t wire_varint_size(uint64_t value);

/* Writes the varint at `at` and returns its size. */
size_t wire_put_varint(uint8_t *at, uint64_t value);

/* Writes eight bytes, least significant first. */
void wire_put_fixed64(uint8_t *at, uint64_t value);

/* Appends the field `number` with its value. */
void wire_varint(struct output *out, unsigned number, uint64_t value);
void wire_fixed64(struct output *out, unsigned number, uint64_t value);
void wire_double(struct output *out, unsigned number, double value);
void wire_float(struct output *out, unsigned number, float value);
void wire_fixed32(struct output *out, unsigned number, uint32_t value);
void wire_bytes(struct output *out, unsigned number, const void *bytes, size_t size);
void wire_text(struct output *out, unsigned number, const char *text);

/* The text followed by `padding` letters x. */
void wire_padded_text(struct output *out, unsigned number, const char *text, size_t padding);

/*
 * A field that is a message: begin, append its fields, end with the result of begin. The end
 * inserts the length, which moves the message's bytes.
 */
size_t wire_begin(struct output *out, unsigned number);
void wire_end(struct output *out, size_t begun);

/* A field that is a group: its fields are appended between the two calls. */
void wire_group_begin(struct output *out, unsigned number);
void wire_group_end(struct output *out, unsigned number);

#endif
