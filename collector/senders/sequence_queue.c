#include "collector/senders/sequence_queue.h"

#include "collector/base/rule.h"
#include "collector/text/compiler.h"

void sequence_queue_init(struct sequence_queue *queue, struct sequence_table *table,
                         struct ingest_counters **counters)
{
    *queue = (struct sequence_queue){.table = table, .counters = counters};
}

static void count_outcome(const struct sequence_queue *queue, struct ingest_counters *counters,
                          const struct sequence_outcome *outcome)
{
    if (sequence_is_next(outcome)) /* the most frequent case */
        return;
    counter_add(&counters->lost, outcome->lost);
    counter_add(&counters->duplicated, outcome->duplicated);
    counter_add(&counters->reordered, outcome->reordered);
    counter_add(&counters->late, outcome->late);
    counter_add(&counters->restarted, outcome->restarted);
    counter_add(&counters->senders, outcome->new_senders);
    if (outcome->evicted != 0) {
        struct ingest_counters *other = queue->counters[outcome->evicted_listener];
        counter_add(&other->senders_evicted, 1);
        counter_add(&other->lost, outcome->evicted_lost);
    }
}

static void end_first(struct sequence_queue *queue)
{
    RULE(queue->count != 0 && queue->count <= SEQUENCE_QUEUE_SIZE, "only a queued note ends");
    size_t index = queue->first++ % SEQUENCE_QUEUE_SIZE;
    queue->count--;
    struct sequence_outcome outcome = sequence_end(queue->table, &queue->notes[index].step);
    count_outcome(queue, queue->notes[index].counters, &outcome);
}

static NEVER_INLINE void add_note(struct sequence_queue *queue, const struct sequence_key *key,
                                  uint64_t boot_id, uint64_t number,
                                  struct ingest_counters *counters)
{
    if (queue->count == SEQUENCE_QUEUE_SIZE)
        end_first(queue);
    size_t index = (queue->first + queue->count) % SEQUENCE_QUEUE_SIZE;
    sequence_begin(queue->table, &queue->notes[index].step, key, boot_id, number);
    queue->notes[index].counters = counters;
    queue->count++;
    if (queue->count > SEQUENCE_QUEUE_SIZE / 2)
        sequence_go_on(queue->table,
                       &queue->notes[(index - SEQUENCE_QUEUE_SIZE / 2) % SEQUENCE_QUEUE_SIZE].step);
}

/*
 * Adds a note to the queue, or extends the last one. An extended note keeps its counters, because
 * keys with equal fingerprints have the same listener.
 */
void sequence_queue_note(struct sequence_queue *queue, const struct sequence_key *key,
                         uint64_t boot_id, uint64_t number, struct ingest_counters *counters)
{
    size_t last = (queue->first + queue->count - 1) % SEQUENCE_QUEUE_SIZE;
    if (queue->count != 0 &&
        sequence_extend(queue->table, &queue->notes[last].step, key, boot_id, number))
        return;
    add_note(queue, key, boot_id, number, counters);
}

void sequence_queue_commit(struct sequence_queue *queue)
{
    while (queue->count != 0)
        end_first(queue);
}
