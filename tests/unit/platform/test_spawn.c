#include <stdbool.h>
#include <stdlib.h>
#include <windows.h>

#include "collector/platform/windows/child_pipe.h"
#include "collector/platform/windows/command_line.h"
#include "collector/platform/windows/spawn.h"
#include "collector/platform/windows/text.h"
#include "tests/support/test.h"

#define PATIENCE_MS 10000

static struct spawned started(HANDLE input, HANDLE output, const char *first, const char *second)
{
    struct spawned spawned;
    wchar_t *path = text_wide_copy(TEST_ACTOR);
    wchar_t *line = command_line_of((const char *const[]){TEST_ACTOR, first, second, NULL});
    const struct spawn_streams streams = {input, output, NULL};
    assert_non_null(path);
    assert_non_null(line);
    assert_true(spawn(path, line, &streams, &spawned));
    free(path);
    free(line);
    return spawned;
}

static void assert_ends(HANDLE process, DWORD expected)
{
    DWORD code;
    assert_int_equal(WaitForSingleObject(process, PATIENCE_MS), WAIT_OBJECT_0);
    assert_true(GetExitCodeProcess(process, &code));
    assert_int_equal(code, expected);
}

static bool reads_byte(HANDLE pipe)
{
    char byte;
    DWORD got = 0;
    OVERLAPPED reading = {.hEvent = CreateEventW(NULL, TRUE, FALSE, NULL)};
    assert_non_null(reading.hEvent);
    bool good = ReadFile(pipe, &byte, 1, NULL, &reading) || GetLastError() == ERROR_IO_PENDING;
    if (good) {
        assert_int_equal(WaitForSingleObject(reading.hEvent, PATIENCE_MS), WAIT_OBJECT_0);
        good = GetOverlappedResult(pipe, &reading, &got, FALSE);
    }
    CloseHandle(reading.hEvent);
    return good;
}

TEST(it_has_its_three_streams_and_nothing_else_that_could_be_inherited)
{
    HANDLE ours, theirs, copy;
    assert_true(child_pipe_from(&ours, &theirs));
    assert_true(DuplicateHandle(GetCurrentProcess(), theirs, GetCurrentProcess(), &copy, 0, TRUE,
                                DUPLICATE_SAME_ACCESS));
    struct spawned spawned = started(NULL, NULL, "out:x", "sleep");
    CloseHandle(theirs);
    CloseHandle(copy);
    assert_false(reads_byte(ours)); /* the other end is closed although the program runs */
    assert_int_equal(WaitForSingleObject(spawned.process, 0), WAIT_TIMEOUT);
    spawned_end(&spawned);
    assert_ends(spawned.process, SPAWN_ENDED_CODE);
    spawned_release(&spawned);
    CloseHandle(ours);
}

/* The program's child has the same output, so the pipe breaks only when both have ended. */
TEST(it_is_ended_with_what_it_started)
{
    HANDLE ours, theirs;
    assert_true(child_pipe_from(&ours, &theirs));
    struct spawned spawned = started(NULL, theirs, "spawn:out:x sleep", "sleep");
    CloseHandle(theirs);
    assert_true(reads_byte(ours)); /* both processes run */
    spawned_end(&spawned);
    assert_ends(spawned.process, SPAWN_ENDED_CODE);
    assert_false(reads_byte(ours));
    spawned_release(&spawned);
    CloseHandle(ours);
}

/*
 * The program's child reads its input to the end and then writes. It must do so although the
 * program has ended.
 */
TEST(what_it_started_outlives_it_where_we_let_go)
{
    HANDLE input, their_input, ours, theirs;
    assert_true(child_pipe_to(&input, &their_input));
    assert_true(child_pipe_from(&ours, &theirs));
    struct spawned spawned = started(their_input, theirs, "spawn:drain out:x", "exit:3");
    CloseHandle(their_input);
    CloseHandle(theirs);
    assert_ends(spawned.process, 3);
    spawned_release(&spawned);
    CloseHandle(input);
    assert_true(reads_byte(ours));
    assert_false(reads_byte(ours));
    CloseHandle(ours);
}

/* The system closes the job's handle in the same way when this process is killed. */
TEST(all_of_it_ends_where_its_job_is_closed)
{
    struct spawned spawned = started(NULL, NULL, "spawn:sleep", "sleep");
    CloseHandle(spawned.job);
    assert_int_equal(WaitForSingleObject(spawned.process, PATIENCE_MS), WAIT_OBJECT_0);
    CloseHandle(spawned.process);
}

TEST(what_cannot_be_started_is_reported)
{
    struct spawned spawned;
    wchar_t line[] = L"nothing";
    const struct spawn_streams streams = {NULL, NULL, NULL};
    assert_false(spawn(L"c:\\no such\\nothing.exe", line, &streams, &spawned));
    assert_true(GetLastError() == ERROR_FILE_NOT_FOUND || GetLastError() == ERROR_PATH_NOT_FOUND);
}
