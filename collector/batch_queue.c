#include "collector/batch_queue.h"

#include <stdlib.h>

#include "collector/ring.h"
#include "collector/sink.h"

/* What was put in and what was taken out; the difference waits in the ring. */
struct flow {
    uint64_t pushed;         /* the producer's */
    _Atomic uint64_t popped; /* the consumer's */
};

/* Of one listener. */
struct share {
    struct flow all;
    struct flow large;
};

struct batch_queue {
    struct ring *ring;
    struct flow large;
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

/* Exact for the producer's own side; the consumer may have made more room since. */
static size_t held(const struct flow *flow)
{
    return flow->pushed - atomic_load_explicit(&flow->popped, memory_order_acquire);
}

static void note_popped(struct flow *flow)
{
    atomic_fetch_add_explicit(&flow->popped, 1, memory_order_release);
}

/* `level` slots of `capacity` are taken, `own` of them by the listener that asks for one more. */
static enum queue_result judge(const struct batch_queue *queue, size_t capacity, size_t level,
                               size_t own)
{
    size_t free_slots = capacity - level;
    if (free_slots == 0)
        return QUEUE_FULL;
    return queue->shared && own > 0 && own >= free_slots / 2 ? QUEUE_SHARE_SPENT : QUEUE_TAKEN;
}

enum queue_result batch_queue_ask(const struct batch_queue *queue, const struct batch *batch)
{
    const struct share *share = &queue->shares[batch->listener->index];
    enum queue_result result =
        judge(queue, ring_capacity(queue->ring), ring_level(queue->ring), held(&share->all));
    if (result == QUEUE_TAKEN && batch->large)
        result = judge(queue, BATCH_QUEUE_LARGE, held(&queue->large), held(&share->large));
    return result;
}

enum queue_result batch_queue_push(struct batch_queue *queue, struct batch *batch)
{
    struct share *share = &queue->shares[batch->listener->index];
    enum queue_result result = batch_queue_ask(queue, batch);
    if (result != QUEUE_TAKEN)
        return result;
    bool large = batch->large; /* once pushed, the batch may be gone */
    if (!ring_push(queue->ring, batch))
        return QUEUE_FULL;
    share->all.pushed++;
    share->large.pushed += large;
    queue->large.pushed += large;
    return QUEUE_TAKEN;
}

void batch_queue_close(struct batch_queue *queue)
{
    ring_close(queue->ring);
}

struct batch *batch_queue_pop(struct batch_queue *queue)
{
    struct batch *batch = ring_pop(queue->ring);
    if (batch == NULL)
        return NULL;
    struct share *share = &queue->shares[batch->listener->index];
    note_popped(&share->all);
    if (batch->large) {
        note_popped(&share->large);
        note_popped(&queue->large);
    }
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
    double all = (double)ring_level(queue->ring) / (double)ring_capacity(queue->ring);
    double large = (double)held(&queue->large) / BATCH_QUEUE_LARGE;
    return all > large ? all : large;
}
