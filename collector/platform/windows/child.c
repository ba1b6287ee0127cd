/*
 * Implements struct child with a pipe and a process of the shell.
 *
 * Windows does not report how much of a pipe is unread to the writing end. The reading end cannot
 * be queried: while the program waits there for data, every other call on that end waits too. The
 * system only reports that all data was read, by returning from FlushFileBuffers. So a thread (the
 * feeder) makes one write to the pipe at a time, and waits for that.
 *
 * When the input is closed, this process reads the unread data itself, from its copy of the
 * program's end, to the end of the pipe. The feeder closes the pipe when all data given to it has
 * been read, by either side, so this reading ends and each byte is read once. One call reads all
 * that is left of a write, so that the program cannot read between two calls and miss a part.
 */
#include "collector/platform/child.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <windows.h>

#include "collector/base/rule.h"
#include "collector/platform/thread.h"
#include "collector/platform/windows/child_pipe.h"
#include "collector/platform/windows/spawn.h"
#include "collector/platform/windows/system_error.h"
#include "collector/platform/windows/text.h"
#include "collector/platform/windows/wait_source.h"

struct child {
    struct spawned spawned; /* its process is NULL if no program runs */
    bool runs;
    struct wait_source source;
    struct thread *feeder; /* writes to the pipe; NULL if the input is closed */
    HANDLE ours;           /* the pipe's writing end, for the feeder */
    HANDLE theirs;         /* a copy of the program's end */
    HANDLE wanted;         /* an event that wakes the feeder */
    atomic_size_t given;   /* bytes to write; the feeder sets it to 0 when all are read */
    atomic_bool closing;
    char bytes[CHILD_PIPE_SIZE];
};

struct child *child_create(void)
{
    struct child *child = calloc(1, sizeof *child);
    if (child == NULL)
        return NULL;
    child->source.writable = CreateEventW(NULL, TRUE, TRUE, NULL);
    child->wanted = CreateEventW(NULL, FALSE, FALSE, NULL);
    if (child->source.writable != NULL && child->wanted != NULL)
        return child;
    child_destroy(child);
    return NULL;
}

/* Releases a program that has ended, once its input is closed. */
static void release(struct child *child)
{
    if (child->spawned.process == NULL || child->runs || child->feeder != NULL)
        return;
    spawned_release(&child->spawned);
    child->spawned.process = NULL;
    child->source.broken = NULL;
}

void child_destroy(struct child *child)
{
    if (child == NULL)
        return;
    if (child->runs) {
        spawned_end(&child->spawned);
        WaitForSingleObject(child->spawned.process, INFINITE);
        child->runs = false;
    }
    if (child->feeder != NULL)
        child_close_input(child);
    release(child);
    if (child->source.writable != NULL)
        CloseHandle(child->source.writable);
    if (child->wanted != NULL)
        CloseHandle(child->wanted);
    free(child);
}

/* --- the program's input ---------------------------------------------------------------------- */

/*
 * Runs on the feeder's thread. No call fails, because this process has the reading end open, too.
 */
static void feed(void *argument)
{
    struct child *child = argument;
    bool closing;
    do {
        DWORD done;
        WaitForSingleObject(child->wanted, INFINITE);
        closing = atomic_load(&child->closing);
        size_t given = atomic_load(&child->given);
        if (given != 0) {
            WriteFile(child->ours, child->bytes, (DWORD)given, &done, NULL);
            FlushFileBuffers(child->ours);
            atomic_store(&child->given, 0);
            SetEvent(child->source.writable);
        }
    } while (!closing);
    CloseHandle(child->ours);
}

static bool open_input(struct child *child, struct error *error)
{
    if (!child_pipe_to(&child->ours, &child->theirs)) {
        error_set(error, EXIT_CODE_IO, "cannot make a pipe: %s", system_error(GetLastError()).text);
        return false;
    }
    atomic_store(&child->given, 0);
    atomic_store(&child->closing, false);
    SetEvent(child->source.writable);
    if (thread_start(&child->feeder, "feeder", feed, child, error) == 0)
        return true;
    child->feeder = NULL;
    CloseHandle(child->ours);
    CloseHandle(child->theirs);
    return false;
}

enum write_result child_write(struct child *child, const void *bytes, size_t size, size_t *written,
                              struct error *error)
{
    RULE(child->feeder != NULL, "a program is written to while its input is open");
    (void)error;
    if (!child->runs)
        return WRITE_CLOSED;
    if (atomic_load(&child->given) != 0)
        return WRITE_WOULD_BLOCK;
    size_t given = size < sizeof child->bytes ? size : sizeof child->bytes;
    memcpy(child->bytes, bytes, given);
    ResetEvent(child->source.writable);
    atomic_store(&child->given, given);
    SetEvent(child->wanted);
    *written = given;
    return WRITE_OK;
}

wait_handle child_input(const struct child *child)
{
    return child->feeder == NULL ? NO_HANDLE : wait_source_handle(&child->source);
}

size_t child_unread(const struct child *child)
{
    RULE(child->feeder != NULL, "a program's input is asked while it is open");
    return atomic_load(&child->given);
}

size_t child_close_input(struct child *child)
{
    char bytes[CHILD_PIPE_SIZE];
    DWORD got;
    size_t taken_back = 0;
    RULE(child->feeder != NULL, "a program's input is closed once");
    atomic_store(&child->closing, true);
    SetEvent(child->wanted);
    while (ReadFile(child->theirs, bytes, sizeof bytes, &got, NULL))
        taken_back += got;
    thread_join(child->feeder);
    child->feeder = NULL;
    CloseHandle(child->theirs);
    release(child);
    return taken_back;
}

/* --- starting and ending the program ---------------------------------------------------------- */

static bool find_shell(wchar_t path[MAX_PATH])
{
    static const wchar_t name[] = L"\\cmd.exe";
    DWORD length = GetEnvironmentVariableW(L"ComSpec", path, MAX_PATH);
    if (length != 0 && length < MAX_PATH)
        return true;
    length = GetSystemDirectoryW(path, MAX_PATH);
    if (length == 0 || length + sizeof name / sizeof *name > MAX_PATH)
        return false;
    wcscpy(path + length, name);
    return true;
}

/*
 * Makes the command line of the shell. `/d` skips the commands that the registry defines for every
 * shell. With `/s` the command is the text between the first quotation mark after `/c` and the last
 * one, whatever it contains.
 */
static wchar_t *make_command_line(const wchar_t *shell, const char *command)
{
    static const wchar_t form[] = L"\"%ls\" /d /s /c \"%ls\"";
    wchar_t *wide = text_wide_copy(command);
    size_t size = wide == NULL ? 0 : wcslen(shell) + wcslen(wide) + sizeof form / sizeof *form;
    wchar_t *line = size == 0 ? NULL : calloc(size, sizeof *line);
    if (line != NULL)
        swprintf(line, size, form, shell, wide);
    free(wide);
    return line;
}

static bool start_shell(struct child *child, const char *command, struct error *error)
{
    wchar_t shell[MAX_PATH];
    wchar_t *line = find_shell(shell) ? make_command_line(shell, command) : NULL;
    HANDLE errors = GetStdHandle(STD_ERROR_HANDLE);
    if (errors == INVALID_HANDLE_VALUE)
        errors = NULL;
    bool good = false;
    if (line == NULL) {
        error_set(error, EXIT_CODE_IO, "cannot start a shell: there is none, or no memory");
    } else {
        const struct spawn_streams streams = {child->theirs, errors, errors};
        good = spawn(shell, line, &streams, &child->spawned);
        if (!good)
            error_set(error, EXIT_CODE_IO, "cannot start a shell: %s",
                      system_error(GetLastError()).text);
    }
    free(line);
    return good;
}

int child_start(struct child *child, const char *command, struct error *error)
{
    RULE(!child->runs, "a program is started when none runs");
    if (!open_input(child, error))
        return -1;
    if (!start_shell(child, command, error)) {
        child->spawned.process = NULL;
        child_close_input(child);
        return -1;
    }
    child->runs = true;
    child->source.broken = child->spawned.process;
    return 0;
}

enum child_state child_look(struct child *child, struct child_end *end)
{
    RULE(child->runs, "a program is looked at until it has ended");
    DWORD code = 0;
    DWORD waited = WaitForSingleObject(child->spawned.process, 0);
    if (waited == WAIT_TIMEOUT)
        return CHILD_RUNS;
    if (waited == WAIT_OBJECT_0 && GetExitCodeProcess(child->spawned.process, &code))
        *end = (struct child_end){.number = (int)code};
    else
        *end = (struct child_end){.unknown = true};
    child->runs = false;
    release(child);
    return CHILD_ENDED;
}

void child_terminate(struct child *child, bool now)
{
    if (!child->runs)
        return;
    if (now)
        spawned_end(&child->spawned);
    else
        spawned_ask(&child->spawned);
}
