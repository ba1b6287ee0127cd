/* Implements struct datagram_sender with Winsock's sendto and a socket for each address family. */
#include "collector/platform/udp.h"

#include <stdlib.h>
#include <string.h>
#include <winsock2.h>

#include "collector/platform/windows/socket_address.h"
#include "collector/platform/windows/socket_startup.h"
#include "collector/platform/windows/system_error.h"

#define IPV4_LEAST_MTU 576
#define IPV6_LEAST_MTU 1280

const bool datagram_sender_can_send_packets = false;

struct target {
    struct address address;
    SOCKADDR_STORAGE name;
    int name_size;
    SOCKET socket;
};

struct datagram_sender {
    SOCKET ipv4, ipv6;
    size_t count;
    struct target targets[];
};

static int system_family(const struct address *address)
{
    return address->family == ADDRESS_IPV6 ? AF_INET6 : AF_INET;
}

static SOCKET sender_open_socket(const struct address *target)
{
    u_long on = 1;
    SOCKET opened = socket(system_family(target), SOCK_DGRAM, IPPROTO_UDP);
    if (opened == INVALID_SOCKET || ioctlsocket(opened, FIONBIO, &on) == 0)
        return opened;
    closesocket(opened);
    return INVALID_SOCKET;
}

static int fail_to_open(const struct address *target, int code, struct error *error)
{
    char text[ADDRESS_TEXT_SIZE];
    address_format(target, text);
    error_set(error, EXIT_CODE_CANNOT_CREATE, "cannot open a socket to send datagrams to %s: %s",
              text, system_error((DWORD)code).text);
    return -1;
}

int datagram_sender_open(struct datagram_sender **out,
                         const struct datagram_sender_options *options, struct error *error)
{
    int code = socket_startup();
    if (code != 0)
        return fail_to_open(&options->targets[0], code, error);
    if (options->packets) {
        error_set(error, EXIT_CODE_CONFIG,
                  "this system cannot send packets with other source addresses");
        return -1;
    }
    struct datagram_sender *sender =
        calloc(1, sizeof *sender + options->target_count * sizeof sender->targets[0]);
    if (sender == NULL)
        return error_no_memory(error);
    sender->ipv4 = INVALID_SOCKET;
    sender->ipv6 = INVALID_SOCKET;
    sender->count = options->target_count;
    for (size_t i = 0; i < sender->count; i++) {
        struct target *target = &sender->targets[i];
        target->address = options->targets[i];
        SOCKET *of_family = target->address.family == ADDRESS_IPV6 ? &sender->ipv6 : &sender->ipv4;
        if (*of_family == INVALID_SOCKET)
            *of_family = sender_open_socket(&target->address);
        if (*of_family == INVALID_SOCKET) {
            fail_to_open(&target->address, WSAGetLastError(), error);
            datagram_sender_close(sender);
            return -1;
        }
        target->name_size = socket_address_to_system(&target->address, &target->name);
        target->socket = *of_family;
    }
    *out = sender;
    return 0;
}

void datagram_sender_close(struct datagram_sender *sender)
{
    if (sender == NULL)
        return;
    if (sender->ipv4 != INVALID_SOCKET)
        closesocket(sender->ipv4);
    if (sender->ipv6 != INVALID_SOCKET)
        closesocket(sender->ipv6);
    free(sender);
}

static enum send_result sender_map_error(const struct target *target, int code, struct error *error)
{
    char text[ADDRESS_TEXT_SIZE];
    if (code == WSAEWOULDBLOCK || code == WSAENOBUFS)
        return SEND_WOULD_BLOCK;
    if (code == WSAEMSGSIZE)
        return SEND_TOO_LARGE;
    address_format(&target->address, text);
    error_set(error, EXIT_CODE_IO, "cannot send to %s: %s", text, system_error((DWORD)code).text);
    return SEND_FAILED;
}

enum send_result datagram_sender_send(struct datagram_sender *sender,
                                      const struct outgoing *datagrams, size_t count, size_t *sent,
                                      struct error *error)
{
    for (*sent = 0; *sent < count; ++*sent) {
        const struct outgoing *datagram = &datagrams[*sent];
        const struct target *target = &sender->targets[datagram->target];
        int result = sendto(target->socket, datagram->data, (int)datagram->size, 0,
                            (const struct sockaddr *)&target->name, target->name_size);
        if (result == SOCKET_ERROR)
            return *sent != 0 ? SEND_OK : sender_map_error(target, WSAGetLastError(), error);
    }
    return SEND_OK;
}

size_t datagram_sender_mtu(const struct datagram_sender *sender, size_t target)
{
    return sender->targets[target].address.family == ADDRESS_IPV6 ? IPV6_LEAST_MTU : IPV4_LEAST_MTU;
}

/* The system chooses the target's own address as the source of a datagram to this machine. */
bool datagram_sender_is_local(const struct address *address)
{
    struct address any_port = *address;
    SOCKADDR_STORAGE name, own;
    int own_size = sizeof own;
    any_port.port = 9;
    int size = socket_address_to_system(&any_port, &name);
    if (address->family == ADDRESS_IPV4 && address->bytes[0] == 127) /* all of 127.0.0.0/8 */
        return true;
    if (socket_startup() != 0)
        return false;
    SOCKET probe = socket(system_family(address), SOCK_DGRAM, IPPROTO_UDP);
    if (probe == INVALID_SOCKET)
        return false;
    bool known = connect(probe, (const struct sockaddr *)&name, size) == 0 &&
                 getsockname(probe, (struct sockaddr *)&own, &own_size) == 0;
    closesocket(probe);
    struct address source = known ? socket_address_from_system(&own) : (struct address){0};
    return known && source.family == address->family &&
           memcmp(source.bytes, address->bytes, sizeof source.bytes) == 0;
}
