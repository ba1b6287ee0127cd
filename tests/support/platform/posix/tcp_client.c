/* Implements tests/support/platform/tcp_client.h with POSIX sockets. */
#include "tests/support/platform/tcp_client.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collector/platform/posix/socket_address.h"

static void require(bool condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "tcp client: %s: %s\n", what, strerror(errno));
    abort();
}

wait_handle tcp_client_connect(const struct address *address)
{
    struct sockaddr_storage name;
    socklen_t size = socket_address_to_system(address, &name);
    int fd = socket(name.ss_family, SOCK_STREAM, 0);
    require(fd >= 0, "socket");
    require(connect(fd, (struct sockaddr *)&name, size) == 0, "connect");
    require(fcntl(fd, F_SETFL, O_NONBLOCK) == 0, "fcntl");
    return fd;
}

void tcp_client_reset(wait_handle client)
{
    const struct linger none = {.l_onoff = 1};
    require(setsockopt((int)client, SOL_SOCKET, SO_LINGER, &none, sizeof none) == 0, "linger");
    close((int)client);
}
