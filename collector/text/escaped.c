#include "collector/text/escaped.h"

#include <stdbool.h>
#include <stdint.h>

#include "collector/text/control_character.h"
#include "collector/text/utf8.h"

/*
 * Returns the replacement of the first character (size ≥ 1); its size is 0 if the character is not
 * replaced.
 */
static const struct escape *form_of(const uint8_t *bytes, size_t size,
                                    const struct escapes *escapes)
{
    static const struct escape itself = {.size = 0};
    if (bytes[0] < 0x80)
        return &escapes->of[bytes[0]];
    return control_character_at(bytes, size) != 0 ? &escapes->of[0x7f] : &itself;
}

/* Returns the number of leading bytes that are copied unchanged. */
static size_t plain_run(const uint8_t *bytes, size_t size, const struct escapes *escapes)
{
    size_t at = 0;
    while (at < size) {
        bool valid = true;
        size_t length = 1;
        if (bytes[at] >= 0x80)
            length = utf8_sequence(bytes + at, size - at, &valid);
        if (!valid || form_of(bytes + at, size - at, escapes)->size != 0)
            break;
        at += length;
    }
    return at;
}

void escaped_put(struct output *out, const char *text, size_t size, const struct escapes *escapes)
{
    const uint8_t *bytes = (const uint8_t *)text;
    if (size == 0) /* `text` may be NULL */
        return;
    const uint8_t *end = bytes + size;
    while (bytes != end && !out->overflow) {
        size_t length = plain_run(bytes, (size_t)(end - bytes), escapes);
        output_bytes(out, bytes, length);
        bytes += length;
        if (bytes == end)
            break;
        bool valid;
        const struct escape *form = form_of(bytes, (size_t)(end - bytes), escapes);
        bytes += utf8_sequence(bytes, (size_t)(end - bytes), &valid);
        if (valid)
            output_bytes(out, form->text, form->size);
        else
            output_literal(out, REPLACEMENT_CHARACTER);
    }
}
