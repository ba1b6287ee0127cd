/*
 * A queue whose producer rather loses the oldest: it asks for room, the consumer takes the oldest
 * out. Each batch is popped, evicted or refused, once, and the counts of both sides agree.
 */
#include "tests/model/models.h"

#include <stdlib.h>

#include "collector/queue/batch_queue.h"
#include "tests/model/explorer.h"

#define BATCHES  2
#define CAPACITY 1

static struct {
    struct batch_queue *queue;
    struct batch batches[BATCHES];
    size_t pushed, popped, evicted;
    uint64_t last; /* of what was popped or evicted; they come in their order */
} shared;

static void set_up(void)
{
    shared.queue = batch_queue_create(CAPACITY, 1, false);
    shared.pushed = 0;
    shared.popped = 0;
    shared.evicted = 0;
    shared.last = 0;
    for (size_t i = 0; i < BATCHES; i++)
        shared.batches[i] = (struct batch){.serial = i + 1};
}

static void produce(void)
{
    for (size_t i = 0; i < BATCHES; i++) {
        struct batch *batch = &shared.batches[i];
        bool taken = batch_queue_ask(shared.queue, batch) == QUEUE_TAKEN;
        if (taken) {
            batch_queue_push(shared.queue, batch);
            shared.pushed++;
        }
        batch_queue_want_room(shared.queue, batch, !taken);
    }
    batch_queue_close(shared.queue);
}

static void note(const struct batch *batch)
{
    model_expect(batch->serial > shared.last, "a batch comes twice, or too late");
    shared.last = batch->serial;
}

static void evict(void *context, struct batch *batch)
{
    (void)context;
    note(batch);
    shared.evicted++;
}

static void consume_one(void)
{
    batch_queue_make_room(shared.queue, evict, NULL);
    const struct batch *batch = batch_queue_pop(shared.queue);
    if (batch == NULL)
        return;
    note(batch);
    shared.popped++;
}

static void consume(void)
{
    for (size_t i = 0; i < BATCHES; i++)
        consume_one();
}

static void check(void)
{
    while (!batch_queue_finished(shared.queue))
        consume_one();
    model_expect(shared.popped + shared.evicted == shared.pushed, "a batch is lost");
    model_expect(batch_queue_level(shared.queue) == 0, "the counts of both sides disagree");
}

const struct model model_queue = {"queue with eviction", set_up, {produce, consume}, check};
