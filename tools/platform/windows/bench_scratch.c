/* tools/bench/scratch.h, the system's part, by CreateDirectoryW. */
#include "tools/bench/scratch.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/platform/file_path.h"
#include "collector/platform/windows/file_access.h"
#include "collector/platform/windows/system_error.h"
#include "collector/platform/windows/text.h"

#define ATTEMPTS 1000

/* Where the system has such things, without the separator at its end. */
static bool find_base(char *base, size_t size)
{
    wchar_t wide[MAX_PATH + 2];
    if (GetTempPathW(MAX_PATH + 2, wide) == 0 || !text_from_wide(wide, base, size))
        return false;
    file_path_normalise(base);
    size_t length = strlen(base);
    if (length != 0 && base[length - 1] == '/')
        base[length - 1] = '\0';
    return true;
}

static bool make(const char *path)
{
    wchar_t *wide = file_access_path(path);
    bool made = wide != NULL && CreateDirectoryW(wide, NULL);
    free(wide);
    return made;
}

int scratch_folder_make(const char *base, char path[SCRATCH_PATH_SIZE], struct error *error)
{
    char found[SCRATCH_PATH_SIZE - 64];
    snprintf(found, sizeof found, "%s", base != NULL ? base : ".");
    file_path_normalise(found);
    if (base == NULL && !find_base(found, sizeof found))
        snprintf(found, sizeof found, ".");
    /* Another process with this number may have left its folder behind. */
    for (unsigned attempt = 0; attempt < ATTEMPTS; attempt++) {
        snprintf(path, SCRATCH_PATH_SIZE, "%s/sluice-bench-%lu-%u", found, GetCurrentProcessId(),
                 attempt);
        if (make(path))
            return 0;
        if (GetLastError() != ERROR_ALREADY_EXISTS)
            break;
    }
    error_set(error, EXIT_CODE_CANNOT_CREATE, "cannot make the folder %.300s: %s", path,
              system_error(GetLastError()).text);
    return -1;
}

void scratch_folder_remove_empty(const char *path)
{
    wchar_t *wide = file_access_path(path);
    if (wide != NULL)
        RemoveDirectoryW(wide);
    free(wide);
}
