#include "collector/config/file_mode.h"

#include <stdint.h>

#include "collector/platform/file_system.h"

#define MODE_MOST 0777
#define DIGITS    4 /* "0660" */

bool file_mode_parse(const char *name, const char *text, size_t length, void *field,
                     struct parse_error *fault)
{
    char given[QUOTED_SIZE];
    uint64_t mode = 0;
    bool good = length != 0 && length <= DIGITS;
    for (size_t i = 0; i < length && good; i++) {
        good = text[i] >= '0' && text[i] <= '7';
        mode = mode * 8 + (uint64_t)(text[i] - '0');
    }
    if (!good || mode > MODE_MOST || mode == 0)
        return parse_error_set(fault, 0, "%s %s is not an octal number from 1 to 0777, as in 0660",
                               name, quoted(text, length, given));
    if (!file_modes_exist())
        return parse_error_set(fault, 0,
                               "%s: on this system files have no such permissions; they "
                               "have those of their folder",
                               name);
    *(uint64_t *)field = mode;
    return true;
}

bool file_mode_equal(const void *a, const void *b)
{
    return *(const uint64_t *)a == *(const uint64_t *)b;
}
