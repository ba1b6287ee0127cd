#include "sinks/files/path_template_pieces.h"

#include "collector/text/digit.h"

#define NS_PER_S   INT64_C(1000000000)
#define NS_PER_DAY (86400 * NS_PER_S)

const struct path_time_field path_time_fields[PIECE_KINDS] = {
    [PIECE_YEAR] = {'Y', 4, 0, 9999, NS_PER_DAY},
    [PIECE_YEAR_OF_CENTURY] = {'y', 2, 0, 99, NS_PER_DAY},
    [PIECE_MONTH] = {'m', 2, 1, 12, NS_PER_DAY},
    [PIECE_DAY] = {'d', 2, 1, 31, NS_PER_DAY},
    [PIECE_DAY_OF_YEAR] = {'j', 3, 1, 366, NS_PER_DAY},
    [PIECE_HOUR] = {'H', 2, 0, 23, 3600 * NS_PER_S},
    [PIECE_MINUTE] = {'M', 2, 0, 59, 60 * NS_PER_S},
    [PIECE_SECOND] = {'S', 2, 0, 59, NS_PER_S},
    [PIECE_SECONDS] = {'s', PATH_SECONDS_MAX_DIGITS, 0, 0, NS_PER_S},
};

bool path_only_digits_and_dots(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (text[i] != '.' && !is_digit(text[i]))
            return false;
    return true;
}

static bool is_like_address(const char *text, size_t size)
{
    unsigned dots = 0;
    unsigned digits = 0;
    for (size_t i = 0; i < size; i++) {
        if (text[i] != '.')
            digits++;
        if (digits > 3 || (text[i] == '.' && digits == 0))
            return false;
        if (text[i] == '.') {
            dots++;
            digits = 0;
        }
    }
    return dots == 3 && digits != 0;
}

bool path_value_has_end(const char *value, size_t size)
{
    const size_t longest = sizeof "255.255.255.255" - 1;
    size_t at = size;
    bool dot = false;
    if (size == 0 || value[size - 1] == '.')
        return true;
    while (at != 0 && size - at <= longest && path_only_digits_and_dots(value + at - 1, 1))
        dot = value[--at] == '.' || dot;
    return !dot || is_like_address(value + at, size - at);
}

uint32_t path_number(const char *text)
{
    uint32_t number = 0;
    size_t digits = 0;
    if (text[0] != '.' || text[1] == '0')
        return 0;
    while (digits <= PATH_NUMBER_DIGITS && is_digit(text[1 + digits]))
        if (++digits <= PATH_NUMBER_DIGITS)
            number = number * 10 + (uint32_t)(text[digits] - '0');
    return digits <= PATH_NUMBER_DIGITS && text[1 + digits] == '\0' ? number : 0;
}
