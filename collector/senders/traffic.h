/*
 * Who sends how much: the busiest senders of one receiving thread.
 *
 * A sender is a host (the port may change) and the listener that it sends to. The table holds
 * TRAFFIC_SENDERS of them and never grows: a newcomer to a full set takes the place of the sender
 * there that has been least busy lately, and inherits its rank (the "Space-Saving" way of Metwally,
 * Agrawal and El Abbadi, 2005; all ranks are halved every so many datagrams, so that what was busy
 * long ago counts less and less). So a sender of more than an eighth of its set's traffic stays,
 * however many others come and go, and who forges addresses cannot choose whose place they take:
 * sets are chosen by a hash with a secret. As long as nobody was replaced, all counts are exact.
 *
 * One thread notes; any thread may read meanwhile. Nothing is allocated after the creation.
 */
#ifndef SLUICE_COLLECTOR_SENDERS_TRAFFIC_H
#define SLUICE_COLLECTOR_SENDERS_TRAFFIC_H

#include <stddef.h>
#include <stdint.h>

#include "collector/base/address.h"

#define TRAFFIC_SENDERS 1024

struct traffic_table;

/* `secret` is the hash's: 16 random bytes. Returns NULL where memory is short. */
struct traffic_table *traffic_table_create(const uint8_t secret[16]);
/* NULL is allowed. */
void traffic_table_destroy(struct traffic_table *table);

/* Bytes that a table takes. */
size_t traffic_table_memory(void);

/* Notes a datagram of so many bytes from `source` to a listener, by its index (below 2^24). */
void traffic_note(struct traffic_table *table, uint32_t listener, const struct address *source,
                  uint32_t bytes);

/* What is known of one sender. */
struct traffic_sender {
    uint32_t listener;
    struct address source; /* without its port */
    uint64_t rank;         /* the more, the busier lately */
    uint64_t datagrams;    /* since it came into the table, and their bytes */
    uint64_t bytes;
};

/* Copies all senders, in no order, to `senders` (TRAFFIC_SENDERS of room); returns how many. */
size_t traffic_read(const struct traffic_table *table, struct traffic_sender *senders);

/* How many senders have lost their place to another. */
uint64_t traffic_replaced(const struct traffic_table *table);

#endif
