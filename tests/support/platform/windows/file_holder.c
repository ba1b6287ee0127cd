/* Windows has no fork, so the holder of the file is the program file_holder_program.c. */
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "collector/platform/windows/text.h"
#include "tests/support/sinks/file_set_files.h"
#include "tests/support/test.h"

/* Characters of a command line, including its end. */
enum { LINE_ROOM = 2048 };

struct file_holder {
    HANDLE process;
};

/* Writes `"...\sluice_test_file_holder.exe" "PATH"`. The program is in the folder of the test. */
static void write_command(const char *path, wchar_t *line)
{
    wchar_t wide[LINE_ROOM];
    wchar_t program[MAX_PATH];
    DWORD length = GetModuleFileNameW(NULL, program, MAX_PATH);
    assert_true(length != 0 && length < MAX_PATH);
    assert_true(text_to_wide(path, wide, LINE_ROOM));
    wcsrchr(program, L'\\')[1] = L'\0';
    assert_true(_snwprintf(line, LINE_ROOM, L"\"%lssluice_test_file_holder.exe\" \"%ls\"", program,
                           wide) > 0);
}

struct file_holder *file_set_hold(const char *path)
{
    SECURITY_ATTRIBUTES inherited = {.nLength = sizeof inherited, .bInheritHandle = TRUE};
    STARTUPINFOW start = {.cb = sizeof start, .dwFlags = STARTF_USESTDHANDLES};
    PROCESS_INFORMATION process;
    wchar_t line[LINE_ROOM];
    HANDLE reader;
    char sign;
    DWORD got = 0;
    struct file_holder *holder = malloc(sizeof *holder);
    assert_non_null(holder);
    assert_true(CreatePipe(&reader, &start.hStdOutput, &inherited, 0));
    write_command(path, line);
    assert_true(CreateProcessW(NULL, line, NULL, NULL, TRUE, 0, NULL, NULL, &start, &process));
    CloseHandle(start.hStdOutput);
    CloseHandle(process.hThread);
    assert_true(ReadFile(reader, &sign, 1, &got, NULL));
    assert_int_equal(got, 1);
    CloseHandle(reader);
    holder->process = process.hProcess;
    return holder;
}

void file_set_kill(struct file_holder *holder)
{
    assert_true(TerminateProcess(holder->process, 1));
    assert_int_equal(WaitForSingleObject(holder->process, 20000), WAIT_OBJECT_0);
    CloseHandle(holder->process);
    free(holder);
}
