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

static size_t count_digits(uint64_t value)
{
    size_t count = 1;
    while (value >= 100000000) {
        value /= 100000000;
        count += 8;
    }
    if (value >= 10000) {
        value /= 10000;
        count += 4;
    }
    return count + (value >= 10) + (value >= 100) + (value >= 1000);
}

size_t decimal_uint64(uint64_t value, char *text)
{
    size_t count = count_digits(value);
    char *end = text + count;
    while (value >= 100000000) {
        end -= 8;
        decimal_put_8(end, (uint32_t)(value % 100000000));
        value /= 100000000;
    }
    uint32_t rest = (uint32_t)value;
    while (rest >= 100) {
        end -= 2;
        decimal_put_2(end, rest % 100);
        rest /= 100;
    }
    if (rest >= 10)
        decimal_put_2(end - 2, rest);
    else
        end[-1] = (char)('0' + rest);
    return count;
}

size_t decimal_int64(int64_t value, char *text)
{
    text[0] = '-';
    size_t sign = value < 0;
    uint64_t magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    return sign + decimal_uint64(magnitude, text + sign);
}
