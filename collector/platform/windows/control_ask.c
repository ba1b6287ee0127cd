/* Implements control_ask() with named pipes. */
#include "collector/platform/control.h"

#include <stdbool.h>
#include <string.h>
#include <wchar.h>
#include <windows.h>

#include "collector/platform/clock.h"
#include "collector/platform/windows/system_error.h"
#include "collector/platform/windows/text.h"

/* Windows' limit of a pipe's name in characters, including \\.\pipe\ and the NUL. */
#define NAME_SIZE 257

struct question {
    HANDLE pipe;
    OVERLAPPED state;
    int64_t end_ns;
};

static int ask_cannot(struct error *error, const char *address, const char *why)
{
    error_set(error, EXIT_CODE_NOT_REACHED, "%s: %s", address, why);
    return -1;
}

static DWORD ask_time_left(const struct question *question)
{
    return (DWORD)milliseconds_until(question->end_ns, clock_monotonic_ns());
}

/*
 * Repeats the open while all instances of the pipe have clients. The flags allow the server to
 * identify this user, but not to act as this user.
 */
static bool ask_connect(struct question *question, const wchar_t *name)
{
    do {
        question->pipe = CreateFileW(
            name, GENERIC_READ | GENERIC_WRITE, 0, NULL, OPEN_EXISTING,
            FILE_FLAG_OVERLAPPED | SECURITY_SQOS_PRESENT | SECURITY_IDENTIFICATION, NULL);
    } while (question->pipe == INVALID_HANDLE_VALUE && GetLastError() == ERROR_PIPE_BUSY &&
             ask_time_left(question) != 0 && WaitNamedPipeW(name, ask_time_left(question)));
    return question->pipe != INVALID_HANDLE_VALUE;
}

/*
 * Waits for the end of an operation. `done` is the result of starting it. Returns false if it fails
 * (GetLastError).
 */
static bool is_done(struct question *question, BOOL done, DWORD *size)
{
    if (!done && GetLastError() != ERROR_IO_PENDING)
        return false;
    DWORD waited = WaitForSingleObject(question->state.hEvent, ask_time_left(question));
    if (waited != WAIT_OBJECT_0) {
        DWORD why = waited == WAIT_FAILED ? GetLastError() : WAIT_TIMEOUT;
        CancelIoEx(question->pipe, &question->state);
        GetOverlappedResult(question->pipe, &question->state, size, TRUE);
        SetLastError(why);
        return false;
    }
    return GetOverlappedResult(question->pipe, &question->state, size, FALSE);
}

/*
 * Returns true also if the pipe is closed: a collector that refuses the connection has already sent
 * its reason as the answer, which is read next.
 */
static bool send_bytes(struct question *question, const char *bytes, size_t size)
{
    DWORD sent;
    return is_done(question, WriteFile(question->pipe, bytes, (DWORD)size, NULL, &question->state),
                   &sent) ||
           GetLastError() == ERROR_NO_DATA || GetLastError() == ERROR_BROKEN_PIPE;
}

/*
 * Returns 1 with the whole line, 0 if the answer ended early or is too long, or -1 with
 * GetLastError.
 */
static int receive_line(struct question *question, struct output *answer)
{
    size_t begin = answer->used;
    while (answer->used < answer->capacity) {
        char *at = answer->data + answer->used;
        DWORD room = (DWORD)(answer->capacity - answer->used);
        DWORD count = 0;
        if (!is_done(question, ReadFile(question->pipe, at, room, NULL, &question->state), &count))
            return GetLastError() == ERROR_BROKEN_PIPE ? 0 : -1;
        answer->used += count;
        const char *newline = memchr(at, '\n', count);
        if (newline == NULL)
            continue;
        answer->used = (size_t)(newline - answer->data);
        return 1;
    }
    answer->used = begin;
    return 0;
}

static int talk(struct question *question, const wchar_t *name, const char *address,
                const char *request, struct output *answer, struct error *error)
{
    question->state.hEvent = CreateEventW(NULL, TRUE, FALSE, NULL);
    if (question->state.hEvent == NULL || !ask_connect(question, name) ||
        !send_bytes(question, request, strlen(request)) || !send_bytes(question, "\n", 1))
        return ask_cannot(error, address, system_error(GetLastError()).text);
    int result = receive_line(question, answer);
    if (result == 0)
        return ask_cannot(error, address, "the answer was incomplete or too long");
    return result > 0 ? 0 : ask_cannot(error, address, system_error(GetLastError()).text);
}

int control_ask(const char *address, const char *request, struct output *answer,
                struct error *error)
{
    static const wchar_t prefix[] = L"\\\\.\\pipe\\";
    const size_t length = sizeof prefix / sizeof *prefix - 1;
    wchar_t name[NAME_SIZE];
    struct question question = {.pipe = INVALID_HANDLE_VALUE,
                                .end_ns = clock_monotonic_ns() + CONTROL_ASK_MS * INT64_C(1000000)};
    wcscpy(name, prefix);
    if (!text_to_wide(strchr(address, ':') + 1, name + length, NAME_SIZE - length))
        return ask_cannot(error, address, "the name is too long, or not UTF-8");
    int result = talk(&question, name, address, request, answer, error);
    if (question.pipe != INVALID_HANDLE_VALUE)
        CloseHandle(question.pipe);
    if (question.state.hEvent != NULL)
        CloseHandle(question.state.hEvent);
    return result;
}
