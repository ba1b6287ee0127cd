/* Implements tests/support/platform/tcp_client.h with Winsock. */
#include "tests/support/platform/tcp_client.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <winsock2.h>

#include "collector/platform/windows/socket_address.h"
#include "collector/platform/windows/socket_startup.h"
#include "collector/platform/windows/system_error.h"

static void require(bool condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "tcp client: %s: %s\n", what, system_error((unsigned)WSAGetLastError()).text);
    abort();
}

wait_handle tcp_client_connect(const struct address *address)
{
    SOCKADDR_STORAGE name;
    u_long on = 1;
    require(socket_startup() == 0, "Winsock");
    int size = socket_address_to_system(address, &name);
    SOCKET opened = socket(name.ss_family, SOCK_STREAM, IPPROTO_TCP);
    require(opened != INVALID_SOCKET, "socket");
    require(connect(opened, (struct sockaddr *)&name, size) == 0, "connect");
    require(ioctlsocket(opened, FIONBIO, &on) == 0, "FIONBIO");
    return (wait_handle)opened;
}

void tcp_client_reset(wait_handle client)
{
    const struct linger none = {.l_onoff = 1};
    require(setsockopt((SOCKET)client, SOL_SOCKET, SO_LINGER, (const char *)&none, sizeof none) ==
                0,
            "linger");
    closesocket((SOCKET)client);
}
