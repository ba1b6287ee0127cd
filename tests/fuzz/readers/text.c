#include "tests/fuzz/readers/text.h"

#include <locale.h>
#include <string.h>
#include <wchar.h>

#include "collector/text/utf8.h"
#include "tests/fuzz/readers/reading.h"

#define COLUMNS 80

/* Skips a colour: ESC, "[", digits, "m". */
static bool pass_colour(struct reading *reading)
{
    if (!reading_pass(reading, 0x1b) || !reading_pass(reading, '['))
        return false;
    while (reading_peek(reading) >= '0' && reading_peek(reading) <= '9')
        reading->at++;
    return reading_pass(reading, 'm');
}

/*
 * Returns the number of columns according to the C library, which does not support every character.
 */
static size_t columns_of(const char *at, size_t length)
{
    static bool localised;
    wchar_t wide;
    mbstate_t state = {0};
    if (!localised)
        setlocale(LC_CTYPE, "C.UTF-8");
    localised = true;
    if (mbrtowc(&wide, at, length, &state) > length)
        return 1;
    int columns = wcwidth(wide);
    return columns < 0 ? 1 : (size_t)columns;
}

static bool is_control(const char *at, size_t length)
{
    unsigned char first = (unsigned char)at[0];
    return first < ' ' || first == 0x7f || (length == 2 && first == 0xc2 && (at[1] & 0x20) == 0);
}

const char *text_wrong(const char *line, size_t size)
{
    struct reading reading = {line, line + size};
    size_t columns = 0;
    if (!utf8_valid(line, size))
        return "no UTF-8";
    while (reading.at != reading.end) {
        if (*reading.at == 0x1b) {
            if (!pass_colour(&reading))
                return "a control sequence that is not a colour";
            continue;
        }
        bool valid;
        size_t length =
            utf8_sequence((const uint8_t *)reading.at, (size_t)(reading.end - reading.at), &valid);
        if (is_control(reading.at, length))
            return "a control character";
        columns += columns_of(reading.at, length);
        reading.at += length;
    }
    return columns <= COLUMNS ? NULL : "more than 80 columns";
}
