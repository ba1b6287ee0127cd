/*
 * Queues sequence numbers on their way into the sequence table.
 *
 * With many senders, a sender's data is seldom in the processor's cache. To enter a number at once,
 * the thread would have to wait for memory twice, which takes as long as decoding a datagram. A
 * number is therefore entered in steps, and later datagrams are decoded between them. Its outcome
 * is counted a few datagrams late, at the latest when the queue is committed. The order is kept.
 * With few senders, most numbers are consecutive and extend the last step.
 *
 * Used by one thread.
 */
#ifndef SLUICE_COLLECTOR_SENDERS_SEQUENCE_QUEUE_H
#define SLUICE_COLLECTOR_SENDERS_SEQUENCE_QUEUE_H

#include <stddef.h>
#include <stdint.h>

#include "collector/ledger/ledger.h"
#include "collector/senders/sequence.h"

/* The upper limit of notes in the queue; a power of two. */
#define SEQUENCE_QUEUE_SIZE 4

struct sequence_queue {
    struct sequence_table *table;
    struct ingest_counters **counters;
    struct {
        struct sequence_step step;
        struct ingest_counters *counters; /* the counters of the listener that received the
                                           * datagram */
    } notes[SEQUENCE_QUEUE_SIZE];
    size_t first; /* number of removed notes; modulo SEQUENCE_QUEUE_SIZE it is the index of the next
                     note */
    size_t count;
};

/*
 * `counters` has a block for each listener, by the listener's index in the keys. Only this thread
 * writes the blocks; evicted senders are also counted there. Table and counters must outlive the
 * queue.
 */
void sequence_queue_init(struct sequence_queue *queue, struct sequence_table *table,
                         struct ingest_counters **counters);

/*
 * Enters a number into the table by sequence_begin to sequence_end. Later adds the outcome to
 * `counters`.
 */
void sequence_queue_note(struct sequence_queue *queue, const struct sequence_key *key,
                         uint64_t boot_id, uint64_t number, struct ingest_counters *counters);

/* Completes and counts all notes in the queue. */
void sequence_queue_commit(struct sequence_queue *queue);

#endif
