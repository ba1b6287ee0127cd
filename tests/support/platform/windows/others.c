#include "tests/support/platform/others.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/platform/windows/file_access.h"
#include "collector/platform/windows/text.h"
#include "tests/support/platform/scratch_directory.h"
#include "tests/support/test.h"

/* Error numbers, because the error texts of Wine differ from those of Windows. */
const struct others_words others_words = {
    .no_file = "(error 2)",
    .no_folder = "(error 3)",
    .below_file = "(error 3)",
    .folder = "(error 5)",
    .folder_read = "it is a folder",
    .link = "it leads elsewhere",
    .long_name = "(error ",
};

/* Returns the path as wide characters. The second call after this one frees it. */
static const wchar_t *wide(const char *name)
{
    static wchar_t *made[2];
    static unsigned next;
    wchar_t **path = &made[next++ % 2];
    free(*path);
    *path = file_access_path(scratch_path(name));
    assert_non_null(*path);
    return *path;
}

static HANDLE open_it(const char *name, DWORD access, DWORD share)
{
    HANDLE file = CreateFileW(wide(name), access, share, NULL, OPEN_EXISTING, 0, NULL);
    if (file == INVALID_HANDLE_VALUE)
        fail_msg("%s: cannot be opened: error %lu", name, GetLastError());
    return file;
}

/*
 * Removes a file. Some volumes keep the name of an open file in use until the file is closed, so
 * the file is renamed first.
 */
void others_remove(const char *name)
{
    static unsigned count;
    char gone[40];
    snprintf(gone, sizeof gone, "../sluice-gone-%lu-%u", GetCurrentProcessId(), count++);
    others_move(name, gone);
    assert_true(DeleteFileW(wide(gone)));
}

void others_remove_folder(const char *name)
{
    assert_true(RemoveDirectoryW(wide(name)));
}

void others_move(const char *from, const char *to)
{
    if (!MoveFileExW(wide(from), wide(to), 0))
        fail_msg("%s cannot be renamed to %s: error %lu", from, to, GetLastError());
}

void others_append(const char *name, const char *text)
{
    DWORD written;
    HANDLE file = open_it(name, FILE_APPEND_DATA, FILE_SHARE_ALL);
    assert_true(WriteFile(file, text, (DWORD)strlen(text), &written, NULL));
    assert_true(CloseHandle(file));
}

void others_empty(const char *name)
{
    others_cut(name, 0);
}

void others_cut(const char *name, uint64_t size)
{
    const LARGE_INTEGER end = {.QuadPart = (LONGLONG)size};
    HANDLE file = open_it(name, GENERIC_WRITE, FILE_SHARE_ALL);
    assert_true(SetFilePointerEx(file, end, NULL, FILE_BEGIN));
    assert_true(SetEndOfFile(file));
    assert_true(CloseHandle(file));
}

void others_set_time(const char *name, int64_t seconds)
{
    uint64_t ticks = ((uint64_t)seconds + UINT64_C(11644473600)) * 10000000;
    FILETIME time = {.dwLowDateTime = (DWORD)ticks, .dwHighDateTime = (DWORD)(ticks >> 32)};
    HANDLE file = open_it(name, FILE_WRITE_ATTRIBUTES, FILE_SHARE_ALL);
    assert_true(SetFileTime(file, NULL, &time, &time));
    assert_true(CloseHandle(file));
}

/*
 * Creates a symbolic link, which needs a privilege or developer mode. Some systems report success
 * although they have created no link, so the function checks that.
 */
bool others_link(const char *to, const char *name)
{
    wchar_t *target = text_wide_copy(to);
    assert_non_null(target);
    bool made =
        CreateSymbolicLinkW(wide(name), target, SYMBOLIC_LINK_FLAG_ALLOW_UNPRIVILEGED_CREATE) != 0;
    free(target);
    DWORD attributes = GetFileAttributesW(wide(name));
    return made && attributes != INVALID_FILE_ATTRIBUTES &&
           (attributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0;
}

/* Returns false, because on Windows a named pipe is not in a folder. */
bool others_make_pipe(const char *name)
{
    (void)name;
    return false;
}

/* --- readers ---------------------------------------------------------------------------------- */

struct others_reader {
    HANDLE file;
};

struct others_reader *others_read(const char *name, enum others_share share)
{
    struct others_reader *reader = malloc(sizeof *reader);
    assert_non_null(reader);
    DWORD shared =
        share == OTHERS_SHARE_WRITING ? FILE_SHARE_READ | FILE_SHARE_WRITE : FILE_SHARE_READ;
    reader->file = open_it(name, GENERIC_READ, shared);
    return reader;
}

void others_close(struct others_reader *reader)
{
    assert_true(CloseHandle(reader->file));
    free(reader);
}
