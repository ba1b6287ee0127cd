#include "collector/text/hex.h"

void hex_put(struct output *out, const void *bytes, size_t size)
{
    static const char digits[] = "0123456789abcdef";
    const unsigned char *from = bytes;
    char *at = output_reserve(out, 2 * size);
    if (at == NULL)
        return;
    for (size_t i = 0; i < size; i++) {
        at[2 * i] = digits[from[i] >> 4];
        at[2 * i + 1] = digits[from[i] & 15];
    }
}

int hex_digit_value(char digit)
{
    if (digit >= '0' && digit <= '9')
        return digit - '0';
    if (digit >= 'a' && digit <= 'f')
        return digit - 'a' + 10;
    return digit >= 'A' && digit <= 'F' ? digit - 'A' + 10 : -1;
}
