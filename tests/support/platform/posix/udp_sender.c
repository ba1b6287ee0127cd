/* Implements tests/support/platform/udp_sender.h with POSIX sockets. */
#include "tests/support/platform/udp_sender.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct udp_sender {
    int fd;
    struct address address;
};

static void require(bool condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "udp sender: %s: %s\n", what, strerror(errno));
    abort();
}

struct address loopback(enum address_family family)
{
    struct address address = {.family = (uint8_t)family};
    if (family == ADDRESS_IPV6) {
        address.bytes[15] = 1;
    } else {
        address.bytes[0] = 127;
        address.bytes[3] = 1;
    }
    return address;
}

static socklen_t to_sockaddr(const struct address *address, struct sockaddr_storage *out)
{
    memset(out, 0, sizeof *out);
    if (address->family == ADDRESS_IPV6) {
        struct sockaddr_in6 in6 = {.sin6_family = AF_INET6, .sin6_port = htons(address->port)};
        memcpy(&in6.sin6_addr, address->bytes, 16);
        memcpy(out, &in6, sizeof in6);
        return sizeof in6;
    }
    struct sockaddr_in in = {.sin_family = AF_INET, .sin_port = htons(address->port)};
    memcpy(&in.sin_addr, address->bytes, 4);
    memcpy(out, &in, sizeof in);
    return sizeof in;
}

struct udp_sender *udp_sender_open(enum address_family family)
{
    struct udp_sender *sender = calloc(1, sizeof *sender);
    require(sender != NULL, "memory");
    sender->address = loopback(family);
    sender->fd = socket(family == ADDRESS_IPV6 ? AF_INET6 : AF_INET, SOCK_DGRAM, 0);
    require(sender->fd >= 0, "socket");

    struct sockaddr_storage name;
    socklen_t size = to_sockaddr(&sender->address, &name);
    require(bind(sender->fd, (struct sockaddr *)&name, size) == 0, "bind");
    require(getsockname(sender->fd, (struct sockaddr *)&name, &size) == 0, "getsockname");
    in_port_t port; /* is at the same offset in both families */
    memcpy(&port, (const char *)&name + offsetof(struct sockaddr_in, sin_port), sizeof port);
    sender->address.port = ntohs(port);
    return sender;
}

struct address udp_sender_address(const struct udp_sender *sender)
{
    return sender->address;
}

void udp_sender_send(struct udp_sender *sender, const struct address *to, const void *bytes,
                     size_t size)
{
    struct sockaddr_storage name;
    socklen_t name_size = to_sockaddr(to, &name);
    ssize_t sent;
    do
        sent = sendto(sender->fd, bytes, size, 0, (struct sockaddr *)&name, name_size);
    while (sent < 0 && (errno == EINTR || errno == ECONNREFUSED));
    require(sent == (ssize_t)size, "sendto");
}

void udp_sender_send_numbers(struct udp_sender *sender, const struct address *to, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t number = (uint32_t)i;
        udp_sender_send(sender, to, &number, sizeof number);
    }
}

void udp_sender_close(struct udp_sender *sender)
{
    if (sender == NULL)
        return;
    close(sender->fd);
    free(sender);
}
