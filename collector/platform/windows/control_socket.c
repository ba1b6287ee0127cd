/*
 * Implements struct control_socket with named pipes.
 *
 * The pipe has an instance for each client, and one more that waits for the next client. Operations
 * that could wait are overlapped: an event reports the end of each.
 */
#include "collector/platform/control.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <windows.h>

#include "collector/platform/windows/own_access.h"
#include "collector/platform/windows/system_error.h"
#include "collector/platform/windows/text.h"
#include "collector/platform/windows/wait_source.h"

/*
 * The most bytes of one read and of one write of a connection, and the sizes of the system's
 * buffers.
 */
#define READ_SIZE  512
#define WRITE_SIZE 16384

/* Windows' limit of a pipe's name in characters, including \\.\pipe\ and the NUL. */
#define NAME_SIZE 257

/* With these prefixes the pipe and the mutex are visible in all sessions. */
#define PIPE_PREFIX  L"\\\\.\\pipe\\"
#define CLAIM_PREFIX L"Global\\sluice-control-"
#define LENGTH(text) (sizeof(text) / sizeof(wchar_t) - 1)

const char control_socket_syntax[] = "pipe:NAME";

/* An overlapped operation on a pipe. Its event is set while it is not running. */
struct operation {
    OVERLAPPED state;
    bool started;
    bool over; /* it has failed, so the peer has closed */
};

struct control_socket {
    SECURITY_ATTRIBUTES access;
    HANDLE claim; /* a mutex with the pipe's name; the program that created it owns the name */
    struct wait_source source;
    HANDLE pipe; /* the instance that waits for a client */
    bool connected;
    struct operation connecting;
    wchar_t name[NAME_SIZE];
};

struct control_connection {
    struct wait_source source;
    HANDLE pipe;
    struct operation reading;
    struct operation writing;
    size_t read_at, read_size; /* the part of `read` that was not returned yet */
    char read[READ_SIZE];
    char written[WRITE_SIZE];
};

/* --- operations ------------------------------------------------------------------------------- */

static bool operation_create(struct operation *operation, BOOL set)
{
    operation->state.hEvent = CreateEventW(NULL, TRUE, set, NULL);
    return operation->state.hEvent != NULL;
}

/*
 * Cancels a running operation, because the system would write to memory that is about to be freed.
 */
static void operation_destroy(struct operation *operation, HANDLE pipe)
{
    DWORD size;
    if (operation->started) {
        CancelIoEx(pipe, &operation->state);
        GetOverlappedResult(pipe, &operation->state, &size, TRUE);
    }
    if (operation->state.hEvent != NULL)
        CloseHandle(operation->state.hEvent);
}

static void operation_begin(struct operation *operation)
{
    operation->state = (OVERLAPPED){.hEvent = operation->state.hEvent};
    operation->started = true;
    ResetEvent(operation->state.hEvent);
}

/*
 * `done` is the result of the call that started the operation. Returns false if it has failed
 * already.
 */
static bool operation_has_begun(struct operation *operation, BOOL done)
{
    if (done || GetLastError() == ERROR_IO_PENDING)
        return true;
    operation->started = false;
    operation->over = true;
    SetEvent(operation->state.hEvent);
    return false;
}

/*
 * Returns true while the operation is running. Otherwise *size is the number of bytes that it has
 * moved.
 */
static bool operation_goes_on(struct operation *operation, HANDLE pipe, DWORD *size)
{
    *size = 0;
    if (!operation->started)
        return false;
    bool good = GetOverlappedResult(pipe, &operation->state, size, FALSE);
    if (!good && GetLastError() == ERROR_IO_INCOMPLETE)
        return true;
    operation->started = false;
    operation->over = !good;
    return false;
}

/* --- the socket ------------------------------------------------------------------------------- */

static int control_socket_cannot(struct error *error, const char *address, const char *why)
{
    error_set(error, EXIT_CODE_CANNOT_CREATE, "--control %s: %s", address, why);
    return -1;
}

/*
 * Creates another instance of the pipe, to which a client may connect at once. With `first`, fails
 * if the pipe has an instance already.
 */
static HANDLE create_instance(const struct control_socket *socket, bool first)
{
    SECURITY_ATTRIBUTES access = socket->access;
    return CreateNamedPipeW(
        socket->name,
        PIPE_ACCESS_DUPLEX | FILE_FLAG_OVERLAPPED | (first ? FILE_FLAG_FIRST_PIPE_INSTANCE : 0),
        PIPE_TYPE_BYTE | PIPE_READMODE_BYTE | PIPE_WAIT | PIPE_REJECT_REMOTE_CLIENTS,
        PIPE_UNLIMITED_INSTANCES, WRITE_SIZE, READ_SIZE, 0, &access);
}

/*
 * Waits for a client: its event is set when a client connects, or at once if one has already
 * connected or disconnected.
 */
static bool await_client(struct control_socket *socket)
{
    operation_begin(&socket->connecting);
    BOOL done = ConnectNamedPipe(socket->pipe, &socket->connecting.state);
    DWORD reason = GetLastError();
    if (operation_has_begun(&socket->connecting, done))
        return true;
    socket->connected = reason == ERROR_PIPE_CONNECTED || reason == ERROR_NO_DATA;
    return socket->connected;
}

static bool is_connected(struct control_socket *socket)
{
    DWORD size;
    if (!socket->connected && !socket->connecting.started && !await_client(socket))
        return false;
    if (!socket->connected)
        socket->connected = !operation_goes_on(&socket->connecting, socket->pipe, &size);
    return socket->connected;
}

static bool set_name(struct control_socket *socket, const char *name)
{
    wcscpy(socket->name, PIPE_PREFIX);
    return text_to_wide(name, socket->name + LENGTH(PIPE_PREFIX), NAME_SIZE - LENGTH(PIPE_PREFIX));
}

/*
 * Claims the name. Returns ERROR_SUCCESS, or why it is taken. If several programs start at the same
 * time, only one succeeds. FILE_FLAG_FIRST_PIPE_INSTANCE does not ensure that on every system (Wine
 * 8 ignores it). The system removes the mutex when its program ends in any way.
 */
static DWORD claim_name(struct control_socket *socket)
{
    wchar_t claim[NAME_SIZE + LENGTH(CLAIM_PREFIX)];
    wcscpy(claim, CLAIM_PREFIX);
    wcscat(claim, socket->name + LENGTH(PIPE_PREFIX));
    socket->claim = CreateMutexW(&socket->access, FALSE, claim);
    return GetLastError();
}

/*
 * Returns true if another program has the pipe. The error of a failed create_instance does not show
 * this.
 */
static bool is_taken(const struct control_socket *socket)
{
    return WaitNamedPipeW(socket->name, 1) || GetLastError() != ERROR_FILE_NOT_FOUND;
}

static int control_socket_begin(struct control_socket *made, const char *address,
                                struct error *error)
{
    static const char taken[] = "another program listens there";
    if (!set_name(made, strchr(address, ':') + 1))
        return control_socket_cannot(error, address, "the name is too long, or not UTF-8");
    if (!operation_create(&made->connecting, FALSE) || !own_access_make(&made->access))
        return control_socket_cannot(error, address, system_error(GetLastError()).text);
    made->source.readable = made->connecting.state.hEvent;
    DWORD reason = claim_name(made);
    if (reason == ERROR_ALREADY_EXISTS || reason == ERROR_ACCESS_DENIED) /* taken */
        return control_socket_cannot(error, address, taken);
    if (made->claim == NULL)
        return control_socket_cannot(error, address, system_error(reason).text);
    if (!is_taken(made))
        made->pipe = create_instance(made, true);
    reason = GetLastError();
    if (made->pipe == INVALID_HANDLE_VALUE && is_taken(made)) /* by a program that has no claim */
        return control_socket_cannot(error, address, taken);
    SetLastError(reason);
    if (made->pipe == INVALID_HANDLE_VALUE || !await_client(made))
        return control_socket_cannot(error, address, system_error(GetLastError()).text);
    return 0;
}

int control_socket_open(struct control_socket **out, const char *address, struct error *error)
{
    struct control_socket *made = calloc(1, sizeof *made);
    if (made == NULL) {
        error_set(error, EXIT_CODE_INTERNAL, "--control %s: out of memory", address);
        return -1;
    }
    made->pipe = INVALID_HANDLE_VALUE;
    if (control_socket_begin(made, address, error) != 0) {
        control_socket_close(made);
        return -1;
    }
    *out = made;
    return 0;
}

/* Does nothing: a process on Windows cannot become another user. */
int control_socket_give(const struct control_socket *given, const char *user, struct error *error)
{
    (void)given;
    (void)user;
    (void)error;
    return 0;
}

/* Checks nothing: a pipe is not in a folder. */
int control_socket_check(const char *address, struct error *error)
{
    (void)address;
    (void)error;
    return 0;
}

void control_socket_close(struct control_socket *socket)
{
    if (socket == NULL)
        return;
    operation_destroy(&socket->connecting, socket->pipe);
    if (socket->pipe != INVALID_HANDLE_VALUE)
        CloseHandle(socket->pipe);
    if (socket->claim != NULL) /* closed last: when the mutex is free, so is the pipe */
        CloseHandle(socket->claim);
    own_access_free(&socket->access);
    free(socket);
}

wait_handle control_socket_handle(const struct control_socket *socket)
{
    return wait_source_handle(&socket->source);
}

/* --- connections ------------------------------------------------------------------------------ */

static void start_reading(struct control_connection *connection)
{
    struct operation *reading = &connection->reading;
    operation_begin(reading);
    BOOL done = ReadFile(connection->pipe, connection->read, READ_SIZE, NULL, &reading->state);
    operation_has_begun(reading, done);
}

static struct control_connection *connection_create(HANDLE pipe)
{
    struct control_connection *made = calloc(1, sizeof *made);
    if (made == NULL)
        return NULL;
    if (!operation_create(&made->reading, FALSE) || !operation_create(&made->writing, TRUE)) {
        made->pipe = INVALID_HANDLE_VALUE; /* the caller still owns `pipe` */
        control_connection_close(made);
        return NULL;
    }
    made->pipe = pipe;
    made->source.readable = made->reading.state.hEvent;
    made->source.writable = made->writing.state.hEvent;
    start_reading(made);
    return made;
}

/*
 * Creates the next instance before it returns this one: without any instance another program could
 * take the name.
 */
enum control_result control_socket_accept(struct control_socket *socket,
                                          struct control_connection **out)
{
    if (!is_connected(socket))
        return socket->connecting.started ? CONTROL_WOULD_BLOCK : CONTROL_OVER;
    HANDLE next = create_instance(socket, false);
    if (next == INVALID_HANDLE_VALUE)
        return CONTROL_OVER;
    *out = connection_create(socket->pipe);
    if (*out == NULL) {
        CloseHandle(next);
        return CONTROL_OVER;
    }
    socket->pipe = next;
    socket->connected = false;
    await_client(socket);
    return CONTROL_DONE;
}

/* Only this user and administrators can open the pipe (own_access.h). */
bool control_connection_may_order(const struct control_connection *connection)
{
    (void)connection;
    return true;
}

static bool has_read(struct control_connection *connection)
{
    struct operation *reading = &connection->reading;
    DWORD size;
    while (connection->read_at == connection->read_size && !reading->over) {
        if (operation_goes_on(reading, connection->pipe, &size))
            return false;
        connection->read_at = 0;
        connection->read_size = size;
        if (size == 0 && !reading->over) /* the peer may have written zero bytes */
            start_reading(connection);
    }
    return connection->read_at != connection->read_size;
}

enum control_result control_connection_read(struct control_connection *connection, void *bytes,
                                            size_t size, size_t *moved)
{
    if (!has_read(connection))
        return connection->reading.over ? CONTROL_OVER : CONTROL_WOULD_BLOCK;
    size_t left = connection->read_size - connection->read_at;
    *moved = size < left ? size : left;
    memcpy(bytes, connection->read + connection->read_at, *moved);
    connection->read_at += *moved;
    if (*moved == left)
        start_reading(connection);
    return CONTROL_DONE;
}

/* A write to a pipe of bytes is accepted as a whole or fails. */
enum control_result control_connection_write(struct control_connection *connection,
                                             const void *bytes, size_t size, size_t *moved)
{
    struct operation *writing = &connection->writing;
    DWORD done;
    if (operation_goes_on(writing, connection->pipe, &done))
        return CONTROL_WOULD_BLOCK;
    if (writing->over)
        return CONTROL_OVER;
    DWORD part = size < WRITE_SIZE ? (DWORD)size : WRITE_SIZE;
    memcpy(connection->written, bytes, part);
    operation_begin(writing);
    if (!operation_has_begun(
            writing, WriteFile(connection->pipe, connection->written, part, NULL, &writing->state)))
        return CONTROL_OVER;
    *moved = part;
    return CONTROL_DONE;
}

wait_handle control_connection_handle(const struct control_connection *connection)
{
    return wait_source_handle(&connection->source);
}

void control_connection_close(struct control_connection *connection)
{
    if (connection == NULL)
        return;
    operation_destroy(&connection->reading, connection->pipe);
    operation_destroy(&connection->writing, connection->pipe);
    if (connection->pipe != INVALID_HANDLE_VALUE)
        CloseHandle(connection->pipe);
    free(connection);
}
