/*
 * Senders' numbers on their way into the sequence table, a few at a time.
 *
 * Where there are many senders, what the table has of one is seldom in the cache: a note would
 * wait for memory twice, as long as decoding takes. It is therefore made in steps, between which
 * the datagrams after it are decoded, and its outcome is counted a few datagrams late; at the
 * latest when the queue is committed. Notes keep their order. Where there are few senders, most
 * numbers are one after the other: the last note takes them in.
 *
 * Of one thread.
 */
#ifndef SLUICE_COLLECTOR_SENDERS_SEQUENCE_QUEUE_H
#define SLUICE_COLLECTOR_SENDERS_SEQUENCE_QUEUE_H

#include <stddef.h>
#include <stdint.h>

#include "collector/ledger/ledger.h"
#include "collector/senders/sequence.h"

/* Notes that are on their way at most. A power of two. */
#define SEQUENCE_QUEUE_SIZE 4

struct sequence_queue {
    struct sequence_table *table;
    struct ingest_counters **counters;
    struct {
        struct sequence_step step;
        struct ingest_counters *counters; /* of the listener whose datagram it is */
    } notes[SEQUENCE_QUEUE_SIZE];
    size_t first; /* counts on; its place is that modulo the size */
    size_t count;
};

/*
 * What comes of a sender that is evicted is counted into `counters`: of each listener, by its index
 * in the keys, a block that only this thread writes. Both are needed as long as it is.
 */
void sequence_queue_init(struct sequence_queue *queue, struct sequence_table *table,
                         struct ingest_counters **counters);

/* As sequence_begin and what follows it; what comes of it is counted into `counters`, a while
 * later. */
void sequence_queue_note(struct sequence_queue *queue, const struct sequence_key *key,
                         uint64_t boot_id, uint64_t number, struct ingest_counters *counters);

/* Makes all that are on their way: from now on they are counted. */
void sequence_queue_commit(struct sequence_queue *queue);

#endif
