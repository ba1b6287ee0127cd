#include "collector/text/utf8.h"

#include <string.h>

/*
 * The length that a lead byte announces, and the range of the second byte (Unicode 15, table 3-7).
 * The range excludes overlong forms, surrogates and codes above U+10FFFF.
 */
struct lead {
    uint8_t length; /* bytes of the whole sequence, or 0 if not a lead byte */
    uint8_t second_low;
    uint8_t second_high;
};

static struct lead lead_of(uint8_t byte)
{
    if (byte < 0xc2)
        return (struct lead){0, 0, 0};
    if (byte < 0xe0)
        return (struct lead){2, 0x80, 0xbf};
    if (byte < 0xf0)
        return (struct lead){3, byte == 0xe0 ? 0xa0 : 0x80, byte == 0xed ? 0x9f : 0xbf};
    if (byte < 0xf5)
        return (struct lead){4, byte == 0xf0 ? 0x90 : 0x80, byte == 0xf4 ? 0x8f : 0xbf};
    return (struct lead){0, 0, 0};
}

size_t utf8_sequence(const uint8_t *bytes, size_t size, bool *valid)
{
    *valid = true;
    if (bytes[0] < 0x80)
        return 1;
    *valid = false;
    struct lead lead = lead_of(bytes[0]);
    if (lead.length == 0 || size < 2 || bytes[1] < lead.second_low || bytes[1] > lead.second_high)
        return 1;
    for (size_t i = 2; i < lead.length; i++)
        if (i == size || (bytes[i] & 0xc0) != 0x80)
            return i;
    *valid = true;
    return lead.length;
}

#define HIGH_BITS UINT64_C(0x8080808080808080)

static bool begins_with_ascii(const uint8_t *bytes, size_t size)
{
    uint64_t word;
    if (size < sizeof word)
        return false;
    memcpy(&word, bytes, sizeof word);
    return (word & HIGH_BITS) == 0;
}

bool utf8_valid_beyond_ascii(const void *bytes, size_t size)
{
    const uint8_t *at = bytes;
    const uint8_t *end = at + size;
    while (at != end) {
        if (begins_with_ascii(at, (size_t)(end - at))) {
            at += sizeof(uint64_t);
            continue;
        }
        bool valid;
        at += utf8_sequence(at, (size_t)(end - at), &valid);
        if (!valid)
            return false;
    }
    return true;
}
