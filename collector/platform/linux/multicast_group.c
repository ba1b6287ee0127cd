#include "collector/platform/linux/multicast_group.h"

#include <net/if.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#include "collector/platform/posix/socket_address.h"

#ifndef IPV6_MULTICAST_ALL
#define IPV6_MULTICAST_ALL 29 /* Linux 4.20; older headers lack it */
#endif

unsigned multicast_interface(const char *name)
{
    return if_nametoindex(name);
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
