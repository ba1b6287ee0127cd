/* Joins and leaves multicast groups (ip(7), ipv6(7)). Only for udp_socket.c. */
#ifndef SLUICE_COLLECTOR_PLATFORM_LINUX_MULTICAST_GROUP_H
#define SLUICE_COLLECTOR_PLATFORM_LINUX_MULTICAST_GROUP_H

#include <stdbool.h>

#include "collector/base/address.h"
#include "collector/base/error.h"

/* Returns the number of an interface, or 0 if no interface has that name. */
unsigned multicast_interface(const char *name);

/*
 * Returns the number of the interface that the routing table has for a group, or 0 if it has none
 * or cannot be read.
 */
unsigned multicast_interface_of_routes(const struct address *group);

/*
 * Returns true if the address means a different group on each link, so that a socket must be bound
 * to one link (RFC 4007).
 */
bool multicast_is_of_link(const struct address *group);

/*
 * Limits the socket to datagrams of groups that it joins itself; called before the bind. Returns
 * false if the kernel refuses.
 */
bool multicast_join_only_own(int fd, bool ipv6);

/*
 * Joins the group on the interface of that number (0: the routing table chooses). If `source` has a
 * family, only its datagrams are received. Returns 0, or -1 with errno.
 */
int multicast_join(int fd, const struct address *group, const struct address *source,
                   unsigned interface);

/*
 * Leaves the group, also if it was joined for one source only, or if the interface no longer
 * exists.
 */
void multicast_leave(int fd, const struct address *group, unsigned interface);

#endif
