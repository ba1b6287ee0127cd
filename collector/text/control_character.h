/*
 * Control characters: U+0000 to U+001F, U+007F, and U+0080 to U+009F, among which U+009B begins
 * what steers a terminal as escape does. Text from senders must not bring them to a terminal. Pure
 * functions; any thread.
 */
#ifndef SLUICE_COLLECTOR_TEXT_CONTROL_CHARACTER_H
#define SLUICE_COLLECTOR_TEXT_CONTROL_CHARACTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether the character of this number is one. */
static inline bool control_character_is(uint32_t character)
{
    return character < 0x20 || (character >= 0x7f && character < 0xa0);
}

/*
 * The control character of UTF-8 that the text (size ≥ 1) begins with: its bytes, 1 or 2; 0 where
 * it begins with none.
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
 * Replaces each byte of a control character by '?'. So it does with a byte of 0x80 to 0x9f that
 * belongs to no character, which is a control character to a terminal without UTF-8.
 */
void control_characters_hide(char *text, size_t size);

/* The same for lines of text: the ends of lines, "\n" and "\r\n", stay. */
void control_characters_hide_in_lines(char *lines, size_t size);

#endif
