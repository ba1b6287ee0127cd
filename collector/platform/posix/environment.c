/* collector/environment.h by getenv. */
#include "collector/environment.h"

#include <stdlib.h>
#include <string.h>

bool environment_value(const char *name, char **value)
{
    const char *found = getenv(name);
    *value = NULL;
    if (found == NULL)
        return true;
    size_t size = strlen(found) + 1;
    *value = malloc(size);
    if (*value == NULL)
        return false;
    memcpy(*value, found, size);
    return true;
}
