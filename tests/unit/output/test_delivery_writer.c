/*
 * Tests a sink with a delivery: each record gets exactly the outcome that the far end's answer
 * gives it.
 */
#include <stdatomic.h>
#include <string.h>

#include "collector/platform/clock.h"
#include "collector/platform/wakeup.h"
#include "tests/support/output/fake_sink.h"
#include "tests/support/output/far_end.h"
#include "tests/support/platform/patience.h"
#include "tests/support/test.h"

#define MOST    64
#define SECONDS UINT64_C(1000000000)

/*
 * A far end that behaves as `script` says. Only the sink's thread uses the fields, except where
 * marked.
 */
static struct {
    /*
     * One letter for each block. Blocks after the last letter are acknowledged. "." acknowledged,
     * "r" rejected, "l" too large, "d" denied, "n" not sent, "u" unknown, "s" never answered, "x"
     * no room, "h" held until the next block has come or `let` is set, and then answered before
     * that block. "p": the records of the block are answered one by one; `of_records` has a letter
     * for each record, and "t" means partly accepted. Three more letters answer a block of which a
     * part may have been accepted: "q" not sent, "w" acknowledged, "v" rejected.
     */
    const char *script;
    const char *of_records;
    int64_t retry_after_ns; /* for each block that is not sent */
    bool by_letter;         /* a record's route is the first letter of its payload */
    _Atomic size_t sends;
    int64_t sent_ns[MOST];
    uint64_t numbers[MOST];
    size_t counts[MOST];

    struct delivery_block *held;
    _Atomic bool let;     /* set by any thread: releases the answer of the held block */
    _Atomic size_t asked; /* number of requests for answers; used by any thread */
    bool by_serving;      /* answers come only when the destination is served */
    size_t served;        /* number of answers that came in this way */
} far;

static void answer_by(struct delivery_block *block, char letter)
{
    static const char letters[] = ".rnum";
    bool refused = letter == 'l' || letter == 'd';
    far_end_answer(block,
                   refused ? DELIVERY_REFUSED
                           : (enum delivery_outcome)(strchr(letters, letter) - letters),
                   letter == 'l'   ? DELIVERY_TOO_LARGE
                   : letter == 'd' ? DELIVERY_DENIED
                                   : DELIVERY_REJECTED);
}

static void answer_records(struct delivery_block *block)
{
    block->per_record = true;
    for (size_t i = 0; i < block->count; i++) {
        char letter = far.of_records[i];
        if (!block->records[i].done)
            block->records[i].outcome = letter == '.'   ? DELIVERY_ACKNOWLEDGED
                                        : letter == 'n' ? DELIVERY_NOT_SENT
                                        : letter == 'q' ? DELIVERY_NOT_SENT
                                        : letter == 'w' ? DELIVERY_ACKNOWLEDGED
                                        : letter == 't' ? DELIVERY_PARTLY_ACCEPTED
                                        : letter == 'u' ? DELIVERY_UNKNOWN
                                                        : DELIVERY_REFUSED;
        block->records[i].reason = DELIVERY_REJECTED;
        block->records[i].repeated = letter == 'q' || letter == 'w' || letter == 'v';
    }
    far_end_note_answer(block);
}

static bool take(struct destination *destination, struct delivery_block *block, struct error *error)
{
    (void)destination;
    (void)error;
    size_t number = atomic_load(&far.sends);
    char letter = number < strlen(far.script) ? far.script[number] : '.';
    assert_true(number < MOST);
    far.sent_ns[number] = clock_monotonic_ns();
    far.numbers[number] = block->first_number;
    far.counts[number] = block->count;
    if (letter == 'h')
        far.held = block;
    else if (letter == 's')
        far_end_keep_silent(block);
    else if (letter == 'p')
        answer_records(block);
    else if (letter != 'x')
        answer_by(block, letter);
    if (far.held != NULL && letter != 'h') {
        answer_by(far.held, '.');
        far.held = NULL;
    }
    atomic_fetch_add(&far.sends, 1);
    wakeup_signal(far_end.wakeup);
    return letter != 'x';
}

static struct delivery_block *answer(struct destination *destination, struct error *error,
                                     int64_t *retry_after_ns)
{
    if (far.held != NULL && atomic_exchange(&far.let, false)) {
        answer_by(far.held, '.');
        far.held = NULL;
    }
    atomic_fetch_add(&far.asked, 1);
    if (far.by_serving && far_end.taken == far.served)
        return NULL;
    struct delivery_block *block = far_end_take_answer(destination, error, retry_after_ns);
    if (block != NULL && block->outcome == DELIVERY_NOT_SENT)
        *retry_after_ns = far.retry_after_ns;
    return block;
}

/*
 * Makes the first letter of the record its route, if `by_letter` is set. A record that begins with
 * "?" has no route.
 */
static bool route(struct destination *destination, const struct listener *listener,
                  const struct record *record, char *out)
{
    (void)destination;
    (void)listener;
    out[0] = far.by_letter ? (char)record->data[0] : '\0';
    out[1] = '\0';
    return out[0] != '?';
}

static int64_t due(const struct destination *destination)
{
    (void)destination;
    return far.by_serving && far.served != far_end.answered_count ? 0 : INT64_MAX;
}

static void serve(struct destination *destination)
{
    (void)destination;
    far.served = far_end.answered_count;
}

static const struct delivery_ops delivery_ops = {
    .send = take,
    .answer = answer,
    .route = route,
    .due = due,
    .serve = serve,
    .abandon = far_end_abandon,
};

static int create(const struct destination_options *options, struct destination **out,
                  struct error *error)
{
    (void)error;
    return far_end_open(options, &delivery_ops, out);
}

static const struct destination_ops far_destination = {
    .scheme = "far", .takes = TAKES_BLOCKS, .create = create};

static int set_up(void **state)
{
    int result = fake_sink_set_up(state);
    struct fake_sink *fake = *state;
    memset(&far, 0, sizeof far);
    far_end_clear();
    far.script = "";
    fake->options.destination = &far_destination;
    fake->settings.delivery = (struct delivery_options){.timeout = 30 * SECONDS, .in_flight = 4};
    return result;
}

static uint64_t written(const struct fake_sink *fake)
{
    return counter_read(&fake->counters->written);
}

static uint64_t unknown(const struct fake_sink *fake)
{
    return counter_read(&fake->counters->unknown);
}

static uint64_t failed(const struct fake_sink *fake, enum record_failure reason)
{
    return counter_read(&fake->counters->failed[reason]);
}

/*
 * Pushes a record for each letter. Waits for the outcome of each, so that each record is a block of
 * its own.
 */
static void push_apart(struct fake_sink *fake, const char *letters)
{
    for (; *letters != '\0'; letters++) {
        const char text[] = {*letters, '\0'};
        fake_sink_push(fake, 0, text, 1);
        fake_sink_wait_committed(fake, fake->queued);
    }
}

static void wait_sends(size_t sends)
{
    int64_t until = clock_monotonic_ns() + 20 * (int64_t)SECONDS;
    while (atomic_load(&far.sends) < sends)
        if (clock_monotonic_ns() > until)
            fail_msg("%zu of %zu blocks were handed over", atomic_load(&far.sends), sends);
}

TEST_WITH(what_is_acknowledged_is_written, set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    fake_sink_start(fake);
    push_apart(fake, "abc");
    fake_sink_finish(fake);
    assert_int_equal(written(fake), 3);
    assert_int_equal(counter_read(&fake->counters->lines), 3);
    assert_int_equal(counter_read(&fake->counters->bytes), 6);
    assert_int_equal(far_end.used, 6);
    assert_memory_equal(far_end.got, "a\nb\nc\n", 6);
}

TEST_WITH(a_destination_is_served_while_a_record_waits_for_room, set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    far.by_serving = true;
    fake->settings.delivery.in_flight = 1;
    fake_sink_start(fake);
    fake_sink_push(fake, 0, "*100000", 12); /* more than the blocks have room for */
    fake_sink_wait_committed(fake, 12);
    fake_sink_finish(fake);
    assert_int_equal(written(fake), 12);
}

TEST_WITH(each_refusal_has_its_reason_and_is_not_sent_again, set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    far.script = "r.ld.";
    fake_sink_start(fake);
    push_apart(fake, "abcde");
    fake_sink_finish(fake);
    assert_int_equal(written(fake), 2);
    assert_int_equal(failed(fake, FAILED_REJECTED), 1);
    assert_int_equal(failed(fake, FAILED_TOO_LARGE), 1);
    assert_int_equal(failed(fake, FAILED_DENIED), 1);
    assert_int_equal(atomic_load(&far.sends), 5);
}

TEST_WITH(what_was_not_sent_is_sent_again_after_pauses_that_grow, set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    far.script = "nnn.";
    fake_sink_start(fake);
    push_apart(fake, "a");
    fake_sink_finish(fake);
    assert_int_equal(written(fake), 1);
    assert_int_equal(counter_read(&fake->counters->write_errors), 3);
    assert_int_equal(counter_read(&fake->counters->possible_duplicates), 0);
    assert_true(far.sent_ns[1] - far.sent_ns[0] >= 100000000);
    assert_true(far.sent_ns[2] - far.sent_ns[1] >= 200000000);
    assert_true(far.sent_ns[3] - far.sent_ns[2] >= 400000000);
}

TEST_WITH(the_far_end_may_ask_for_a_longer_pause, set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    far.script = "n.";
    far.retry_after_ns = 700000000;
    fake_sink_start(fake);
    push_apart(fake, "a");
    fake_sink_finish(fake);
    assert_true(far.sent_ns[1] - far.sent_ns[0] >= 700000000);
}

TEST_WITH(what_could_not_be_sent_in_its_time_has_failed, set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    far.script = "nnnnnnnnnnnnnnnnnnnnnnn";
    fake->settings.delivery.timeout = 250000000;
    fake_sink_start(fake);
    push_apart(fake, "a");
    fake_sink_finish(fake);
    assert_int_equal(failed(fake, FAILED_TIMEOUT_UNSENT), 1);
    /* The tries are at 0 and 100 ms. A third one would be at 300 ms, which is after the timeout. */
    assert_int_equal(atomic_load(&far.sends), 2);
}

TEST_WITH(an_unanswered_block_is_unknown_and_not_sent_again, set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    far.script = "u";
    fake_sink_start(fake);
    push_apart(fake, "ab");
    fake_sink_finish(fake);
    assert_int_equal(unknown(fake), 1);
    assert_int_equal(written(fake), 1);
    assert_memory_equal(far_end.got, "b\n", 2);
}

TEST_WITH(at_least_once_sends_it_again_and_counts_what_may_be_there_twice, set_up,
          fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    far.script = "u.";
    fake->settings.delivery.retry = RETRY_AT_LEAST_ONCE;
    fake_sink_start(fake);
    push_apart(fake, "ab");
    fake_sink_finish(fake);
    assert_int_equal(unknown(fake), 0);
    assert_int_equal(written(fake), 2);
    assert_int_equal(counter_read(&fake->counters->possible_duplicates), 1);
    assert_int_equal(far.numbers[0], far.numbers[1]);
}

TEST_WITH(what_a_protocol_has_sent_again_is_and_may_be_there_twice, set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    far.script = "m.";
    fake_sink_start(fake);
    push_apart(fake, "a");
    fake_sink_finish(fake);
    assert_int_equal(written(fake), 1);
    assert_int_equal(counter_read(&fake->counters->possible_duplicates), 1);
}

TEST_WITH(at_most_once_does_not_send_it_again, set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    far.script = "m.";
    fake->settings.delivery.retry = RETRY_AT_MOST_ONCE;
    fake_sink_start(fake);
    push_apart(fake, "a");
    fake_sink_finish(fake);
    assert_int_equal(written(fake), 0);
    assert_int_equal(unknown(fake), 1);
}

/* After an unknown outcome, the far end may have the block even if it refuses a later try. */
TEST_WITH(what_was_once_unknown_stays_so_unless_it_is_acknowledged, set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    far.script = "urunnnnnnnnnnnnnnnnnnnn";
    fake->settings.delivery.retry = RETRY_AT_LEAST_ONCE;
    fake->settings.delivery.timeout = 500000000;
    fake_sink_start(fake);
    push_apart(fake, "ab");
    fake_sink_finish(fake);
    assert_int_equal(unknown(fake), 2);
}

/*
 * The far end has no room for the first block at first. Then sending it fails, and it must be sent
 * again before the second block.
 */
TEST_WITH(what_is_sent_again_goes_before_what_never_was, set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    far.script = "xn";
    fake->settings.delivery.in_flight = 1;
    far.by_letter = true;
    fake_sink_start(fake);
    fake_sink_push(fake, 0, "a", 1);
    fake_sink_push(fake, 0, "b", 1);
    fake_sink_push(fake, 0, "c", 1);
    fake_sink_finish(fake);
    assert_int_equal(written(fake), 3);
    assert_memory_equal(far_end.got, "a\nb\nc\n", 6);
}

TEST_WITH(answers_in_another_order_are_counted_all_the_same, set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    far.script = "h.h.";
    far.by_letter = true;
    fake_sink_start(fake);
    for (const char *letter = "abcd"; *letter != '\0'; letter++) {
        const char text[] = {*letter, '\0'};
        fake_sink_push(fake, 0, text, 2);
    }
    fake_sink_finish(fake);
    assert_int_equal(written(fake), 8);
    assert_int_equal(far_end.used, 16);
}

TEST_WITH(a_block_has_records_of_one_route_and_numbers_go_on, set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    far.by_letter = true;
    fake_sink_start(fake);
    fake_sink_push(fake, 0, "a", 3);
    fake_sink_push(fake, 0, "b", 2);
    fake_sink_push(fake, 0, "?", 1);
    fake_sink_push(fake, 0, "a", 1);
    fake_sink_finish(fake);
    assert_int_equal(written(fake), 6);
    assert_int_equal(failed(fake, FAILED_REJECTED), 1);
    uint64_t next = 0;
    for (size_t i = 0; i < atomic_load(&far.sends); i++) {
        assert_int_equal(far.numbers[i], next);
        next += far.counts[i];
    }
    assert_int_equal(next, 6);
}

TEST_WITH(records_of_a_block_may_have_different_answers, set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    far.script = "p.";
    far.of_records = ".rnu.";
    fake_sink_start(fake);
    fake_sink_push(fake, 0, "a", 5);
    fake_sink_finish(fake);
    /* The three are two records of the first send, and one that was sent again. */
    assert_int_equal(written(fake), 3);
    assert_int_equal(counter_read(&fake->counters->lines), 3);
    assert_int_equal(failed(fake, FAILED_REJECTED), 1);
    assert_int_equal(unknown(fake), 1);
    assert_int_equal(atomic_load(&far.sends), 2);
}

TEST_WITH(what_was_refused_with_others_may_be_there, set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    far.script = "pn";
    far.of_records = "tqwv.";
    fake->settings.delivery.timeout = SECONDS / 20;
    fake_sink_start(fake);
    fake_sink_push(fake, 0, "a", 5);
    fake_sink_finish(fake);
    assert_int_equal(written(fake), 2);
    assert_int_equal(counter_read(&fake->counters->possible_duplicates), 1);
    assert_int_equal(failed(fake, FAILED_REJECTED), 1);
    assert_int_equal(unknown(fake), 2); /* one was accepted in part, and one reached its timeout */
}

TEST_WITH(no_more_is_in_flight_than_may_be, set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    far.script = "ss";
    far.by_letter = true;
    fake->settings.delivery.in_flight = 2;
    fake_sink_start(fake);
    for (int i = 0; i < 6; i++)
        fake_sink_push(fake, 0, i % 2 == 0 ? "a" : "b", 1);
    wait_sends(2);
    sink_thread_stop(fake->sink, clock_monotonic_ns() + 300000000);
    fake_sink_finish(fake);
    assert_int_equal(atomic_load(&far.sends), 2);
    assert_int_equal(unknown(fake), 2);
    assert_int_equal(failed(fake, FAILED_STOP_TIMEOUT), 4);
}

/* Records that could not be sent to an unreachable far end are not an I/O error. */
TEST_WITH(what_an_unreachable_far_end_lacks_at_the_stop_is_late, set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    far.script = "nnnnnnnnnnnnnnnnnnnn";
    fake_sink_start(fake);
    fake_sink_push(fake, 0, "a", 3);
    wait_sends(2);
    sink_thread_stop(fake->sink, clock_monotonic_ns());
    fake_sink_finish(fake);
    assert_int_equal(failed(fake, FAILED_STOP_TIMEOUT), 3);
    assert_int_equal(failed(fake, FAILED_IO_ERROR), 0);
}

TEST_WITH(a_stop_waits_for_answers_that_come_in_time, set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    far.script = "n.";
    fake_sink_start(fake);
    fake_sink_push(fake, 0, "a", 1);
    wait_sends(1);
    sink_thread_stop(fake->sink, clock_monotonic_ns() + 10 * (int64_t)SECONDS);
    fake_sink_finish(fake);
    assert_int_equal(written(fake), 1);
}

/*
 * These records need more room than all blocks have. So full blocks are sent while the remaining
 * records are collected.
 */
TEST_WITH(many_records_pass_through_few_blocks, set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    fake->settings.delivery.in_flight = 1;
    fake_sink_start(fake);
    for (int i = 0; i < 20; i++)
        fake_sink_push(fake, (size_t)i % FAKE_QUEUES, "*60000", 10);
    fake_sink_push(fake, 0, "!", 1);
    fake_sink_push(fake, 0, "-", 2);
    fake_sink_finish(fake);
    assert_int_equal(written(fake), 200);
    assert_int_equal(failed(fake, FAILED_TOO_LARGE), 1);
    assert_int_equal(counter_read(&fake->counters->filtered), 2);
    assert_int_equal(counter_read(&fake->counters->bytes), 200 * 60001);
}

static void wait_asked(size_t times)
{
    int64_t until = patience_until();
    while (atomic_load(&far.asked) < times)
        assert_true(patience(until));
}

/*
 * The first block waits for its answer, and the second one for room. The third one is full and is
 * sent without a wait.
 */
TEST_WITH(a_full_block_is_sent_at_once_whatever_was_waited_for_before, set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    far.script = "h";
    fake->settings.delivery.in_flight = 1;
    fake->settings.delivery.timeout = 1000 * SECONDS;
    fake_sink_start(fake);
    fake_sink_push(fake, 0, "a", 1);
    fake_sink_wait_asleep(fake);
    size_t asked = atomic_load(&far.asked);
    fake_sink_push(fake, 0, "*300000", 1); /* fills a block */
    wait_asked(asked + 2);                 /* once before it takes the record, and once after it */
    atomic_store(&far.let, true);
    wakeup_signal(far_end.wakeup);
    fake_sink_wait_committed(fake, 2);
    fake_sink_wait_asleep(fake);
    fake_sink_push(fake, 0, "*300000", 1);
    fake_sink_wait_committed(fake, 3);
    fake_sink_finish(fake);
    assert_int_equal(written(fake), 3);
}

/* The function `take` of a destination may need the time of a disk access. */
TEST_WITH(a_sink_that_is_held_where_it_hands_a_block_over_is_alive, set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    int64_t until = patience_until();
    fake_sink_start(fake);
    atomic_store(&fake->gate_shut, true);
    fake_sink_push(fake, 0, "a", 1);
    while (!atomic_load(&fake->at_gate))
        assert_true(patience(until));
    for (int i = 0; i < 3; i++)
        assert_true(sink_thread_is_alive(fake->sink));
    atomic_store(&fake->gate_shut, false);
    fake_sink_finish(fake);
    assert_int_equal(written(fake), 1);
}
