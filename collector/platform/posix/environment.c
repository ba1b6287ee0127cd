/* Implements the environment of collector/platform/process.h with getenv(). */
#include "collector/platform/process.h"

#include <stdlib.h>
#include <string.h>

#include "collector/text/copy.h"

extern char **environ;

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

bool environment_each(const char *prefix, bool (*visit)(void *context, const char *name),
                      void *context)
{
    bool more = true;
    for (char *const *one = environ; one != NULL && *one != NULL && more; one++) {
        if (strncmp(*one, prefix, strlen(prefix)) != 0)
            continue;
        char *name = text_copy(*one, strcspn(*one, "="));
        if (name == NULL)
            return false;
        more = visit(context, name);
        free(name);
    }
    return true;
}
