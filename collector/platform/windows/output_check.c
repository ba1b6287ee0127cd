/*
 * Implements the checks of collector/platform/output_file.h: opens existing files for writing and
 * closes them again.
 */
#include "collector/platform/output_file.h"

#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "collector/platform/file_system.h"
#include "collector/platform/windows/file_access.h"
#include "collector/platform/windows/shared_file.h"
#include "collector/platform/windows/system_error.h"
#include "collector/text/copy.h"

static int cannot_write(struct error *error, const char *path, DWORD number)
{
    error_set(error, EXIT_CODE_CANNOT_CREATE, "cannot write to %s: %s", path,
              system_error(number).text);
    return -1;
}

static int cannot_create_file(struct error *error, const char *path, DWORD number)
{
    cannot_write(error, path, number);
    folder_advise_missing_of(path, error);
    return -1;
}

static DWORD open_problem(const char *path, DWORD access, DWORD flags)
{
    wchar_t *wide = file_access_path(path);
    HANDLE handle =
        wide == NULL ? INVALID_HANDLE_VALUE
                     : CreateFileW(wide, access, FILE_SHARE_ALL, NULL, OPEN_EXISTING, flags, NULL);
    DWORD problem = handle == INVALID_HANDLE_VALUE ? GetLastError() : ERROR_SUCCESS;
    if (handle != INVALID_HANDLE_VALUE)
        CloseHandle(handle);
    free(wide);
    return problem;
}

static DWORD folder_problem(const char *path)
{
    DWORD problem = open_problem(path, FILE_ADD_FILE, FILE_FLAG_BACKUP_SEMANTICS);
    return problem == ERROR_SUCCESS && !shared_file_is_folder(path) ? ERROR_DIRECTORY : problem;
}

static DWORD problem_of_folder_of(const char *path)
{
    size_t length = file_path_folder(path);
    char *folder = length == 0 ? text_copy_all(".") : text_copy(path, length);
    if (folder == NULL)
        return ERROR_NOT_ENOUGH_MEMORY;
    DWORD problem = folder_problem(folder);
    free(folder);
    return problem;
}

/* Devices and pipes are not opened for a check, because that would have effects. */
static bool is_device(const char *path)
{
    return strncmp(path, "//./", 4) == 0;
}

int output_check_file(const char *path, struct error *error)
{
    if (is_device(path))
        return 0;
    DWORD problem = open_problem(path, FILE_APPEND_DATA, FILE_ATTRIBUTE_NORMAL);
    if (problem == ERROR_FILE_NOT_FOUND)
        problem = problem_of_folder_of(path);
    return problem == ERROR_SUCCESS ? 0 : cannot_create_file(error, path, problem);
}

int output_check_replaceable(const char *path, struct error *error)
{
    if (!is_device(path) && !shared_file_is_folder(path))
        return 0;
    error_set(error, EXIT_CODE_CANNOT_CREATE,
              "cannot write to %s: it is not a regular file, and cannot be rotated, compressed or "
              "replaced",
              path);
    return -1;
}

int output_check_beside(const char *path, struct error *error)
{
    DWORD problem = problem_of_folder_of(path);
    return problem == ERROR_SUCCESS ? 0 : cannot_create_file(error, path, problem);
}

int output_check_folder(const char *path, struct error *error)
{
    DWORD problem = folder_problem(path);
    if (problem == ERROR_SUCCESS)
        return 0;
    cannot_write(error, path, problem);
    folder_advise_missing(path, error);
    return -1;
}
