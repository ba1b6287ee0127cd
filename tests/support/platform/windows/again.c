#include "tests/support/platform/again.h"

#include "tests/support/test.h"

#include <stdio.h>
#include <windows.h>

/* The exit code of a killed process. */
#define KILLED 77

/* Only a hang reaches this time limit. */
#define PATIENCE_MS 20000

struct again again_start(const char *argument)
{
    static wchar_t program[1024];
    static wchar_t line[2048];
    struct test_pipe pipe = test_pipe_open();
    HANDLE writer = (HANDLE)pipe.writer;
    assert_in_range(GetModuleFileNameW(NULL, program, 1024), 1, 1023);
    _snwprintf(line, 2048, L"\"%ls\" \"%hs\"", program, argument);
    assert_true(SetHandleInformation(writer, HANDLE_FLAG_INHERIT, HANDLE_FLAG_INHERIT));
    STARTUPINFOW start = {.cb = sizeof start,
                          .dwFlags = STARTF_USESTDHANDLES,
                          .hStdOutput = writer,
                          .hStdError = GetStdHandle(STD_ERROR_HANDLE)};
    PROCESS_INFORMATION made;
    if (!CreateProcessW(NULL, line, NULL, NULL, TRUE, 0, NULL, NULL, &start, &made))
        fail_msg("cannot start this program again: error %lu", GetLastError());
    CloseHandle(made.hThread);
    test_stream_close(&pipe.writer);
    return (struct again){.output = pipe.reader, .process = made.hProcess};
}

void again_kill(struct again *again)
{
    assert_true(TerminateProcess(again->process, KILLED));
}

int again_end(struct again *again)
{
    DWORD code;
    assert_int_equal(WaitForSingleObject(again->process, PATIENCE_MS), WAIT_OBJECT_0);
    assert_true(GetExitCodeProcess(again->process, &code));
    CloseHandle(again->process);
    test_stream_close(&again->output);
    return (int)code;
}
