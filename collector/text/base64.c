#include "collector/text/base64.h"

#include <stdint.h>

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
