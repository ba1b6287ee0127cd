/*
 * Tests the ring: order, limits and end. With two threads, counts and checksums of both are
 * compared.
 */
#include <stdatomic.h>
#include <string.h>

#include "collector/platform/thread.h"
#include "collector/queue/ring.h"
#include "tests/support/platform/patience.h"
#include "tests/support/test.h"

/* --- one thread ------------------------------------------------------------------------------- */

TEST(items_come_out_in_the_order_they_went_in)
{
    int items[5];
    struct ring *ring = ring_create(5);
    assert_null(ring_pop(ring));
    /* The items wrap around the end of the slots, at another position in each round. */
    for (int round = 0; round < 100; round++) {
        for (int i = 0; i < 3 + round % 3; i++)
            assert_true(ring_push(ring, &items[i]));
        assert_int_equal(ring_level(ring), 3 + round % 3);
        for (int i = 0; i < 3 + round % 3; i++)
            assert_ptr_equal(ring_pop(ring), &items[i]);
        assert_null(ring_pop(ring));
        assert_int_equal(ring_level(ring), 0);
    }
    ring_destroy(ring);
}

TEST(it_holds_exactly_its_capacity)
{
    int item;
    for (size_t capacity = 1; capacity <= 70; capacity++) {
        struct ring *ring = ring_create(capacity);
        assert_int_equal(ring_capacity(ring), capacity);
        for (int round = 0; round < 3; round++) {
            for (size_t i = 0; i < capacity; i++)
                assert_true(ring_push(ring, &item));
            assert_false(ring_push(ring, &item));
            assert_int_equal(ring_level(ring), capacity);
            assert_non_null(ring_pop(ring));
            assert_true(ring_push(ring, &item));
            assert_false(ring_push(ring, &item));
            for (size_t i = 0; i < capacity; i++)
                assert_non_null(ring_pop(ring));
            assert_null(ring_pop(ring));
        }
        ring_destroy(ring);
    }
}

struct numbers {
    int below;
    int taken[70];
    int count;
};

static bool is_below(void *context, void *item)
{
    return *(int *)item < ((struct numbers *)context)->below;
}

static void note_number(void *context, void *item)
{
    struct numbers *numbers = context;
    numbers->taken[numbers->count++] = *(int *)item;
}

static void assert_pops(struct ring *ring, const int *expected, size_t count)
{
    assert_int_equal(ring_level(ring), count);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(*(int *)ring_pop(ring), expected[i]);
    assert_null(ring_pop(ring));
}

TEST(chosen_items_are_taken_out_oldest_first_and_the_rest_keep_their_order)
{
    int items[] = {9, 1, 8, 2, 7, 3};
    /* The items wrap around the end of the slots, at another position in each round. */
    for (size_t start = 0; start < 8; start++) {
        struct ring *ring = ring_create(6);
        struct numbers small = {.below = 5};
        const struct ring_choice choice = {is_below, note_number, &small};
        for (size_t i = 0; i < start; i++) {
            assert_true(ring_push(ring, &items[0]));
            assert_non_null(ring_pop(ring));
        }
        for (size_t i = 0; i < 6; i++)
            assert_true(ring_push(ring, &items[i]));
        ring_take_out(ring, 2, &choice);
        assert_int_equal(small.count, 2);
        assert_int_equal(small.taken[0], 1);
        assert_int_equal(small.taken[1], 2);
        for (size_t i = 0; i < 2; i++)
            assert_true(ring_push(ring, &items[1]));
        assert_false(ring_push(ring, &items[1]));
        assert_pops(ring, (const int[]){9, 8, 7, 3, 1, 1}, 6);
        ring_destroy(ring);
    }
}

TEST(all_or_no_items_may_be_taken_out)
{
    int items[] = {1, 2, 3};
    struct ring *ring = ring_create(3);
    struct numbers none = {.below = 0}, all = {.below = 9};
    const struct ring_choice choose_none = {is_below, note_number, &none};
    const struct ring_choice choose_all = {is_below, note_number, &all};
    ring_take_out(ring, 10, &choose_all);
    for (int i = 0; i < 3; i++)
        assert_true(ring_push(ring, &items[i]));
    ring_take_out(ring, 10, &choose_none);
    ring_take_out(ring, 0, &choose_all);
    assert_int_equal(none.count + all.count, 0);
    assert_int_equal(ring_level(ring), 3);
    ring_take_out(ring, 10, &choose_all);
    assert_int_equal(all.count, 3);
    assert_pops(ring, NULL, 0);
    ring_destroy(ring);
}

TEST(a_closed_ring_is_finished_once_it_is_empty)
{
    int item;
    struct ring *ring = ring_create(4);
    assert_false(ring_finished(ring));
    assert_true(ring_push(ring, &item));
    ring_close(ring);
    assert_false(ring_finished(ring));
    assert_ptr_equal(ring_pop(ring), &item);
    assert_true(ring_finished(ring));
    assert_null(ring_pop(ring));
    ring_destroy(ring);
}

TEST(a_full_ring_and_null_can_be_destroyed)
{
    int item;
    struct ring *ring = ring_create(1);
    assert_true(ring_push(ring, &item));
    ring_destroy(ring);
    ring_destroy(NULL);
}

/* --- two threads ------------------------------------------------------------------------------ */

#define ITEMS 16

struct item {
    uint64_t number;
    uint64_t check;
};

/*
 * One thread writes items and sends them through the ring `forth`. The other reads them and returns
 * them through `back`. The items are plain memory, so each ring must make them visible to the other
 * thread.
 */
struct traffic {
    struct ring *forth, *back;
    uint64_t count;        /* maximum number of items; fewer are sent if TRAFFIC_NS has passed */
    bool producer_is_slow; /* the producer sends only into an empty ring */
    bool consumer_is_slow; /* the consumer takes only from a full ring */
    struct item items[ITEMS];
    uint64_t sent, sent_sum;
    _Atomic bool ended;
    uint64_t received, received_sum, disorder;
    bool gave_up;
};

static uint64_t check_of(uint64_t number)
{
    return number * UINT64_C(0x9e3779b97f4a7c15) ^ UINT64_C(0x5bd1e995);
}

static void produce(void *argument)
{
    struct traffic *traffic = argument;
    int64_t until = patience_until();
    int64_t enough = clock_monotonic_ns() + TRAFFIC_NS;
    size_t fresh = 0;
    while (traffic->sent < traffic->count && clock_monotonic_ns() < enough) {
        while (traffic->producer_is_slow && ring_level(traffic->forth) != 0 && patience(until))
            ;
        struct item *item = fresh < ITEMS ? &traffic->items[fresh++] : ring_pop(traffic->back);
        if (item == NULL) {
            if (!patience(until))
                break;
            continue;
        }
        item->number = traffic->sent;
        item->check = check_of(item->number);
        traffic->sent_sum += item->check;
        while (!ring_push(traffic->forth, item) && patience(until))
            ;
        traffic->sent++;
    }
    atomic_store(&traffic->ended, true);
    ring_close(traffic->forth);
}

static void consume(struct traffic *traffic)
{
    int64_t until = patience_until();
    size_t full = ring_capacity(traffic->forth) < ITEMS ? ring_capacity(traffic->forth) : ITEMS;
    while (!ring_finished(traffic->forth)) {
        bool hold = traffic->consumer_is_slow && ring_level(traffic->forth) < full &&
                    !atomic_load(&traffic->ended);
        struct item *item = hold ? NULL : ring_pop(traffic->forth);
        if (item == NULL) {
            traffic->gave_up = !patience(until);
            if (traffic->gave_up)
                break;
            continue;
        }
        traffic->disorder += item->number != traffic->received;
        traffic->disorder += item->check != check_of(item->number);
        traffic->received_sum += item->check;
        traffic->received++;
        while (!ring_push(traffic->back, item) && patience(until))
            ;
    }
}

static void assert_all_arrive(struct traffic *traffic, size_t capacity)
{
    struct thread *thread;
    struct error error;
    traffic->forth = ring_create(capacity);
    traffic->back = ring_create(ITEMS);
    assert_int_equal(thread_start(&thread, "producer", produce, traffic, &error), 0);
    consume(traffic);
    thread_join(thread);
    assert_false(traffic->gave_up);
    assert_true(traffic->sent == traffic->count || traffic->sent > ITEMS);
    assert_int_equal(traffic->received, traffic->sent);
    assert_int_equal(traffic->disorder, 0);
    assert_true(traffic->received_sum == traffic->sent_sum);
    assert_null(ring_pop(traffic->forth));
    ring_destroy(traffic->forth);
    ring_destroy(traffic->back);
}

TEST(everything_arrives_once_and_whole_in_a_steady_flow)
{
    static const size_t capacities[] = {1, 2, 3, 8, 100};
    for (size_t i = 0; i < sizeof capacities / sizeof capacities[0]; i++) {
        struct traffic traffic = {.count = 20000};
        assert_all_arrive(&traffic, capacities[i]);
    }
}

TEST(everything_arrives_from_a_slow_producer)
{
    struct traffic traffic = {.count = 2000, .producer_is_slow = true};
    assert_all_arrive(&traffic, 8);
}

TEST(everything_arrives_at_a_slow_consumer)
{
    struct traffic traffic = {.count = 2000, .consumer_is_slow = true};
    assert_all_arrive(&traffic, 8);
    struct traffic tight = {.count = 2000, .consumer_is_slow = true};
    assert_all_arrive(&tight, 1);
}

/* A consumer that sees the close must also see all items that were pushed before it. */
TEST(the_end_never_overtakes_the_last_item)
{
    for (uint64_t count = 0; count < 200; count++) {
        struct traffic traffic = {.count = count % 5};
        assert_all_arrive(&traffic, 4);
    }
}

#define ENDS 20000

struct ends {
    struct ring *rings[ENDS];
    int item;
    _Atomic size_t begun;
    size_t full;
};

static void push_and_close(void *argument)
{
    struct ends *ends = argument;
    int64_t until = patience_until();
    for (size_t i = 0; i < ENDS; i++) {
        for (size_t spin = 0; atomic_load(&ends->begun) <= i; spin++)
            if (spin > 1000 && !patience(until))
                return;
        ends->full += ring_push(ends->rings[i], &ends->item);
        ring_close(ends->rings[i]);
    }
}

/* A ring that still has an item is not finished, at whatever time its producer closes it. */
TEST(the_end_is_never_seen_before_the_last_item)
{
    static struct ends ends;
    struct thread *thread;
    struct error error;
    size_t early = 0;
    int64_t until = patience_until();
    for (size_t i = 0; i < ENDS; i++)
        ends.rings[i] = ring_create(1);
    assert_int_equal(thread_start(&thread, "producer", push_and_close, &ends, &error), 0);
    int64_t enough = clock_monotonic_ns() + TRAFFIC_NS;
    for (size_t i = 0; i < ENDS && clock_monotonic_ns() < enough; i++) {
        atomic_store(&ends.begun, i + 1);
        for (size_t spin = 0; ring_level(ends.rings[i]) == 0 || spin < 20; spin++) {
            early += ring_finished(ends.rings[i]);
            if (spin > 1000 && !patience(until))
                break;
        }
    }
    atomic_store(&ends.begun, ENDS); /* lets the producer run its remaining rounds */
    thread_join(thread);
    assert_int_equal(early, 0);
    assert_int_equal(ends.full, ENDS);
    for (size_t i = 0; i < ENDS; i++) {
        assert_ptr_equal(ring_pop(ends.rings[i]), &ends.item);
        assert_true(ring_finished(ends.rings[i]));
        ring_destroy(ends.rings[i]);
    }
}
