#include "collector/text/utc_time.h"

#include <stddef.h>

#include "collector/text/calendar.h"
#include "collector/text/digit.h"

static bool take_number(const char **at, int count, uint32_t *number)
{
    *number = 0;
    for (; count != 0; count--, (*at)++) {
        if (!is_digit(**at))
            return false;
        *number = *number * 10 + (uint32_t)(**at - '0');
    }
    return true;
}

static bool take_sign(const char **at, char sign)
{
    return *(*at)++ == sign;
}

static bool take_fraction(const char **at, uint32_t *nanoseconds)
{
    uint32_t unit = 100000000;
    if (**at != '.')
        return true;
    if (!is_digit(*++*at))
        return false;
    for (; is_digit(**at) && unit != 0; (*at)++, unit /= 10)
        *nanoseconds += (uint32_t)(**at - '0') * unit;
    return true;
}

static uint32_t days_of(uint32_t year, uint32_t month)
{
    static const uint8_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return days[month - 1] + (month == 2 && calendar_is_leap(year));
}

static int64_t days_since_1970(uint32_t year, uint32_t month, uint32_t day)
{
    int64_t days = day - 1;
    for (uint32_t before = 1970; before < year; before++)
        days += calendar_is_leap(before) ? 366 : 365;
    for (uint32_t before = 1; before < month; before++)
        days += days_of(year, before);
    return days;
}

bool utc_time_parse(const char *text, int64_t *ns)
{
    uint32_t year, month, day, hour, minute, second, nanoseconds = 0;
    const char *at = text;
    if (!take_number(&at, 4, &year) || !take_sign(&at, '-') || !take_number(&at, 2, &month) ||
        !take_sign(&at, '-') || !take_number(&at, 2, &day) || !take_sign(&at, 'T') ||
        !take_number(&at, 2, &hour) || !take_sign(&at, ':') || !take_number(&at, 2, &minute) ||
        !take_sign(&at, ':') || !take_number(&at, 2, &second) || !take_fraction(&at, &nanoseconds))
        return false;
    if (at[0] != 'Z' || at[1] != '\0' || year < 1970 || year > 2261 || month < 1 || month > 12 ||
        day < 1 || day > days_of(year, month) || hour > 23 || minute > 59 || second > 59)
        return false;
    int64_t seconds =
        days_since_1970(year, month, day) * 86400 + hour * 3600 + minute * 60 + second;
    *ns = seconds * 1000000000 + nanoseconds;
    return true;
}
