/* Implements tests/support/platform/plain_socket.h with Winsock. */
#include "tests/support/platform/plain_socket.h"

#include <stdio.h>
#include <stdlib.h>
#include <winsock2.h>

#include "collector/platform/windows/socket_address.h"
#include "collector/platform/windows/socket_lookup.h"
#include "collector/platform/windows/socket_startup.h"
#include "collector/platform/windows/system_error.h"

struct plain_socket {
    SOCKET handle;
    LPFN_WSARECVMSG receive;
};

static void require(bool condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "plain socket: %s: %s\n", what, system_error((unsigned)WSAGetLastError()).text);
    abort();
}

struct plain_socket *plain_socket_open(bool non_blocking)
{
    struct plain_socket *made = calloc(1, sizeof *made);
    require(made != NULL, "memory");
    require(socket_startup() == 0, "Winsock");
    made->handle = socket(AF_INET, SOCK_DGRAM, IPPROTO_UDP);
    require(made->handle != INVALID_SOCKET, "socket");
    u_long on = 1;
    require(!non_blocking || ioctlsocket(made->handle, FIONBIO, &on) == 0, "FIONBIO");
    made->receive = socket_lookup_receive(made->handle);
    require(made->receive != NULL, "WSARecvMsg");
    return made;
}

struct address plain_socket_bind(struct plain_socket *socket)
{
    static const struct address loopback = {.family = ADDRESS_IPV4, .bytes = {127, 0, 0, 1}};
    SOCKADDR_STORAGE name;
    int size = socket_address_to_system(&loopback, &name);
    require(bind(socket->handle, (struct sockaddr *)&name, size) == 0, "bind");
    require(getsockname(socket->handle, (struct sockaddr *)&name, &size) == 0, "getsockname");
    return socket_address_from_system(&name);
}

wait_handle plain_socket_handle(const struct plain_socket *socket)
{
    return (wait_handle)socket->handle;
}

bool plain_socket_holds_data(const struct plain_socket *socket)
{
    WSAPOLLFD asked = {.fd = socket->handle, .events = POLLRDNORM};
    return WSAPoll(&asked, 1, 0) == 1 && (asked.revents & POLLRDNORM) != 0;
}

bool plain_socket_receive(struct plain_socket *socket, size_t *size)
{
    char bytes[2048];
    WSABUF buffer = {.buf = bytes, .len = sizeof bytes};
    SOCKADDR_STORAGE source;
    WSAMSG message = {.name = (struct sockaddr *)&source,
                      .namelen = sizeof source,
                      .lpBuffers = &buffer,
                      .dwBufferCount = 1};
    DWORD received = 0;
    int result = socket->receive(socket->handle, &message, &received, NULL, NULL);
    require(result == 0 || WSAGetLastError() == WSAEWOULDBLOCK, "WSARecvMsg");
    *size = received;
    return result == 0;
}

void plain_socket_close(struct plain_socket *socket)
{
    closesocket(socket->handle);
    free(socket);
}
