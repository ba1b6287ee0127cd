#include "tests/support/platform/removal.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <windows.h>

#include "collector/platform/windows/text.h"
#include "tests/support/platform/patience.h"
#include "tests/support/platform/scratch_directory.h"
#include "tests/support/test.h"

/* Only Wine's kernel32.dll has this function. */
typedef char *CDECL unix_name_function(const wchar_t *path);

static unix_name_function *unix_name(void)
{
    unix_name_function *name;
    FARPROC found = GetProcAddress(GetModuleHandleW(L"kernel32.dll"), "wine_get_unix_file_name");
    memcpy(&name, &found, sizeof name);
    return name;
}

/*
 * Removes the file with a program of the system below Wine. Wine itself keeps the name of a removed
 * file in use until the file is closed everywhere.
 */
static void remove_below(const wchar_t *path, unix_name_function *name)
{
    wchar_t line[2048];
    STARTUPINFOW start = {.cb = sizeof start};
    PROCESS_INFORMATION made = {0};
    char *below = name(path);
    assert_non_null(below);
    _snwprintf(line, 2048, L"Z:\\bin\\rm \"%hs\"", below);
    HeapFree(GetProcessHeap(), 0, below);
    assert_true(CreateProcessW(NULL, line, NULL, NULL, FALSE, 0, NULL, NULL, &start, &made));
    int64_t until = patience_until();
    while (GetFileAttributesW(path) != INVALID_FILE_ATTRIBUTES)
        assert_true(patience(until));
}

void remove_open_file(const char *name)
{
    wchar_t path[1024];
    assert_true(text_to_wide(scratch_path(name), path, 1024));
    if (unix_name() != NULL)
        remove_below(path, unix_name());
    else
        assert_true(DeleteFileW(path));
}
