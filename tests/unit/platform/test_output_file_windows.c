#include <stdio.h>
#include <string.h>
#include <windows.h>

#include "collector/platform/data_file.h"
#include "collector/platform/output_file.h"
#include "tests/support/platform/outputs.h"
#include "tests/support/platform/scratch_directory.h"
#include "tests/support/test.h"

static HANDLE open_it(const char *name, DWORD access, DWORD share)
{
    HANDLE file = CreateFileA(scratch_path(name), access, share, NULL, OPEN_EXISTING, 0, NULL);
    assert_true(file != INVALID_HANDLE_VALUE);
    return file;
}

static void assert_refused(const char *path, const char *why)
{
    struct output_file *file = NULL;
    struct output_file_start start;
    struct error error = {.text = ""};
    assert_int_equal(output_file_open_append(path, 0, NULL, &file, &start, &error), -1);
    assert_null(file);
    assert_int_equal(error.code, EXIT_CODE_CANNOT_CREATE);
    assert_non_null(strstr(error.text, path));
    if (strstr(error.text, why) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", error.text, why);
}

/* --- files that other programs share ---------------------------------------------------------- */

static void whatever_is_open_here_others_may_open(void **state)
{
    (void)state;
    const DWORD all = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
    struct output_file *file = output_open_name("file");
    output_put_text(file, "line\n");
    CloseHandle(open_it("file", GENERIC_READ | GENERIC_WRITE | DELETE, all));
    CloseHandle(open_it("file", GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE));
    output_file_close(file);
}

static void a_file_that_another_allows_nobody_to_write_is_refused(void **state)
{
    (void)state;
    scratch_put_text("file", "whole\ntorn");
    HANDLE other = open_it("file", GENERIC_READ, FILE_SHARE_READ);
    assert_refused(scratch_path("file"), "(error 32)"); /* ERROR_SHARING_VIOLATION */
    CloseHandle(other);
    scratch_assert_holds_text("file", "whole\ntorn");
}

/* Another program has the file open for writing, and lets all others read and write it. */
static void a_torn_line_is_not_cut_under_another_s_hands(void **state)
{
    (void)state;
    struct output_file *file;
    struct output_file_start start;
    struct error error = {.text = ""};
    scratch_put_text("file", "whole\ntorn");
    HANDLE other =
        open_it("file", FILE_APPEND_DATA, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE);
    assert_int_equal(output_file_open_append(scratch_path("file"), 0, NULL, &file, &start, &error),
                     0);
    assert_int_equal(start.torn, TORN_LINE_ENDED);
    output_file_close(file);
    CloseHandle(other);
    scratch_assert_holds_text("file", "whole\ntorn\n");
}

/* --- pipes and devices ------------------------------------------------------------------------ */

static const char *pipe_path(void)
{
    static char path[64];
    snprintf(path, sizeof path, "//./pipe/sluice-test-%lu", GetCurrentProcessId());
    return path;
}

static enum output_file_state look(const struct output_file *file, const char *path)
{
    struct error error;
    return output_file_look(file, path, &error);
}

static HANDLE make_pipe(void)
{
    HANDLE pipe =
        CreateNamedPipeA(pipe_path(), PIPE_ACCESS_INBOUND, PIPE_TYPE_BYTE, 1, 0, 65536, 0, NULL);
    assert_true(pipe != INVALID_HANDLE_VALUE);
    return pipe;
}

static void a_named_pipe_is_written_and_goes_with_its_reader(void **state)
{
    (void)state;
    char found[8] = "";
    DWORD got;
    HANDLE reader = make_pipe();
    struct output_file *file = output_open(pipe_path());
    assert_true(output_file_handle(file) != NO_HANDLE);
    assert_false(output_file_is_regular(file));
    assert_true(output_file_at_beginning(file));
    output_put_text(file, "line\n");
    assert_false(output_file_at_beginning(file));
    assert_false(output_file_roll_back(file, 1));
    assert_int_equal(look(file, pipe_path()), OUTPUT_FILE_IN_PLACE);
    assert_int_equal(look(file, "//./pipe/sluice-test-another"), OUTPUT_FILE_MOVED);
    assert_false(output_file_is_removed(file));
    assert_true(ReadFile(reader, found, sizeof found, &got, NULL));
    assert_int_equal(got, 5);
    assert_memory_equal(found, "line\n", 5);
    CloseHandle(reader);
    output_assert_closed(file);
    output_file_close(file);
}

static void a_pipe_that_nobody_reads_is_refused(void **state)
{
    (void)state;
    assert_refused(pipe_path(), "this pipe has no reader");
}

static void a_pipe_is_let_go_when_it_is_closed(void **state)
{
    (void)state;
    char found[8];
    DWORD got;
    HANDLE reader = make_pipe();
    output_file_close(output_open(pipe_path()));
    assert_false(ReadFile(reader, found, sizeof found, &got, NULL));
    assert_int_equal(GetLastError(), ERROR_BROKEN_PIPE);
    CloseHandle(reader);
}

static void a_device_takes_everything(void **state)
{
    (void)state;
    struct output_file *file = output_open("NUL");
    assert_false(output_file_is_regular(file));
    assert_false(output_file_is_terminal(file));
    for (int i = 0; i < 100; i++) {
        size_t written;
        assert_int_equal(output_write_numbers(file, 0, &written), WRITE_OK);
        assert_int_equal(written, OUTPUT_BLOCK);
    }
    assert_int_equal(output_file_size(file), 0);
    assert_int_equal(look(file, "NUL"), OUTPUT_FILE_IN_PLACE);
    output_file_close(file);
}

static void a_data_file_is_no_device(void **state)
{
    (void)state;
    struct data_file file;
    struct error error = {.text = ""};
    assert_int_equal(data_file_make(scratch_path("nul"), &file, &error), DATA_FILE_FAILED);
    assert_non_null(strstr(error.text, "not a regular file"));
    assert_int_equal(data_file_open(scratch_path("nul"), &file, &error), DATA_FILE_MISSING);
}

int main(void)
{
#define with_directory(test) cmocka_unit_test_setup_teardown(test, scratch_make, scratch_remove)
    const struct CMUnitTest tests[] = {
        with_directory(whatever_is_open_here_others_may_open),
        with_directory(a_file_that_another_allows_nobody_to_write_is_refused),
        with_directory(a_torn_line_is_not_cut_under_another_s_hands),
        cmocka_unit_test(a_named_pipe_is_written_and_goes_with_its_reader),
        cmocka_unit_test(a_pipe_that_nobody_reads_is_refused),
        cmocka_unit_test(a_pipe_is_let_go_when_it_is_closed),
        cmocka_unit_test(a_device_takes_everything),
        with_directory(a_data_file_is_no_device),
    };
    return cmocka_run_group_tests_name("output file, windows", tests, NULL, NULL);
}
