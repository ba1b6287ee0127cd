#include "collector/text/base64.h"

#include <stdbool.h>

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void put_four(char *at, const uint8_t *bytes)
{
    at[0] = alphabet[bytes[0] >> 2];
    at[1] = alphabet[(bytes[0] & 3) << 4 | bytes[1] >> 4];
    at[2] = alphabet[(bytes[1] & 15) << 2 | bytes[2] >> 6];
    at[3] = alphabet[bytes[2] & 63];
}

void base64_put(struct output *out, const void *bytes, size_t size)
{
    const uint8_t *from = bytes;
    char *at = output_reserve(out, size / 3 * 4 + (size % 3 != 0 ? 4 : 0));
    if (at == NULL)
        return;
    for (; size >= 3; size -= 3, from += 3, at += 4)
        put_four(at, from);
    if (size == 0)
        return;
    uint8_t last[3] = {from[0], size == 2 ? from[1] : 0, 0};
    put_four(at, last);
    at[3] = '=';
    if (size == 1)
        at[2] = '=';
}

/* --- decoding --------------------------------------------------------------------------------- */

#define NO_DIGIT 64

static uint8_t digit(char character)
{
    unsigned char c = (unsigned char)character;
    if (c >= 'A' && c <= 'Z')
        return (uint8_t)(c - 'A');
    if (c >= 'a' && c <= 'z')
        return (uint8_t)(c - 'a' + 26);
    if (c >= '0' && c <= '9')
        return (uint8_t)(c - '0' + 52);
    return c == '+' ? 62 : c == '/' ? 63 : NO_DIGIT;
}

/*
 * Decodes four characters without padding. Returns 4, or the number of valid characters before an
 * invalid one.
 */
static size_t get_four(const char *text, uint8_t *bytes)
{
    uint8_t digits[4];
    for (size_t i = 0; i < 4; i++) {
        digits[i] = digit(text[i]);
        if (digits[i] == NO_DIGIT)
            return i;
    }
    bytes[0] = (uint8_t)(digits[0] << 2 | digits[1] >> 4);
    bytes[1] = (uint8_t)(digits[1] << 4 | digits[2] >> 2);
    bytes[2] = (uint8_t)(digits[2] << 6 | digits[3]);
    return 4;
}

/* Decodes the last four characters, whose last one or two are padding. Returns as get_four does. */
static size_t get_padded(const char *text, uint8_t *bytes, size_t *count)
{
    static const uint8_t unused[] = {[2] = 0x0f, [3] = 0x03}; /* bits that must be 0 */
    uint8_t digits[3] = {0};
    size_t given = text[2] == '=' ? 2 : 3;
    for (size_t i = 0; i < given; i++) {
        digits[i] = digit(text[i]);
        if (digits[i] == NO_DIGIT)
            return i;
    }
    if ((digits[given - 1] & unused[given]) != 0)
        return given - 1;
    bytes[0] = (uint8_t)(digits[0] << 2 | digits[1] >> 4);
    if (given == 3)
        bytes[1] = (uint8_t)(digits[1] << 4 | digits[2] >> 2);
    *count = given - 1;
    return 4;
}

size_t base64_decode(const char *text, size_t size, uint8_t *bytes, size_t *used)
{
    size_t at = 0;
    *used = 0;
    while (size - at >= 4) {
        size_t count = 3;
        bool padded = size - at == 4 && text[at + 3] == '=';
        size_t good = padded ? get_padded(text + at, bytes + *used, &count)
                             : get_four(text + at, bytes + *used);
        if (good != 4)
            return at + good;
        *used += count;
        at += 4;
    }
    return at;
}
