/* Implements tests/support/platform/udp_sender.h with Winsock. */
#include "tests/support/platform/udp_sender.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <winsock2.h>

#include "collector/platform/windows/socket_address.h"
#include "collector/platform/windows/socket_startup.h"
#include "collector/platform/windows/system_error.h"

struct udp_sender {
    SOCKET handle;
    struct address address;
};

static void require(bool condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "udp sender: %s: %s\n", what, system_error((unsigned)WSAGetLastError()).text);
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

struct udp_sender *udp_sender_open(enum address_family family)
{
    struct udp_sender *sender = calloc(1, sizeof *sender);
    require(sender != NULL, "memory");
    require(socket_startup() == 0, "Winsock");
    sender->address = loopback(family);
    sender->handle = socket(family == ADDRESS_IPV6 ? AF_INET6 : AF_INET, SOCK_DGRAM, IPPROTO_UDP);
    require(sender->handle != INVALID_SOCKET, "socket");

    SOCKADDR_STORAGE name;
    int size = socket_address_to_system(&sender->address, &name);
    require(bind(sender->handle, (struct sockaddr *)&name, size) == 0, "bind");
    require(getsockname(sender->handle, (struct sockaddr *)&name, &size) == 0, "getsockname");
    sender->address = socket_address_from_system(&name);
    return sender;
}

struct address udp_sender_address(const struct udp_sender *sender)
{
    return sender->address;
}

void udp_sender_send(struct udp_sender *sender, const struct address *to, const void *bytes,
                     size_t size)
{
    SOCKADDR_STORAGE name;
    int name_size = socket_address_to_system(to, &name);
    int sent;
    do
        sent = sendto(sender->handle, bytes, (int)size, 0, (struct sockaddr *)&name, name_size);
    while (sent < 0 &&
           (WSAGetLastError() == WSAECONNRESET || WSAGetLastError() == WSAECONNREFUSED));
    require(sent == (int)size, "sendto");
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
    closesocket(sender->handle);
    free(sender);
}
