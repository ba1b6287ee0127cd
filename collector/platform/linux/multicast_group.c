#include "collector/platform/linux/multicast_group.h"

#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "collector/platform/posix/socket_address.h"

#ifndef IPV6_MULTICAST_ALL
#define IPV6_MULTICAST_ALL 29 /* Linux 4.20; older headers lack it */
#endif

unsigned multicast_interface(const char *name)
{
    return if_nametoindex(name);
}

/* The address that datagrams to the group would be sent from; of no family: there is no route. */
static struct address source_towards(const struct address *group)
{
    struct sockaddr_storage name;
    struct sockaddr_in6 own = {0};
    socklen_t name_size = socket_address_to_system(group, &name);
    socklen_t own_size = sizeof own;
    int family = group->family == ADDRESS_IPV6 ? AF_INET6 : AF_INET;
    int probe = socket(family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    bool found = probe >= 0 && connect(probe, (struct sockaddr *)&name, name_size) == 0 &&
                 getsockname(probe, (struct sockaddr *)&own, &own_size) == 0;
    if (probe >= 0)
        close(probe);
    return found ? socket_address_from_system(&own) : (struct address){.family = ADDRESS_NONE};
}

static bool has_address(const struct ifaddrs *entry, const struct address *wanted)
{
    struct sockaddr_in6 name = {0};
    int family = entry->ifa_addr == NULL ? AF_UNSPEC : entry->ifa_addr->sa_family;
    if (family != AF_INET && family != AF_INET6)
        return false;
    memcpy(&name, entry->ifa_addr,
           family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6));
    struct address address = socket_address_from_system(&name);
    return address_same_host(&address, wanted);
}

unsigned multicast_interface_of_routes(const struct address *group)
{
    struct address source = source_towards(group);
    struct ifaddrs *all;
    unsigned index = 0;
    if (source.family == ADDRESS_NONE || getifaddrs(&all) != 0)
        return 0;
    for (const struct ifaddrs *entry = all; entry != NULL && index == 0; entry = entry->ifa_next)
        if (has_address(entry, &source))
            index = if_nametoindex(entry->ifa_name);
    freeifaddrs(all);
    return index;
}

bool multicast_is_of_link(const struct address *group)
{
    return group->family == ADDRESS_IPV6 && ((group->bytes[1] & 0xf) == 1 ||
                                             (group->bytes[1] & 0xf) == 2);
}

bool multicast_join_only_own(int fd, bool ipv6)
{
    const int off = 0;
    return setsockopt(fd, ipv6 ? IPPROTO_IPV6 : IPPROTO_IP,
                      ipv6 ? IPV6_MULTICAST_ALL : IP_MULTICAST_ALL, &off, sizeof off) == 0;
}

static int change(int fd, const struct address *group, const struct address *source,
                  unsigned interface, bool joins)
{
    int level = group->family == ADDRESS_IPV6 ? IPPROTO_IPV6 : IPPROTO_IP;
    struct group_source_req of_source = {.gsr_interface = interface};
    struct group_req of_all = {.gr_interface = interface};
    if (source->family != ADDRESS_NONE) {
        socket_address_to_system(group, &of_source.gsr_group);
        socket_address_to_system(source, &of_source.gsr_source);
        return setsockopt(fd, level, joins ? MCAST_JOIN_SOURCE_GROUP : MCAST_LEAVE_SOURCE_GROUP,
                          &of_source, sizeof of_source);
    }
    socket_address_to_system(group, &of_all.gr_group);
    return setsockopt(fd, level, joins ? MCAST_JOIN_GROUP : MCAST_LEAVE_GROUP, &of_all,
                      sizeof of_all);
}

int multicast_join(int fd, const struct address *group, const struct address *source,
                   unsigned interface)
{
    return change(fd, group, source, interface, true);
}

void multicast_leave(int fd, const struct address *group, const struct address *source,
                     unsigned interface)
{
    change(fd, group, source, interface, false);
}
