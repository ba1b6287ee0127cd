/* Implements tests/support/platform/control_peer.h with named pipes. */
#include "tests/support/platform/control_peer.h"

#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#define PATIENCE_MS 10000

struct control_peer {
    HANDLE pipe;
    OVERLAPPED state;
};

int control_peer_set_up(void **state)
{
    (void)state;
    return 0;
}

int control_peer_tear_down(void **state)
{
    (void)state;
    return 0;
}

const char *control_peer_address(void)
{
    static char address[64];
    snprintf(address, sizeof address, "pipe:sluice-test-%lu", GetCurrentProcessId());
    return address;
}

/*
 * Connects to the pipe. If all instances of the pipe have clients (ERROR_PIPE_BUSY), tries again.
 */
struct control_peer *control_peer_connect(const char *address)
{
    char path[128];
    struct control_peer *made = calloc(1, sizeof *made);
    assert_non_null(made);
    snprintf(path, sizeof path, "\\\\.\\pipe\\%s", strchr(address, ':') + 1);
    do {
        made->pipe = CreateFileA(path, GENERIC_READ | GENERIC_WRITE, 0, NULL, OPEN_EXISTING,
                                 FILE_FLAG_OVERLAPPED, NULL);
    } while (made->pipe == INVALID_HANDLE_VALUE && GetLastError() == ERROR_PIPE_BUSY &&
             WaitNamedPipeA(path, PATIENCE_MS));
    assert_ptr_not_equal(made->pipe, INVALID_HANDLE_VALUE);
    made->state.hEvent = CreateEventW(NULL, TRUE, FALSE, NULL);
    assert_non_null(made->state.hEvent);
    return made;
}

/* Returns the number of bytes that the pending operation has transferred. */
static DWORD moved(struct control_peer *peer)
{
    DWORD size = 0;
    assert_int_equal(WaitForSingleObject(peer->state.hEvent, PATIENCE_MS), WAIT_OBJECT_0);
    return GetOverlappedResult(peer->pipe, &peer->state, &size, FALSE) ? size : 0;
}

void control_peer_send(struct control_peer *peer, const void *bytes, size_t size)
{
    assert_true(WriteFile(peer->pipe, bytes, (DWORD)size, NULL, &peer->state) ||
                GetLastError() == ERROR_IO_PENDING);
    assert_int_equal(moved(peer), size);
}

size_t control_peer_receive(struct control_peer *peer, void *bytes, size_t size)
{
    if (ReadFile(peer->pipe, bytes, (DWORD)size, NULL, &peer->state) ||
        GetLastError() == ERROR_IO_PENDING)
        return moved(peer);
    assert_int_equal(GetLastError(), ERROR_BROKEN_PIPE);
    return 0;
}

void control_peer_close(struct control_peer *peer)
{
    CloseHandle(peer->pipe);
    CloseHandle(peer->state.hEvent);
    free(peer);
}
