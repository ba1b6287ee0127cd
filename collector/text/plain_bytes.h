/*
 * Checks sixteen bytes at once for plain characters: with the compiler's vector types (GCC, clang),
 * otherwise as two words. Both variants find the same bytes. For plain_text.h only. Pure functions;
 * any thread.
 */
#ifndef SLUICE_COLLECTOR_TEXT_PLAIN_BYTES_H
#define SLUICE_COLLECTOR_TEXT_PLAIN_BYTES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/*
 * The plain characters of a format. Callers pass a constant, so that the compiler can optimise for
 * it.
 */
struct plain_rule {
    unsigned char least;     /* the lowest plain character, 0x20 or more */
    unsigned char others[3]; /* three characters that are not plain; may be equal */
};

/*
 * Each variant defines the types plain_bytes and plain_special, and:
 *
 * - plain_bytes_of: makes a plain_bytes of two words.
 * - plain_bytes_special: marks the bytes that are above 0x7f, are 0x7f, are below `least`, or are
 *   one of `others`. Results for several bytes are combined with |.
 * - plain_special_is_none: returns true if no byte is marked.
 */
#if defined(__GNUC__) && !defined(PLAIN_BYTES_AS_WORDS)
typedef uint8_t plain_bytes __attribute__((vector_size(16)));
typedef int8_t plain_special __attribute__((vector_size(16))); /* -1: the byte is not plain */
typedef uint64_t plain_words __attribute__((vector_size(16)));

static inline plain_bytes plain_bytes_of(uint64_t low, uint64_t high)
{
    return (plain_bytes)(plain_words){low, high};
}

static inline plain_bytes plain_bytes_all(uint8_t byte)
{
    return (plain_bytes){0} + byte;
}

/* In signed comparison, bytes above 0x7f are negative and so are below `least`. */
static inline plain_special plain_bytes_special(plain_bytes bytes, struct plain_rule rule)
{
    return ((plain_special)bytes < (plain_special)plain_bytes_all(rule.least)) |
           (bytes == plain_bytes_all(0x7f)) | (bytes == plain_bytes_all(rule.others[0])) |
           (bytes == plain_bytes_all(rule.others[1])) | (bytes == plain_bytes_all(rule.others[2]));
}

static inline bool plain_special_is_none(plain_special special)
{
    plain_words words = (plain_words)special;
    return (words[0] | words[1]) == 0;
}
#else
typedef struct {
    uint64_t low, high;
} plain_bytes;
typedef uint64_t plain_special;

static inline plain_bytes plain_bytes_of(uint64_t low, uint64_t high)
{
    return (plain_bytes){low, high};
}

/*
 * Sets the top bit of each byte of the result whose input byte is not plain. A carry from a lower
 * byte may set the bit of a plain byte, too, but only a byte that is not plain produces a carry.
 */
static inline uint64_t plain_word_special(uint64_t word, struct plain_rule rule)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t special = word | (word + ones) | (word - ones * rule.least) |
                       ((word ^ ones * rule.others[0]) - ones) |
                       ((word ^ ones * rule.others[1]) - ones) |
                       ((word ^ ones * rule.others[2]) - ones);
    return special & ones * 0x80;
}

static inline plain_special plain_bytes_special(plain_bytes bytes, struct plain_rule rule)
{
    return plain_word_special(bytes.low, rule) | plain_word_special(bytes.high, rule);
}

static inline bool plain_special_is_none(plain_special special)
{
    return special == 0;
}
#endif

static inline plain_bytes plain_bytes_load(const unsigned char *bytes)
{
    plain_bytes loaded;
    memcpy(&loaded, bytes, sizeof loaded);
    return loaded;
}

#endif
