/* Recognises decimal digits of ASCII, whatever the locale. */
#ifndef SLUICE_COLLECTOR_TEXT_DIGIT_H
#define SLUICE_COLLECTOR_TEXT_DIGIT_H

#include <stdbool.h>

static inline bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

#endif
