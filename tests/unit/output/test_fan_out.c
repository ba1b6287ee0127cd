#include <math.h>

#include "collector/output/fan_out.h"
#include "collector/platform/thread.h"
#include "tests/support/output/fake_sink.h"
#include "tests/support/platform/patience.h"
#include "tests/support/test.h"

#define NOW_NS INT64_C(1000000000000)

/* Makes a fan-out of `sinks` sinks. All are the fake sink, each with another of its queues. */
static struct fan_out *make_feed_of(struct fake_sink *fake, struct offer_counters *offers,
                                    size_t sinks, size_t threads, enum fan_out_waiting waiting)
{
    struct fan_out *fan_out;
    struct error error;
    assert_int_equal(fan_out_create(&fan_out, threads, waiting, &error), 0);
    for (size_t i = 0; i < sinks; i++) {
        const struct fan_out_sink to = {
            .name = "fake:",
            .sink = fake->sink,
            .queue = fake->queues[i % FAKE_QUEUES],
            .offers = offers,
            .in_flight = &fake->counters->in_flight,
        };
        assert_int_equal(fan_out_add_sink(fan_out, &to, &error), 0);
    }
    return fan_out;
}

static struct fan_out *make_feed(struct fake_sink *fake, struct offer_counters *offers,
                                 size_t sinks)
{
    return make_feed_of(fake, offers, sinks, 1, FAN_OUT_NEVER_WAITS);
}

static bool is_terminal(const struct destination *destination)
{
    (void)destination;
    return true;
}

static struct offer_counters *start(struct fake_sink *fake)
{
    fake->stream.is_watched = is_terminal;
    fake_sink_start(fake);
    fake_sink_wait_asleep(fake);
    struct offer_counters *offers = ledger_offer_block(fake->ledger, 0);
    assert_non_null(offers);
    return offers;
}

static void finish(struct fake_sink *fake, struct fan_out *fan_out,
                   const struct offer_counters *offers)
{
    fan_out_destroy(fan_out);
    fake->queued += counter_read(&offers->queued);
    fake_sink_finish(fake);
}

static void offer(struct fake_sink *fake, struct fan_out *fan_out)
{
    fan_out_offer(fan_out, fake_sink_make_for_feed(fake, "line", 1));
}

static void assert_asleep(const struct fake_sink *fake, size_t waiting)
{
    assert_true(sink_thread_is_idle(fake->sink));
    assert_int_equal(batch_queue_level(fake->queues[0]), waiting);
}

TEST_WITH(sinks_are_woken_if_no_batch_is_expected, fake_sink_set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    struct offer_counters *offers = start(fake);
    struct fan_out *fan_out = make_feed(fake, offers, 1);
    assert_true(fan_out_hold(fan_out, NOW_NS, INT64_MAX) == INT64_MAX);
    offer(fake, fan_out);
    assert_asleep(fake, 1);
    assert_true(fan_out_hold(fan_out, NOW_NS, INT64_MAX) == INT64_MAX);
    fake_sink_wait_committed(fake, 1);
    fake_sink_wait_asleep(fake);
    offer(fake, fan_out);
    assert_true(fan_out_hold(fan_out, INT64_MAX, INT64_MAX) == INT64_MAX);
    fake_sink_wait_committed(fake, 2);
    finish(fake, fan_out, offers);
}

TEST_WITH(a_raw_datagram_without_a_batch_is_offered_and_refused_where_sinks_take_raw,
          fake_sink_set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    struct offer_counters *offers = start(fake);
    struct offer_counters *others = ledger_offer_block(fake->ledger, 0);
    assert_non_null(others);
    struct fan_out *fan_out = make_feed_of(fake, others, 1, 2, FAN_OUT_NEVER_WAITS);
    const struct fan_out_sink raw = {.name = "raw:",
                                     .sink = fake->sink,
                                     .queue = fake->queues[0],
                                     .offers = offers,
                                     .takes_raw = true};
    struct error error;
    assert_int_equal(fan_out_add_sink(fan_out, &raw, &error), 0);
    fan_out_lose_raw(fan_out);
    fan_out_lose_raw(fan_out);
    assert_int_equal(counter_read(&offers->raw_offered), 2);
    assert_int_equal(counter_read(&offers->raw_refused), 2);
    assert_int_equal(counter_read(&offers->offered), 0);
    assert_int_equal(counter_read(&others->raw_offered), 0);
    assert_int_equal(counter_read(&others->raw_refused), 0);
    finish(fake, fan_out, others);
}

TEST_WITH(what_is_held_is_written_when_the_first_of_it_is_due, fake_sink_set_up,
          fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    struct offer_counters *offers = start(fake);
    struct fan_out *fan_out = make_feed(fake, offers, 1);
    const int64_t due_ns = NOW_NS + FAN_OUT_HOLD_NS;
    offer(fake, fan_out);
    assert_true(fan_out_hold(fan_out, NOW_NS, NOW_NS) == due_ns);
    offer(fake, fan_out);
    assert_true(fan_out_hold(fan_out, NOW_NS + 5, due_ns - 1) == due_ns);
    assert_asleep(fake, 2);
    assert_true(fan_out_hold(fan_out, due_ns - 1, due_ns) == INT64_MAX);
    fake_sink_wait_committed(fake, 2);
    /* After a wake-up, the next batch may be held for the full time again. */
    fake_sink_wait_asleep(fake);
    offer(fake, fan_out);
    assert_true(fan_out_hold(fan_out, due_ns, due_ns) == due_ns + FAN_OUT_HOLD_NS);
    assert_asleep(fake, 1);
    fan_out_wake_sinks(fan_out);
    fake_sink_wait_committed(fake, 3);
    finish(fake, fan_out, offers);
}

/*
 * A reload changes the sinks. The sink that is removed must be woken then, because no later batch
 * wakes it.
 */
TEST_WITH(what_is_held_is_written_when_the_sinks_change, fake_sink_set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    struct offer_counters *offers = start(fake);
    struct fan_out *fan_out = make_feed(fake, offers, 1);
    offer(fake, fan_out);
    assert_true(fan_out_hold(fan_out, NOW_NS, NOW_NS) == NOW_NS + FAN_OUT_HOLD_NS);
    assert_asleep(fake, 1);
    assert_true(fan_out_reserve(fan_out, 0));
    fan_out_set_sinks(fan_out, NULL, 0);
    fake_sink_wait_committed(fake, 1);
    finish(fake, fan_out, offers);
}

TEST_WITH(what_is_held_waits_for_as_long_as_all_sinks_allow, fake_sink_set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    fake_sink_start(fake); /* the destination is a file */
    fake_sink_wait_asleep(fake);
    struct offer_counters *offers = ledger_offer_block(fake->ledger, 0);
    struct fan_out *fan_out = make_feed(fake, offers, 1);
    assert_int_equal(fan_out_delay_ns(fan_out), SINK_DELAY_MOST_NS);
    offer(fake, fan_out);
    const int64_t due_ns = NOW_NS + SINK_DELAY_MOST_NS;
    assert_true(fan_out_hold(fan_out, NOW_NS, NOW_NS) == due_ns);
    assert_true(fan_out_hold(fan_out, due_ns - 1, due_ns - 1) == due_ns);
    assert_asleep(fake, 1);
    assert_true(fan_out_hold(fan_out, due_ns, due_ns) == INT64_MAX);
    fake_sink_wait_committed(fake, 1);
    finish(fake, fan_out, offers);
}

TEST_WITH(many_sinks_are_woken_as_often_as_one_in_all_up_to_a_bound, fake_sink_set_up,
          fake_sink_tear_down)
{
    static const struct {
        size_t sinks;
        int64_t hold_ns;
    } cases[] = {{2, 2 * FAN_OUT_HOLD_NS}, {3, 3 * FAN_OUT_HOLD_NS}, {9, FAN_OUT_HOLD_MOST_NS}};
    struct fake_sink *fake = *state;
    struct offer_counters *offers = start(fake);
    struct fan_out *fan_out = NULL;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        fan_out_destroy(fan_out);
        fan_out = make_feed(fake, offers, cases[i].sinks);
        offer(fake, fan_out);
        assert_true(fan_out_hold(fan_out, NOW_NS, NOW_NS) == NOW_NS + cases[i].hold_ns);
        fan_out_wake_sinks(fan_out);
        fake_sink_wait_committed(fake, counter_read(&offers->queued));
    }
    finish(fake, fan_out, offers);
}

TEST_WITH(no_batch_is_held_back_while_a_queue_fills_up, fake_sink_set_up, fake_sink_tear_down)
{
    const int filled = (int)ceil(FAKE_CAPACITY * FAN_OUT_HOLD_BACKLOG);
    struct fake_sink *fake = *state;
    struct offer_counters *offers = start(fake);
    struct fan_out *fan_out = make_feed(fake, offers, 1);
    for (int i = 1; i < filled; i++)
        offer(fake, fan_out);
    assert_true(fan_out_hold(fan_out, NOW_NS, NOW_NS) == NOW_NS + FAN_OUT_HOLD_NS);
    assert_asleep(fake, filled - 1);
    offer(fake, fan_out);
    assert_true(fan_out_hold(fan_out, NOW_NS, NOW_NS) == INT64_MAX);
    fake_sink_wait_committed(fake, filled);
    finish(fake, fan_out, offers);
}

TEST_WITH(after_so_many_batches_sinks_are_woken_in_any_case, fake_sink_set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    struct offer_counters *offers = start(fake);
    struct fan_out *fan_out = make_feed(fake, offers, 1);
    for (int i = 0; i < FAN_OUT_MOST_HELD; i++)
        offer(fake, fan_out);
    fake_sink_wait_committed(fake, FAN_OUT_MOST_HELD);
    assert_true(fan_out_hold(fan_out, NOW_NS, NOW_NS) == INT64_MAX);
    finish(fake, fan_out, offers);
}

/*
 * Threads of one stream share the fan-out, so a batch that one of them offers may have records of
 * the others.
 */
TEST_WITH(what_a_streams_threads_offer_is_held_too, fake_sink_set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    struct offer_counters *offers = start(fake);
    struct fan_out *fan_out = make_feed_of(fake, offers, 1, 4, FAN_OUT_WAITS);
    const int64_t due_ns = NOW_NS + FAN_OUT_HOLD_NS;
    offer(fake, fan_out);
    assert_true(fan_out_hold(fan_out, NOW_NS, NOW_NS) == due_ns);
    assert_asleep(fake, 1);
    assert_true(fan_out_hold(fan_out, due_ns, due_ns) == INT64_MAX);
    fake_sink_wait_committed(fake, 1);
    finish(fake, fan_out, offers);
}

TEST_WITH(a_producer_that_waits_for_room_wakes_the_sinks, fake_sink_set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    struct offer_counters *offers = start(fake);
    struct fan_out *fan_out = make_feed_of(fake, offers, 1, 1, FAN_OUT_WAITS);
    offer(fake, fan_out);
    assert_asleep(fake, 1);
    assert_false(fan_out_has_paused(fan_out));
    assert_true(fan_out_pause(fan_out));
    assert_true(fan_out_has_paused(fan_out));
    assert_false(fan_out_has_paused(fan_out));
    fake_sink_wait_committed(fake, 1);
    finish(fake, fan_out, offers);
}

struct offering {
    struct fan_out *fan_out;
    struct batch *batch;
};

static void run_offer(void *argument)
{
    const struct offering *offering = argument;
    fan_out_offer(offering->fan_out, offering->batch);
}

/* A reload makes a producer pause. No record is lost by that. */
TEST_WITH(a_producer_that_is_to_pause_does_not_wait_for_room, fake_sink_set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    struct offer_counters *offers = start(fake);
    struct fan_out *fan_out = make_feed_of(fake, offers, 1, 1, FAN_OUT_WAITS);
    atomic_store(&fake->gate_shut, true);
    offer(fake, fan_out);
    fan_out_wake_sinks(fan_out);
    int64_t until = patience_until();
    while (!atomic_load(&fake->at_gate))
        assert_true(patience(until));
    batch_queue_set_capacity(fake->queues[0], 1);
    offer(fake, fan_out);
    struct offering third = {fan_out, fake_sink_make_for_feed(fake, "line", 1)};
    struct thread *thread;
    struct error error;
    assert_int_equal(thread_start(&thread, "offers", run_offer, &third, &error), 0);
    until = patience_until();
    while (!fan_out_has_paused(fan_out))
        assert_true(patience(until));
    assert_int_equal(batch_queue_level(fake->queues[0]), 1);
    fan_out_set_quiescing(fan_out, true);
    until = patience_until();
    while (batch_queue_level(fake->queues[0]) != 2)
        assert_true(patience(until));
    thread_join(thread);
    fan_out_set_quiescing(fan_out, false);
    atomic_store(&fake->gate_shut, false);
    fan_out_wake_sinks(fan_out);
    fake_sink_wait_committed(fake, 3);
    assert_int_equal(counter_read(&offers->refused[REFUSED_RING_FULL]), 0);
    finish(fake, fan_out, offers);
}
