#include "collector/text/escaped.h"

#include <stdbool.h>
#include <stdint.h>

#include "collector/text/utf8.h"

/* The number of bytes from `bytes` on that are copied as they are. */
static size_t plain_run(const uint8_t *bytes, size_t size, const struct escapes *escapes)
{
    size_t at = 0;
    while (at < size) {
        bool valid = true;
        size_t length = 1;
        if (bytes[at] >= 0x80)
            length = utf8_sequence(bytes + at, size - at, &valid);
        else
            valid = escapes->of[bytes[at]].size == 0;
        if (!valid)
            break;
        at += length;
    }
    return at;
}

void escaped_put(struct output *out, const char *text, size_t size, const struct escapes *escapes)
{
    const uint8_t *bytes = (const uint8_t *)text;
    if (size == 0) /* then there may be no bytes to point behind */
        return;
    const uint8_t *end = bytes + size;
    while (bytes != end && !out->overflow) {
        size_t length = plain_run(bytes, (size_t)(end - bytes), escapes);
        output_bytes(out, bytes, length);
        bytes += length;
        if (bytes == end)
            break;
        length = 1;
        if (*bytes < 0x80) {
            const struct escape *escape = &escapes->of[*bytes];
            output_bytes(out, escape->text, escape->size);
        } else {
            bool valid;
            length = utf8_sequence(bytes, (size_t)(end - bytes), &valid);
            output_literal(out, REPLACEMENT_CHARACTER);
        }
        bytes += length;
    }
}
