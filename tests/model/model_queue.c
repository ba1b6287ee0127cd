/*
 * A model of a queue that evicts its oldest batches: the producer requests room, and the consumer
 * evicts. Each batch must be popped, evicted or refused exactly once, and the counts of both sides
 * must agree, even if a listener is added at the same time.
 */
#include "tests/model/models.h"

#include <stdlib.h>
#include <string.h>

#include "collector/contract/listener.h"
#include "collector/queue/batch_queue.h"
#include "tests/model/explorer.h"

#define BATCHES  2
#define CAPACITY 1

static struct {
    struct batch_queue *queue;
    struct batch batches[BATCHES];
    size_t pushed, popped, evicted;
    uint64_t last; /* number of the last popped or evicted batch; must increase */
} shared;

static void set_up_for(size_t listeners)
{
    shared.queue = batch_queue_create(CAPACITY, listeners, false);
    shared.pushed = 0;
    shared.popped = 0;
    shared.evicted = 0;
    shared.last = 0;
    memset(shared.batches, 0, sizeof shared.batches);
}

static void set_up(void)
{
    set_up_for(1);
}

static void produce_one(struct batch *batch)
{
    bool taken = batch_queue_ask(shared.queue, batch) == QUEUE_TAKEN;
    if (taken) {
        batch_queue_push(shared.queue, batch);
        shared.pushed++;
    }
    batch_queue_want_room(shared.queue, batch, !taken);
}

static void produce(void)
{
    for (size_t i = 0; i < BATCHES; i++)
        produce_one(&shared.batches[i]);
    batch_queue_close(shared.queue);
}

static void note(const struct batch *batch)
{
    uint64_t number = (uint64_t)(batch - shared.batches) + 1;
    model_expect(number > shared.last, "a batch comes twice, or too late");
    shared.last = number;
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

/* --- a listener that is added ----------------------------------------------------------------- */

static void set_up_for_none(void)
{
    set_up_for(0);
}

/*
 * The producer requests room before it adds the listener, so the consumer that makes room may or
 * may not see the listener.
 */
static void produce_of_a_new_listener(void)
{
    static const struct listener listener = {.index = 0};
    produce_one(&shared.batches[0]);
    batch_queue_set_listeners(shared.queue, 1, false);
    shared.batches[1].listener = &listener;
    produce_one(&shared.batches[1]);
    batch_queue_close(shared.queue);
}

const struct model model_queue_grows = {"queue that a listener is added to",
                                        set_up_for_none,
                                        {produce_of_a_new_listener, consume},
                                        check};
