#include "collector/platform/linux/multicast_group.h"

#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stddef.h>
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

/* A request for the route to an address (rtnetlink(7)). */
struct question {
    struct nlmsghdr header;
    struct rtmsg route;
    struct rtattr to;
    uint8_t host[16];
};

static unsigned interface_in(struct nlmsghdr *answer, size_t size)
{
    unsigned index = 0;
    if (!NLMSG_OK(answer, size) || answer->nlmsg_type != RTM_NEWROUTE)
        return 0;
    struct rtmsg *route = NLMSG_DATA(answer);
    size_t left = RTM_PAYLOAD(answer);
    for (struct rtattr *part = RTM_RTA(route); RTA_OK(part, left); part = RTA_NEXT(part, left))
        if (part->rta_type == RTA_OIF && RTA_PAYLOAD(part) == sizeof index)
            memcpy(&index, RTA_DATA(part), sizeof index);
    return index;
}

/* recv() does not wait: the kernel has queued the answer before send() returns. */
unsigned multicast_interface_of_routes(const struct address *group)
{
    bool ipv6 = group->family == ADDRESS_IPV6;
    size_t size = ipv6 ? 16 : 4;
    struct question question = {
        .header = {.nlmsg_type = RTM_GETROUTE, .nlmsg_flags = NLM_F_REQUEST},
        .route = {.rtm_family = ipv6 ? AF_INET6 : AF_INET, .rtm_dst_len = (uint8_t)(8 * size)},
        .to = {.rta_type = RTA_DST, .rta_len = (uint16_t)RTA_LENGTH(size)},
    };
    question.header.nlmsg_len = (uint32_t)(offsetof(struct question, host) + size);
    memcpy(question.host, group->bytes, size);
    _Alignas(struct nlmsghdr) uint8_t answer[4096];
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    ssize_t got = -1;
    if (fd >= 0 && send(fd, &question, question.header.nlmsg_len, 0) >= 0)
        got = recv(fd, answer, sizeof answer, MSG_DONTWAIT);
    if (fd >= 0)
        close(fd);
    return got < 0 ? 0 : interface_in((void *)answer, (size_t)got);
}

bool multicast_is_of_link(const struct address *group)
{
    return group->family == ADDRESS_IPV6 &&
           ((group->bytes[1] & 0xf) == 1 || (group->bytes[1] & 0xf) == 2);
}

bool multicast_join_only_own(int fd, bool ipv6)
{
    const int off = 0;
    return setsockopt(fd, ipv6 ? IPPROTO_IPV6 : IPPROTO_IP,
                      ipv6 ? IPV6_MULTICAST_ALL : IP_MULTICAST_ALL, &off, sizeof off) == 0;
}

int multicast_join(int fd, const struct address *group, const struct address *source,
                   unsigned interface)
{
    int level = group->family == ADDRESS_IPV6 ? IPPROTO_IPV6 : IPPROTO_IP;
    struct group_source_req of_source = {.gsr_interface = interface};
    struct group_req of_all = {.gr_interface = interface};
    if (source->family != ADDRESS_NONE) {
        socket_address_to_system(group, &of_source.gsr_group);
        socket_address_to_system(source, &of_source.gsr_source);
        return setsockopt(fd, level, MCAST_JOIN_SOURCE_GROUP, &of_source, sizeof of_source);
    }
    socket_address_to_system(group, &of_all.gr_group);
    return setsockopt(fd, level, MCAST_JOIN_GROUP, &of_all, sizeof of_all);
}

/*
 * Leaves the whole group, even if it was joined for one source: if the interface no longer exists,
 * Linux cannot leave a source of a group, but it can leave the group.
 */
void multicast_leave(int fd, const struct address *group, unsigned interface)
{
    int level = group->family == ADDRESS_IPV6 ? IPPROTO_IPV6 : IPPROTO_IP;
    struct group_req left = {.gr_interface = interface};
    socket_address_to_system(group, &left.gr_group);
    setsockopt(fd, level, MCAST_LEAVE_GROUP, &left, sizeof left);
}
