#include "collector/text/control_character.h"

#include <string.h>

#include "collector/text/utf8.h"

static size_t line_end_at(const uint8_t *bytes, size_t size)
{
    if (bytes[0] == '\n')
        return 1;
    return size > 1 && bytes[0] == '\r' && bytes[1] == '\n' ? 2 : 0;
}

/* Hides the bytes of an invalid part that a terminal without UTF-8 treats as control characters. */
static void hide_bytes(uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (control_character_is(bytes[i]))
            bytes[i] = '?';
}

/* Hides control characters in the first sequence of the text. Returns the size of that sequence. */
static size_t hide_first(uint8_t *bytes, size_t size)
{
    bool valid;
    size_t length = control_character_at(bytes, size);
    if (length != 0) {
        memset(bytes, '?', length);
        return length;
    }
    length = utf8_sequence(bytes, size, &valid);
    if (!valid)
        hide_bytes(bytes, length);
    return length;
}

void control_characters_hide(char *text, size_t size)
{
    uint8_t *bytes = (uint8_t *)text;
    for (size_t at = 0; at < size;)
        at += hide_first(bytes + at, size - at);
}

void control_characters_hide_in_lines(char *lines, size_t size)
{
    uint8_t *bytes = (uint8_t *)lines;
    for (size_t at = 0; at < size;) {
        size_t line_end = line_end_at(bytes + at, size - at);
        at += line_end != 0 ? line_end : hide_first(bytes + at, size - at);
    }
}
