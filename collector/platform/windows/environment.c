/* Implements the environment of collector/platform/process.h, which is UTF-16 on Windows. */
#include "collector/platform/process.h"

#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "collector/platform/windows/text.h"

/*
 * Sets *wide to a copy of the value, or to NULL if it is not set. Returns false if memory is short.
 */
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
        free(*wide); /* the variable was removed or changed in between */
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

/* Returns the name in "NAME=value" in UTF-8 and upper case, or NULL if memory is short. */
static char *name_of(const wchar_t *entry)
{
    char *name = text_from_wide_copy(entry);
    if (name == NULL)
        return NULL;
    name[strcspn(name, "=")] = '\0';
    for (char *c = name; *c != '\0'; c++)
        if (*c >= 'a' && *c <= 'z')
            *c = (char)(*c - 'a' + 'A');
    return name;
}

/* The system returns the entries one after another, each with a NUL, and an empty entry last. */
bool environment_each(const char *prefix, bool (*visit)(void *context, const char *name),
                      void *context)
{
    wchar_t *entries = GetEnvironmentStringsW();
    bool good = entries != NULL;
    bool more = true;
    for (const wchar_t *one = entries; good && more && *one != L'\0'; one += wcslen(one) + 1) {
        char *name = name_of(one);
        good = name != NULL;
        if (good && strncmp(name, prefix, strlen(prefix)) == 0)
            more = visit(context, name);
        free(name);
    }
    if (entries != NULL)
        FreeEnvironmentStringsW(entries);
    return good;
}
