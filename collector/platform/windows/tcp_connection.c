#include "collector/platform/tcp.h"

#include <stdbool.h>
#include <winsock2.h>

#include "collector/platform/windows/socket_address.h"
#include "collector/platform/windows/system_error.h"

#define RETRY_MOST 100

/* Clears the event registration that an accepted socket inherits from its listener. */
static int tcp_set_up(SOCKET accepted)
{
    const BOOL yes = TRUE;
    u_long on = 1;
    if (WSAEventSelect(accepted, NULL, 0) != 0 || ioctlsocket(accepted, FIONBIO, &on) != 0)
        return -1;
    return setsockopt(accepted, IPPROTO_TCP, TCP_NODELAY, (const char *)&yes, sizeof yes);
}

enum accept_result tcp_connection_accept(wait_handle listener, enum descriptor_use use,
                                         wait_handle *connection, struct address *peer,
                                         struct error *error)
{
    (void)use;
    SOCKADDR_STORAGE name;
    for (unsigned times = 0; times < RETRY_MOST; times++) {
        int size = sizeof name;
        SOCKET accepted = accept((SOCKET)listener, (struct sockaddr *)&name, &size);
        if (accepted != INVALID_SOCKET && tcp_set_up(accepted) == 0) {
            *connection = (wait_handle)accepted;
            *peer = socket_address_from_system(&name);
            return ACCEPT_OK;
        }
        int code = WSAGetLastError();
        if (accepted != INVALID_SOCKET)
            closesocket(accepted);
        if (code == WSAEMFILE || code == WSAENOBUFS) {
            error_set(error, EXIT_CODE_IO, "cannot accept a connection: %s",
                      system_error((DWORD)code).text);
            return ACCEPT_NO_MEANS;
        }
        if (code == WSAEWOULDBLOCK)
            break;
    }
    return ACCEPT_WOULD_BLOCK;
}

static enum tcp_result tcp_map_error(int result, size_t *done)
{
    *done = result < 0 ? 0 : (size_t)result;
    if (result > 0)
        return TCP_OK;
    if (result == 0)
        return TCP_END;
    int code = WSAGetLastError();
    return code == WSAEWOULDBLOCK || code == WSAENOBUFS ? TCP_WOULD_BLOCK : TCP_BROKEN;
}

static int most(size_t size)
{
    return size < 1 << 30 ? (int)size : 1 << 30;
}

/*
 * Returns true if the connection was reset although a receive reports its end: the system may have
 * returned the error in an earlier notification (Wine does).
 */
static bool is_broken(SOCKET connection)
{
    WSAPOLLFD entry = {.fd = connection, .events = POLLRDNORM};
    return WSAPoll(&entry, 1, 0) > 0 && (entry.revents & POLLERR) != 0;
}

enum tcp_result tcp_connection_receive(wait_handle connection, void *to, size_t size, size_t *done)
{
    enum tcp_result result = tcp_map_error(recv((SOCKET)connection, to, most(size), 0), done);
    return result == TCP_END && is_broken((SOCKET)connection) ? TCP_BROKEN : result;
}

enum tcp_result tcp_connection_peek(wait_handle connection, void *to, size_t size, size_t *done)
{
    return tcp_map_error(recv((SOCKET)connection, to, most(size), MSG_PEEK), done);
}

enum tcp_result tcp_connection_send(wait_handle connection, const void *bytes, size_t size,
                                    size_t *done)
{
    return tcp_map_error(send((SOCKET)connection, bytes, most(size), 0), done);
}

void tcp_connection_finish(wait_handle connection)
{
    shutdown((SOCKET)connection, SD_SEND);
}

void tcp_connection_close(wait_handle connection)
{
    closesocket((SOCKET)connection);
}
