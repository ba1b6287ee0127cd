/* Implements tools/top/connection.h with named pipes. */
#include "tools/top/connection.h"

#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <windows.h>

#include <sddl.h> /* needs windows.h */

#include "collector/platform/clock.h"
#include "collector/platform/windows/pipe_state.h"
#include "collector/platform/windows/system_error.h"
#include "collector/platform/windows/text.h"
#include "tools/command/interrupt.h"
#include "tools/top/line_buffer.h"

/* The longest name of a pipe that Windows allows, with \\.\pipe\ and the NUL. */
#define NAME_SIZE 257

/* The time to wait for a free instance of the pipe while each one has a client. */
#define BUSY_MS 1000

/* The interval at which standard output and Ctrl-C are checked. */
#define LOOK_MS 200

struct connection {
    HANDLE pipe;
    OVERLAPPED reading; /* its event is signalled when the read ends */
    OVERLAPPED sending;
    bool pending; /* a read to the end of `lines` has begun, so the lines must not be moved */
    struct line_buffer lines;
};

/* --- opening ---------------------------------------------------------------------------------- */

static int make_name(const char *text, wchar_t name[NAME_SIZE], struct error *error)
{
    static const char scheme[] = "pipe:";
    static const wchar_t prefix[] = L"\\\\.\\pipe\\";
    const size_t length = sizeof prefix / sizeof *prefix - 1;
    if (strncmp(text, scheme, strlen(scheme)) != 0 || text[strlen(scheme)] == '\0') {
        error_set(error, EXIT_CODE_USAGE, "'%s' is not pipe:NAME", text);
        return -1;
    }
    wcscpy(name, prefix);
    if (text_to_wide(text + strlen(scheme), name + length, NAME_SIZE - length))
        return 0;
    error_set(error, EXIT_CODE_USAGE, "'%s': the name is too long, or not UTF-8", text);
    return -1;
}

/*
 * Opens the pipe. With SECURITY_IDENTIFICATION the server can learn which user this is, but cannot
 * act as this user.
 */
static HANDLE open_pipe(const wchar_t *name)
{
    int64_t until = clock_monotonic_ns() + BUSY_MS * INT64_C(1000000);
    HANDLE pipe;
    do {
        pipe = CreateFileW(name, GENERIC_READ | GENERIC_WRITE, 0, NULL, OPEN_EXISTING,
                           FILE_FLAG_OVERLAPPED | SECURITY_SQOS_PRESENT | SECURITY_IDENTIFICATION,
                           NULL);
    } while (pipe == INVALID_HANDLE_VALUE && GetLastError() == ERROR_PIPE_BUSY &&
             clock_monotonic_ns() < until && WaitNamedPipeW(name, BUSY_MS));
    return pipe;
}

static void close_handles(struct connection *connection)
{
    if (connection->pipe != INVALID_HANDLE_VALUE)
        CloseHandle(connection->pipe);
    if (connection->reading.hEvent != NULL)
        CloseHandle(connection->reading.hEvent);
    if (connection->sending.hEvent != NULL)
        CloseHandle(connection->sending.hEvent);
    free(connection);
}

int connection_open(struct connection **out, const char *address, struct error *error)
{
    wchar_t name[NAME_SIZE];
    if (make_name(address, name, error) != 0)
        return -1;
    struct connection *made = calloc(1, sizeof *made);
    if (made == NULL)
        return error_no_memory(error);
    made->reading.hEvent = CreateEventW(NULL, TRUE, FALSE, NULL);
    made->sending.hEvent = CreateEventW(NULL, TRUE, FALSE, NULL);
    made->pipe = INVALID_HANDLE_VALUE;
    if (made->reading.hEvent != NULL && made->sending.hEvent != NULL)
        made->pipe = open_pipe(name);
    if (made->pipe == INVALID_HANDLE_VALUE) {
        error_set(error, EXIT_CODE_CANNOT_BIND, "%s: %s", address,
                  system_error(GetLastError()).text);
        close_handles(made);
        return -1;
    }
    *out = made;
    return 0;
}

/* --- the pipe's owner ------------------------------------------------------------------------- */

/* Returns true if `sid` is this user, or the owner of objects that this process creates. */
static bool is_this_user(PSID sid)
{
    static const TOKEN_INFORMATION_CLASS classes[] = {TokenUser, TokenOwner};
    HANDLE token;
    DWORD size;
    bool is = false;
    if (!OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &token))
        return false;
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++) {
        union {
            PSID sid; /* both structures begin with it */
            TOKEN_USER user;
            TOKEN_OWNER owner;
            BYTE room[sizeof(TOKEN_USER) + SECURITY_MAX_SID_SIZE];
        } found;
        is = is || (GetTokenInformation(token, classes[i], &found, sizeof found, &size) &&
                    EqualSid(sid, found.sid));
    }
    CloseHandle(token);
    return is;
}

/* Returns true for the system, administrators, and accounts of services (NT SERVICE\NAME). */
static bool is_trusted(PSID sid)
{
    static const wchar_t services[] = L"S-1-5-80-";
    wchar_t *text;
    if (IsWellKnownSid(sid, WinLocalSystemSid) || IsWellKnownSid(sid, WinBuiltinAdministratorsSid))
        return true;
    if (!ConvertSidToStringSidW(sid, &text))
        return false;
    bool is = wcsncmp(text, services, wcslen(services)) == 0;
    LocalFree(text);
    return is;
}

bool connection_is_own(const struct connection *connection)
{
    union {
        SECURITY_DESCRIPTOR descriptor;
        BYTE room[sizeof(SECURITY_DESCRIPTOR) + SECURITY_MAX_SID_SIZE];
    } found;
    DWORD size;
    PSID owner;
    BOOL by_default;
    return GetKernelObjectSecurity(connection->pipe, OWNER_SECURITY_INFORMATION, &found,
                                   sizeof found, &size) &&
           GetSecurityDescriptorOwner(&found, &owner, &by_default) && owner != NULL &&
           (is_this_user(owner) || is_trusted(owner));
}

void connection_close(struct connection *connection)
{
    DWORD unused;
    if (connection == NULL)
        return;
    if (connection->pending) {
        CancelIoEx(connection->pipe, &connection->reading);
        GetOverlappedResult(connection->pipe, &connection->reading, &unused, TRUE);
    }
    close_handles(connection);
}

/* --- lines ------------------------------------------------------------------------------------ */

static bool send_bytes(struct connection *connection, const char *bytes, size_t size)
{
    DWORD sent;
    return (WriteFile(connection->pipe, bytes, (DWORD)size, NULL, &connection->sending) ||
            GetLastError() == ERROR_IO_PENDING) &&
           GetOverlappedResult(connection->pipe, &connection->sending, &sent, TRUE) && sent == size;
}

int connection_send(struct connection *connection, const char *request, struct error *error)
{
    if (send_bytes(connection, request, strlen(request)) && send_bytes(connection, "\n", 1))
        return 0;
    error_set(error, EXIT_CODE_IO, "the collector has closed the connection: %s",
              system_error(GetLastError()).text);
    return -1;
}

static bool begin_reading(struct connection *connection)
{
    struct line_buffer *lines = &connection->lines;
    if (connection->pending)
        return true;
    size_t room = line_buffer_room(lines);
    connection->pending = room != 0 && (ReadFile(connection->pipe, lines->bytes + lines->end,
                                                 (DWORD)room, NULL, &connection->reading) ||
                                        GetLastError() == ERROR_IO_PENDING);
    return connection->pending;
}

static bool end_reading(struct connection *connection)
{
    DWORD count = 0;
    connection->pending = false;
    if (!GetOverlappedResult(connection->pipe, &connection->reading, &count, FALSE) || count == 0)
        return false;
    connection->lines.end += count;
    return true;
}

static bool has_reader(void)
{
    HANDLE output = GetStdHandle(STD_OUTPUT_HANDLE);
    return GetFileType(output) != FILE_TYPE_PIPE || pipe_state(output) != PIPE_LEFT;
}

static enum connection_result await_reading(struct connection *connection, int64_t until)
{
    for (;;) {
        int left = milliseconds_until(until, clock_monotonic_ns());
        DWORD waited = WaitForSingleObject(connection->reading.hEvent,
                                           (DWORD)(left < LOOK_MS ? left : LOOK_MS));
        if (waited == WAIT_OBJECT_0)
            return CONNECTION_LINE;
        if (waited != WAIT_TIMEOUT)
            return CONNECTION_GONE;
        if (!has_reader())
            return CONNECTION_READER_GONE;
        if (left == 0 || interrupt_seen())
            return CONNECTION_TIMEOUT;
    }
}

enum connection_result connection_read(struct connection *connection, int timeout_ms,
                                       const char **line, size_t *size)
{
    int64_t until = clock_monotonic_ns() + timeout_ms * INT64_C(1000000);
    while ((*size = line_buffer_next(&connection->lines, line)) == 0) {
        if (!begin_reading(connection))
            return CONNECTION_GONE;
        enum connection_result result = await_reading(connection, until);
        if (result != CONNECTION_LINE)
            return result;
        if (!end_reading(connection))
            return CONNECTION_GONE;
    }
    return CONNECTION_LINE;
}
