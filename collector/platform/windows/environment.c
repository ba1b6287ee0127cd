/* collector/environment.h in UTF-16, as Windows keeps them. */
#include "collector/environment.h"

#include <stdlib.h>
#include <windows.h>

#include "collector/platform/windows/text.h"

/* Copies the value; NULL: it is not set. Returns false without memory. */
static bool read_wide(const wchar_t *name, wchar_t **wide)
{
    *wide = NULL;
    DWORD size = GetEnvironmentVariableW(name, NULL, 0);
    if (size == 0)
        return true;
    *wide = calloc(size, sizeof **wide);
    if (*wide == NULL)
        return false;
    DWORD length = GetEnvironmentVariableW(name, *wide, size);
    if (length == 0 || length >= size) {
        free(*wide); /* it has gone meanwhile */
        *wide = NULL;
    }
    return true;
}

bool environment_value(const char *name, char **value)
{
    *value = NULL;
    wchar_t *wide_name = text_wide_copy(name);
    wchar_t *wide = NULL;
    bool good = wide_name != NULL && read_wide(wide_name, &wide);
    if (good && wide != NULL) {
        *value = text_from_wide_copy(wide);
        good = *value != NULL;
    }
    free(wide);
    free(wide_name);
    return good;
}
