/*
 * Tests standard output on Windows. A thread writes to a pipe and waits for its reader. A console
 * is written in characters. A handle may be invalid.
 */
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "collector/platform/clock.h"
#include "collector/platform/output_file.h"
#include "collector/platform/windows/console.h"
#include "collector/platform/windows/stream_thread.h"
#include "tests/support/platform/outputs.h"
#include "tests/support/platform/patience.h"
#include "tests/support/platform/scratch_directory.h"
#include "tests/support/platform/standard_stream.h"
#include "tests/support/platform/windows/pseudoconsole.h"
#include "tests/support/test.h"

static int restore_stdout(void **state)
{
    (void)state;
    standard_stream_lead_back(STREAM_OUTPUT);
    return 0;
}

static size_t unread(const struct test_pipe *pipe)
{
    DWORD there = 0;
    assert_true(PeekNamedPipe((HANDLE)pipe->reader, NULL, 0, NULL, &there, NULL));
    return there;
}

/* --- the thread that writes ------------------------------------------------------------------- */

static void nothing_counts_as_written_before_all_of_a_write_is_in_the_pipe(void **state)
{
    (void)state;
    struct test_pipe pipe = test_pipe_open();
    size_t written = 0;
    char block[OUTPUT_BLOCK];
    standard_stream_lead(STREAM_OUTPUT, pipe.writer);
    struct output_file *file = output_open_stdout();
    while (output_offer_numbers(file, 0, &written) == WRITE_WOULD_BLOCK && unread(&pipe) < 4096)
        assert_int_equal(written, 0);
    assert_int_equal(output_offer_numbers(file, 0, &written), WRITE_WOULD_BLOCK);
    assert_int_equal(written, 0);
    for (size_t read = 0; read < OUTPUT_BLOCK;)
        read += test_stream_read(pipe.reader, block, OUTPUT_BLOCK - read);
    assert_int_equal(output_write_numbers(file, 0, &written), WRITE_OK);
    assert_int_equal(written, OUTPUT_BLOCK);
    assert_int_equal(unread(&pipe), 0); /* accepted bytes are not written again */
    output_file_close(file);
    test_pipe_close(&pipe);
}

static void a_reader_that_stalls_does_not_hold_up_a_close(void **state)
{
    (void)state;
    struct test_pipe pipe = test_pipe_open();
    char block[OUTPUT_BLOCK];
    standard_stream_lead(STREAM_OUTPUT, pipe.writer);
    struct output_file *file = output_open_stdout();
    output_fill(file);
    int64_t began = clock_monotonic_ns();
    output_file_close(file);
    assert_in_range(clock_monotonic_ns() - began, 0, INT64_C(2000000000));
    for (size_t left = unread(&pipe); left != 0;)
        left -= test_stream_read(pipe.reader, block, left < sizeof block ? left : sizeof block);
    assert_int_equal(unread(&pipe), 0); /* the rest of the block is never written */
    test_pipe_close(&pipe);
}

static void a_thread_closes_the_stream_that_is_its_own(void **state)
{
    (void)state;
    struct test_pipe pipe = test_pipe_open();
    struct stream_thread *thread;
    struct error error;
    DWORD flags;
    HANDLE writer = (HANDLE)pipe.writer;
    assert_int_equal(stream_thread_create(writer, true, &thread, &error), 0);
    stream_thread_begin(thread, "line\n", 5);
    assert_true(stream_thread_wait(thread, 20000));
    struct stream_outcome outcome = stream_thread_take(thread);
    assert_int_equal(outcome.accepted, 5);
    assert_int_equal(outcome.failure, 0);
    stream_thread_destroy(thread);
    assert_false(GetHandleInformation(writer, &flags)); /* the thread has closed it */
    pipe.writer = NO_STREAM;
    test_pipe_close(&pipe);
}

/* --- invalid handles -------------------------------------------------------------------------- */

static void a_number_that_nothing_follows_goes_to_no_other_file(void **state)
{
    (void)state;
    scratch_make(NULL);
    struct output_file *file = NULL;
    struct error error;
    test_stream stream = test_stream_open(scratch_path("closed"));
    standard_stream_lead(STREAM_OUTPUT, stream);
    test_stream_close(&stream);
    output_file_hold_standard_streams();
    /* Windows gives the value of the closed handle to the next file. */
    test_stream other = test_stream_open(scratch_path("other"));
    int result = output_file_open_stdout(&file, &error);
    test_stream_close(&other);
    scratch_assert_holds_text("other", "");
    scratch_remove(NULL);
    assert_int_equal(result, -1);
}

static void streams_that_are_open_are_left_alone(void **state)
{
    (void)state;
    struct test_pipe pipe = test_pipe_open();
    standard_stream_lead(STREAM_OUTPUT, pipe.writer);
    output_file_hold_standard_streams();
    assert_ptr_equal(GetStdHandle(STD_OUTPUT_HANDLE), (HANDLE)pipe.writer);
    test_pipe_close(&pipe);
}

/* --- consoles --------------------------------------------------------------------------------- */

static void a_character_is_written_whole_or_later(void **state)
{
    (void)state;
    static const char text[] = "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80!"; /* aé€😀! */
    static const size_t whole[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11};
    for (size_t size = 1; size < sizeof text; size++)
        assert_int_equal(console_whole(text, size), whole[size]);
    assert_int_equal(console_whole("\xe2\x82", 2), 2);      /* the rest of a character */
    assert_int_equal(console_whole("a\x80\x80\x80", 4), 4); /* not a character */
    assert_int_equal(console_whole("a\xff", 2), 1);
}

static const char greeting[] = "gr\xc3\xbc\xc3\x9f"
                               "e \xe6\x97\xa5\n"; /* grüße 日 */

static int write_to_console(void)
{
    struct output_file *file;
    struct error error;
    HANDLE console = CreateFileW(L"CONOUT$", GENERIC_READ | GENERIC_WRITE,
                                 FILE_SHARE_READ | FILE_SHARE_WRITE, NULL, OPEN_EXISTING, 0, NULL);
    if (console == INVALID_HANDLE_VALUE || !SetStdHandle(STD_OUTPUT_HANDLE, console))
        return 2;
    if (output_file_open_stdout(&file, &error) != 0)
        return 3;
    if (!output_file_is_terminal(file) || output_file_is_regular(file))
        return 4;
    size_t written;
    for (size_t sent = 0; sent < sizeof greeting - 1; sent += written)
        if (output_write(file, greeting + sent, sizeof greeting - 1 - sent, &written) != WRITE_OK)
            return 5;
    output_file_close(file);
    return 0;
}

static void a_console_shows_utf_8_as_it_is(void **state)
{
    (void)state;
    static struct pseudoconsole console;
    wchar_t line[1024]; /* the command line that runs this program again */
    DWORD code;
    if (!pseudoconsole_open(&console))
        skip();
    assert_in_range(GetModuleFileNameW(NULL, line, 1000), 1, 999);
    wcscat(line, L" console");
    HANDLE process = pseudoconsole_start(&console, line);
    pseudoconsole_assert_shows(&console, "gr\xc3\xbc\xc3\x9f"
                                         "e");
    pseudoconsole_assert_shows(&console, "\xe6\x97\xa5");
    assert_int_equal(WaitForSingleObject(process, 20000), WAIT_OBJECT_0);
    assert_true(GetExitCodeProcess(process, &code));
    assert_int_equal(code, 0);
    CloseHandle(process);
    pseudoconsole_close(&console);
}

int main(int argc, char **argv)
{
    (void)argv;
    if (argc > 1)
        return write_to_console();
#define with_stdout(test) cmocka_unit_test_teardown(test, restore_stdout)
    const struct CMUnitTest tests[] = {
        with_stdout(nothing_counts_as_written_before_all_of_a_write_is_in_the_pipe),
        with_stdout(a_reader_that_stalls_does_not_hold_up_a_close),
        with_stdout(a_thread_closes_the_stream_that_is_its_own),
        with_stdout(a_number_that_nothing_follows_goes_to_no_other_file),
        with_stdout(streams_that_are_open_are_left_alone),
        with_stdout(a_character_is_written_whole_or_later),
        with_stdout(a_console_shows_utf_8_as_it_is),
    };
    return cmocka_run_group_tests_name("standard output, windows", tests, NULL, NULL);
}
