/*
 * Models of the ring with one producer and one consumer. Each pushed item must be popped once and
 * in order.
 */
#include "tests/model/models.h"

#include <stdlib.h>

#include "collector/queue/ring.h"
#include "tests/model/explorer.h"

#define ITEMS 3

struct item {
    size_t number; /* written before the push, read after the pop */
};

static struct {
    struct ring *ring;
    struct item *items;
    size_t pushed[ITEMS], pushed_count; /* numbers in the order of the pushes */
    size_t popped_count;                /* used by the consumer */
    size_t popped[ITEMS];
} shared;

static void set_up(size_t capacity)
{
    shared.ring = ring_create(capacity);
    shared.items = calloc(ITEMS, sizeof *shared.items);
    shared.pushed_count = 0;
    shared.popped_count = 0;
}

static void set_up_one(void)
{
    set_up(1);
}

static void set_up_two(void)
{
    set_up(2);
}

static void produce(void)
{
    for (size_t i = 0; i < ITEMS; i++) {
        shared.items[i].number = i;
        if (ring_push(shared.ring, &shared.items[i]))
            shared.pushed[shared.pushed_count++] = i;
    }
    ring_close(shared.ring);
}

static bool take(void)
{
    const struct item *item = ring_pop(shared.ring);
    if (item == NULL)
        return false;
    model_expect(shared.popped_count < ITEMS, "more is popped than was pushed");
    shared.popped[shared.popped_count++] = item->number;
    return true;
}

/* Pops until the ring is finished, or for a few attempts. */
static void consume(void)
{
    for (size_t looks = 0; looks < ITEMS + 2; looks++)
        if (!take() && ring_finished(shared.ring)) {
            model_expect(!take(), "a ring that has finished has something");
            break;
        }
}

static bool is_odd(void *context, void *item)
{
    (void)context;
    return ((const struct item *)item)->number % 2 != 0;
}

static size_t taken_out;

static void count_taken(void *context, void *item)
{
    (void)context;
    (void)item;
    taken_out++;
}

static void take_out_and_consume(void)
{
    const struct ring_choice choice = {is_odd, count_taken, NULL};
    taken_out = 0;
    ring_take_out(shared.ring, ITEMS, &choice);
    while (take())
        continue;
}

static void drain(void)
{
    while (take())
        continue;
}

static void check(void)
{
    drain();
    model_expect(shared.popped_count == shared.pushed_count, "an item is lost");
    for (size_t i = 0; i < shared.popped_count; i++)
        model_expect(shared.popped[i] == shared.pushed[i], "the order is another one");
}

static void check_taken_out(void)
{
    drain();
    model_expect(shared.popped_count + taken_out == shared.pushed_count, "an item is lost");
    for (size_t i = 1; i < shared.popped_count; i++)
        model_expect(shared.popped[i - 1] < shared.popped[i], "the order is another one");
}

const struct model model_ring_of_one = {"ring of one", set_up_one, {produce, consume}, check};
const struct model model_ring_of_two = {"ring of two", set_up_two, {produce, consume}, check};
const struct model model_ring_take_out = {
    "ring, taken out of", set_up_two, {produce, take_out_and_consume}, check_taken_out};
