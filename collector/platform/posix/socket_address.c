#include "collector/platform/posix/socket_address.h"

#include <net/if.h>

#include "collector/platform/udp.h"

socklen_t socket_address_to_system(const struct address *address, struct sockaddr_storage *out)
{
    memset(out, 0, sizeof *out);
    if (address->family == ADDRESS_IPV6) {
        struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)out;
        in6->sin6_family = AF_INET6;
        in6->sin6_port = htons(address->port);
        in6->sin6_scope_id = address->scope;
        memcpy(&in6->sin6_addr, address->bytes, 16);
        return sizeof *in6;
    }
    struct sockaddr_in *in = (struct sockaddr_in *)out;
    in->sin_family = AF_INET;
    in->sin_port = htons(address->port);
    memcpy(&in->sin_addr, address->bytes, 4);
    return sizeof *in;
}

uint32_t udp_interface_index(const char *name)
{
    return if_nametoindex(name);
}
