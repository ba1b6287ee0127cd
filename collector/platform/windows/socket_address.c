#include "collector/platform/windows/socket_address.h"

#include <string.h>
#include <ws2tcpip.h>

int socket_address_to_system(const struct address *address, SOCKADDR_STORAGE *out)
{
    memset(out, 0, sizeof *out);
    if (address->family == ADDRESS_IPV6) {
        SOCKADDR_IN6 in6 = {.sin6_family = AF_INET6,
                            .sin6_port = htons(address->port),
                            .sin6_scope_id = address->scope};
        memcpy(&in6.sin6_addr, address->bytes, 16);
        memcpy(out, &in6, sizeof in6);
        return sizeof in6;
    }
    SOCKADDR_IN in = {.sin_family = AF_INET, .sin_port = htons(address->port)};
    memcpy(&in.sin_addr, address->bytes, 4);
    memcpy(out, &in, sizeof in);
    return sizeof in;
}

struct address socket_address_from_system(const SOCKADDR_STORAGE *name)
{
    if (name->ss_family == AF_INET6) {
        const SOCKADDR_IN6 *in6 = (const void *)name;
        return address_from_ipv6((const uint8_t *)&in6->sin6_addr, in6->sin6_scope_id,
                                 ntohs(in6->sin6_port));
    }
    const SOCKADDR_IN *in = (const void *)name;
    return address_from_ipv4((const uint8_t *)&in->sin_addr, ntohs(in->sin_port));
}
