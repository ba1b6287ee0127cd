/* Implements udp_socket_answer() with sendmsg(2), IP_PKTINFO (ip(7)) and IPV6_PKTINFO (ipv6(7)). */
#include <errno.h>
#include <string.h>

#include "collector/platform/linux/udp_socket_parts.h"
#include "collector/platform/posix/socket_address.h"

static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};

/* Writes the address as 16 bytes; an IPv4 address is mapped (RFC 4291, 2.5.5.2). */
static void to_ipv6(const struct address *address, struct in6_addr *out)
{
    if (address->family == ADDRESS_IPV6) {
        memcpy(out, address->bytes, sizeof *out);
        return;
    }
    memcpy(out->s6_addr, mapped, sizeof mapped);
    memcpy(out->s6_addr + sizeof mapped, address->bytes, 4);
}

/* Writes the receiver's address. An IPv6 socket accepts IPv4 addresses only in mapped form. */
static socklen_t to_system(const struct address *address, bool ipv6, struct sockaddr_storage *out)
{
    if (!ipv6 || address->family == ADDRESS_IPV6)
        return socket_address_to_system(address, out);
    struct sockaddr_in6 *name = (struct sockaddr_in6 *)out;
    memset(out, 0, sizeof *out);
    name->sin6_family = AF_INET6;
    name->sin6_port = htons(address->port);
    to_ipv6(address, &name->sin6_addr);
    return sizeof *name;
}

/* Sets the answer's source address. Otherwise the system would choose one by its routes. */
static void set_source(struct msghdr *message, const struct address *from, bool ipv6)
{
    struct cmsghdr *control = CMSG_FIRSTHDR(message);
    if (ipv6) {
        struct in6_pktinfo info = {.ipi6_ifindex = 0};
        to_ipv6(from, &info.ipi6_addr);
        if (from->family == ADDRESS_IPV6)
            info.ipi6_ifindex = from->scope;
        control->cmsg_level = IPPROTO_IPV6;
        control->cmsg_type = IPV6_PKTINFO;
        control->cmsg_len = CMSG_LEN(sizeof info);
        memcpy(CMSG_DATA(control), &info, sizeof info);
    } else {
        struct in_pktinfo info = {.ipi_ifindex = 0};
        memcpy(&info.ipi_spec_dst, from->bytes, 4);
        control->cmsg_level = IPPROTO_IP;
        control->cmsg_type = IP_PKTINFO;
        control->cmsg_len = CMSG_LEN(sizeof info);
        memcpy(CMSG_DATA(control), &info, sizeof info);
    }
    message->msg_controllen = control->cmsg_len;
}

bool udp_socket_answer(struct udp_socket *socket, const struct address *from,
                       const struct address *to, const void *bytes, size_t size)
{
    bool ipv6 = socket->address.family == ADDRESS_IPV6;
    struct sockaddr_storage name;
    _Alignas(struct cmsghdr) uint8_t control[CMSG_SPACE(sizeof(struct in6_pktinfo))] = {0};
    struct iovec vector = {(void *)(uintptr_t)bytes, size};
    struct msghdr message = {
        .msg_name = &name,
        .msg_namelen = to_system(to, ipv6, &name),
        .msg_iov = &vector,
        .msg_iovlen = 1,
        .msg_control = control,
        .msg_controllen = sizeof control,
    };
    if (from == NULL || address_is_wildcard(from)) {
        message.msg_control = NULL;
        message.msg_controllen = 0;
    } else {
        set_source(&message, from, ipv6);
    }
    ssize_t sent;
    do
        sent = sendmsg(socket->fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent >= 0 && (size_t)sent == size;
}
