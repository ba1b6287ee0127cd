/* Multicast groups of a socket (ip(7), ipv6(7)). Of udp_socket.c only. */
#ifndef SLUICE_COLLECTOR_PLATFORM_LINUX_MULTICAST_GROUP_H
#define SLUICE_COLLECTOR_PLATFORM_LINUX_MULTICAST_GROUP_H

#include <stdbool.h>

#include "collector/base/address.h"
#include "collector/base/error.h"

/* The number of an interface; 0: there is none of that name. */
unsigned multicast_interface(const char *name);

/* The interface that the system's routes name for a group; 0: none, or they cannot be read. */
unsigned multicast_interface_of_routes(const struct address *group);

/* Whether it means another group on each link: a socket is bound to one of them (RFC 4007). */
bool multicast_is_of_link(const struct address *group);

/*
 * Before it is bound: it gets datagrams of the groups alone that it joins itself. Returns whether
 * that could be set.
 */
bool multicast_join_only_own(int fd, bool ipv6);

/*
 * Joins the group on the interface of that number (0: the one that the system's routes name), for
 * the datagrams of `source` alone where that has a family. Returns 0, or -1 with errno.
 */
int multicast_join(int fd, const struct address *group, const struct address *source,
                   unsigned interface);

/* Leaves it, with the source it was joined for; the interface may have gone. */
void multicast_leave(int fd, const struct address *group, unsigned interface);

#endif
