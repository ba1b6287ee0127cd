/* Tests a file under construction on Windows: its sharing modes and allowed names. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "collector/platform/data_file.h"
#include "collector/platform/file_system.h"
#include "collector/platform/windows/file_access.h"
#include "tests/support/platform/scratch_directory.h"
#include "tests/support/test.h"

static struct error error;

static struct part_file *open_part(const char *name, const char *text)
{
    struct part_file *file;
    if (part_file_open_new(scratch_path(name), strlen(scratch_path("")), 0, &file, &error) !=
            PART_DONE ||
        !part_file_append(file, text, strlen(text), &error))
        fail_msg("%s", error.text);
    return file;
}

static HANDLE open_other(const char *name, DWORD share)
{
    wchar_t *path = file_access_path(scratch_path(name));
    assert_non_null(path);
    HANDLE file = CreateFileW(path, GENERIC_READ, share, NULL, OPEN_EXISTING, 0, NULL);
    free(path);
    if (file == INVALID_HANDLE_VALUE)
        fail_msg("%s: error %lu", name, GetLastError());
    return file;
}

/* Most programs open a file without FILE_SHARE_DELETE. Such a reader can read all of the part. */
TEST_WITH(a_part_may_be_read_to_its_end_while_it_is_locked, scratch_make, scratch_remove)
{
    (void)state;
    char bytes[16];
    DWORD got;
    struct part_file *file = open_part("a.part", "one\n");
    HANDLE reader = open_other("a.part", FILE_SHARE_READ | FILE_SHARE_WRITE);
    assert_true(ReadFile(reader, bytes, sizeof bytes, &got, NULL));
    assert_int_equal(got, 4);
    assert_true(part_file_append(file, "two\n", 4, &error));
    assert_true(ReadFile(reader, bytes, sizeof bytes, &got, NULL));
    assert_int_equal(got, 4);
    assert_memory_equal(bytes, "two\n", 4);
    CloseHandle(reader);
    part_file_close(file);
}

TEST_WITH(who_shares_all_keeps_no_file_from_its_name, scratch_make, scratch_remove)
{
    (void)state;
    struct part_file *file = open_part("a.part", "one\n");
    HANDLE reader = open_other("a.part", FILE_SHARE_ALL);
    assert_int_equal(part_file_complete(file, scratch_path("a"), &error), PART_DONE);
    CloseHandle(reader);
    scratch_assert_holds_text("a", "one\n");
}

TEST_WITH(a_device_is_no_file, scratch_make, scratch_remove)
{
    (void)state;
    struct part_file *file;
    assert_int_equal(
        part_file_open_new(scratch_path("nul"), strlen(scratch_path("")), 0, &file, &error),
        PART_REFUSED);
    assert_non_null(strstr(error.text, "it is a device"));
    assert_int_equal(part_file_open_left(scratch_path("nul"), &file, &error), PART_MISSING);
}

TEST_WITH(names_may_be_of_any_letters, scratch_make, scratch_remove)
{
    (void)state;
    static const char name[] = "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80";
    struct part_file *file = open_part("x/a.part", "one\n");
    assert_int_equal(part_file_complete(file, scratch_path(name), &error), PART_DONE);
    struct folder *folder = folder_open(scratch_path(""));
    struct folder_entry entry;
    size_t found = 0;
    assert_non_null(folder);
    while (folder_next(folder, &entry))
        found += entry.is_file && strcmp(entry.name, name) == 0;
    folder_close(folder);
    assert_int_equal(found, 1);
    assert_true(folder_remove_file(scratch_path(name)));
}

/* --- paths in the form of Windows calls ------------------------------------------------------- */

static void assert_path(const char *path, const wchar_t *expected)
{
    wchar_t *wide = file_access_path(path);
    assert_non_null(wide);
    if (wcscmp(wide, expected) != 0)
        fail_msg("%s becomes %ls", path, wide);
    free(wide);
}

static const char *long_path(const char *begin, unsigned folders)
{
    static char path[1000];
    snprintf(path, sizeof path, "%s", begin);
    while (folders-- > 0)
        strcat(path, "/a_folder");
    return path;
}

TEST(short_paths_go_as_they_are)
{
    assert_path("a", L"a");
    assert_path("C:/logs/a", L"C:/logs/a");
    assert_path("//./pipe/name", L"//./pipe/name");
    assert_null(file_access_path("\xff"));
}

TEST(long_paths_get_the_prefix_that_lets_them_be_long)
{
    wchar_t expected[1000] = L"\\\\?\\C:";
    wchar_t share[1000] = L"\\\\?\\UNC\\server\\share";
    for (unsigned i = 0; i < 40; i++) {
        wcscat(expected, L"\\a_folder");
        wcscat(share, L"\\a_folder");
    }
    assert_path(long_path("C:", 40), expected);
    assert_path(long_path("C:/x/..", 40), expected);
    assert_path(long_path("//server/share", 40), share);
    assert_path(long_path("//?/C:", 40), expected);

    wchar_t *wide = file_access_path(long_path("relative", 40));
    assert_int_equal(wcsncmp(wide, L"\\\\?\\", 4), 0);
    assert_non_null(wcsstr(wide, L"\\relative\\a_folder"));
    free(wide);

    /* The first path has 247 characters, and the second one 248. */
    char limit[300];
    memset(limit, 'a', sizeof limit);
    memcpy(limit, "C:/", 3);
    limit[248] = '\0';
    wide = file_access_path(limit);
    assert_int_equal(wcslen(wide), 248 + 4);
    free(wide);
    limit[247] = '\0';
    wide = file_access_path(limit);
    assert_int_equal(wcslen(wide), 247);
    free(wide);
}

TEST_WITH(a_file_may_lie_deep, scratch_make, scratch_remove)
{
    (void)state;
    char folder[700], path[750], part[750];
    snprintf(folder, sizeof folder, "%s", long_path(scratch_path("x"), 30));
    snprintf(path, sizeof path, "%s/a", folder);
    snprintf(part, sizeof part, "%s/a.part", folder);
    struct part_file *file;
    assert_int_equal(part_file_open_new(part, strlen(scratch_path("")), 0, &file, &error),
                     PART_DONE);
    assert_true(part_file_is_there(file));
    assert_int_equal(part_file_complete(file, path, &error), PART_DONE);
    struct folder *opened = folder_open(folder);
    struct folder_entry entry;
    assert_non_null(opened);
    assert_true(folder_next(opened, &entry));
    assert_string_equal(entry.name, "a");
    folder_close(opened);
    assert_true(folder_remove_file(path));
}
