#include "collector/platform/windows/arguments.h"

#include <stdlib.h>

#include "collector/platform/windows/text.h"

char **arguments_from_wide(int count, wchar_t *const *wide)
{
    char **arguments = calloc((size_t)count + 1, sizeof *arguments);
    for (int i = 0; arguments != NULL && i < count; i++) {
        arguments[i] = text_from_wide_copy(wide[i]);
        if (arguments[i] == NULL) {
            arguments_free(arguments);
            return NULL;
        }
    }
    return arguments;
}

void arguments_free(char **arguments)
{
    for (char **one = arguments; one != NULL && *one != NULL; one++)
        free(*one);
    free(arguments);
}
