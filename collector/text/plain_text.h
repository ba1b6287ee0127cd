/*
 * Checks 16 bytes at a time whether a text can be copied unchanged, as nearly all texts can. Plain
 * characters are the printable ASCII characters from `least` on, except three that a format
 * replaces. A text that is not plain is checked again, byte by byte, so a rule may exclude more
 * characters than the format replaces. Pure functions; any thread.
 */
#ifndef SLUICE_COLLECTOR_TEXT_PLAIN_TEXT_H
#define SLUICE_COLLECTOR_TEXT_PLAIN_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "collector/text/plain_bytes.h"

static inline uint64_t plain_text_load_8(const unsigned char *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

static inline uint32_t plain_text_load_4(const unsigned char *bytes)
{
    uint32_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

/* Returns a word with each byte of a text of 1 to 7 bytes, and no other byte. */
static inline uint64_t plain_text_load_short(const unsigned char *bytes, size_t size)
{
    if (size >= 4)
        return (uint64_t)plain_text_load_4(bytes) << 32 | plain_text_load_4(bytes + size - 4);
    return bytes[0] * UINT64_C(0x0101010101010000) | (uint64_t)bytes[size / 2] << 8 |
           bytes[size - 1];
}

/* Returns true if both texts have the same `size` bytes. For short texts faster than memcmp. */
static inline bool plain_text_equal(const void *one, const void *other, size_t size)
{
    const unsigned char *a = one;
    const unsigned char *b = other;
    if (size < 8)
        return size == 0 || plain_text_load_short(a, size) == plain_text_load_short(b, size);
    uint64_t differ = plain_text_load_8(a + size - 8) ^ plain_text_load_8(b + size - 8);
    for (size_t at = 0; at + 8 < size; at += 8)
        differ |= plain_text_load_8(a + at) ^ plain_text_load_8(b + at);
    return differ == 0;
}

/* Returns 16 bytes with each byte of a text of 1 to 15 bytes, and no other byte. */
static inline plain_bytes plain_text_load_part(const unsigned char *bytes, size_t size)
{
    if (size >= 8)
        return plain_bytes_of(plain_text_load_8(bytes), plain_text_load_8(bytes + size - 8));
    uint64_t word = plain_text_load_short(bytes, size);
    return plain_bytes_of(word, word);
}

/* Returns true if all bytes are plain. The last 16 bytes may overlap those before them. */
static inline bool plain_text_is(const void *text, size_t size, struct plain_rule rule)
{
    const unsigned char *bytes = text;
    if (size == 0)
        return true;
    if (size < 16)
        return plain_special_is_none(plain_bytes_special(plain_text_load_part(bytes, size), rule));
    plain_special special = plain_bytes_special(plain_bytes_load(bytes + size - 16), rule);
    for (size_t at = 0; at + 16 < size; at += 16)
        special |= plain_bytes_special(plain_bytes_load(bytes + at), rule);
    return plain_special_is_none(special);
}

static inline void plain_text_copy_part(unsigned char *to, const unsigned char *bytes, size_t size)
{
    if (size >= 8) {
        memcpy(to, bytes, 8);
        memcpy(to + size - 8, bytes + size - 8, 8);
    } else if (size >= 4) {
        memcpy(to, bytes, 4);
        memcpy(to + size - 4, bytes + size - 4, 4);
    } else {
        to[0] = bytes[0];
        to[size / 2] = bytes[size / 2];
        to[size - 1] = bytes[size - 1];
    }
}

static inline bool plain_text_copy_long(unsigned char *to, const unsigned char *bytes, size_t size,
                                        struct plain_rule rule)
{
    plain_bytes last = plain_bytes_load(bytes + size - 16);
    plain_special special = plain_bytes_special(last, rule);
    for (size_t at = 0; at + 16 < size; at += 16) {
        plain_bytes loaded = plain_bytes_load(bytes + at);
        memcpy(to + at, &loaded, sizeof loaded);
        special |= plain_bytes_special(loaded, rule);
    }
    memcpy(to + size - 16, &last, sizeof last);
    return plain_special_is_none(special);
}

/*
 * Copies the text to `to`, which has room for it. Returns true if it is plain; otherwise the copy
 * must not be used. Reads the text only once.
 */
static inline bool plain_text_copy(void *to, const void *text, size_t size, struct plain_rule rule)
{
    if (size >= 16)
        return plain_text_copy_long(to, text, size, rule);
    if (size == 0)
        return true;
    plain_text_copy_part(to, text, size);
    return plain_special_is_none(plain_bytes_special(plain_text_load_part(text, size), rule));
}

#endif
