/*
 * Limits the datagrams per second that each source may send to a listener.
 *
 * The source of a sealed datagram is its key. The source of any other datagram is the host, on any
 * port. All sockets and threads of the listener share its limit. Each source has a token bucket
 * that holds the datagrams of one second and is full at first. So at most the datagrams of one
 * second pass in a burst, and those of n + 1 seconds in n seconds.
 *
 * The table holds RATE_LIMIT_SOURCES sources and never grows. A new source may use one of two sets.
 * If both are full, it replaces the source whose bucket is full, or will be full first. A replaced
 * source that returns begins with a full bucket. This makes no difference if its bucket was full,
 * and a source at its limit is replaced last. Sets are chosen by a hash with a secret, so a sender
 * that forges addresses cannot choose which source is replaced.
 *
 * The caller passes the time, for example the arrival of the datagram, so that waiting in a buffer
 * makes no difference. Times need not be in order: a datagram that is less than a second older than
 * the last one of its source adds no tokens. If it is older, the clock was set back, and the bucket
 * becomes full. When the clock is set forward, the bucket also becomes full. A step of the clock
 * therefore allows a source the datagrams of one more second, but never reduces its limit. The same
 * is true for sockets that are served more than a second apart.
 *
 * Any thread, except for create and destroy: the table is divided into shards with a lock each.
 * Memory is allocated only at creation.
 */
#ifndef SLUICE_COLLECTOR_SENDERS_RATE_LIMIT_H
#define SLUICE_COLLECTOR_SENDERS_RATE_LIMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/address.h"
#include "collector/contract/listener.h"

#define RATE_LIMIT_SOURCES 16384

struct rate_limit;

/*
 * `rate` is in datagrams per second, from 1 to RATE_LIMIT_MOST. `secret` keys the hash; its bytes
 * must be random. Returns NULL if out of memory.
 */
struct rate_limit *rate_limit_create(uint64_t rate, const uint8_t secret[16]);
/* NULL is allowed. */
void rate_limit_destroy(struct rate_limit *limit);

/* Returns the bytes that a rate limit allocates. Pages that no source has used need no RAM. */
size_t rate_limit_memory(void);

/*
 * Counts a datagram from `source` at `now_ns` (nanoseconds of any clock). `sender` is the name of
 * the key that sealed it, or NULL. Returns true if the datagram may pass.
 */
bool rate_limit_take(struct rate_limit *limit, const struct address *source, const char *sender,
                     int64_t now_ns);

#endif
