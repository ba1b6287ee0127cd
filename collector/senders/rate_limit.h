/*
 * How much each source may send to a listener: so many datagrams a second.
 *
 * A source is a host; its port may change, and it is the same one at all sockets and threads of the
 * listener. Each has a token bucket that holds one second's worth and is full to begin with: so of
 * any number of seconds no more passes than their worth and that of one more, and what comes in one
 * burst passes up to exactly one second's worth.
 *
 * The table holds RATE_LIMIT_SOURCES sources and never grows: a newcomer to two full sets takes the
 * place of the source there whose bucket is, or will be, full first. That source begins with a full
 * bucket when it comes again, which makes no difference where it was full already: a source at its
 * limit is the last to go, however many others come and go. Who forges addresses cannot choose
 * whose place they take: sets are chosen by a hash with a secret.
 *
 * Time is what the caller says, for instance when each datagram arrived, so that one which had to
 * wait in a buffer is judged by when it came. It need not be in order: what is less than a second
 * older than the last of its source finds the bucket as the last one left it. What is older than
 * that means that the clock was set back, and the bucket is full anew; as it is where the clock was
 * set forward. So a step of the clock, or sockets that are served more than a second apart, allow a
 * source one second's worth more, and never less than its due.
 *
 * Any thread, but for create and destroy: the table is divided into shards with a lock each.
 * Nothing is allocated after the creation.
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
 * `rate` is datagrams a second, 1 to RATE_LIMIT_MOST; `secret` keys the hash: 16 random bytes.
 * Returns NULL where memory is short.
 */
struct rate_limit *rate_limit_create(uint64_t rate, const uint8_t secret[16]);
/* NULL is allowed. */
void rate_limit_destroy(struct rate_limit *limit);

/* Bytes that one allocates. Pages that no source has come to stay untouched. */
size_t rate_limit_memory(void);

/* Whether a datagram that `source` sent at `now_ns` (nanoseconds of any clock) may pass. */
bool rate_limit_take(struct rate_limit *limit, const struct address *source, int64_t now_ns);

#endif
