/*
 * Converts addresses (collector/base/address.h) to and from POSIX socket addresses. Only for
 * platform/.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_POSIX_SOCKET_ADDRESS_H
#define SLUICE_COLLECTOR_PLATFORM_POSIX_SOCKET_ADDRESS_H

#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#include "collector/base/address.h"

/* Fills `out` and returns its length for a system call. */
socklen_t socket_address_to_system(const struct address *address, struct sockaddr_storage *out);

/* Converts an IPv4 or IPv6 address that the system filled; called for each datagram. */
static inline struct address socket_address_from_system(const struct sockaddr_in6 *name)
{
    if (name->sin6_family == AF_INET6)
        return address_from_ipv6(name->sin6_addr.s6_addr, name->sin6_scope_id,
                                 ntohs(name->sin6_port));
    const struct sockaddr_in *in = (const void *)name;
    uint8_t bytes[4];
    memcpy(bytes, &in->sin_addr, sizeof bytes);
    return address_from_ipv4(bytes, ntohs(in->sin_port));
}

#endif
