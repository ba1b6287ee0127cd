/* The log of a delivery's outage: its beginning, its end, and the records that it cost. */
#include <stdatomic.h>
#include <string.h>

#include "collector/platform/clock.h"
#include "collector/platform/wakeup.h"
#include "tests/support/log/heard.h"
#include "tests/support/output/fake_sink.h"
#include "tests/support/output/far_end.h"
#include "tests/support/platform/patience.h"
#include "tests/support/test.h"

#define MILLISECOND INT64_C(1000000)

/* The far end fails the first `fails` blocks with `outcome`; it keeps silent about the next. */
static struct {
    size_t fails, silent;
    enum delivery_outcome outcome;
    _Atomic bool is_away; /* any thread */
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
    error_set(error, EXIT_CODE_NOT_REACHED, "its line is cut");
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
                           "(30.0 s), because there is no spill="),
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
    far.silent = 1; /* an abandoned block is unknown */
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
    assert_true(sink_thread_condition(fake->sink).fails_since_ns != 0);
    atomic_store(&far.is_away, false);
    wakeup_signal(far_end.wakeup);
    wait_heard("connected again after");
    assert_true(sink_thread_condition(fake->sink).fails_since_ns == 0);
    sink_thread_copy_reason(fake->sink, reason);
    assert_string_equal(reason, "");
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
