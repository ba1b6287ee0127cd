#include "sinks/encoders/wire_output.h"

#include <string.h>

#include "collector/base/rule.h"
#include "collector/text/escaped.h"
#include "collector/text/utf8.h"

static void fixed64_to(char *to, uint64_t value)
{
    for (size_t i = 0; i < sizeof value; i++)
        to[i] = (char)(value >> 8 * i);
}

void wire_add_fixed64(struct output *out, uint64_t value)
{
    char *to = output_reserve(out, sizeof value);
    if (to != NULL)
        fixed64_to(to, value);
}

void wire_add_double(struct output *out, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    wire_add_fixed64(out, bits);
}

void wire_add_fixed64_field(struct output *out, uint32_t tag, uint64_t value)
{
    char *to = output_reserve(out, 1 + sizeof value);
    if (to == NULL)
        return;
    to[0] = (char)tag;
    fixed64_to(to + 1, value);
}

void wire_add_double_field(struct output *out, uint32_t tag, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    wire_add_fixed64_field(out, tag, bits);
}

void wire_add_varint_field(struct output *out, uint32_t tag, uint64_t value)
{
    wire_add_varint(out, tag);
    wire_add_varint(out, value);
}

void wire_add_bytes_field(struct output *out, uint32_t tag, const struct text *bytes)
{
    wire_add_varint(out, tag);
    wire_add_varint(out, bytes->size);
    output_bytes(out, bytes->data, bytes->size);
}

void wire_add_text_field(struct output *out, uint32_t tag, const struct text *text)
{
    static const struct escapes none;
    if (utf8_valid(text->data, text->size)) {
        wire_add_bytes_field(out, tag, text);
        return;
    }
    size_t begun = wire_begin_message(out, tag);
    escaped_put(out, text->data, text->size, &none);
    wire_end_message(out, begun);
}

size_t wire_begin_message(struct output *out, uint32_t tag)
{
    char *to = output_reserve(out, 2);
    if (to != NULL)
        to[0] = (char)tag; /* the other byte is for the length, which is not known yet */
    return out->used;
}

size_t wire_begin_length(struct output *out)
{
    output_reserve(out, 1);
    return out->used;
}

void wire_end_message(struct output *out, size_t begun)
{
    if (out->overflow)
        return;
    RULE(begun <= out->used, "a message ends after it began");
    size_t size = out->used - begun;
    size_t more = wire_varint_size(size) - 1;
    if (more != 0 && output_reserve(out, more) == NULL)
        return;
    char *message = out->data + begun;
    if (more != 0)
        memmove(message + more, message, size);
    wire_varint_to(message - 1, size);
}
