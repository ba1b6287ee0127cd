#include "collector/text/decimal.h"

/* clang-format off */
const char decimal_pairs[200] = {
    '0','0', '0','1', '0','2', '0','3', '0','4', '0','5', '0','6', '0','7', '0','8', '0','9',
    '1','0', '1','1', '1','2', '1','3', '1','4', '1','5', '1','6', '1','7', '1','8', '1','9',
    '2','0', '2','1', '2','2', '2','3', '2','4', '2','5', '2','6', '2','7', '2','8', '2','9',
    '3','0', '3','1', '3','2', '3','3', '3','4', '3','5', '3','6', '3','7', '3','8', '3','9',
    '4','0', '4','1', '4','2', '4','3', '4','4', '4','5', '4','6', '4','7', '4','8', '4','9',
    '5','0', '5','1', '5','2', '5','3', '5','4', '5','5', '5','6', '5','7', '5','8', '5','9',
    '6','0', '6','1', '6','2', '6','3', '6','4', '6','5', '6','6', '6','7', '6','8', '6','9',
    '7','0', '7','1', '7','2', '7','3', '7','4', '7','5', '7','6', '7','7', '7','8', '7','9',
    '8','0', '8','1', '8','2', '8','3', '8','4', '8','5', '8','6', '8','7', '8','8', '8','9',
    '9','0', '9','1', '9','2', '9','3', '9','4', '9','5', '9','6', '9','7', '9','8', '9','9',
};
/* clang-format on */

/* The digits of a value below 10^8, without leading zeros. */
static size_t put_short(char *text, uint32_t value)
{
    char digits[8];
    decimal_put_8(digits, value);
    size_t zeros = 0;
    while (zeros < 7 && digits[zeros] == '0')
        zeros++;
    for (size_t i = zeros; i < 8; i++)
        text[i - zeros] = digits[i];
    return 8 - zeros;
}

size_t decimal_uint64(uint64_t value, char text[DECIMAL_UINT64_SIZE])
{
    if (value < 100000000)
        return put_short(text, (uint32_t)value);
    uint64_t high = value / 100000000;
    size_t length = decimal_uint64(high, text);
    decimal_put_8(text + length, (uint32_t)(value % 100000000));
    return length + 8;
}
