/*
 * Whether a text can be copied as it is: looked at eight bytes at a time, since nearly all can.
 *
 * Plain are the printable characters of ASCII from `least` on, but for three that a format gives
 * another form. A format may call fewer plain than it could, never more: what is not plain is then
 * looked at closely. Pure functions; any thread.
 */
#ifndef SLUICE_COLLECTOR_TEXT_PLAIN_TEXT_H
#define SLUICE_COLLECTOR_TEXT_PLAIN_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Constants, so that a compiler puts them into the code. */
struct plain_rule {
    unsigned char least;     /* 0x20 or more */
    unsigned char others[3]; /* which are not plain either; one may stand there twice */
};

/*
 * In each byte of the result the top bit is set where the byte is above 0x7f, is 0x7f, below the
 * least, one of the others; what is carried from one byte to the next comes from one of those. So
 * it is zero where all eight are plain.
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

/* Each byte of a text of 1 to 7 bytes, some of them more than once, and nothing else. */
static inline uint64_t plain_text_load_short(const unsigned char *bytes, size_t size)
{
    if (size >= 4)
        return (uint64_t)plain_text_load_4(bytes) << 32 | plain_text_load_4(bytes + size - 4);
    return bytes[0] * UINT64_C(0x0101010101010000) | (uint64_t)bytes[size / 2] << 8 |
           bytes[size - 1];
}

/* Of the last eight bytes those before the rest are looked at twice. */
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
 * Copies the text to `to`, which has room for it, and returns whether all of it is plain: its bytes
 * are read once for both. What was copied of a text that is not is of no use.
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
