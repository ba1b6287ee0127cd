/*
 * A model of a batch with two consumers. Each consumer releases the batch, and the last release
 * returns it to the pool. Only then may the producer fill it again.
 */
#include "tests/model/models.h"

#include <stdlib.h>

#include "collector/queue/ring.h"
#include "collector/record/batch.h"
#include "tests/model/explorer.h"

#define READERS 2

static struct {
    struct batch_pool *pool;
    struct ring *rings[READERS];
} shared;

static void set_up(void)
{
    shared.pool = batch_pool_create(1, 0);
    for (size_t i = 0; i < READERS; i++)
        shared.rings[i] = ring_create(2);
}

static bool fill_and_share(unsigned char content)
{
    struct batch *batch = batch_acquire(shared.pool, false);
    if (batch == NULL)
        return false;
    batch->arena.base[0] = content;
    batch->count = content;
    for (size_t i = 0; i < READERS; i++) {
        batch_retain(batch);
        ring_push(shared.rings[i], batch);
    }
    batch_release(batch);
    return true;
}

static void produce(void)
{
    model_expect(fill_and_share(1), "there is no batch at first");
    fill_and_share(2); /* succeeds only if the batch was returned */
}

static bool read_one(size_t reader)
{
    struct batch *batch = ring_pop(shared.rings[reader]);
    if (batch == NULL)
        return false;
    model_expect(batch->count == batch->arena.base[0], "it has another use's content");
    batch_release(batch);
    return true;
}

static void read_first(void)
{
    read_one(0);
    read_one(0);
}

static void read_second(void)
{
    read_one(1);
    read_one(1);
}

static void check(void)
{
    for (size_t i = 0; i < READERS; i++)
        while (read_one(i))
            continue;
    struct batch_pool_levels levels = batch_pool_levels(shared.pool);
    model_expect(levels.small_free == 1, "the batch is not back, or more than once");
    batch_pool_destroy(shared.pool);
}

const struct model model_batch = {
    "batch of two readers", set_up, {produce, read_first, read_second}, check};
