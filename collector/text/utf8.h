/*
 * Checks and decodes UTF-8. Unicode 15, table 3-7 (and RFC 3629) defines which bytes are
 * well-formed. Pure functions; any thread.
 */
#ifndef SLUICE_COLLECTOR_TEXT_UTF8_H
#define SLUICE_COLLECTOR_TEXT_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "collector/text/plain_text.h"

/*
 * Returns true if no byte is above 0x7f. The last word overlaps the word before it, so that no
 * bytes remain to be checked one by one.
 */
static inline bool utf8_is_ascii(const uint8_t *bytes, size_t size)
{
    uint64_t all = 0;
    if (size >= 16) {
        for (size_t at = 0; at + 16 < size; at += 16)
            all |= plain_text_load_8(bytes + at) | plain_text_load_8(bytes + at + 8);
        all |= plain_text_load_8(bytes + size - 16) | plain_text_load_8(bytes + size - 8);
    } else if (size >= 8) {
        all = plain_text_load_8(bytes) | plain_text_load_8(bytes + size - 8);
    } else if (size >= 4) {
        all = plain_text_load_4(bytes) | plain_text_load_4(bytes + size - 4);
    } else if (size != 0) {
        all = (uint64_t)bytes[0] | bytes[size / 2] | bytes[size - 1];
    }
    return (all & UINT64_C(0x8080808080808080)) == 0;
}

/* For utf8_valid only. */
bool utf8_valid_beyond_ascii(const void *bytes, size_t size);

/*
 * Returns true if all `size` bytes are well-formed: without overlong forms, surrogates and cut
 * sequences.
 */
static inline bool utf8_valid(const void *bytes, size_t size)
{
    return utf8_is_ascii(bytes, size) || utf8_valid_beyond_ascii(bytes, size);
}

/*
 * Checks the sequence that begins at `bytes` (size ≥ 1), and sets *valid to true if it is
 * well-formed. Returns its length, 1 to 4 bytes, or the length of its maximal ill-formed part, 1 to
 * 3 bytes.
 */
size_t utf8_sequence(const uint8_t *bytes, size_t size, bool *valid);

/* Returns the character of a well-formed sequence of `size` bytes (utf8_sequence). */
static inline uint32_t utf8_decode(const uint8_t *bytes, size_t size)
{
    if (size == 1)
        return bytes[0];
    uint32_t character = bytes[0] & (0x7fU >> size);
    for (size_t i = 1; i < size; i++)
        character = character << 6 | (bytes[i] & 0x3fU);
    return character;
}

#endif
