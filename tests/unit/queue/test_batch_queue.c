/* Tests the queue of batches: order, limits and end, the shares of listeners, and two threads. */
#include <stdlib.h>

#include "collector/contract/listener.h"
#include "collector/contract/record.h"
#include "collector/platform/thread.h"
#include "collector/queue/batch_queue.h"
#include "tests/support/platform/patience.h"
#include "tests/support/record/batches_out.h"
#include "tests/support/test.h"

#define CAPACITY 16

static const struct listener listeners[3] = {{.index = 0}, {.index = 1}, {.index = 2}};

struct fixture {
    struct batch_pool *pool;
    struct batch_queue *queue;
};

static struct fixture make(size_t capacity, bool shared)
{
    struct fixture made = {
        .pool = batch_pool_create((size_t)2 * CAPACITY, (size_t)2 * BATCH_QUEUE_LARGE),
        .queue = batch_queue_create(capacity, shared ? 3 : 1, shared),
    };
    assert_non_null(made.pool);
    assert_non_null(made.queue);
    return made;
}

static void finish(struct fixture *fixture)
{
    struct batch *batch;
    while ((batch = batch_queue_pop(fixture->queue)) != NULL)
        batch_release(batch);
    assert_int_equal(batches_out(fixture->pool), 0);
    batch_queue_destroy(fixture->queue);
    batch_pool_destroy(fixture->pool);
}

static enum queue_result push(struct batch_queue *queue, struct batch *batch)
{
    enum queue_result result = batch_queue_ask(queue, batch);
    if (result == QUEUE_TAKEN)
        batch_queue_push(queue, batch);
    return result;
}

static enum queue_result offer_sized(struct fixture *fixture, size_t listener, bool large)
{
    struct batch *batch = batch_acquire(fixture->pool, large);
    assert_non_null(batch);
    batch->listener = &listeners[listener];
    enum queue_result result = push(fixture->queue, batch);
    if (result != QUEUE_TAKEN)
        batch_release(batch);
    return result;
}

static enum queue_result offer(struct fixture *fixture, size_t listener)
{
    return offer_sized(fixture, listener, false);
}

static size_t offer_until_refused(struct fixture *fixture, size_t listener)
{
    size_t taken = 0;
    while (offer(fixture, listener) == QUEUE_TAKEN)
        taken++;
    return taken;
}

static size_t take(struct fixture *fixture)
{
    struct batch *batch = batch_queue_pop(fixture->queue);
    assert_non_null(batch);
    size_t listener = batch->listener->index;
    batch_release(batch);
    return listener;
}

/* --- one thread ------------------------------------------------------------------------------- */

TEST(a_queue_reports_how_much_is_in_it_and_of_that_how_much_is_large)
{
    struct fixture fixture = make(CAPACITY, false);
    assert_int_equal(batch_queue_capacity(fixture.queue), CAPACITY);
    assert_int_equal(batch_queue_level(fixture.queue), 0);
    assert_int_equal(offer(&fixture, 0), QUEUE_TAKEN);
    assert_int_equal(offer_sized(&fixture, 0, true), QUEUE_TAKEN);
    assert_int_equal(batch_queue_level(fixture.queue), 2);
    assert_int_equal(batch_queue_large_level(fixture.queue), 1);
    take(&fixture);
    assert_int_equal(batch_queue_level(fixture.queue), 1);
    assert_int_equal(batch_queue_large_level(fixture.queue), 1);
    take(&fixture);
    assert_int_equal(batch_queue_level(fixture.queue), 0);
    assert_int_equal(batch_queue_large_level(fixture.queue), 0);
    finish(&fixture);
}

TEST(batches_come_out_in_the_order_they_went_in)
{
    struct fixture fixture = make(CAPACITY, true);
    assert_true(batch_queue_is_empty(fixture.queue));
    assert_null(batch_queue_pop(fixture.queue));
    for (int round = 0; round < 50; round++) {
        for (size_t i = 0; i < 3; i++)
            assert_int_equal(offer(&fixture, i), QUEUE_TAKEN);
        assert_false(batch_queue_is_empty(fixture.queue));
        for (size_t i = 0; i < 3; i++)
            assert_int_equal(take(&fixture), i);
        assert_true(batch_queue_is_empty(fixture.queue));
    }
    finish(&fixture);
}

TEST(a_single_listener_may_fill_the_queue)
{
    struct fixture fixture = make(CAPACITY, false);
    assert_int_equal(offer_until_refused(&fixture, 0), CAPACITY);
    assert_int_equal(offer(&fixture, 0), QUEUE_FULL);
    take(&fixture);
    assert_int_equal(offer(&fixture, 0), QUEUE_TAKEN);
    assert_int_equal(offer(&fixture, 0), QUEUE_FULL);
    finish(&fixture);
}

TEST(large_batches_have_few_slots_and_small_ones_the_rest)
{
    struct fixture fixture = make(CAPACITY, false);
    for (int i = 0; i < BATCH_QUEUE_LARGE; i++)
        assert_int_equal(offer_sized(&fixture, 0, true), QUEUE_TAKEN);
    assert_int_equal(offer_sized(&fixture, 0, true), QUEUE_FULL);
    assert_true(batch_queue_backlog(fixture.queue) == 1);
    assert_true(batch_queue_fill(fixture.queue) == 1);
    assert_int_equal(offer(&fixture, 0), QUEUE_TAKEN);
    take(&fixture);
    assert_int_equal(offer_sized(&fixture, 0, true), QUEUE_TAKEN);
    assert_int_equal(offer_sized(&fixture, 0, true), QUEUE_FULL);
    assert_int_equal(offer_until_refused(&fixture, 0), CAPACITY - BATCH_QUEUE_LARGE - 1);
    finish(&fixture);
}

TEST(a_batch_that_cannot_wait_gets_any_slot_of_the_ring)
{
    struct fixture fixture = make(CAPACITY, false);
    for (int i = 0; i < BATCH_QUEUE_LARGE; i++)
        assert_int_equal(offer_sized(&fixture, 0, true), QUEUE_TAKEN);
    assert_int_equal(offer_sized(&fixture, 0, true), QUEUE_FULL);
    assert_true(batch_queue_has_slot(fixture.queue));
    offer_until_refused(&fixture, 0);
    assert_false(batch_queue_has_slot(fixture.queue));
    finish(&fixture);
}

TEST(a_listener_with_many_large_batches_leaves_slots_to_the_others)
{
    struct fixture fixture = make(CAPACITY, true);
    while (offer_sized(&fixture, 0, true) == QUEUE_TAKEN) {
    }
    assert_int_equal(offer_sized(&fixture, 0, true), QUEUE_SHARE_SPENT);
    assert_int_equal(offer_sized(&fixture, 1, true), QUEUE_TAKEN);
    finish(&fixture);
}

TEST(it_is_finished_when_closed_and_empty)
{
    struct fixture fixture = make(CAPACITY, true);
    assert_int_equal(offer(&fixture, 1), QUEUE_TAKEN);
    assert_false(batch_queue_finished(fixture.queue));
    batch_queue_close(fixture.queue);
    assert_false(batch_queue_finished(fixture.queue));
    assert_int_equal(take(&fixture), 1);
    assert_true(batch_queue_finished(fixture.queue));
    finish(&fixture);
}

/* --- shares of listeners ---------------------------------------------------------------------- */

TEST(a_flooding_listener_holds_at_most_half_of_what_was_free)
{
    for (size_t capacity = 2; capacity <= CAPACITY; capacity++) {
        struct fixture fixture = make(capacity, true);
        size_t held = 0;
        while (offer(&fixture, 0) == QUEUE_TAKEN) {
            size_t free_before = capacity - held;
            held++;
            assert_true(held == 1 || held <= free_before / 2);
        }
        assert_int_equal(offer(&fixture, 0), capacity == 1 ? QUEUE_FULL : QUEUE_SHARE_SPENT);
        assert_in_range(held, 1, capacity);
        finish(&fixture);
    }
}

TEST(a_flooding_listener_leaves_room_for_the_others)
{
    struct fixture fixture = make(CAPACITY, true);
    assert_in_range(offer_until_refused(&fixture, 0), CAPACITY / 4, CAPACITY / 2);
    assert_in_range(offer_until_refused(&fixture, 1), 1, CAPACITY / 2);
    assert_in_range(offer_until_refused(&fixture, 2), 1, CAPACITY / 2);
    finish(&fixture);
}

TEST(a_listener_that_holds_nothing_gets_any_free_slot)
{
    struct fixture fixture = make(2, true);
    assert_int_equal(offer(&fixture, 0), QUEUE_TAKEN);
    assert_int_equal(offer(&fixture, 0), QUEUE_SHARE_SPENT);
    assert_int_equal(offer(&fixture, 1), QUEUE_TAKEN);
    assert_int_equal(offer(&fixture, 2), QUEUE_FULL);
    assert_int_equal(offer(&fixture, 0), QUEUE_FULL);
    finish(&fixture);
}

TEST(popping_batches_restores_a_share)
{
    struct fixture fixture = make(CAPACITY, true);
    size_t share = offer_until_refused(&fixture, 0);
    for (int round = 0; round < 100; round++) {
        assert_int_equal(offer(&fixture, 0), QUEUE_SHARE_SPENT);
        assert_int_equal(take(&fixture), 0);
        assert_int_equal(offer(&fixture, 0), QUEUE_TAKEN);
    }
    for (size_t i = 0; i < share; i++)
        take(&fixture);
    assert_int_equal(offer_until_refused(&fixture, 0), share);
    finish(&fixture);
}

TEST(a_single_listener_gets_a_share_when_others_are_added)
{
    struct fixture fixture = make(CAPACITY, false);
    assert_int_equal(offer_until_refused(&fixture, 0), CAPACITY);
    for (size_t i = 0; i < CAPACITY - 1; i++)
        take(&fixture);
    assert_true(batch_queue_set_listeners(fixture.queue, 3, true));
    assert_in_range(offer_until_refused(&fixture, 0), 1, CAPACITY / 2);
    assert_int_equal(offer(&fixture, 2), QUEUE_TAKEN);
    assert_true(batch_queue_set_listeners(fixture.queue, 1, false));
    assert_int_equal(offer(&fixture, 0), QUEUE_TAKEN);
    assert_int_equal(offer(&fixture, 1), QUEUE_TAKEN);
    assert_false(batch_queue_set_listeners(fixture.queue, BATCH_QUEUE_LISTENERS + 1, false));
    finish(&fixture);
}

TEST(a_queue_that_shrinks_keeps_what_waits_in_it)
{
    struct fixture fixture = make(CAPACITY, false);
    for (int i = 0; i < 6; i++)
        assert_int_equal(offer(&fixture, 0), QUEUE_TAKEN);
    batch_queue_set_capacity(fixture.queue, 4);
    assert_int_equal(offer(&fixture, 0), QUEUE_FULL);
    for (int i = 0; i < 3; i++)
        assert_int_equal(take(&fixture), 0);
    assert_int_equal(offer_until_refused(&fixture, 0), 1);
    batch_queue_set_capacity(fixture.queue, CAPACITY);
    assert_int_equal(offer_until_refused(&fixture, 0), CAPACITY - 4);
    finish(&fixture);
}

TEST(a_queue_with_a_lower_limit_takes_fewer_large_batches)
{
    struct fixture fixture = make(CAPACITY, false);
    batch_queue_set_large(fixture.queue, 2);
    assert_int_equal(batch_queue_large_limit(fixture.queue), 2);
    for (int i = 0; i < 2; i++)
        assert_int_equal(offer_sized(&fixture, 0, true), QUEUE_TAKEN);
    assert_int_equal(offer_sized(&fixture, 0, true), QUEUE_FULL);
    assert_int_equal(offer(&fixture, 0), QUEUE_TAKEN);
    batch_queue_set_large(fixture.queue, BATCH_QUEUE_LARGE);
    assert_int_equal(offer_sized(&fixture, 0, true), QUEUE_TAKEN);
    finish(&fixture);
}

TEST(a_queue_grows_beyond_what_it_began_with)
{
    struct fixture fixture = make(CAPACITY, false);
    batch_queue_destroy(fixture.queue);
    fixture.queue = batch_queue_create(4, 1, false);
    assert_int_equal(offer_until_refused(&fixture, 0), 4);
    batch_queue_set_capacity(fixture.queue, CAPACITY);
    assert_int_equal(offer_until_refused(&fixture, 0), CAPACITY - 4);
    finish(&fixture);
}

/* --- the reported level of a queue ------------------------------------------------------------ */

static bool refuses(struct fixture *fixture, size_t listener, bool large)
{
    struct batch *batch = batch_acquire(fixture->pool, large);
    assert_non_null(batch);
    batch->listener = &listeners[listener];
    bool refused = batch_queue_ask(fixture->queue, batch) != QUEUE_TAKEN;
    batch_release(batch);
    return refused;
}

TEST(a_queue_is_full_exactly_when_it_refuses_a_listener_that_is_in_it)
{
    unsigned random = 1;
    for (size_t capacity = 1; capacity <= CAPACITY; capacity++) {
        for (int shared = 0; shared < 2; shared++) {
            struct fixture fixture = make(capacity, shared != 0);
            /*
             * `held` has, for each listener, the number of all its batches and of its large ones.
             */
            size_t held[3][2] = {{0}};
            for (int step = 0; step < 300; step++) {
                random = random * 1664525 + 1013904223;
                size_t listener = shared != 0 ? random >> 16 & 1 : 0;
                bool large = (random >> 20 & 3) == 0;
                if ((random >> 24 & 3) != 0 || batch_queue_is_empty(fixture.queue)) {
                    bool taken = offer_sized(&fixture, listener, large) == QUEUE_TAKEN;
                    held[listener][0] += taken;
                    held[listener][1] += taken && large;
                } else {
                    struct batch *batch = batch_queue_pop(fixture.queue);
                    held[batch->listener->index][0]--;
                    held[batch->listener->index][1] -= batch->large;
                    batch_release(batch);
                }
                bool full = false;
                for (size_t i = 0; i < 2; i++)
                    full |= (held[i][0] != 0 && refuses(&fixture, i, false)) ||
                            (held[i][1] != 0 && refuses(&fixture, i, true));
                double fill = batch_queue_fill(fixture.queue);
                assert_true((fill == 1) == full);
                assert_true(fill >= batch_queue_backlog(fixture.queue) && fill <= 1);
                assert_true((fill == 0) == batch_queue_is_empty(fixture.queue));
            }
            finish(&fixture);
        }
    }
}

TEST(the_share_of_a_flooding_listener_fills_evenly)
{
    struct fixture fixture = make(CAPACITY, true);
    double before = 0;
    while (offer(&fixture, 1) == QUEUE_TAKEN) {
        double fill = batch_queue_fill(fixture.queue);
        assert_true(fill > before && fill - before <= 0.25);
        before = fill;
    }
    assert_true(before == 1);
    assert_true(batch_queue_backlog(fixture.queue) < 0.5);
    finish(&fixture);
}

/* --- eviction of the oldest batches ----------------------------------------------------------- */

/*
 * Pushes a batch and then requests room, even if the push was refused. A producer that drops the
 * oldest batches does this.
 */
static enum queue_result offer_newest(struct fixture *fixture, size_t listener, bool large,
                                      bool *asked)
{
    struct batch *batch = batch_acquire(fixture->pool, large);
    assert_non_null(batch);
    batch->listener = &listeners[listener];
    batch_retain(batch);
    enum queue_result result = push(fixture->queue, batch);
    if (result != QUEUE_TAKEN)
        batch_release(batch);
    *asked = batch_queue_want_room(fixture->queue, batch, result != QUEUE_TAKEN);
    batch_release(batch);
    return result;
}

struct evicted {
    size_t count;
    size_t of[3]; /* for each listener */
    size_t large;
};

static void evict(void *context, struct batch *batch)
{
    struct evicted *evicted = context;
    evicted->count++;
    evicted->of[batch->listener->index]++;
    evicted->large += batch->large;
    batch_release(batch);
}

static struct evicted make_room(struct fixture *fixture)
{
    struct evicted evicted = {0};
    assert_true(batch_queue_make_room(fixture->queue, evict, &evicted));
    return evicted;
}

TEST(room_is_requested_early_and_only_once)
{
    struct fixture fixture = make(CAPACITY, false);
    struct evicted evicted = {0};
    bool asked;
    for (int i = 0; i < CAPACITY - 3; i++) {
        assert_int_equal(offer_newest(&fixture, 0, false, &asked), QUEUE_TAKEN);
        assert_false(asked);
    }
    assert_false(batch_queue_make_room(fixture.queue, evict, &evicted));
    assert_int_equal(offer_newest(&fixture, 0, false, &asked), QUEUE_TAKEN);
    assert_true(asked); /* there is room for two more batches */
    assert_int_equal(offer_newest(&fixture, 0, false, &asked), QUEUE_TAKEN);
    assert_false(asked);
    assert_int_equal(make_room(&fixture).count, (CAPACITY - 1) / 4 + 1);
    assert_false(batch_queue_make_room(fixture.queue, evict, &evicted));
    assert_int_equal(evicted.count, 0);
    finish(&fixture);
}

TEST(the_oldest_make_room_for_the_newest)
{
    struct fixture fixture = make(CAPACITY, true);
    bool asked;
    for (size_t i = 0; i < 100; i++)
        (void)offer_newest(&fixture, i % 3, false, &asked);
    assert_int_equal(offer_newest(&fixture, 0, false, &asked), QUEUE_SHARE_SPENT);
    struct evicted evicted = make_room(&fixture);
    assert_true(evicted.count > 0);
    assert_int_equal(offer_newest(&fixture, 0, false, &asked), QUEUE_TAKEN);
    finish(&fixture);
}

/* A quarter of one slot is 0, but room must be made for one batch. */
TEST(the_smallest_queue_gives_its_only_batch)
{
    struct fixture fixture = make(1, false);
    bool asked;
    for (int round = 0; round < 5; round++) {
        assert_int_equal(offer_newest(&fixture, 0, false, &asked), QUEUE_TAKEN);
        assert_true(asked);
        assert_int_equal(offer(&fixture, 0), QUEUE_FULL);
        assert_int_equal(make_room(&fixture).count, 1);
    }
    finish(&fixture);
}

/* The sink has taken batches since the request, so there is room and no batch is evicted. */
TEST(room_is_not_made_if_it_exists_already)
{
    struct fixture fixture = make(CAPACITY, false);
    bool asked;
    for (int i = 0; i < CAPACITY; i++)
        (void)offer_newest(&fixture, 0, false, &asked);
    for (int i = 0; i < 3; i++)
        take(&fixture);
    assert_int_equal(make_room(&fixture).count, 0);
    finish(&fixture);
}

TEST(a_spent_share_loses_only_its_own_oldest)
{
    struct fixture fixture = make(CAPACITY, true);
    bool asked;
    assert_int_equal(offer_newest(&fixture, 1, false, &asked), QUEUE_TAKEN);
    size_t sent = 0;
    for (int round = 0; round < 100; round++) {
        while (offer_newest(&fixture, 0, false, &asked) == QUEUE_TAKEN)
            sent++;
        struct evicted evicted = make_room(&fixture);
        assert_in_range(evicted.of[0], 1, sent);
        assert_int_equal(evicted.count, evicted.of[0]);
        sent -= evicted.count;
    }
    assert_int_equal(take(&fixture), 1);
    finish(&fixture);
}

TEST(room_for_large_batches_is_made_by_the_oldest_large_ones)
{
    struct fixture fixture = make(CAPACITY, false);
    bool asked;
    assert_int_equal(offer(&fixture, 0), QUEUE_TAKEN);
    for (int i = 0; i < BATCH_QUEUE_LARGE; i++)
        assert_int_equal(offer_newest(&fixture, 0, true, &asked), QUEUE_TAKEN);
    assert_true(asked);
    struct evicted evicted = make_room(&fixture);
    assert_int_equal(evicted.large, BATCH_QUEUE_LARGE / 4 + 1);
    assert_int_equal(evicted.count, evicted.large);
    assert_int_equal(offer_newest(&fixture, 0, true, &asked), QUEUE_TAKEN);
    finish(&fixture);
}

TEST(a_spent_share_makes_room_for_its_own_large_batches)
{
    struct fixture fixture = make(CAPACITY, true);
    bool asked;
    assert_int_equal(offer_newest(&fixture, 1, true, &asked), QUEUE_TAKEN);
    assert_int_equal(offer_newest(&fixture, 0, true, &asked), QUEUE_TAKEN);
    assert_false(asked); /* each listener has one batch, and a second one is refused */
    assert_int_equal(offer_newest(&fixture, 0, true, &asked), QUEUE_SHARE_SPENT);
    assert_true(asked);
    struct evicted evicted = make_room(&fixture);
    assert_int_equal(evicted.of[0], 1);
    assert_int_equal(evicted.count, 1);
    assert_int_equal(offer_newest(&fixture, 0, true, &asked), QUEUE_TAKEN);
    finish(&fixture);
}

/* --- two threads ------------------------------------------------------------------------------ */

#define BATCHES 5000 /* maximum; fewer are pushed if TRAFFIC_NS has passed */
#define LARGEST 5    /* records of a batch */

struct traffic {
    struct fixture fixture;
    bool consumer_is_slow; /* the consumer pops only after a batch was refused */
    bool makes_room;       /* the consumer evicts the oldest when room is requested */
    _Atomic uint64_t refusals;
    _Atomic bool ended;
    uint64_t batches, records, sum; /* counts and sum of what was pushed */
    uint64_t taken_batches, taken_records, taken_sum, disorder;
    uint64_t evicted_batches;
    bool gave_up;
};

static struct batch *make_batch(struct batch_pool *pool, uint64_t number, uint64_t *sum)
{
    struct batch *batch = batch_acquire(pool, false);
    if (batch == NULL)
        return NULL;
    batch->listener = &listeners[number % 3];
    for (uint64_t i = 0; i <= number % LARGEST; i++) {
        struct record *record = arena_allocate(&batch->arena, sizeof *record);
        if (record == NULL)
            abort(); /* a batch always has room for these few records */
        *record = (struct record){.received_ns = (int64_t)(number * LARGEST + i)};
        *sum += (uint64_t)record->received_ns;
        batch_append(batch, record);
    }
    return batch;
}

static void produce(void *argument)
{
    struct traffic *traffic = argument;
    int64_t until = patience_until();
    int64_t enough = clock_monotonic_ns() + TRAFFIC_NS;
    while (traffic->batches < BATCHES && clock_monotonic_ns() < enough) {
        uint64_t sum = 0;
        struct batch *batch = make_batch(traffic->fixture.pool, traffic->batches, &sum);
        if (batch == NULL) {
            if (!patience(until))
                break;
            continue;
        }
        /* The count is read before the push, because after it the consumer owns the batch. */
        uint32_t count = batch->count;
        if (traffic->makes_room)
            (void)batch_queue_want_room(traffic->fixture.queue, batch, true);
        while (push(traffic->fixture.queue, batch) != QUEUE_TAKEN && patience(until))
            atomic_fetch_add(&traffic->refusals, 1);
        traffic->batches++;
        traffic->records += count;
        traffic->sum += sum;
    }
    atomic_store(&traffic->ended, true);
    batch_queue_close(traffic->fixture.queue);
}

static void check_batch(struct traffic *traffic, const struct batch *batch)
{
    uint64_t number = traffic->taken_batches++;
    traffic->disorder += batch->listener != &listeners[number % 3];
    traffic->disorder += batch->count != number % LARGEST + 1;
    for (const struct record *record = batch->first; record != NULL; record = record->next) {
        traffic->taken_records++;
        traffic->taken_sum += (uint64_t)record->received_ns;
    }
}

/* check_batch adds up the records, which may be out of order when they are evicted. */
static void sum_up_evicted(void *context, struct batch *batch)
{
    struct traffic *traffic = context;
    traffic->evicted_batches++;
    check_batch(traffic, batch);
    batch_release(batch);
}

static void consume(struct traffic *traffic)
{
    int64_t until = patience_until();
    uint64_t seen = 0;
    while (!batch_queue_finished(traffic->fixture.queue)) {
        bool hold = traffic->consumer_is_slow && atomic_load(&traffic->refusals) == seen &&
                    !atomic_load(&traffic->ended);
        if (traffic->makes_room)
            (void)batch_queue_make_room(traffic->fixture.queue, sum_up_evicted, traffic);
        struct batch *batch = hold ? NULL : batch_queue_pop(traffic->fixture.queue);
        if (batch == NULL) {
            traffic->gave_up = !patience(until);
            if (traffic->gave_up)
                return;
            continue;
        }
        seen = atomic_load(&traffic->refusals);
        check_batch(traffic, batch);
        batch_release(batch);
    }
}

static void run_traffic(struct traffic *traffic)
{
    struct thread *thread;
    struct error error;
    assert_int_equal(thread_start(&thread, "producer", produce, traffic, &error), 0);
    consume(traffic);
    thread_join(thread);
    assert_false(traffic->gave_up);
    assert_true(traffic->batches > CAPACITY);
    assert_int_equal(traffic->taken_batches, traffic->batches);
    assert_int_equal(traffic->taken_records, traffic->records);
    assert_true(traffic->taken_sum == traffic->sum);
    finish(&traffic->fixture);
}

static void assert_all_arrive(size_t capacity, bool consumer_is_slow)
{
    struct traffic traffic = {
        .fixture = make(capacity, true),
        .consumer_is_slow = consumer_is_slow,
    };
    run_traffic(&traffic);
    assert_int_equal(traffic.disorder, 0);
}

TEST(every_record_is_taken_or_evicted_once)
{
    for (size_t capacity = 1; capacity <= CAPACITY; capacity *= 4) {
        struct traffic traffic = {
            .fixture = make(capacity, true), .consumer_is_slow = true, .makes_room = true};
        run_traffic(&traffic);
        assert_true(traffic.evicted_batches > 0);
    }
}

TEST(every_record_arrives_once_and_whole)
{
    assert_all_arrive(CAPACITY, false);
    assert_all_arrive(1, false);
}

TEST(every_record_arrives_at_a_slow_consumer)
{
    assert_all_arrive(4, true);
}
