#include "collector/platform/windows/file_access.h"

#include <stdlib.h>
#include <string.h>

#include "collector/platform/file_system.h"
#include "collector/platform/windows/text.h"

/*
 * The longest path, in characters, that every call accepts: a folder must leave room for the name
 * of a file in it ("\8.3 name").
 */
#define SHORT_PATH_MAX 247

static const wchar_t verbatim[] = L"\\\\?\\";
static const wchar_t verbatim_share[] = L"\\\\?\\UNC\\";

/*
 * Returns the prefix for a full path. *skipped is the number of characters of the path that the
 * prefix replaces.
 */
static const wchar_t *prefix_of(const wchar_t *full, size_t *skipped)
{
    *skipped = 0;
    if (wcsncmp(full, L"\\\\", 2) != 0)
        return verbatim;
    if ((full[2] == L'?' || full[2] == L'.') && full[3] == L'\\')
        return L""; /* the path has a prefix already */
    *skipped = 2;
    return verbatim_share;
}

static wchar_t *lengthened(const wchar_t *wide, DWORD room)
{
    wchar_t *full = calloc(room, sizeof *full);
    wchar_t *made = calloc(room + sizeof verbatim_share / sizeof verbatim_share[0], sizeof *made);
    DWORD length = full == NULL || made == NULL ? 0 : GetFullPathNameW(wide, room, full, NULL);
    if (length == 0 || length >= room) {
        free(full);
        free(made);
        return NULL;
    }
    size_t skipped;
    wcscpy(made, prefix_of(full, &skipped));
    wcscat(made, full + skipped);
    free(full);
    return made;
}

wchar_t *file_access_path(const char *path)
{
    wchar_t *wide = text_wide_copy(path);
    /* The size includes the NUL. (The second call, with room, returns a length without it.) */
    DWORD room = wide == NULL ? 0 : GetFullPathNameW(wide, 0, NULL, NULL);
    if (room <= SHORT_PATH_MAX + 1)
        return wide;
    wchar_t *made = lengthened(wide, room);
    free(wide);
    if (made == NULL)
        SetLastError(ERROR_NOT_ENOUGH_MEMORY);
    return made;
}

bool file_modes_exist(void)
{
    return false;
}
