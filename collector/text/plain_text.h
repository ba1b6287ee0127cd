/*
 * Checks whether a text can be copied unchanged, as nearly all can, eight bytes at a time.
 *
 * Plain characters are the printable ASCII characters from `least` on, except three that a format
 * replaces. A format may count more characters as not plain than it replaces: texts that are not
 * plain are checked again, byte by byte. Pure functions; any thread.
 */
#ifndef SLUICE_COLLECTOR_TEXT_PLAIN_TEXT_H
#define SLUICE_COLLECTOR_TEXT_PLAIN_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The plain characters of a format. Callers pass a constant, so that the compiler can inline it. */
struct plain_rule {
    unsigned char least;     /* lowest plain character, 0x20 or more */
    unsigned char others[3]; /* further characters that are not plain; may repeat */
};

/*
 * Returns 0 if all eight bytes are plain. The top bit of each byte of the result is set if that
 * byte is above 0x7f, is 0x7f, is below `least` or is one of `others`. Carries may set further
 * bits, but only a byte that is not plain produces a carry.
 */
static inline uint64_t plain_text_special(uint64_t word, struct plain_rule rule)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t special = word | (word + ones) | (word - ones * rule.least) |
                       ((word ^ ones * rule.others[0]) - ones) |
                       ((word ^ ones * rule.others[1]) - ones) |
                       ((word ^ ones * rule.others[2]) - ones);
    return special & ones * 0x80;
}

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

/*
 * Makes a word from the bytes of a text of 1 to 7 bytes: it contains each of them at least once,
 * and no other bytes.
 */
static inline uint64_t plain_text_load_short(const unsigned char *bytes, size_t size)
{
    if (size >= 4)
        return (uint64_t)plain_text_load_4(bytes) << 32 | plain_text_load_4(bytes + size - 4);
    return bytes[0] * UINT64_C(0x0101010101010000) | (uint64_t)bytes[size / 2] << 8 |
           bytes[size - 1];
}

/* Whether all bytes of a text are plain. The last eight bytes may overlap the word before them. */
static inline bool plain_text_is(const void *text, size_t size, struct plain_rule rule)
{
    const unsigned char *bytes = text;
    if (size < 8)
        return size == 0 || plain_text_special(plain_text_load_short(bytes, size), rule) == 0;
    uint64_t special = plain_text_special(plain_text_load_8(bytes + size - 8), rule);
    for (size_t at = 0; at + 8 < size; at += 8)
        special |= plain_text_special(plain_text_load_8(bytes + at), rule);
    return special == 0;
}

/*
 * Copies the text to `to`, which has room for it, and returns whether all of it is plain. Reads the
 * text only once. If it is not plain, the copy must not be used.
 */
static inline bool plain_text_copy(void *to, const void *text, size_t size, struct plain_rule rule)
{
    const unsigned char *bytes = text;
    unsigned char *copy = to;
    uint64_t special;
    if (size >= 8) {
        uint64_t last = plain_text_load_8(bytes + size - 8);
        special = plain_text_special(last, rule);
        for (size_t at = 0; at + 8 < size; at += 8) {
            uint64_t word = plain_text_load_8(bytes + at);
            memcpy(copy + at, &word, sizeof word);
            special |= plain_text_special(word, rule);
        }
        memcpy(copy + size - 8, &last, sizeof last);
        return special == 0;
    }
    if (size >= 4) {
        memcpy(copy, bytes, 4);
        memcpy(copy + size - 4, bytes + size - 4, 4);
    } else if (size != 0) {
        copy[0] = bytes[0];
        copy[size / 2] = bytes[size / 2];
        copy[size - 1] = bytes[size - 1];
    }
    return size == 0 || plain_text_special(plain_text_load_short(bytes, size), rule) == 0;
}

#endif
