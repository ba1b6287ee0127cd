/*
 * Finds the location of a file (collector/platform/file_system.h) with GetFileInformationByHandle.
 */
#include "collector/platform/file_system.h"

#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "collector/platform/windows/file_access.h"
#include "collector/platform/windows/shared_file.h"
#include "collector/text/copy.h"

static bool location_fill(HANDLE file, struct file_location *place)
{
    struct file_identity found;
    if (GetFileType(file) != FILE_TYPE_DISK || !shared_file_identify(file, &found))
        return false;
    *place = (struct file_location){.volume = found.volume,
                                    .number = (uint64_t)found.index_high << 32 | found.index_low};
    return true;
}

static bool location_find(const char *path, struct file_location *place)
{
    wchar_t *wide = file_access_path(path);
    HANDLE file = wide == NULL ? INVALID_HANDLE_VALUE
                               : CreateFileW(wide, 0, FILE_SHARE_ALL, NULL, OPEN_EXISTING,
                                             FILE_FLAG_BACKUP_SEMANTICS, NULL);
    bool found = file != INVALID_HANDLE_VALUE && location_fill(file, place);
    if (file != INVALID_HANDLE_VALUE)
        CloseHandle(file);
    free(wide);
    return found;
}

bool file_location_find(const char *path, struct file_location *place)
{
    if (strncmp(path, "//./", 4) == 0) /* opening a device or a pipe would have effects */
        return false;
    if (location_find(path, place))
        return true;
    size_t length = file_path_folder(path);
    const char *name = file_path_name(path);
    char *folder = length == 0 ? text_copy_all(".") : text_copy(path, length);
    bool found = folder != NULL && *name != '\0' && strlen(name) < sizeof place->name &&
                 location_find(folder, place);
    free(folder);
    if (found)
        memcpy(place->name, name, strlen(name) + 1);
    return found;
}

/* Does not recognise pipes and devices. */
bool file_location_find_any(const char *path, struct file_location *place)
{
    return file_location_find(path, place);
}

bool file_location_of_stdout(struct file_location *place)
{
    return location_fill(GetStdHandle(STD_OUTPUT_HANDLE), place);
}
