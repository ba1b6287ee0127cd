#include "collector/batch_queue.h"

#include <stdlib.h>

#include "collector/ring.h"
#include "collector/sink.h"

/* What one listener put in and what was taken out of that; the difference waits in the ring. */
struct share {
    uint64_t pushed;         /* the producer's */
    _Atomic uint64_t popped; /* the consumer's */
};

struct batch_queue {
    struct ring *ring;
    struct share *shares; /* by listener index */
    bool shared;
};

struct batch_queue *batch_queue_create(size_t capacity, size_t listeners, bool shared)
{
    struct batch_queue *queue = calloc(1, sizeof *queue);
    if (queue == NULL)
        return NULL;
    queue->ring = ring_create(capacity);
    queue->shares = calloc(listeners + 1, sizeof *queue->shares);
    queue->shared = shared;
    if (queue->ring == NULL || queue->shares == NULL) {
        batch_queue_destroy(queue);
        return NULL;
    }
    return queue;
}

void batch_queue_destroy(struct batch_queue *queue)
{
    if (queue == NULL)
        return;
    ring_destroy(queue->ring);
    free(queue->shares);
    free(queue);
}

enum queue_result batch_queue_ask(const struct batch_queue *queue, const struct batch *batch)
{
    const struct share *share = &queue->shares[batch->listener->index];
    size_t free_slots = ring_capacity(queue->ring) - ring_level(queue->ring);
    if (free_slots == 0)
        return QUEUE_FULL;
    if (queue->shared) {
        uint64_t popped = atomic_load_explicit(&share->popped, memory_order_acquire);
        uint64_t held = share->pushed - popped;
        if (held > 0 && held >= free_slots / 2)
            return QUEUE_SHARE_SPENT;
    }
    return QUEUE_TAKEN;
}

enum queue_result batch_queue_push(struct batch_queue *queue, struct batch *batch)
{
    enum queue_result result = batch_queue_ask(queue, batch);
    if (result != QUEUE_TAKEN)
        return result;
    if (!ring_push(queue->ring, batch))
        return QUEUE_FULL;
    queue->shares[batch->listener->index].pushed++;
    return QUEUE_TAKEN;
}

void batch_queue_close(struct batch_queue *queue)
{
    ring_close(queue->ring);
}

struct batch *batch_queue_pop(struct batch_queue *queue)
{
    struct batch *batch = ring_pop(queue->ring);
    if (batch != NULL)
        atomic_fetch_add_explicit(&queue->shares[batch->listener->index].popped, 1,
                                  memory_order_release);
    return batch;
}

bool batch_queue_finished(struct batch_queue *queue)
{
    return ring_finished(queue->ring);
}

bool batch_queue_is_empty(const struct batch_queue *queue)
{
    return ring_level(queue->ring) == 0;
}

double batch_queue_fill(const struct batch_queue *queue)
{
    return (double)ring_level(queue->ring) / (double)ring_capacity(queue->ring);
}
