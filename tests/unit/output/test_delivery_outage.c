/* Tests the log lines of a delivery's outage: its beginning, its end, and the lost records. */
#include <stdatomic.h>
#include <string.h>

#include "collector/output/fan_out.h"
#include "collector/output/sink_outage.h"
#include "collector/platform/clock.h"
#include "collector/platform/wakeup.h"
#include "collector/record/batch.h"
#include "tests/support/log/heard.h"
#include "tests/support/output/fake_sink.h"
#include "tests/support/output/far_end.h"
#include "tests/support/platform/patience.h"
#include "tests/support/test.h"

#define MILLISECOND INT64_C(1000000)

/*
 * How the far end behaves: it fails the first `fails` blocks with `outcome`, and does not answer
 * the `silent` blocks after these.
 */
static struct {
    size_t fails, silent;
    enum delivery_outcome outcome;
    _Atomic bool is_away;
    _Atomic int asked, described; /* numbers of calls of take and of describe */
} far;

static bool take(struct destination *destination, struct delivery_block *block, struct error *error)
{
    (void)destination;
    (void)error;
    if (far.fails != 0) {
        far.fails--;
        far_end_answer(block, far.outcome, DELIVERY_REJECTED);
    } else if (far.silent != 0) {
        far.silent--;
        far_end_keep_silent(block);
        return true;
    } else {
        far_end_answer(block, DELIVERY_ACKNOWLEDGED, DELIVERY_REJECTED);
    }
    wakeup_signal(far_end.wakeup);
    return true;
}

static struct delivery_block *answer(struct destination *destination, struct error *error,
                                     int64_t *retry_after_ns)
{
    struct delivery_block *block = far_end_take_answer(destination, error, retry_after_ns);
    if (block != NULL && block->outcome != DELIVERY_ACKNOWLEDGED)
        error_set(error, EXIT_CODE_NOT_REACHED, "it is out to lunch");
    return block;
}

static bool is_away(const struct destination *destination, struct error *error)
{
    (void)destination;
    if (error != NULL) {
        error_set(error, EXIT_CODE_NOT_REACHED, "its line is cut");
        atomic_fetch_add(&far.described, 1);
    }
    atomic_fetch_add(&far.asked, 1);
    return atomic_load(&far.is_away);
}

static const struct delivery_ops delivery_ops = {
    .send = take, .answer = answer, .is_away = is_away, .abandon = far_end_abandon};

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
    heard_begin();
    far.outcome = DELIVERY_NOT_SENT;
    fake->options.name = "the sink";
    fake->options.destination = &far_destination;
    fake->options.stall_timeout_ns = 3600 * UINT64_C(1000000000);
    fake->settings.delivery =
        (struct delivery_options){.timeout = 30 * UINT64_C(1000000000), .in_flight = 4};
    return result;
}

static int tear_down(void **state)
{
    heard_end();
    return fake_sink_tear_down(state);
}

static void push_one(struct fake_sink *fake)
{
    fake_sink_push(fake, 0, "a", 1);
    fake_sink_wait_committed(fake, fake->queued);
}

static void wait_heard(const char *text)
{
    int64_t until = clock_monotonic_ns() + 20000 * MILLISECOND;
    while (heard(text) == 0)
        if (clock_monotonic_ns() > until)
            fail_msg("no line has \"%s\"", text);
}

TEST_WITH(an_outage_has_one_line_at_its_beginning_and_one_at_its_end, set_up, tear_down)
{
    struct fake_sink *fake = *state;
    far.fails = 2; /* the second try follows within a second of the first */
    fake_sink_start(fake);
    push_one(fake);
    fake_sink_finish(fake);
    assert_int_equal(heard("the sink: it is out to lunch; trying again; records wait for timeout= "
                           "(30.0 s), or until the queue is full, because there is no spill="),
                     1);
    assert_int_equal(heard("trying again"), 1);
    assert_int_equal(heard("writing again after 0."), 1);
    assert_int_equal(heard("records lost since: none"), 1);
    assert_int_equal(counter_read(&fake->counters->write_errors), 2);
}

TEST_WITH(a_far_end_that_works_is_not_mentioned, set_up, tear_down)
{
    struct fake_sink *fake = *state;
    fake_sink_start(fake);
    push_one(fake);
    push_one(fake);
    fake_sink_finish(fake);
    assert_int_equal(heard("the sink"), 0);
}

TEST_WITH(the_end_of_an_outage_names_the_lost_records_by_their_reason, set_up, tear_down)
{
    struct fake_sink *fake = *state;
    far.fails = 1;
    far.silent = 1; /* the unanswered block is abandoned, and its outcome is unknown */
    fake_sink_start(fake);
    fake_sink_push(fake, 0, "a", 1);
    wait_heard("trying again");
    sink_thread_note_refused(fake->sink, REFUSED_RING_FULL, 7);
    fake_sink_close(fake);
    sink_thread_stop(fake->sink, clock_monotonic_ns() + 300 * MILLISECOND);
    fake_sink_join(fake);
    assert_int_equal(heard("this sink ends in an outage that began"), 1);
    assert_int_equal(heard("records lost since: 7 ring_full, 1 unknown"), 1);
}

TEST_WITH(a_far_end_without_a_connection_is_an_outage_before_any_block_fails, set_up, tear_down)
{
    struct fake_sink *fake = *state;
    atomic_store(&far.is_away, true);
    fake_sink_start(fake);
    wait_heard("the sink: its line is cut; trying again");
    char reason[SINK_REASON_SIZE];
    sink_thread_copy_reason(fake->sink, reason);
    assert_string_equal(reason, "its line is cut");
    struct sink_past none;
    sink_thread_copy_past(fake->sink, &none);
    assert_true(none.until_ns == 0 && none.reason[0] == '\0');
    assert_true(sink_thread_condition(fake->sink).fails_since_ns != 0);
    atomic_store(&far.is_away, false);
    wakeup_signal(far_end.wakeup);
    wait_heard("connected again after");
    assert_true(sink_thread_condition(fake->sink).fails_since_ns == 0);
    sink_thread_copy_reason(fake->sink, reason);
    assert_string_equal(reason, "");
    struct sink_past past;
    sink_thread_copy_past(fake->sink, &past);
    assert_string_equal(past.reason, "its line is cut");
    assert_true(0 < past.since_ns && past.since_ns <= past.until_ns &&
                past.until_ns <= clock_monotonic_ns());
    push_one(fake);
    fake_sink_finish(fake);
    assert_int_equal(heard("writing again"), 0);
}

TEST_WITH(a_far_end_that_gives_no_answer_is_named_after_the_stall_timeout, set_up, tear_down)
{
    struct fake_sink *fake = *state;
    fake->options.stall_timeout_ns = 30 * (uint64_t)MILLISECOND;
    far.silent = 1;
    fake_sink_start(fake);
    fake_sink_push(fake, 0, "a", 1);
    wait_heard("the sink: no answer for 0 s; records wait for timeout= ");
    fake_sink_close(fake);
    sink_thread_stop(fake->sink, clock_monotonic_ns());
    fake_sink_join(fake);
    assert_int_equal(heard("records lost since: 1 unknown"), 1);
}

/*
 * Fills the sink's queue, which has room for one batch. The far end is away and the sink waits at
 * the gate, so the queue stays full.
 */
static struct fan_out *fill_queue(struct fake_sink *fake, struct offer_counters *offers)
{
    struct fan_out *fan_out;
    struct error error;
    const struct fan_out_sink to = {.name = "the sink",
                                    .sink = fake->sink,
                                    .queue = fake->queues[0],
                                    .offers = offers,
                                    .takes_raw = true,
                                    .in_flight = &fake->counters->in_flight};
    assert_int_equal(fan_out_create(&fan_out, 1, FAN_OUT_NEVER_WAITS, &error), 0);
    assert_int_equal(fan_out_add_sink(fan_out, &to, &error), 0);
    batch_queue_set_capacity(fake->queues[0], 1);
    atomic_store(&fake->gate_shut, true);
    for (int i = 0; i < 2; i++) {
        fan_out_offer(fan_out, fake_sink_make_for_feed(fake, "a", 1));
        fan_out_wake_sinks(fan_out);
        int64_t until = patience_until();
        while (!atomic_load(&fake->at_gate))
            assert_true(patience(until));
    }
    return fan_out;
}

static void refuse(struct fake_sink *fake, struct fan_out *fan_out, size_t records, uint32_t raw)
{
    struct batch *batch = fake_sink_make_for_feed(fake, "a", records);
    batch->raw_count = raw;
    fan_out_offer(fan_out, batch);
}

TEST_WITH(records_refused_in_an_outage_are_logged_once_and_without_raw_copies, set_up, tear_down)
{
    struct fake_sink *fake = *state;
    atomic_store(&far.is_away, true);
    fake_sink_start(fake);
    wait_heard("its line is cut; trying again");
    struct offer_counters *offers = ledger_offer_block(fake->ledger, 0);
    struct fan_out *fan_out = fill_queue(fake, offers);
    refuse(fake, fan_out, 7, 5);
    assert_int_equal(heard("refused "), 0);
    atomic_store(&far.is_away, false);
    atomic_store(&fake->gate_shut, false);
    wait_heard("; records lost since: 7 ring_full");
    fake_sink_wait_committed(fake, 2);
    fan_out_destroy(fan_out);
    fan_out = fill_queue(fake, offers);
    refuse(fake, fan_out, 3, 0);
    assert_int_equal(heard("refused 3 records (ring_full)"), 1);
    atomic_store(&fake->gate_shut, false);
    fan_out_destroy(fan_out);
    fake->queued += counter_read(&offers->queued);
    fake_sink_finish(fake);
    assert_int_equal(counter_read(&offers->refused[REFUSED_RING_FULL]), 10);
    assert_int_equal(counter_read(&offers->raw_refused), 5);
}

TEST_WITH(records_refused_before_an_outage_is_noticed_have_advice_that_fits, set_up, tear_down)
{
    struct fake_sink *fake = *state;
    far.silent = 1;
    /*
     * The flush interval is over soon, so the first record is sent as a block. The next block is
     * sent only after its answer.
     */
    fake->settings.flush_interval = MILLISECOND;
    fake_sink_start(fake);
    fake_sink_push(fake, 0, "a", 1);
    for (int64_t until = patience_until(); sink_thread_condition(fake->sink).oldest_ns == 0;)
        assert_true(patience(until));
    assert_false(sink_thread_condition(fake->sink).in_outage);
    struct offer_counters *offers = ledger_offer_block(fake->ledger, 0);
    struct fan_out *fan_out = fill_queue(fake, offers);
    refuse(fake, fan_out, 3, 0);
    assert_int_equal(heard("refused 3 records (ring_full), because its "), 1);
    assert_int_equal(heard("--memory"), 0);
    atomic_store(&fake->gate_shut, false);
    fan_out_destroy(fan_out);
    fake->queued += counter_read(&offers->queued);
    fake_sink_close(fake);
    sink_thread_stop(fake->sink, clock_monotonic_ns());
    fake_sink_join(fake);
}

TEST_WITH(records_refused_while_no_answer_comes_are_logged_with_the_outage, set_up, tear_down)
{
    struct fake_sink *fake = *state;
    fake->options.stall_timeout_ns = 30 * (uint64_t)MILLISECOND;
    far.silent = 1;
    fake_sink_start(fake);
    fake_sink_push(fake, 0, "a", 1);
    wait_heard("the sink: no answer for 0 s");
    assert_true(sink_thread_condition(fake->sink).in_outage);
    assert_true(sink_thread_condition(fake->sink).fails_since_ns == 0);
    fake_sink_close(fake);
    sink_thread_stop(fake->sink, clock_monotonic_ns());
    fake_sink_join(fake);
}

TEST_WITH(the_reason_of_an_outage_is_not_written_in_each_step, set_up, tear_down)
{
    struct fake_sink *fake = *state;
    atomic_store(&far.is_away, true);
    fake_sink_start(fake);
    int64_t begun_ns = clock_monotonic_ns();
    wait_heard("its line is cut; trying again");
    for (int64_t until = patience_until(); atomic_load(&far.asked) < 200;) {
        wakeup_signal(far_end.wakeup);
        assert_true(patience(until));
    }
    /*
     * describe is called once a second, and for each line of the log: after 0 s, 2 s, 10 s and so
     * on.
     */
    int64_t seconds = (clock_monotonic_ns() - begun_ns) / 1000000000;
    assert_in_range(atomic_load(&far.described), 1, 5 + 2 * seconds);
    fake_sink_finish(fake);
}

TEST_WITH(outages_without_a_line_are_counted_in_the_next_and_so_are_their_losses, set_up, tear_down)
{
    struct fake_sink *fake = *state;
    struct sink_outage outage = {.is_open = false};
    struct error error;
    assert_int_equal(sink_outage_init(&outage, &error), 0);
    for (int i = 0; i < 4; i++) {
        bool is_logged = sink_outage_note(&outage, fake->counters, "its line is cut");
        assert_true(is_logged == (i == 0 || i == 3));
        sink_outage_add_refused(&outage, REFUSED_RING_FULL, 2);
        if (is_logged)
            sink_outage_log(&outage, "a sink", fake->counters, "its line is cut", false, "");
        sink_outage_end(&outage, "a sink", fake->counters, "connected again");
        if (i == 2)
            outage.trouble.begun_ns = 0; /* as if the outage had begun long ago */
    }
    assert_int_equal(heard("a sink: its line is cut; trying again; 2 other outages since the last "
                           "line; records lost since: 6 ring_full"),
                     1);
    assert_int_equal(heard("a sink: connected again after 0.0 s; records lost since: "), 2);
    assert_int_equal(heard("since: 2 ring_full") + heard("since: 6 ring_full"), 4);
    sink_outage_destroy(&outage);
}

TEST_WITH(a_refusal_is_the_reason_that_health_shows_until_a_record_is_accepted, set_up, tear_down)
{
    struct fake_sink *fake = *state;
    char reason[SINK_REASON_SIZE];
    far.fails = 1;
    far.outcome = DELIVERY_REFUSED;
    fake_sink_start(fake);
    push_one(fake);
    fake_sink_wait_asleep(fake);
    assert_true(sink_thread_condition(fake->sink).fails_since_ns != 0);
    sink_thread_copy_reason(fake->sink, reason);
    assert_string_equal(reason, "it is out to lunch");
    push_one(fake);
    fake_sink_wait_asleep(fake);
    sink_thread_copy_reason(fake->sink, reason);
    assert_string_equal(reason, "");
    fake_sink_finish(fake);
    assert_int_equal(heard("trying again"), 0);
}
