/* Implements the folders of collector/platform/file_system.h with FindFirstFileW. */
#include "collector/platform/file_system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/platform/windows/file_access.h"
#include "collector/platform/windows/text.h"

struct folder {
    HANDLE search; /* INVALID_HANDLE_VALUE if the folder is empty */
    bool fresh;    /* `found` was not returned yet */
    WIN32_FIND_DATAW found;
    char name[3 * MAX_PATH]; /* a UTF-16 code unit takes at most three bytes of UTF-8 */
};

static wchar_t *pattern_of(const char *path)
{
    size_t length = strlen(path);
    char *pattern = malloc(length + sizeof "/*");
    if (pattern == NULL)
        return NULL;
    const char *separator = length != 0 && path[length - 1] == '/' ? "" : "/";
    snprintf(pattern, length + sizeof "/*", "%s%s*", path, separator);
    wchar_t *wide = file_access_path(pattern);
    free(pattern);
    return wide;
}

/*
 * Returns true if the path is an empty root folder. A search in such a folder fails with the same
 * error as one in a path that is not a folder.
 */
static bool is_empty_root(const char *path, DWORD number)
{
    wchar_t *wide = number == ERROR_FILE_NOT_FOUND ? file_access_path(path) : NULL;
    DWORD attributes = wide == NULL ? INVALID_FILE_ATTRIBUTES : GetFileAttributesW(wide);
    free(wide);
    return attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
}

struct folder *folder_open(const char *path)
{
    struct folder *folder = calloc(1, sizeof *folder);
    wchar_t *pattern = pattern_of(path);
    if (folder != NULL && pattern != NULL) {
        folder->search = FindFirstFileW(pattern, &folder->found);
        folder->fresh = folder->search != INVALID_HANDLE_VALUE;
        if (folder->fresh || is_empty_root(path, GetLastError())) {
            free(pattern);
            return folder;
        }
    }
    free(pattern);
    free(folder);
    return NULL;
}

/*
 * Returns true if the entry is a link or a mounted volume. A file whose data is stored elsewhere,
 * such as a deduplicated one, counts as a file.
 */
static bool leads_elsewhere(const WIN32_FIND_DATAW *found)
{
    return (found->dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0 &&
           IsReparseTagNameSurrogate(found->dwReserved0);
}

static bool is_itself_or_parent(const wchar_t *name)
{
    return wcscmp(name, L".") == 0 || wcscmp(name, L"..") == 0;
}

bool folder_next(struct folder *folder, struct folder_entry *entry)
{
    WIN32_FIND_DATAW *found = &folder->found;
    while (folder->fresh ||
           (folder->search != INVALID_HANDLE_VALUE && FindNextFileW(folder->search, found))) {
        folder->fresh = false;
        if (is_itself_or_parent(found->cFileName) ||
            !text_from_wide(found->cFileName, folder->name, sizeof folder->name))
            continue;
        bool is_folder = (found->dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
        bool here = !leads_elsewhere(found);
        *entry = (struct folder_entry){
            .name = folder->name,
            .is_folder = here && is_folder,
            .is_file = here && !is_folder,
            .modified_ns = file_access_time_ns(found->ftLastWriteTime),
            .size = (uint64_t)found->nFileSizeHigh << 32 | found->nFileSizeLow,
        };
        return true;
    }
    return false;
}

/* FindNextFileW returns the name and the properties together, so this is not cheaper. */
const char *folder_next_name(struct folder *folder)
{
    struct folder_entry entry;
    return folder_next(folder, &entry) ? entry.name : NULL;
}

void folder_close(struct folder *folder)
{
    if (folder == NULL)
        return;
    if (folder->search != INVALID_HANDLE_VALUE)
        FindClose(folder->search);
    free(folder);
}

bool folder_has(const char *path)
{
    wchar_t *wide = file_access_path(path);
    bool gone = wide != NULL && GetFileAttributesW(wide) == INVALID_FILE_ATTRIBUTES &&
                (GetLastError() == ERROR_FILE_NOT_FOUND || GetLastError() == ERROR_PATH_NOT_FOUND);
    free(wide);
    return !gone;
}

bool folder_remove_file(const char *path)
{
    wchar_t *wide = file_access_path(path);
    if (wide == NULL)
        return false;
    bool gone = DeleteFileW(wide) || GetLastError() == ERROR_FILE_NOT_FOUND ||
                GetLastError() == ERROR_PATH_NOT_FOUND;
    free(wide);
    return gone;
}

bool folder_rename_file(const char *from, const char *to)
{
    wchar_t *wide_from = file_access_path(from);
    wchar_t *wide_to = file_access_path(to);
    bool done = wide_from != NULL && wide_to != NULL &&
                MoveFileExW(wide_from, wide_to, MOVEFILE_REPLACE_EXISTING);
    free(wide_from);
    free(wide_to);
    return done;
}

bool folder_sync(const char *path, struct error *error)
{
    (void)path;
    (void)error;
    return true;
}
