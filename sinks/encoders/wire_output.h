/*
 * Writes protobuf's wire format, front to back.
 *
 * The length of a nested message is known only at its end. One byte is reserved for it before the
 * message; a longer length moves the message. So pointers into a message are invalid after its end.
 * No cleanup necessary.
 */
#ifndef SLUICE_SINKS_ENCODERS_WIRE_OUTPUT_H
#define SLUICE_SINKS_ENCODERS_WIRE_OUTPUT_H

#include <stdint.h>

#include "collector/base/wire.h"
#include "collector/text/output.h"
#include "collector/text/text.h"

/* Returns the size of the value as a varint in bytes: 1 to WIRE_VARINT_MAX. */
static inline size_t wire_varint_size(uint64_t value)
{
    size_t size = 1;
    for (; value >= 0x80; value >>= 7)
        size++;
    return size;
}

/* Writes a varint to `to`, which has room for it, and returns its end. */
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

/* Append eight bytes, least significant first. */
void wire_add_fixed64(struct output *out, uint64_t value);
void wire_add_double(struct output *out, double value);

/* Append a field. Tags are made by WIRE_TAG with field numbers below 16, so they take one byte. */
void wire_add_fixed64_field(struct output *out, uint32_t tag, uint64_t value);
void wire_add_double_field(struct output *out, uint32_t tag, double value);
void wire_add_varint_field(struct output *out, uint32_t tag, uint64_t value);
void wire_add_bytes_field(struct output *out, uint32_t tag, const struct text *bytes);

/* Appends a string field. Each ill-formed part of a sequence becomes U+FFFD (Unicode 15, 3.9). */
void wire_add_text_field(struct output *out, uint32_t tag, const struct text *text);

/* Begins a field that is a message. The result must be passed to wire_end_message. */
size_t wire_begin_message(struct output *out, uint32_t tag);

/* As wire_begin_message, for a message whose tag of several bytes was already appended. */
size_t wire_begin_length(struct output *out);
void wire_end_message(struct output *out, size_t begun);

#endif
