/*
 * Connects Windows pipes with its standard streams, which are Linux pipes. For tests that run on
 * Linux under Wine.
 *
 * - `pipes serve NAME` creates the pipe NAME and writes "made" to standard output. When a client
 *   has opened the pipe, it writes "open". Then it copies its input to the pipe until the input
 *   ends or the pipe has no reader.
 * - `pipes connect NAME` waits until the pipe NAME exists and opens it. It copies data in both
 *   directions until one direction ends.
 * - `pipes read COUNT PROGRAM ARGUMENT...` runs a program whose standard output is a Windows pipe.
 *   It writes COUNT lines of that output, closes the pipe, and ends with the program's exit code.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "collector/platform/process.h"
#include "collector/platform/windows/command_line.h"
#include "collector/platform/windows/spawn.h"
#include "collector/platform/windows/text.h"

#define ROOM 65536

#define PATIENCE_MS 30000 /* time to wait for a pipe that does not exist yet */

enum { EXIT_TROUBLE = 3 };

static int fail(const char *what)
{
    fprintf(stderr, "pipes: %s: error %lu\n", what, GetLastError());
    return EXIT_TROUBLE;
}

/*
 * One direction of a pipe that is read and written at the same time, which requires overlapped I/O.
 */
struct direction {
    HANDLE pipe;
    HANDLE moved; /* event that is signalled when the last call has ended */
};

static DWORD outcome(struct direction *direction, BOOL done, OVERLAPPED *overlapped)
{
    DWORD moved = 0;
    if (!done && GetLastError() != ERROR_IO_PENDING)
        return 0;
    return GetOverlappedResult(direction->pipe, overlapped, &moved, TRUE) ? moved : 0;
}

static DWORD read_pipe(struct direction *direction, char *bytes, DWORD size)
{
    OVERLAPPED overlapped = {.hEvent = direction->moved};
    return outcome(direction, ReadFile(direction->pipe, bytes, size, NULL, &overlapped),
                   &overlapped);
}

static BOOL write_pipe(struct direction *direction, const char *bytes, DWORD size)
{
    for (DWORD done = 0, moved; done < size; done += moved) {
        OVERLAPPED overlapped = {.hEvent = direction->moved};
        moved = outcome(direction,
                        WriteFile(direction->pipe, bytes + done, size - done, NULL, &overlapped),
                        &overlapped);
        if (moved == 0)
            return FALSE;
    }
    return TRUE;
}

static BOOL begin(struct direction *direction, HANDLE pipe)
{
    direction->pipe = pipe;
    direction->moved = CreateEventW(NULL, TRUE, FALSE, NULL);
    return direction->moved != NULL;
}

static void pass_on_input(struct direction *to)
{
    static char bytes[ROOM];
    DWORD got;
    while (ReadFile(GetStdHandle(STD_INPUT_HANDLE), bytes, sizeof bytes, &got, NULL) && got != 0)
        if (!write_pipe(to, bytes, got))
            break;
}

static DWORD WINAPI pass_on_pipe(void *context)
{
    static char bytes[ROOM];
    DWORD got, written;
    while ((got = read_pipe(context, bytes, sizeof bytes)) != 0)
        if (!WriteFile(GetStdHandle(STD_OUTPUT_HANDLE), bytes, got, &written, NULL))
            break;
    ExitProcess(0); /* ends the process while the other thread still reads standard input */
}

static int serve(const wchar_t *path)
{
    static const char open[] = "open\n";
    struct direction to;
    DWORD written;
    HANDLE pipe = CreateNamedPipeW(
        path, PIPE_ACCESS_OUTBOUND | FILE_FLAG_OVERLAPPED | FILE_FLAG_FIRST_PIPE_INSTANCE,
        PIPE_TYPE_BYTE | PIPE_WAIT, 1, ROOM, ROOM, 0, NULL);
    if (pipe == INVALID_HANDLE_VALUE || !begin(&to, pipe))
        return fail("the pipe cannot be made");
    WriteFile(GetStdHandle(STD_OUTPUT_HANDLE), "made\n", 5, &written, NULL);
    OVERLAPPED overlapped = {.hEvent = to.moved};
    if (!ConnectNamedPipe(pipe, &overlapped) && GetLastError() != ERROR_PIPE_CONNECTED)
        outcome(&to, FALSE, &overlapped);
    WriteFile(GetStdHandle(STD_OUTPUT_HANDLE), open, sizeof open - 1, &written, NULL);
    pass_on_input(&to);
    FlushFileBuffers(pipe); /* without it, unread data would be lost at the close */
    return 0;
}

static HANDLE open_pipe(const wchar_t *path)
{
    ULONGLONG begun = GetTickCount64();
    HANDLE pipe;
    while ((pipe = CreateFileW(path, GENERIC_READ | GENERIC_WRITE, 0, NULL, OPEN_EXISTING,
                               FILE_FLAG_OVERLAPPED, NULL)) == INVALID_HANDLE_VALUE &&
           GetTickCount64() - begun < PATIENCE_MS)
        Sleep(5);
    return pipe;
}

static int connect_to(const wchar_t *path)
{
    static struct direction to, from; /* static, because the thread outlives this call */
    HANDLE pipe = open_pipe(path);
    if (pipe == INVALID_HANDLE_VALUE)
        return fail("there is no such pipe");
    if (!begin(&to, pipe) || !begin(&from, pipe) ||
        CreateThread(NULL, 0, pass_on_pipe, &from, 0, NULL) == NULL)
        return fail("the pipe cannot be read");
    pass_on_input(&to);
    return 0;
}

/*
 * Counts the bytes up to the end of line number *lines, or all bytes if there are fewer lines.
 * Subtracts the number of lines found from *lines.
 */
static DWORD within_lines(const char *bytes, DWORD size, long *lines)
{
    DWORD count = 0;
    for (; *lines > 0 && count < size; count++)
        *lines -= bytes[count] == '\n';
    return count;
}

static void pass_on_lines(HANDLE pipe, long lines)
{
    static char bytes[ROOM];
    DWORD got, written;
    while (lines > 0 && ReadFile(pipe, bytes, sizeof bytes, &got, NULL) && got != 0)
        WriteFile(GetStdHandle(STD_OUTPUT_HANDLE), bytes, within_lines(bytes, got, &lines),
                  &written, NULL);
}

static int read_program(long lines, char **arguments)
{
    struct spawn_streams streams = {.input = GetStdHandle(STD_INPUT_HANDLE),
                                    .errors = GetStdHandle(STD_ERROR_HANDLE)};
    struct spawned spawned;
    HANDLE pipe;
    DWORD code = EXIT_TROUBLE;
    wchar_t *line = command_line_of((const char *const *)arguments);
    wchar_t *program = text_wide_copy(arguments[0]);
    if (line == NULL || program == NULL || !CreatePipe(&pipe, &streams.output, NULL, 0))
        return fail("there is no pipe");
    if (!spawn(program, line, &streams, &spawned))
        return fail(arguments[0]);
    CloseHandle(streams.output);
    pass_on_lines(pipe, lines);
    CloseHandle(pipe);
    WaitForSingleObject(spawned.process, INFINITE);
    GetExitCodeProcess(spawned.process, &code);
    spawned_release(&spawned);
    free(program);
    free(line);
    return (int)code;
}

int program_main(int argc, char **argv)
{
    wchar_t path[MAX_PATH] = L"\\\\.\\pipe\\";
    size_t begun = wcslen(path);
    if (argc >= 4 && strcmp(argv[1], "read") == 0)
        return read_program(strtol(argv[2], NULL, 10), argv + 3);
    if (argc != 3 || !text_to_wide(argv[2], path + begun, MAX_PATH - begun))
        return fail("serve NAME, connect NAME or read COUNT PROGRAM...");
    return strcmp(argv[1], "serve") == 0 ? serve(path) : connect_to(path);
}
