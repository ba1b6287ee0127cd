#include "tests/support/platform/scratch_directory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "collector/platform/windows/text.h"
#include "tests/support/test.h"

/* Characters of a path in these tests, including its end. */
enum { PATH_ROOM = 1024 };

static char directory[512];

int scratch_make(void **state)
{
    (void)state;
    wchar_t base[MAX_PATH + 2];
    wchar_t wide[PATH_ROOM];
    char narrow[512];
    DWORD length = GetTempPathW(MAX_PATH + 2, base);
    if (length == 0 || !text_from_wide(base, narrow, sizeof narrow - 40))
        return -1;
    for (char *at = narrow; *at != '\0'; at++) {
        if (*at == '\\')
            *at = '/';
    }
    /*
     * A folder of this name may exist, because an earlier process had the same id. Then try another
     * number.
     */
    for (unsigned attempt = 0; attempt < 1000; attempt++) {
        snprintf(directory, sizeof directory, "%.470ssluice-test-%lu-%u", narrow,
                 GetCurrentProcessId(), attempt);
        if (!text_to_wide(directory, wide, PATH_ROOM))
            return -1;
        if (CreateDirectoryW(wide, NULL))
            return 0;
        if (GetLastError() != ERROR_ALREADY_EXISTS)
            return -1;
    }
    return -1;
}

static bool next_entry(HANDLE *search, const wchar_t *folder, wchar_t *path, DWORD *attributes)
{
    WIN32_FIND_DATAW found;
    do {
        if (*search == NULL) {
            _snwprintf(path, PATH_ROOM, L"%ls/*", folder);
            *search = FindFirstFileW(path, &found);
            if (*search == INVALID_HANDLE_VALUE)
                return false;
        } else if (!FindNextFileW(*search, &found)) {
            FindClose(*search);
            return false;
        }
    } while (wcscmp(found.cFileName, L".") == 0 || wcscmp(found.cFileName, L"..") == 0);
    _snwprintf(path, PATH_ROOM, L"%ls/%ls", folder, found.cFileName);
    path[PATH_ROOM - 1] = L'\0';
    *attributes = found.dwFileAttributes;
    return true;
}

/*
 * Returns false if a file in the folder is still open, because Windows reserves its name until
 * then.
 */
static bool remove_folder(const wchar_t *folder)
{
    HANDLE search = NULL;
    wchar_t path[PATH_ROOM];
    DWORD attributes;
    bool removed = true;
    while (next_entry(&search, folder, path, &attributes)) {
        bool is_folder = (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
        bool is_link = (attributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0;
        SetFileAttributesW(path, FILE_ATTRIBUTE_NORMAL); /* a read-only file cannot be removed */
        if (!is_folder)
            removed = DeleteFileW(path) && removed;
        else if (is_link)
            removed = RemoveDirectoryW(path) && removed;
        else
            removed = remove_folder(path) && removed;
    }
    return RemoveDirectoryW(folder) && removed;
}

int scratch_remove(void **state)
{
    (void)state;
    wchar_t wide[PATH_ROOM];
    return text_to_wide(directory, wide, PATH_ROOM) && remove_folder(wide) ? 0 : -1;
}

const char *scratch_path(const char *name)
{
    static char paths[8][1200];
    static unsigned next;
    char *path = paths[next++ % 8];
    int length = snprintf(path, sizeof paths[0], "%s/%s", directory, name);
    assert_in_range(length, 1, sizeof paths[0] - 1);
    return path;
}

/* Returns the path for calls of the system. The next call overwrites it. */
static const wchar_t *wide_path(const char *name)
{
    static wchar_t wide[PATH_ROOM];
    if (!text_to_wide(scratch_path(name), wide, PATH_ROOM))
        fail_msg("%s: no path of UTF-8", name);
    return wide;
}

void scratch_make_folder(const char *name)
{
    if (!CreateDirectoryW(wide_path(name), NULL))
        fail_msg("cannot make the folder %s", name);
}

bool scratch_has(const char *name)
{
    return GetFileAttributesW(wide_path(name)) != INVALID_FILE_ATTRIBUTES;
}

size_t scratch_count(const char *name)
{
    HANDLE search = NULL;
    wchar_t path[PATH_ROOM];
    DWORD attributes;
    size_t count = 0;
    assert_true(scratch_has(name));
    while (next_entry(&search, wide_path(name), path, &attributes))
        count++;
    return count;
}

static HANDLE open_shared(const char *name, DWORD access, DWORD disposition)
{
    return CreateFileW(wide_path(name), access,
                       FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL, disposition,
                       FILE_ATTRIBUTE_NORMAL, NULL);
}

void scratch_put(const char *name, const char *bytes, size_t size)
{
    DWORD written = 0;
    HANDLE file = open_shared(name, GENERIC_WRITE, CREATE_ALWAYS);
    if (file == INVALID_HANDLE_VALUE)
        fail_msg("cannot make the file %s", name);
    assert_true(WriteFile(file, bytes, (DWORD)size, &written, NULL));
    assert_int_equal(written, size);
    assert_true(CloseHandle(file));
}

char *scratch_read(const char *name, size_t *size)
{
    LARGE_INTEGER whole;
    DWORD got = 0;
    HANDLE file = open_shared(name, GENERIC_READ, OPEN_EXISTING);
    if (file == INVALID_HANDLE_VALUE)
        fail_msg("%s: no such file", name);
    assert_true(GetFileSizeEx(file, &whole));
    *size = (size_t)whole.QuadPart;
    char *found = calloc(1, *size + 1);
    assert_non_null(found);
    assert_true(ReadFile(file, found, (DWORD)*size, &got, NULL));
    assert_int_equal(got, *size);
    CloseHandle(file);
    return found;
}

void scratch_assert_holds(const char *name, const char *bytes, size_t size)
{
    size_t count;
    char *found = scratch_read(name, &count);
    if (count != size || memcmp(found, bytes, size) != 0)
        fail_msg("%s does not hold the expected %zu bytes, but %zu: %.*s", name, size, count,
                 (int)(count < 200 ? count : 200), found);
    free(found);
}

void scratch_make_private(const char *name)
{
    (void)name;
}
