/* Implements struct datagram_sender with sendmmsg(2) and a socket for each address family. */
#include "collector/platform/udp.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "collector/base/rule.h"
#include "collector/platform/posix/lending.h"
#include "collector/platform/posix/retry.h"
#include "collector/platform/posix/socket_address.h"

/*
 * The smallest MTU that a path can have, used if the system does not report the path's (RFC 791,
 * RFC 8200).
 */
#define IPV4_LEAST_MTU 576
#define IPV6_LEAST_MTU 1280

const bool datagram_sender_can_send_packets = true;

struct target {
    struct address address;
    struct sockaddr_storage name;
    socklen_t name_size;
    int fd;
};

struct datagram_sender {
    int ipv4, ipv6; /* -1: no target of that family */
    size_t count;
    struct target targets[];
};

static int *socket_for(struct datagram_sender *sender, const struct address *address)
{
    return address->family == ADDRESS_IPV6 ? &sender->ipv6 : &sender->ipv4;
}

static int system_family(const struct address *address)
{
    return address->family == ADDRESS_IPV6 ? AF_INET6 : AF_INET;
}

/*
 * With `packets`, the caller's packets contain their headers: IPPROTO_RAW of raw(7), IP_HDRINCL of
 * ip(7) and ipv6(7).
 */
static int sender_open_socket(const struct address *target, bool packets)
{
    int type = (packets ? SOCK_RAW : SOCK_DGRAM) | SOCK_CLOEXEC | SOCK_NONBLOCK;
    return lending_socket(system_family(target), type, packets ? IPPROTO_RAW : 0);
}

static int fail_to_open(const struct address *target, bool packets, struct error *error)
{
    char text[ADDRESS_TEXT_SIZE];
    bool right = packets && (errno == EPERM || errno == EACCES);
    address_format(target, text);
    error_set(error, right ? EXIT_CODE_CONFIG : EXIT_CODE_CANNOT_CREATE,
              "cannot open a socket to send %s to %s: %s%s", packets ? "packets" : "datagrams",
              text, strerror(errno), right ? "; it requires CAP_NET_RAW" : "");
    return -1;
}

int datagram_sender_open(struct datagram_sender **out,
                         const struct datagram_sender_options *options, struct error *error)
{
    RULE(options->target_count != 0, "a sender has a target");
    struct datagram_sender *sender =
        calloc(1, sizeof *sender + options->target_count * sizeof sender->targets[0]);
    if (sender == NULL)
        return error_no_memory(error);
    sender->ipv4 = -1;
    sender->ipv6 = -1;
    sender->count = options->target_count;
    for (size_t i = 0; i < sender->count; i++) {
        struct target *target = &sender->targets[i];
        target->address = options->targets[i];
        int *fd = socket_for(sender, &target->address);
        if (*fd < 0)
            *fd = sender_open_socket(&target->address, options->packets);
        if (*fd < 0) {
            fail_to_open(&target->address, options->packets, error);
            datagram_sender_close(sender);
            return -1;
        }
        struct address to = target->address;
        if (options->packets)
            to.port = 0; /* the packet contains the port; raw(7) requires 0 here */
        target->name_size = socket_address_to_system(&to, &target->name);
        target->fd = *fd;
    }
    *out = sender;
    return 0;
}

void datagram_sender_close(struct datagram_sender *sender)
{
    if (sender == NULL)
        return;
    if (sender->ipv4 >= 0)
        close(sender->ipv4);
    if (sender->ipv6 >= 0)
        close(sender->ipv6);
    free(sender);
}

static enum send_result sender_map_error(const struct target *target, struct error *error)
{
    char text[ADDRESS_TEXT_SIZE];
    if (errno == EAGAIN || errno == ENOBUFS || errno == ENOMEM)
        return SEND_WOULD_BLOCK;
    if (errno == EMSGSIZE)
        return SEND_TOO_LARGE;
    address_format(&target->address, text);
    error_set(error, EXIT_CODE_IO, "cannot send to %s: %s", text, strerror(errno));
    return SEND_FAILED;
}

/*
 * Sends the first datagrams whose targets have the same family, because a system call uses one
 * socket.
 */
enum send_result datagram_sender_send(struct datagram_sender *sender,
                                      const struct outgoing *datagrams, size_t count, size_t *sent,
                                      struct error *error)
{
    struct mmsghdr messages[DATAGRAM_SENDER_MOST];
    struct iovec parts[DATAGRAM_SENDER_MOST];
    RULE(count != 0 && count <= DATAGRAM_SENDER_MOST, "a call sends 1 to 64 datagrams");
    const struct target *first = &sender->targets[datagrams[0].target];
    unsigned used = 0;
    for (; used < count && used < DATAGRAM_SENDER_MOST; used++) {
        RULE(datagrams[used].target < sender->count, "a datagram is for one of the targets");
        struct target *target = &sender->targets[datagrams[used].target];
        if (target->fd != first->fd)
            break;
        parts[used] = (struct iovec){(void *)(uintptr_t)datagrams[used].data, datagrams[used].size};
        messages[used].msg_hdr = (struct msghdr){.msg_name = &target->name,
                                                 .msg_namelen = target->name_size,
                                                 .msg_iov = &parts[used],
                                                 .msg_iovlen = 1};
    }
    unsigned times = 0;
    int result;
    do {
        result = sendmmsg(first->fd, messages, used, MSG_DONTWAIT | MSG_NOSIGNAL);
    } while (result < 0 && retry_interrupted(&times));
    if (result > 0) {
        *sent = (size_t)result;
        return SEND_OK;
    }
    *sent = 0;
    return sender_map_error(first, error);
}

size_t datagram_sender_mtu(const struct datagram_sender *sender, size_t target)
{
    const struct target *to = &sender->targets[target];
    bool ipv6 = to->address.family == ADDRESS_IPV6;
    struct sockaddr_storage name;
    socklen_t name_size = socket_address_to_system(&to->address, &name);
    int mtu = 0;
    socklen_t size = sizeof mtu;
    int fd = lending_socket(system_family(&to->address), SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return ipv6 ? IPV6_LEAST_MTU : IPV4_LEAST_MTU;
    if (connect(fd, (struct sockaddr *)&name, name_size) != 0 ||
        getsockopt(fd, ipv6 ? IPPROTO_IPV6 : IPPROTO_IP, ipv6 ? IPV6_MTU : IP_MTU, &mtu, &size) !=
            0 ||
        mtu < (ipv6 ? IPV6_LEAST_MTU : IPV4_LEAST_MTU))
        mtu = ipv6 ? IPV6_LEAST_MTU : IPV4_LEAST_MTU;
    close(fd);
    return (size_t)mtu;
}

/* Tries to bind the address: only an address of this machine can be bound (ip(7)). */
bool datagram_sender_is_local(const struct address *address)
{
    struct address any_port = *address;
    struct sockaddr_storage name;
    any_port.port = 0;
    socklen_t size = socket_address_to_system(&any_port, &name);
    int fd = lending_socket(system_family(address), SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return false;
    bool local = bind(fd, (struct sockaddr *)&name, size) == 0;
    close(fd);
    return local;
}
