#include "collector/queue/batch_queue.h"

#include <stdlib.h>

#include "collector/base/rule.h"
#include "collector/contract/listener.h"
#include "collector/queue/ring.h"

/*
 * Counts the batches of a flow (batch_queue.h). pushed - popped of them are in the ring. A batch is
 * counted as pushed before the consumer can see it in the ring, so the difference is never
 * negative.
 */
struct flow {
    _Atomic uint64_t pushed; /* written by the producer */
    _Atomic uint64_t popped; /* written by the consumer */
    _Atomic bool wanted;     /* the producer requests room; cleared by the consumer */
};

/* The flows of one listener, or of the whole queue. */
struct share {
    struct flow all;
    struct flow large;
};

#define SHARES_TOGETHER 64

struct batch_queue {
    struct ring *ring;
    _Atomic size_t capacity; /* slots of the ring that may be used */
    _Atomic size_t longest;  /* the largest capacity since creation */
    _Atomic size_t large;
    struct share whole;
    struct share mixed; /* batches with records of several listeners */
    /* By listener index, in blocks that never move. */
    struct share *_Atomic shares[BATCH_QUEUE_LISTENERS / SHARES_TOGETHER];
    _Atomic size_t listeners;
    _Atomic bool shared;
    _Atomic bool wanted; /* a flow requests room; set after the flow's own flag */
};

struct batch_queue *batch_queue_create(size_t capacity, size_t listeners, bool shared)
{
    struct batch_queue *queue = calloc(1, sizeof *queue);
    if (queue == NULL)
        return NULL;
    queue->ring = ring_create(capacity < BATCH_QUEUE_ROOM ? BATCH_QUEUE_ROOM : capacity);
    atomic_init(&queue->capacity, capacity);
    atomic_init(&queue->longest, capacity);
    atomic_init(&queue->large, BATCH_QUEUE_LARGE);
    if (queue->ring == NULL || !batch_queue_set_listeners(queue, listeners, shared)) {
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
    for (size_t i = 0; i < BATCH_QUEUE_LISTENERS / SHARES_TOGETHER; i++)
        free(atomic_load(&queue->shares[i]));
    free(queue);
}

bool batch_queue_set_listeners(struct batch_queue *queue, size_t listeners, bool shared)
{
    if (listeners > BATCH_QUEUE_LISTENERS)
        return false;
    for (size_t i = 0; i * SHARES_TOGETHER < listeners; i++) {
        if (atomic_load(&queue->shares[i]) != NULL)
            continue;
        struct share *shares = calloc(SHARES_TOGETHER, sizeof *shares);
        if (shares == NULL)
            return false;
        atomic_store(&queue->shares[i], shares);
    }
    if (listeners > atomic_load(&queue->listeners))
        atomic_store(&queue->listeners, listeners);
    atomic_store(&queue->shared, shared);
    return true;
}

void batch_queue_set_capacity(struct batch_queue *queue, size_t capacity)
{
    RULE(capacity != 0, "a queue has slots");
    size_t most = ring_capacity(queue->ring);
    capacity = capacity < most ? capacity : most;
    atomic_store(&queue->capacity, capacity);
    if (capacity > atomic_load(&queue->longest))
        atomic_store(&queue->longest, capacity);
}

void batch_queue_set_large(struct batch_queue *queue, size_t limit)
{
    RULE(limit != 0 && limit <= BATCH_QUEUE_LARGE, "a queue takes a few large batches");
    atomic_store(&queue->large, limit);
}

static struct share *share_at(const struct batch_queue *queue, size_t listener)
{
    struct share *shares =
        atomic_load_explicit(&queue->shares[listener / SHARES_TOGETHER], memory_order_acquire);
    return &shares[listener % SHARES_TOGETHER];
}

static struct share *share_of(struct batch_queue *queue, const struct batch *batch)
{
    return batch->listener == NULL ? &queue->mixed : share_at(queue, batch->listener->index);
}

static size_t capacity_of(const struct batch_queue *queue)
{
    return atomic_load_explicit(&queue->capacity, memory_order_relaxed);
}

static size_t large_limit_of(const struct batch_queue *queue)
{
    return atomic_load_explicit(&queue->large, memory_order_relaxed);
}

/*
 * Returns how many batches of the flow are in the queue. The result includes all changes by the
 * calling side; the other side may have made more since.
 */
static size_t flow_level(const struct flow *flow)
{
    size_t popped = atomic_load_explicit(&flow->popped, memory_order_acquire);
    return atomic_load_explicit(&flow->pushed, memory_order_relaxed) - popped;
}

static void count_up(_Atomic uint64_t *count)
{
    uint64_t value = atomic_load_explicit(count, memory_order_relaxed);
    atomic_store_explicit(count, value + 1, memory_order_release);
}

static void note_pushed(struct share *share, bool large)
{
    count_up(&share->all.pushed);
    if (large)
        count_up(&share->large.pushed);
}

static void note_popped(struct share *share, bool large)
{
    count_up(&share->all.popped);
    if (large)
        count_up(&share->large.popped);
}

/*
 * Checks if a batch of a listener may be pushed: `level` of `capacity` slots are used, `own` of
 * them by this listener.
 */
static enum queue_result check_room(const struct batch_queue *queue, size_t capacity, size_t level,
                                    size_t own)
{
    if (level >= capacity)
        return QUEUE_FULL;
    size_t free_slots = capacity - level;
    bool shared = atomic_load_explicit(&queue->shared, memory_order_relaxed);
    return shared && own > 0 && own >= free_slots / 2 ? QUEUE_SHARE_SPENT : QUEUE_TAKEN;
}

enum queue_result batch_queue_ask(struct batch_queue *queue, const struct batch *batch)
{
    const struct share *share = share_of(queue, batch);
    enum queue_result result =
        check_room(queue, capacity_of(queue), ring_level(queue->ring), flow_level(&share->all));
    if (result == QUEUE_TAKEN && batch->large)
        result = check_room(queue, large_limit_of(queue), flow_level(&queue->whole.large),
                            flow_level(&share->large));
    return result;
}

bool batch_queue_has_slot(const struct batch_queue *queue)
{
    return ring_level(queue->ring) < atomic_load_explicit(&queue->longest, memory_order_relaxed);
}

void batch_queue_push(struct batch_queue *queue, struct batch *batch)
{
    RULE(batch->listener == NULL ||
             batch->listener->index < atomic_load_explicit(&queue->listeners, memory_order_relaxed),
         "the listener of a batch is known to the queue");
    note_pushed(share_of(queue, batch), batch->large);
    note_pushed(&queue->whole, batch->large);
    bool pushed = ring_push(queue->ring, batch);
    RULE(pushed, "a batch is pushed after the queue was asked for a slot");
}

void batch_queue_close(struct batch_queue *queue)
{
    ring_close(queue->ring);
}

void batch_queue_open_again(struct batch_queue *queue)
{
    RULE(batch_queue_finished(queue), "a queue is opened again after it has finished");
    ring_open_again(queue->ring);
}

struct batch *batch_queue_pop(struct batch_queue *queue)
{
    struct batch *batch = ring_pop(queue->ring);
    if (batch == NULL)
        return NULL;
    note_popped(share_of(queue, batch), batch->large);
    note_popped(&queue->whole, batch->large);
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

/*
 * Limits a level to the capacity. A thread that is neither producer nor consumer reads the two
 * counts at different times, so their difference can be too large.
 */
static size_t at_most(size_t level, size_t capacity)
{
    return level < capacity ? level : capacity;
}

size_t batch_queue_level(const struct batch_queue *queue)
{
    return at_most(flow_level(&queue->whole.all), ring_capacity(queue->ring));
}

size_t batch_queue_large_level(const struct batch_queue *queue)
{
    return at_most(flow_level(&queue->whole.large), BATCH_QUEUE_LARGE);
}

size_t batch_queue_capacity(const struct batch_queue *queue)
{
    return capacity_of(queue);
}

size_t batch_queue_large_limit(const struct batch_queue *queue)
{
    return large_limit_of(queue);
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static double part_of(size_t level, size_t capacity)
{
    return level < capacity ? (double)level / (double)capacity : 1;
}

double batch_queue_backlog(const struct batch_queue *queue)
{
    return larger(part_of(ring_level(queue->ring), capacity_of(queue)),
                  part_of(flow_level(&queue->whole.large), large_limit_of(queue)));
}

/*
 * Returns the fraction of its limit that a listener with `own` batches has reached. If check_room
 * allows n more batches, the fraction is own / (own + n). check_room refuses a batch once own + n =
 * (free - n) / 2, so n = (free - 2 * own) / 3.
 */
static double fill_of_flow(const struct batch_queue *queue, size_t capacity, size_t level,
                           size_t own)
{
    if (own == 0)
        return 0;
    if (check_room(queue, capacity, level, own) != QUEUE_TAKEN)
        return 1;
    return 3 * (double)own / (double)(capacity - level + own);
}

static double fill_of_share(const struct batch_queue *queue, const struct share *share)
{
    return larger(
        fill_of_flow(queue, capacity_of(queue), batch_queue_level(queue), flow_level(&share->all)),
        fill_of_flow(queue, large_limit_of(queue), batch_queue_large_level(queue),
                     flow_level(&share->large)));
}

double batch_queue_fill(const struct batch_queue *queue)
{
    double fill = larger(part_of(batch_queue_level(queue), capacity_of(queue)),
                         part_of(batch_queue_large_level(queue), large_limit_of(queue)));
    if (!atomic_load(&queue->shared))
        return fill;
    fill = larger(fill, fill_of_share(queue, &queue->mixed));
    for (size_t i = 0, listeners = atomic_load(&queue->listeners); i < listeners; i++)
        fill = larger(fill, fill_of_share(queue, share_at(queue, i)));
    return fill;
}

/* --- eviction --------------------------------------------------------------------------------- */

static bool is_nearly_full(size_t capacity, size_t level)
{
    return level + capacity / 8 >= capacity;
}

/*
 * Returns the flow that must shrink before the queue accepts one more batch of the listener:
 * `whole`, `own`, or NULL. Never returns `own` if it has at most `least` batches.
 */
static struct flow *obstacle(const struct batch_queue *queue, size_t capacity, struct flow *whole,
                             struct flow *own, size_t least)
{
    size_t level = flow_level(whole);
    size_t of_listener = flow_level(own);
    if (is_nearly_full(capacity, level))
        return whole;
    if (of_listener <= least)
        return NULL;
    return check_room(queue, capacity, level, of_listener) == QUEUE_SHARE_SPENT ? own : NULL;
}

bool batch_queue_want_room(struct batch_queue *queue, const struct batch *batch, bool refused)
{
    struct share *share = share_of(queue, batch);
    struct share *whole = &queue->whole;
    size_t least = refused ? 0 : 1;
    struct flow *crowded = obstacle(queue, capacity_of(queue), &whole->all, &share->all, least);
    if (crowded == NULL && batch->large)
        crowded = obstacle(queue, large_limit_of(queue), &whole->large, &share->large, least);
    if (crowded == NULL)
        return false;
    atomic_store(&crowded->wanted, true);
    return !atomic_exchange(&queue->wanted, true);
}

struct eviction {
    struct batch_queue *queue;
    const struct share *share; /* whose batches are removed: a listener's, or the whole queue's */
    bool large;
    batch_taker *take;
    void *context;
};

static bool is_chosen(void *context, void *item)
{
    const struct eviction *eviction = context;
    struct batch_queue *queue = eviction->queue;
    const struct batch *batch = item;
    return (batch->large || !eviction->large) &&
           (eviction->share == &queue->whole || eviction->share == share_of(queue, batch));
}

/*
 * Counts the batch as popped only after `take` has released it. When the producer sees the free
 * slot, the pool therefore also has a free batch.
 */
static void take_chosen(void *context, void *item)
{
    const struct eviction *eviction = context;
    struct batch *batch = item;
    struct share *share = share_of(eviction->queue, batch);
    bool large = batch->large;
    eviction->take(eviction->context, batch);
    note_popped(share, large);
    note_popped(&eviction->queue->whole, large);
}

static void evict_from(struct eviction *eviction, struct share *share, bool large)
{
    struct batch_queue *queue = eviction->queue;
    struct flow *flow = large ? &share->large : &share->all;
    if (!atomic_exchange(&flow->wanted, false))
        return;
    size_t capacity = large ? large_limit_of(queue) : capacity_of(queue);
    struct flow *whole = large ? &queue->whole.large : &queue->whole.all;
    if (obstacle(queue, capacity, whole, flow, 0) != flow)
        return;
    eviction->share = share;
    eviction->large = large;
    const struct ring_choice choice = {is_chosen, take_chosen, eviction};
    ring_take_out(queue->ring, flow_level(flow) / 4 + 1, &choice);
}

bool batch_queue_make_room(struct batch_queue *queue, batch_taker *take, void *context)
{
    if (!atomic_load_explicit(&queue->wanted, memory_order_relaxed) ||
        !atomic_exchange(&queue->wanted, false))
        return false;
    struct eviction eviction = {.queue = queue, .take = take, .context = context};
    evict_from(&eviction, &queue->whole, false);
    evict_from(&eviction, &queue->whole, true);
    evict_from(&eviction, &queue->mixed, false);
    size_t listeners = atomic_load(&queue->listeners);
    for (size_t i = 0; i < listeners; i++) {
        evict_from(&eviction, share_at(queue, i), false);
        evict_from(&eviction, share_at(queue, i), true);
    }
    return true;
}
