/*
 * Finds and hides control characters: U+0000 to U+001F, U+007F, and U+0080 to U+009F. Some of them
 * control a terminal (U+009B begins a command as escape does), so control characters in senders'
 * texts must not reach a terminal. Pure functions; any thread.
 */
#ifndef SLUICE_COLLECTOR_TEXT_CONTROL_CHARACTER_H
#define SLUICE_COLLECTOR_TEXT_CONTROL_CHARACTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns true if the code is that of a control character. */
static inline bool control_character_is(uint32_t character)
{
    return character < 0x20 || (character >= 0x7f && character < 0xa0);
}

/*
 * Returns the size (1 or 2 bytes) of the control character that a UTF-8 text (size ≥ 1) begins
 * with, or 0.
 */
static inline size_t control_character_at(const uint8_t *bytes, size_t size)
{
    if (bytes[0] < 0x80)
        return control_character_is(bytes[0]);
    return size > 1 && bytes[0] == 0xc2 && (bytes[1] & 0xc0) == 0x80 &&
                   control_character_is(bytes[1])
               ? 2
               : 0;
}

/*
 * Replaces each byte of a control character by '?'. Does the same with each byte from 0x80 to 0x9f
 * that is not in a valid sequence: on a terminal without UTF-8 it is a control character.
 */
void control_characters_hide(char *text, size_t size);

/* Like control_characters_hide, but keeps "\n" and "\r\n", for lines of text. */
void control_characters_hide_in_lines(char *lines, size_t size);

#endif
