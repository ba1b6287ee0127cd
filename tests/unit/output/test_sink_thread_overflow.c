/*
 * Tests a sink that is behind, because its reader stalls, and whose queue is full. Either the
 * oldest or the newest records are lost.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/output/fan_out.h"
#include "collector/platform/clock.h"
#include "tests/support/output/fake_sink.h"
#include "tests/support/platform/patience.h"
#include "tests/support/platform/wait_end.h"
#include "tests/support/test.h"

/* --- a destination that stalls ---------------------------------------------------------------- */

typedef enum write_result writer(struct destination *destination, const void *bytes, size_t size,
                                 size_t *written, struct error *error);

/* While `stalled` is true, each write returns `stall`. */
static _Atomic bool stalled;
static _Atomic unsigned stalled_writes;
static enum write_result stall;
static writer *write_freely;
static struct wait_end *end; /* the end of a full pipe, which the sink waits for */

static enum write_result write_unless_stalled(struct destination *destination, const void *bytes,
                                              size_t size, size_t *written, struct error *error)
{
    if (!atomic_load(&stalled))
        return write_freely(destination, bytes, size, written, error);
    error_set(error, EXIT_CODE_IO, "stalled");
    atomic_fetch_add(&stalled_writes, 1);
    return stall;
}

static void fill_pipe(struct fake_sink *fake)
{
    end = wait_end_open(END_OF_PIPE);
    wait_end_fill(end);
    fake->handle = wait_end_handle(end);
}

static void begin_stall(struct fake_sink *fake, enum write_result result)
{
    fill_pipe(fake);
    stall = result;
    write_freely = fake->stream.write;
    fake->stream.write = write_unless_stalled;
    atomic_store(&stalled_writes, 0);
    atomic_store(&stalled, true);
}

static void end_stall(void)
{
    atomic_store(&stalled, false);
    wait_end_is_read(end);
}

/* --- a producer of numbered records ----------------------------------------------------------- */

struct producer {
    struct fan_out *fan_out;
    struct batch_queue *queue;
    struct offer_counters *offers;
};

static struct producer make_producer(struct fake_sink *fake, size_t queue,
                                     enum fan_out_waiting waiting, bool drops_oldest)
{
    struct producer made = {.queue = fake->queues[queue],
                            .offers = ledger_offer_block(fake->ledger, 0)};
    struct error error;
    const struct fan_out_sink to = {
        .name = "fake:",
        .sink = fake->sink,
        .queue = made.queue,
        .offers = made.offers,
        .in_flight = &fake->counters->in_flight,
        .drops = true,
        .drops_oldest = drops_oldest,
    };
    assert_non_null(made.offers);
    assert_int_equal(fan_out_create(&made.fan_out, 1, waiting, &error), 0);
    assert_int_equal(fan_out_add_sink(made.fan_out, &to, &error), 0);
    return made;
}

static void offer(struct fake_sink *fake, struct producer *producer, unsigned number)
{
    char text[8];
    snprintf(text, sizeof text, "%06u", number);
    fan_out_offer(producer->fan_out, fake_sink_make_for_feed(fake, text, 1));
    fan_out_wake_sinks(producer->fan_out);
}

static void wait_for_room(const struct producer *producer)
{
    int64_t until = patience_until();
    /* The producer requests room when less than an eighth of the queue is free. */
    while (batch_queue_backlog(producer->queue) >= 0.875)
        if (!patience(until))
            fail_msg("the sink made no room");
}

static void finish(struct fake_sink *fake, struct producer *producer)
{
    fake->queued += counter_read(&producer->offers->queued);
    assert_int_equal(counter_read(&producer->offers->offered),
                     counter_read(&producer->offers->queued) +
                         counter_read(&producer->offers->refused[REFUSED_RING_FULL]));
    fan_out_destroy(producer->fan_out);
}

static uint64_t evicted(const struct fake_sink *fake)
{
    return counter_read(&fake->counters->evicted);
}

static uint64_t refused(const struct producer *producer)
{
    return counter_read(&producer->offers->refused[REFUSED_RING_FULL]);
}

static void assert_numbers(const struct fake_sink *fake, size_t line, unsigned first, size_t count)
{
    assert_int_equal(fake->size, (line + count) * 7);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(strtoul(fake->bytes + (line + i) * 7, NULL, 10), first + i);
}

/* Offers number 0, and waits until the sink's write of it stalls. */
static void stall_at_number_0(struct fake_sink *fake, struct producer *producer)
{
    int64_t until = patience_until();
    offer(fake, producer, 0);
    while (atomic_load(&stalled_writes) == 0)
        assert_true(patience(until));
}

/* --- the newest records are kept -------------------------------------------------------------- */

#define COUNT 1000

TEST_WITH(while_a_reader_stalls_the_oldest_make_room_for_the_newest, fake_sink_set_up,
          fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    begin_stall(fake, WRITE_WOULD_BLOCK);
    fake_sink_start(fake);
    struct producer producer = make_producer(fake, 0, FAN_OUT_NEVER_WAITS, true);
    stall_at_number_0(fake, &producer);
    for (unsigned i = 1; i <= COUNT; i++) {
        offer(fake, &producer, i);
        wait_for_room(&producer);
    }
    end_stall();
    fake_sink_close(fake);
    assert_int_equal(refused(&producer), 0);
    finish(fake, &producer);
    fake_sink_join(fake);
    uint64_t lost = evicted(fake);
    assert_in_range(lost, COUNT - FAKE_CAPACITY, COUNT - FAKE_CAPACITY / 2);
    /*
     * The record that was already in the sink's block is written first. Then the newest records
     * follow without a gap.
     */
    assert_memory_equal(fake->bytes, "000000\n", 7);
    assert_numbers(fake, 1, (unsigned)lost + 1, COUNT - (size_t)lost);
    wait_end_close(end);
}

/* The sink pauses after a failed write. Evictions that make room must not shorten the pause. */
TEST_WITH(while_a_failure_is_waited_out_room_is_made_and_the_pause_kept, fake_sink_set_up,
          fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    begin_stall(fake, WRITE_FAILED);
    fake_sink_start(fake);
    struct producer producer = make_producer(fake, 0, FAN_OUT_NEVER_WAITS, true);
    int64_t began = clock_monotonic_ns();
    stall_at_number_0(fake, &producer);
    for (unsigned i = 1; i <= 10 * COUNT; i++) {
        offer(fake, &producer, i);
        wait_for_room(&producer);
    }
    /* The pauses are 10, 20, 40, 80, 160, 320 and 640 ms, and then one second each. */
    uint64_t seconds = (uint64_t)(clock_monotonic_ns() - began) / 1000000000;
    assert_in_range(counter_read(&fake->counters->write_errors), 1, 8 + seconds);
    end_stall();
    fake_sink_close(fake);
    assert_int_equal(refused(&producer), 0);
    finish(fake, &producer);
    fake_sink_join(fake);
    uint64_t lost = evicted(fake);
    assert_in_range(lost, 10 * COUNT - FAKE_CAPACITY, 10 * COUNT - FAKE_CAPACITY / 2);
    assert_numbers(fake, 1, (unsigned)lost + 1, 10 * COUNT - (size_t)lost);
    wait_end_close(end);
}

/* Room is requested while the sink is in a write. */
TEST_WITH(a_sink_that_writes_makes_room_before_it_takes_its_next_batch, fake_sink_set_up,
          fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    int64_t until = patience_until();
    atomic_store(&fake->gate_shut, true);
    fake_sink_start(fake);
    struct producer producer = make_producer(fake, 0, FAN_OUT_NEVER_WAITS, true);
    offer(fake, &producer, 0);
    while (!atomic_load(&fake->at_gate))
        assert_true(patience(until));
    for (unsigned i = 1; i <= FAKE_CAPACITY; i++)
        offer(fake, &producer, i);
    assert_int_equal(refused(&producer), 0);
    assert_int_equal(evicted(fake), 0);
    atomic_store(&fake->gate_shut, false);
    fake_sink_close(fake);
    finish(fake, &producer);
    fake_sink_join(fake);
    size_t lost = (size_t)evicted(fake);
    assert_in_range(lost, 1, FAKE_CAPACITY / 2);
    assert_numbers(fake, 1, (unsigned)lost + 1, FAKE_CAPACITY - lost);
}

TEST_WITH(each_queue_makes_room_for_its_own_producer, fake_sink_set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    begin_stall(fake, WRITE_WOULD_BLOCK);
    fake_sink_start(fake);
    struct producer flooded = make_producer(fake, 0, FAN_OUT_NEVER_WAITS, true);
    struct producer quiet = make_producer(fake, 1, FAN_OUT_NEVER_WAITS, true);
    stall_at_number_0(fake, &flooded);
    for (unsigned i = 1; i <= 3; i++)
        offer(fake, &quiet, 900000 + i);
    for (unsigned i = 1; i <= COUNT; i++) {
        offer(fake, &flooded, i);
        wait_for_room(&flooded);
    }
    end_stall();
    fake_sink_close(fake);
    finish(fake, &flooded);
    finish(fake, &quiet);
    fake_sink_join(fake);
    assert_true(evicted(fake) > 0);
    size_t of_quiet = 0;
    for (size_t at = 0; at < fake->size; at += 7)
        of_quiet += fake->bytes[at] == '9';
    assert_int_equal(of_quiet, 3);
    wait_end_close(end);
}

/* The sink writes slowly, and its producer never waits. */
TEST_WITH(under_load_everything_is_written_evicted_or_refused, fake_sink_set_up,
          fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    fake->random_pieces = 11;
    fake_sink_start(fake);
    struct producer producer = make_producer(fake, 0, FAN_OUT_NEVER_WAITS, true);
    for (unsigned i = 0; i < 30 * COUNT; i++)
        offer(fake, &producer, i);
    fake_sink_close(fake);
    uint64_t lost = refused(&producer);
    finish(fake, &producer);
    fake_sink_join(fake);
    lost += evicted(fake);
    assert_int_equal(counter_read(&fake->counters->written), 30 * COUNT - lost);
    assert_int_equal(fake->size, 7 * (30 * COUNT - lost));
    long before = -1;
    for (size_t at = 0; at < fake->size; at += 7) {
        long number = strtol(fake->bytes + at, NULL, 10);
        assert_true(number > before);
        before = number;
    }
}

/* --- the oldest records are kept -------------------------------------------------------------- */

static void assert_the_oldest_survive(struct fake_sink *fake, struct producer *producer)
{
    stall_at_number_0(fake, producer);
    for (unsigned i = 1; i <= COUNT; i++)
        offer(fake, producer, i);
    end_stall();
    fake_sink_close(fake);
    assert_int_equal(refused(producer), COUNT - FAKE_CAPACITY);
    finish(fake, producer);
    fake_sink_join(fake);
    assert_int_equal(evicted(fake), 0);
    assert_numbers(fake, 0, 0, 1 + FAKE_CAPACITY);
    wait_end_close(end);
}

TEST_WITH(a_sink_that_drops_the_newest_refuses_them, fake_sink_set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    begin_stall(fake, WRITE_WOULD_BLOCK);
    fake_sink_start(fake);
    struct producer producer = make_producer(fake, 0, FAN_OUT_NEVER_WAITS, false);
    assert_the_oldest_survive(fake, &producer);
}

/*
 * The producer of a stream waits for a sink whose queue is full, unless the sink evicts records to
 * make room.
 */
TEST_WITH(a_producer_that_waits_does_not_for_a_sink_that_drops, fake_sink_set_up,
          fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    begin_stall(fake, WRITE_WOULD_BLOCK);
    fake_sink_start(fake);
    struct producer producer = make_producer(fake, 0, FAN_OUT_WAITS, false);
    assert_true(fan_out_backlog(producer.fan_out) == 0);
    assert_the_oldest_survive(fake, &producer);
}

/* The producer waits for room, even after its deadline. So no record is evicted. */
TEST_WITH(a_producer_that_always_waits_never_asks_for_room, fake_sink_set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    begin_stall(fake, WRITE_WOULD_BLOCK);
    fake_sink_start(fake);
    struct producer producer = make_producer(fake, 0, FAN_OUT_ALWAYS_WAITS, true);
    fan_out_set_deadline(producer.fan_out, clock_monotonic_ns());
    assert_the_oldest_survive(fake, &producer);
}
