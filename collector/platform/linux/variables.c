#include "collector/platform/linux/variables.h"

#include <errno.h>
#include <stdlib.h>

#include "collector/platform/process.h"

bool variable_take(const char *name, char **value)
{
    bool read = environment_value(name, value);
    unsetenv(name);
    return read;
}

bool variable_take_number(const char *name, uint64_t *value)
{
    char *text;
    if (!variable_take(name, &text) || text == NULL)
        return false;
    char *end;
    errno = 0;
    *value = strtoull(text, &end, 10);
    bool good = text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0;
    free(text);
    return good;
}
