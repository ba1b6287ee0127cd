/* Implements tests/support/platform/plain_socket.h with POSIX sockets. */
#include "tests/support/platform/plain_socket.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct plain_socket {
    int fd;
};

static void require(bool condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "plain socket: %s: %s\n", what, strerror(errno));
    abort();
}

struct plain_socket *plain_socket_open(bool non_blocking)
{
    struct plain_socket *made = calloc(1, sizeof *made);
    require(made != NULL, "memory");
    made->fd = socket(AF_INET, SOCK_DGRAM, 0);
    require(made->fd >= 0, "socket");
    require(!non_blocking || fcntl(made->fd, F_SETFL, O_NONBLOCK) == 0, "fcntl");
    return made;
}

struct address plain_socket_bind(struct plain_socket *socket)
{
    struct sockaddr_in name = {.sin_family = AF_INET};
    socklen_t size = sizeof name;
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    require(bind(socket->fd, (struct sockaddr *)&name, size) == 0, "bind");
    require(getsockname(socket->fd, (struct sockaddr *)&name, &size) == 0, "getsockname");
    return address_from_ipv4((const uint8_t *)&name.sin_addr, ntohs(name.sin_port));
}

wait_handle plain_socket_handle(const struct plain_socket *socket)
{
    return socket->fd;
}

bool plain_socket_holds_data(const struct plain_socket *socket)
{
    struct pollfd asked = {.fd = socket->fd, .events = POLLIN};
    return poll(&asked, 1, 0) == 1 && (asked.revents & POLLIN) != 0;
}

bool plain_socket_receive(struct plain_socket *socket, size_t *size)
{
    char bytes[2048];
    ssize_t received;
    do
        received = recv(socket->fd, bytes, sizeof bytes, 0);
    while (received < 0 && errno == EINTR);
    require(received >= 0 || errno == EAGAIN || errno == EWOULDBLOCK, "recv");
    *size = received < 0 ? 0 : (size_t)received;
    return received >= 0;
}

void plain_socket_close(struct plain_socket *socket)
{
    close(socket->fd);
    free(socket);
}
