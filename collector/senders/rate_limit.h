/*
 * Limits the datagrams per second that each source may send to a listener.
 *
 * A source is the key that sealed the datagram or, without one, a host, whatever its port; all
 * sockets and threads of the listener share its limit. Each source has a token bucket that holds
 * one second's worth of datagrams and is full at first. So at most n + 1 seconds' worth passes in n
 * seconds, and a burst passes up to exactly one second's worth.
 *
 * The table holds RATE_LIMIT_SOURCES sources and never grows. If both sets of a new source are
 * full, it replaces the source there whose bucket is, or will be, full first. A replaced source
 * that returns begins with a full bucket, which changes nothing if its bucket was full. A source at
 * its limit is replaced last, however many others come and go. Sets are chosen by a hash with a
 * secret, so forging addresses does not let a sender choose which source is replaced.
 *
 * The caller passes the time, for instance each datagram's arrival, so that waiting in a buffer
 * makes no difference. Times need not be in order: a datagram less than a second older than the
 * last one of its source finds the bucket as that one left it. An older datagram means that the
 * clock was set back; the bucket is then full again, as it is after the clock was set forward. So a
 * step of the clock, or sockets that are served more than a second apart, allow a source one
 * second's worth more, and never less than its limit.
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
 * `rate` is in datagrams per second, 1 to RATE_LIMIT_MOST; `secret` keys the hash: 16 random bytes.
 * Returns NULL if out of memory.
 */
struct rate_limit *rate_limit_create(uint64_t rate, const uint8_t secret[16]);
/* NULL is allowed. */
void rate_limit_destroy(struct rate_limit *limit);

/* Returns the bytes that a rate limit allocates. Pages without sources stay untouched. */
size_t rate_limit_memory(void);

/*
 * Counts a datagram from `source` at `now_ns` (nanoseconds of any clock). `sender`: the name of the
 * key that sealed it; NULL: it was not sealed. Returns whether it may pass.
 */
bool rate_limit_take(struct rate_limit *limit, const struct address *source, const char *sender,
                     int64_t now_ns);

#endif
