/*
 * Writing protobuf's wire format into an output, front to back.
 *
 * A message within a message stands after its length, which is known only at its end: one byte is
 * kept free for it, and what needs more moves the message. Nothing that points into a message holds
 * before its end. Each call is for one output, by the thread that has it. Nothing to free.
 */
#ifndef SLUICE_SINKS_ENCODERS_WIRE_OUTPUT_H
#define SLUICE_SINKS_ENCODERS_WIRE_OUTPUT_H

#include <stdint.h>

#include "collector/base/wire.h"
#include "collector/text/output.h"
#include "collector/text/text.h"

/* Bytes of a varint, 1 to WIRE_VARINT_MAX. */
static inline size_t wire_varint_size(uint64_t value)
{
    size_t size = 1;
    for (; value >= 0x80; value >>= 7)
        size++;
    return size;
}

/* Writes a varint to `to`, which has room for it, and returns where it ends. */
static inline char *wire_varint_to(char *to, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        *to++ = (char)(value | 0x80);
    *to++ = (char)value;
    return to;
}

static inline void wire_add_varint(struct output *out, uint64_t value)
{
    char bytes[WIRE_VARINT_MAX];
    if (value < 0x80) {
        output_char(out, (char)value);
        return;
    }
    output_bytes(out, bytes, (size_t)(wire_varint_to(bytes, value) - bytes));
}

/* Eight bytes, the lowest first: fixed64, sfixed64, and the bits of a double. */
void wire_add_fixed64(struct output *out, uint64_t value);
void wire_add_double(struct output *out, double value);

/* A field of one of these types. The tags are WIRE_TAG's, of numbers below 16: they are one byte.
 */
void wire_add_fixed64_field(struct output *out, uint32_t tag, uint64_t value);
void wire_add_double_field(struct output *out, uint32_t tag, double value);
void wire_add_varint_field(struct output *out, uint32_t tag, uint64_t value);
void wire_add_bytes_field(struct output *out, uint32_t tag, const struct text *bytes);

/* A field that is a string: each ill-formed part of a sequence becomes U+FFFD (Unicode 15, 3.9). */
void wire_add_text_field(struct output *out, uint32_t tag, const struct text *text);

/* Begins a field that is a message; what is returned is for its end. */
size_t wire_begin_message(struct output *out, uint32_t tag);
void wire_end_message(struct output *out, size_t begun);

#endif
