/*
 * Sets of addresses that are made of networks: who may send.
 *
 * A set is made once, when the configuration is read, from networks in any order, and does not
 * change. Of each family it has ranges that are sorted, apart and as few as can be, so that an
 * address is looked up by halving, which allocates nothing. The families are apart as in
 * network_holds (collector/contract/schema_match.h), which gives the same answers, one network at a
 * time. Immutable; any thread. A set is one piece of memory, which networks_free gives back.
 */
#ifndef SLUICE_COLLECTOR_BASE_NETWORKS_H
#define SLUICE_COLLECTOR_BASE_NETWORKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/address.h"

struct network {
    struct address address; /* no bit is set after the prefix */
    uint8_t prefix;         /* bits, of 32 or 128 */
};

/* An address as a number: of 32 bits for IPv4, of 128 for IPv6. */
struct host_number {
    uint64_t high, low;
};

/* After the last of all numbers comes 0. */
static inline struct host_number host_number_after(struct host_number number)
{
    number.low++;
    number.high += number.low == 0;
    return number;
}

struct network_range {
    struct host_number first, last; /* both are in it */
};

struct networks {
    size_t ipv4_count, ipv6_count;
    struct network_range ranges[]; /* those of IPv4 first; no two touch */
};

/* The addresses that are in any of these. Returns NULL where memory is short. */
struct networks *networks_create(const struct network *list, size_t count);

/*
 * The addresses that are in `allow` (NULL: all there are) and not in `deny` (NULL: none). Returns
 * NULL where memory is short.
 */
struct networks *networks_except(const struct networks *allow, const struct networks *deny);

/* NULL is allowed. */
void networks_free(struct networks *networks);

/* Port and zone make no difference. */
bool networks_hold(const struct networks *networks, const struct address *address);

/*
 * Whether `address` is in the network of `prefix` bits. The families are apart: no IPv6 network,
 * not even "::/0", holds an IPv4 sender, also where it comes to a socket of both families.
 */
bool network_holds(const struct address *network, unsigned prefix, const struct address *address);

#endif
