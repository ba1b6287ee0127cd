/* Implements disk_room_look() with GetDiskFreeSpaceEx, which accepts only folders. */
#include "collector/platform/file_system.h"

#include <stdlib.h>

#include "collector/platform/windows/file_access.h"
#include "collector/text/copy.h"

static bool look_at_folder(const char *folder, uint64_t *available, uint64_t *total)
{
    ULARGE_INTEGER ours, all;
    wchar_t *wide = file_access_path(folder);
    bool found = wide != NULL && GetDiskFreeSpaceExW(wide, &ours, &all, NULL) != 0;
    free(wide);
    if (!found)
        return false;
    *available = ours.QuadPart;
    *total = all.QuadPart;
    return true;
}

bool disk_room_look(const char *path, uint64_t *available, uint64_t *total)
{
    if (look_at_folder(path, available, total))
        return true;
    size_t length = file_path_folder(path);
    char *folder = length != 0 ? text_copy(path, length) : text_copy_all(".");
    bool found = folder != NULL && look_at_folder(folder, available, total);
    free(folder);
    return found;
}
