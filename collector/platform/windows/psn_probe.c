#include "collector/platform/windows/psn_probe.h"

#include <winsock2.h>

#include "collector/platform/windows/psn_request.h"
#include "collector/platform/windows/socket_startup.h"
#include "collector/platform/windows/system_error.h"

static int probe_failed(int type, DWORD code, struct error *error)
{
    error_set(
        error, EXIT_CODE_CONFIG,
        "the system cannot register %s sockets, perhaps because of a layered service provider "
        "(netsh winsock show catalog): %s",
        type == SOCK_STREAM ? "TCP" : "UDP", system_error(code).text);
    return -1;
}

static DWORD probe_operate(HANDLE port, SOCKET socket, uint8_t operation, uint8_t trigger)
{
    struct socket_registration row = {
        .socket = socket,
        .key = (void *)(ULONG_PTR)1,
        .filter = SOCKET_EVENT_IN,
        .operation = operation,
        .trigger = trigger,
    };
    return psn_request(socket_lookup_notifications(), port, row);
}

/* Milliseconds to wait for the REMOVE packet, which a healthy system posts at once. */
#define PROBE_REMOVE_MS 100

/*
 * The socket may be closed only after its REMOVE packet, so this waits for the packet for a limited
 * time.
 */
static void await_remove(HANDLE port)
{
    OVERLAPPED_ENTRY packet = {0};
    ULONG found = 0;
    while ((packet.dwNumberOfBytesTransferred & SOCKET_EVENT_REMOVE) == 0)
        if (!GetQueuedCompletionStatusEx(port, &packet, 1, &found, PROBE_REMOVE_MS, FALSE))
            break;
}

static DWORD probe_socket(HANDLE port, SOCKET socket, uint8_t trigger)
{
    DWORD code = probe_operate(port, socket, SOCKET_OPERATION_ENABLE, trigger);
    if (code == 0 && probe_operate(port, socket, SOCKET_OPERATION_REMOVE, trigger) == 0)
        await_remove(port);
    return code;
}

/* Probes a socket of this family. Returns 0 also if the system does not have the family. */
static DWORD probe_family(HANDLE port, int family, int type, uint8_t trigger)
{
    SOCKET opened = socket(family, type, 0);
    if (opened == INVALID_SOCKET)
        return 0;
    DWORD code = probe_socket(port, opened, trigger);
    closesocket(opened);
    return code;
}

int psn_probe(int type, uint8_t trigger, struct error *error)
{
    if (socket_lookup_notifications() == NULL)
        return probe_failed(type, ERROR_PROC_NOT_FOUND, error);
    int started = socket_startup();
    if (started != 0)
        return probe_failed(type, (DWORD)started, error);
    HANDLE port = CreateIoCompletionPort(INVALID_HANDLE_VALUE, NULL, 0, 1);
    if (port == NULL)
        return probe_failed(type, GetLastError(), error);
    DWORD code = probe_family(port, AF_INET, type, trigger);
    if (code == 0)
        code = probe_family(port, AF_INET6, type, trigger);
    CloseHandle(port);
    return code == 0 ? 0 : probe_failed(type, code, error);
}
