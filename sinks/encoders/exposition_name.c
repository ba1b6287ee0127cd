#include "sinks/encoders/exposition_name.h"

#include <string.h>

#include "collector/text/digit.h"
#include "collector/text/plain_text.h"
#include "collector/text/utf8.h"

#define ONES UINT64_C(0x0101010101010101)

/*
 * Sets the top bit of each byte of the result whose character is between `first` and `last`. All
 * eight characters must be ASCII.
 */
static inline uint64_t is_between(uint64_t word, unsigned char first, unsigned char last)
{
    return (word + ONES * (0x80u - first)) & ~(word + ONES * (0x7fu - last)) & ONES * 0x80;
}

static inline uint64_t fit_word(uint64_t word, bool colon)
{
    _Static_assert(':' == '9' + 1, "a colon follows the digits");
    uint64_t kept = is_between(word | ONES * 0x20, 'a', 'z') |
                    (colon ? is_between(word, '0', ':') : is_between(word, '0', '9'));
    uint64_t mask = (kept >> 7) * 0xff;
    return (word & mask) | (ONES * '_' & ~mask);
}

static void put_4(char *to, uint32_t characters)
{
    memcpy(to, &characters, sizeof characters);
}

/* The fit_ functions return 0 if all characters are ASCII. Otherwise their output is invalid. */

static uint64_t fit_short(char *to, const unsigned char *text, size_t size, bool colon)
{
    uint64_t sent = plain_text_load_short(text, size);
    uint64_t word = fit_word(sent, colon);
    if (size >= 4) {
        put_4(to, (uint32_t)(word >> 32));
        put_4(to + size - 4, (uint32_t)word);
    } else {
        to[0] = (char)(word >> 16);
        to[size / 2] = (char)(word >> 8);
        to[size - 1] = (char)word;
    }
    return sent & ONES * 0x80;
}

static inline uint64_t fit_8(char *to, const unsigned char *text, bool colon)
{
    uint64_t sent = plain_text_load_8(text);
    uint64_t word = fit_word(sent, colon);
    memcpy(to, &word, sizeof word);
    return sent & ONES * 0x80;
}

static inline uint64_t fit_long(char *to, const unsigned char *text, size_t size, bool colon)
{
    uint64_t strange = 0;
    for (size_t at = 0; at + 8 < size; at += 8)
        strange |= fit_8(to + at, text + at, colon);
    return strange |
           fit_8(to + size - 8, text + size - 8, colon); /* may overlap the eight bytes before */
}

/* Returns false, without output, if the name is not ASCII or does not fit. */
static bool put_ascii(struct output *out, const struct text *name, bool colon)
{
    const unsigned char *text = (const unsigned char *)name->data;
    size_t size = name->size;
    if (size == 0 || out->overflow || size > out->capacity - out->used)
        return false;
    char *to = out->data + out->used;
    uint64_t strange =
        size < 8 ? fit_short(to, text, size, colon) : fit_long(to, text, size, colon);
    if (strange != 0)
        return false;
    out->used += size;
    return true;
}

static void put_any(struct output *out, const struct text *name, bool colon)
{
    const unsigned char *text = (const unsigned char *)name->data;
    size_t length;
    for (size_t at = 0; at < name->size && !out->overflow; at += length) {
        bool valid;
        length = utf8_sequence(text + at, name->size - at, &valid);
        output_char(out, text[at] < 0x80 ? (char)fit_word(text[at], colon) : '_');
    }
}

void exposition_name(struct output *out, const struct text *name, bool colon)
{
    if (name->size == 0 || is_digit(name->data[0]))
        output_char(out, '_');
    if (!put_ascii(out, name, colon))
        put_any(out, name, colon);
}
