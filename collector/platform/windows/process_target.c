/* Implements struct process_target with a file in the folder for temporary files. */
#include "collector/platform/child.h"

#include <stdlib.h>
#include <windows.h>

#include "collector/platform/file_system.h"
#include "collector/platform/windows/system_error.h"
#include "collector/platform/windows/text.h"

bool process_target_make(struct process_target *target, struct error *error)
{
    wchar_t folder[MAX_PATH + 1];
    wchar_t path[MAX_PATH];
    *target = (struct process_target){.is_file = true};
    /* GetTempFileNameW creates the file, so that no other program gets the name. */
    if (GetTempPathW(MAX_PATH + 1, folder) == 0 || GetTempFileNameW(folder, L"slu", 0, path) == 0) {
        error_set(error, EXIT_CODE_CANNOT_CREATE, "cannot create a temporary file: %s",
                  system_error(GetLastError()).text);
        return false;
    }
    target->path = text_from_wide_copy(path);
    if (target->path != NULL)
        return true;
    DeleteFileW(path);
    error_set(error, EXIT_CODE_INTERNAL, "out of memory");
    return false;
}

void process_target_remove(struct process_target *target)
{
    folder_remove_file(target->path);
    free(target->path);
}
