/* Implements process_run() with a process and two pipes, for its output and for its errors. */
#include "collector/platform/child.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "collector/platform/clock.h"
#include "collector/platform/common/process_reading.h"
#include "collector/platform/windows/child_pipe.h"
#include "collector/platform/windows/command_line.h"
#include "collector/platform/windows/spawn.h"
#include "collector/platform/windows/system_error.h"
#include "collector/platform/windows/text.h"

/* CreateProcessW accepts 32,767 characters. */
const size_t process_arguments_most = 32000;

struct reading {
    HANDLE from;
    OVERLAPPED state;
    bool started;
    struct process_reading kept;
};

/* --- finding the program ---------------------------------------------------------------------- */

static bool is_file(const wchar_t *path)
{
    DWORD attributes = GetFileAttributesW(path);
    return attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY) == 0;
}

/* Finds the file at this path, or with .exe appended. */
static bool find_path(const wchar_t *name, wchar_t path[WIDE_PATH_SIZE])
{
    size_t length = wcslen(name);
    if (length + sizeof ".exe" > WIDE_PATH_SIZE)
        return false;
    wcscpy(path, name);
    if (is_file(path))
        return true;
    wcscpy(path + length, L".exe");
    return is_file(path);
}

/* Searches neither the current folder nor this program's folder, only PATH. */
static bool find_in_path(const wchar_t *name, wchar_t path[WIDE_PATH_SIZE])
{
    DWORD size = GetEnvironmentVariableW(L"PATH", NULL, 0);
    wchar_t *folders = size == 0 ? NULL : calloc(size, sizeof *folders);
    bool found = false;
    if (folders != NULL) {
        DWORD length = GetEnvironmentVariableW(L"PATH", folders, size);
        if (length != 0 && length < size)
            length = SearchPathW(folders, name, L".exe", WIDE_PATH_SIZE, path, NULL);
        found = length != 0 && length < WIDE_PATH_SIZE && is_file(path);
    }
    free(folders);
    return found;
}

static bool process_find(const char *name, wchar_t path[WIDE_PATH_SIZE])
{
    wchar_t *wide = text_wide_copy(name);
    bool found = wide != NULL && (wcspbrk(wide, L"\\/:") != NULL ? find_path(wide, path)
                                                                 : find_in_path(wide, path));
    free(wide);
    return found;
}

/* --- reading the program's output ------------------------------------------------------------- */

static bool reading_open(struct reading *reading, HANDLE *theirs)
{
    HANDLE ours;
    reading->state.hEvent = CreateEventW(NULL, TRUE, FALSE, NULL);
    if (reading->state.hEvent == NULL || !child_pipe_from(&ours, theirs))
        return false;
    reading->from = ours;
    return true;
}

/* Cancels a running read, because the system would write to the buffer after it is freed. */
static void reading_close(struct reading *reading)
{
    DWORD got;
    if (reading->started) {
        CancelIoEx(reading->from, &reading->state);
        GetOverlappedResult(reading->from, &reading->state, &got, TRUE);
    }
    if (reading->from != NULL)
        CloseHandle(reading->from);
    if (reading->state.hEvent != NULL)
        CloseHandle(reading->state.hEvent);
}

static void start_reading(struct reading *reading)
{
    size_t size = 0;
    unsigned char *room = process_reading_room(&reading->kept, &size);
    if (room == NULL)
        return;
    reading->state = (OVERLAPPED){.hEvent = reading->state.hEvent};
    reading->started = ReadFile(reading->from, room, (DWORD)size, NULL, &reading->state) ||
                       GetLastError() == ERROR_IO_PENDING;
    reading->kept.ended = !reading->started;
}

/* Keeps the bytes of a read that has ended. A program may have written zero bytes. */
static void take_what_was_read(struct reading *reading)
{
    DWORD got = 0;
    if (!reading->started)
        return;
    bool good = GetOverlappedResult(reading->from, &reading->state, &got, FALSE);
    if (!good && GetLastError() == ERROR_IO_INCOMPLETE)
        return;
    reading->started = false;
    reading->kept.ended = !good;
    process_reading_add(&reading->kept, got);
}

static bool read_both(struct reading readings[2], int64_t deadline_ns)
{
    while (!readings[0].kept.ended || !readings[1].kept.ended) {
        HANDLE events[2];
        DWORD count = 0;
        for (size_t i = 0; i < 2; i++) {
            if (!readings[i].kept.ended && !readings[i].started)
                start_reading(&readings[i]);
            if (readings[i].started)
                events[count++] = readings[i].state.hEvent;
        }
        int left = milliseconds_until(deadline_ns, clock_monotonic_ns());
        if (left == 0 || readings[0].kept.too_much)
            return false;
        if (count != 0 && WaitForMultipleObjects(count, events, FALSE, (DWORD)left) == WAIT_FAILED)
            Sleep(1);
        for (size_t i = 0; i < 2; i++)
            take_what_was_read(&readings[i]);
    }
    return !readings[0].kept.too_much;
}

/* --- running the program ---------------------------------------------------------------------- */

static bool process_start(const char *const *arguments, const wchar_t *path,
                          struct reading readings[2], struct spawned *spawned)
{
    HANDLE theirs[2] = {NULL, NULL};
    wchar_t *command_line = command_line_of(arguments);
    bool good = command_line != NULL;
    if (!good)
        SetLastError(ERROR_INVALID_PARAMETER);
    for (size_t i = 0; good && i < 2; i++)
        good = reading_open(&readings[i], &theirs[i]);
    if (good)
        good =
            spawn(path, command_line, &(struct spawn_streams){NULL, theirs[0], theirs[1]}, spawned);
    DWORD reason = GetLastError();
    for (size_t i = 0; i < 2; i++)
        if (readings[i].from != NULL)
            CloseHandle(theirs[i]);
    free(command_line);
    SetLastError(reason);
    return good;
}

/*
 * Waits for the program's end until the deadline, then kills it. Returns true if the program ended
 * by itself.
 */
static bool wait_for_end(struct spawned *spawned, int64_t deadline_ns, DWORD *code)
{
    DWORD left = (DWORD)milliseconds_until(deadline_ns, clock_monotonic_ns());
    bool ended = WaitForSingleObject(spawned->process, left) == WAIT_OBJECT_0;
    if (!ended) {
        spawned_end(spawned);
        WaitForSingleObject(spawned->process, INFINITE);
    }
    GetExitCodeProcess(spawned->process, code);
    spawned_release(spawned);
    return ended;
}

/*
 * Describes how the program ended. Returns NULL if it succeeded. A process that the system has
 * ended has a code such as 0xc0000005.
 */
static const char *describe_end(DWORD code, char text[64])
{
    if (code == 0)
        return NULL;
    snprintf(text, 64, code < 0x80000000 ? "ended with exit code %lu" : "ended with exit code %#lx",
             code);
    return text;
}

static enum process_result process_run_found(const char *const *arguments, const wchar_t *path,
                                             const struct process_limits *limits,
                                             struct reading readings[2], struct process_output *out,
                                             struct error *error)
{
    struct spawned spawned;
    char how[64];
    DWORD code = 1;
    if (!process_start(arguments, path, readings, &spawned)) {
        error_set(error, EXIT_CODE_CONFIG, "cannot be started: %s",
                  system_error(GetLastError()).text);
        for (size_t i = 0; i < 2; i++)
            reading_close(&readings[i]);
        return PROCESS_FAILED;
    }
    int64_t deadline_ns = clock_monotonic_ns() + limits->time_ns;
    bool ended = read_both(readings, deadline_ns);
    ended = wait_for_end(&spawned, ended ? deadline_ns : 0, &code) && ended;
    for (size_t i = 0; i < 2; i++)
        reading_close(&readings[i]);
    return process_outcome(&readings[0].kept, &readings[1].kept, ended ? NULL : limits,
                           describe_end(code, how), out, error);
}

enum process_result process_run(const char *const *arguments, const struct process_limits *limits,
                                struct process_output *out, struct error *error)
{
    struct reading readings[2] = {{.kept = {.most = limits->bytes}},
                                  {.kept = {.most = PROCESS_ERRORS_MAX}}};
    wchar_t *path = calloc(WIDE_PATH_SIZE, sizeof *path);
    enum process_result result = PROCESS_NOT_FOUND;
    *out = (struct process_output){0};
    if (path == NULL) {
        error_set(error, EXIT_CODE_INTERNAL, "no memory to look for a program");
        return PROCESS_FAILED;
    }
    if (process_find(arguments[0], path))
        result = process_run_found(arguments, path, limits, readings, out, error);
    free(path);
    return result;
}
