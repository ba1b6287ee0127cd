/*
 * Sets of IP addresses, each made of networks, for instance the senders that are allowed.
 *
 * A set is created from networks in any order when the configuration is read, and is immutable. For
 * each address family it has sorted and disjoint ranges, so that a binary search finds an address
 * without allocation. The families are separate. Any thread. A set is one piece of memory, which
 * networks_free frees.
 */
#ifndef SLUICE_COLLECTOR_BASE_NETWORKS_H
#define SLUICE_COLLECTOR_BASE_NETWORKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/address.h"

struct network {
    struct address address; /* the bits after the prefix are 0 */
    uint8_t prefix;         /* number of bits, up to 32 or 128 */
};

/* An address as a number, of 32 bits for IPv4 and 128 for IPv6. */
struct host_number {
    uint64_t high, low;
};

/* Returns the next number; after the highest number, 0. */
static inline struct host_number host_number_after(struct host_number number)
{
    number.low++;
    number.high += number.low == 0;
    return number;
}

struct network_range {
    struct host_number first, last; /* the first and the last address; both are in the range */
};

struct networks {
    size_t ipv4_count, ipv6_count;
    struct network_range ranges[]; /* IPv4 first; no two ranges overlap or are adjacent */
};

/* Returns the set of addresses that are in any of these networks, or NULL if out of memory. */
struct networks *networks_create(const struct network *list, size_t count);

/*
 * Returns the set of addresses that are in `allow` (NULL: all addresses) and not in `deny` (NULL:
 * no addresses), or NULL if out of memory.
 */
struct networks *networks_except(const struct networks *allow, const struct networks *deny);

/* NULL is allowed. */
void networks_free(struct networks *networks);

/* Returns true if the set contains the address. Ignores the port and the zone. */
bool networks_hold(const struct networks *networks, const struct address *address);

/*
 * Returns true if `address` is in the network of `prefix` bits. The families are separate: no IPv6
 * network, not even "::/0", contains an IPv4 sender, even on a socket of both families.
 */
bool network_holds(const struct address *network, unsigned prefix, const struct address *address);

#endif
