/*
 * Counts the datagrams and bytes of the busiest senders of one receiving thread.
 *
 * A sender is a host on any port, and the listener that it sends to. The table holds
 * TRAFFIC_SENDERS of them and never grows. In a full set, a new sender replaces the one that was
 * least busy lately and inherits its rank (the Space-Saving algorithm of Metwally, Agrawal and El
 * Abbadi, 2005; all ranks are halved at regular numbers of datagrams, so that past traffic counts
 * less and less). A sender with more than an eighth of its set's traffic therefore stays in the
 * table. Sets are chosen by a hash with a secret, so a sender that forges addresses cannot choose
 * which one is replaced. Until a sender is replaced, its counts are exact.
 *
 * One thread notes; any thread may read at the same time. Memory is allocated only at creation.
 */
#ifndef SLUICE_COLLECTOR_SENDERS_TRAFFIC_H
#define SLUICE_COLLECTOR_SENDERS_TRAFFIC_H

#include <stddef.h>
#include <stdint.h>

#include "collector/base/address.h"

#define TRAFFIC_SENDERS 1024

struct traffic_table;

/* `secret` keys the hash; its bytes must be random. Returns NULL if out of memory. */
struct traffic_table *traffic_table_create(const uint8_t secret[16]);
/* NULL is allowed. */
void traffic_table_destroy(struct traffic_table *table);

/* Returns the bytes that a table allocates. */
size_t traffic_table_memory(void);

/* Notes a datagram of `bytes` bytes from `source` to the listener with this index (below 2^24). */
void traffic_note(struct traffic_table *table, uint32_t listener, const struct address *source,
                  uint32_t bytes);

/* A sender, with its counts since it entered the table. */
struct traffic_sender {
    uint32_t listener;
    struct address source; /* without its port */
    uint64_t rank;         /* higher if it was busier lately */
    uint64_t datagrams;
    uint64_t bytes;
};

/*
 * Copies all senders, unordered, to `senders`, which has room for TRAFFIC_SENDERS. Returns their
 * number.
 */
size_t traffic_read(const struct traffic_table *table, struct traffic_sender *senders);

/* Returns how many senders were replaced. */
uint64_t traffic_replaced(const struct traffic_table *table);

#endif
