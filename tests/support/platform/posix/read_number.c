/* Implements tests/support/text/read_number.h with the C library. */
#include "tests/support/text/read_number.h"

#include <stdlib.h>

double read_double(const char *text)
{
    return strtod(text, NULL);
}

float read_float(const char *text)
{
    return strtof(text, NULL);
}
