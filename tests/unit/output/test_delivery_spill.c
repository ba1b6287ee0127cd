/*
 * Tests a delivery whose far end is away. Its records wait on disk and are sent from there in their
 * order, also by the next run. At the end each record has one outcome, and the ledger's sum
 * includes the recovered records.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collector/platform/clock.h"
#include "collector/platform/wakeup.h"
#include "tests/support/output/fake_sink.h"
#include "tests/support/output/far_end.h"
#include "tests/support/platform/patience.h"
#include "tests/support/platform/scratch_directory.h"
#include "tests/support/test.h"

#define MOST_OUT 4

static struct {
    _Atomic bool away;    /* blocks certainly do not arrive */
    _Atomic bool refuses; /* the destination has no room for a block */
    _Atomic bool quiet;   /* blocks arrive, but are not answered until the delivery abandons them */
    _Atomic int quiet_once;  /* like `quiet`, but only for this number of blocks */
    _Atomic int answers;     /* number of blocks that are answered in spite of `quiet` */
    _Atomic bool catches_up; /* answers all blocks that were not answered before */
    _Atomic int asked;       /* number of calls that request an answer */
    _Atomic int sends;       /* number of blocks that it got */
    _Atomic int stored;      /* number of blocks that came while a segment existed */
} far;

#define FIRST_SEGMENT "spill/00000000000000000000.seg"

static char folder[1300], first_segment[1400];

/*
 * Returns true if the spill has any segment. Its name varies, because a segment is named after its
 * first block.
 */
static bool has_segment(void)
{
    bool has = false;
    for (unsigned first = 0; first < 128 && !has; first++) {
        char path[1400];
        snprintf(path, sizeof path, "%s/%020u.seg", folder, first);
        has = access(path, F_OK) == 0;
    }
    return has;
}

static bool take(struct destination *destination, struct delivery_block *block, struct error *error)
{
    (void)destination;
    (void)error;
    atomic_fetch_add(&far.stored, has_segment());
    atomic_fetch_add(&far.sends, 1);
    enum delivery_outcome fate = atomic_load(&far.refuses) ? DELIVERY_REFUSED
                                 : atomic_load(&far.away)  ? DELIVERY_NOT_SENT
                                                           : DELIVERY_ACKNOWLEDGED;
    if ((atomic_load(&far.quiet) && atomic_fetch_sub(&far.answers, 1) <= 0) ||
        (!atomic_load(&far.away) && atomic_fetch_sub(&far.quiet_once, 1) > 0))
        far_end_keep_silent(block);
    else
        far_end_answer(block, fate, DELIVERY_REJECTED);
    return true;
}

static struct delivery_block *answer(struct destination *destination, struct error *error,
                                     int64_t *retry_after_ns)
{
    atomic_fetch_add(&far.asked, 1);
    while (atomic_load(&far.catches_up) && far_end.silent_count != 0)
        far_end_answer(far_end.silent[--far_end.silent_count], DELIVERY_ACKNOWLEDGED,
                       DELIVERY_REJECTED);
    return far_end_take_answer(destination, error, retry_after_ns);
}

static const struct delivery_ops delivery_ops = {
    .send = take, .answer = answer, .abandon = far_end_abandon};

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
    if (scratch_make(state) != 0)
        return -1;
    int result = fake_sink_set_up(state);
    struct fake_sink *fake = *state;
    memset(&far, 0, sizeof far);
    far_end_clear();
    snprintf(folder, sizeof folder, "%s", scratch_path("spill"));
    snprintf(first_segment, sizeof first_segment, "%s", scratch_path(FIRST_SEGMENT));
    fake->options.destination = &far_destination;
    fake->settings.delivery = (struct delivery_options){.timeout = 100000000,
                                                        .in_flight = MOST_OUT,
                                                        .spill = folder,
                                                        .spill_size = (uint64_t)64 * 1024 * 1024};
    return result;
}

static int tear_down(void **state)
{
    int result = fake_sink_tear_down(state);
    return scratch_remove(state) == 0 ? result : -1;
}

/* --- runs of the sink ------------------------------------------------------------------------- */

/*
 * Pushes the numbers from `first` to `end` - 1. Waits after each one, so that each record is a
 * block of its own.
 */
static void push(struct fake_sink *fake, unsigned first, unsigned end)
{
    for (unsigned number = first; number < end; number++) {
        char text[16];
        snprintf(text, sizeof text, "%u", number);
        fake_sink_push(fake, 0, text, 1);
        fake_sink_wait_asleep(fake);
    }
}

static uint64_t count(const struct counter *counter)
{
    return counter_read(counter);
}

static void wait_counter(const struct counter *counter, uint64_t value)
{
    int64_t until = patience_until();
    while (count(counter) != value)
        if (!patience(until))
            fail_msg("it is %llu, and not %llu", (unsigned long long)count(counter),
                     (unsigned long long)value);
}

static void stop(struct fake_sink *fake, bool at_once)
{
    sink_thread_stop(fake->sink, clock_monotonic_ns() + (at_once ? 0 : INT64_C(10000000000)));
    fake_sink_close(fake);
    sink_thread_join(fake->sink);
    sink_thread_destroy(fake->sink);
    fake->sink = NULL;
    const struct sink_counters *counters = fake->counters;
    uint64_t settled = count(&counters->written) + count(&counters->filtered) +
                       count(&counters->evicted) + count(&counters->unknown) +
                       count(&counters->spilled);
    for (int i = 0; i < FAILURE_COUNT; i++)
        settled += count(&counters->failed[i]);
    assert_int_equal(fake->queued + count(&counters->recovered), settled);
    assert_int_equal(atomic_load(&counters->in_flight), 0);
}

static void assert_got(unsigned end, bool in_order)
{
    bool seen[1000] = {false};
    unsigned total = 0;
    far_end.got[far_end.used] = '\0';
    for (char *at = far_end.got; *at != '\0'; total++) {
        unsigned number = (unsigned)strtoul(at, &at, 10);
        assert_int_equal(*at++, '\n');
        assert_true(number < end && !seen[number]);
        seen[number] = true;
        if (in_order)
            assert_int_equal(number, total);
    }
    assert_int_equal(total, end);
}

TEST_WITH(what_is_answered_never_comes_to_the_disk, set_up, tear_down)
{
    struct fake_sink *fake = *state;
    fake_sink_start(fake);
    push(fake, 0, 20);
    wait_counter(&fake->counters->written, 20);
    stop(fake, false);
    assert_got(20, true);
    assert_int_equal(scratch_count("spill"), 2); /* the lock and the cursor remain */
}

TEST_WITH(after_an_outage_all_is_sent_in_its_order, set_up, tear_down)
{
    struct fake_sink *fake = *state;
    atomic_store(&far.away, true);
    fake_sink_start(fake);
    push(fake, 0, 100);
    /* After a pause up to MOST_OUT blocks are in flight, and all others are in the spill. */
    assert_in_range(count(&fake->counters->spilled), 100 - MOST_OUT, 99);
    atomic_store(&far.away, false);
    wait_counter(&fake->counters->written, 100);
    push(fake, 100, 110);
    wait_counter(&fake->counters->written, 110);
    assert_int_equal(count(&fake->counters->spilled), 0);
    assert_int_equal(count(&fake->counters->possible_duplicates), 0);
    stop(fake, false);
    assert_got(110, true);
    assert_int_equal(scratch_count("spill"), 2);
}

TEST_WITH(what_a_stop_leaves_on_disk_is_sent_by_the_next_run, set_up, tear_down)
{
    struct fake_sink *fake = *state;
    atomic_store(&far.away, true);
    fake_sink_start(fake);
    push(fake, 0, 50);
    stop(fake, false);
    assert_int_equal(count(&fake->counters->written), 0);
    assert_int_equal(count(&fake->counters->spilled), 50);
    atomic_store(&far.away, false);
    fake_sink_start(fake);
    wait_counter(&fake->counters->written, 50);
    push(fake, 50, 60);
    wait_counter(&fake->counters->written, 60);
    stop(fake, false);
    assert_int_equal(count(&fake->counters->spilled), 0);
    assert_int_equal(count(&fake->counters->possible_duplicates), 0);
    assert_got(60, true);
}

TEST_WITH(unanswered_blocks_stay_on_disk_and_may_come_twice, set_up, tear_down)
{
    struct fake_sink *fake = *state;
    atomic_store(&far.quiet, true);
    fake_sink_start(fake);
    push(fake, 0, 30);
    stop(fake, true);
    assert_int_equal(count(&fake->counters->unknown), 0);
    assert_int_equal(count(&fake->counters->spilled), 30);
    atomic_store(&far.quiet, false);
    fake_sink_start(fake);
    wait_counter(&fake->counters->written, 30);
    stop(fake, false);
    assert_int_equal(count(&fake->counters->possible_duplicates), 30);
    assert_got(30, true);
}

/* An acknowledged block that follows an unacknowledged one is read again by the next run. */
TEST_WITH(a_block_acknowledged_after_an_unanswered_one_may_come_twice, set_up, tear_down)
{
    struct fake_sink *fake = *state;
    fake->settings.flush_interval = 1;
    atomic_store(&far.away, true);
    fake_sink_start(fake);
    push(fake, 0, 10);
    assert_in_range(count(&fake->counters->spilled), 10 - MOST_OUT, 9);
    atomic_store(&far.quiet_once, 1);
    atomic_store(&far.away, false);
    wait_counter(&fake->counters->written, 9);
    stop(fake, true);
    far_end_clear();
    uint64_t before = count(&fake->counters->written);
    fake_sink_start(fake);
    wait_counter(&fake->counters->written, before + 10);
    stop(fake, false);
    assert_int_equal(count(&fake->counters->possible_duplicates), 10);
    assert_got(10, true);
}

/* --- blocks that are stored while they are in flight ------------------------------------------ */

static void wait_stored(void)
{
    int64_t until = patience_until();
    while (!has_segment())
        if (!patience(until))
            fail_msg("nothing is stored");
}

static void catch_up(void)
{
    atomic_store(&far.quiet, false);
    atomic_store(&far.catches_up, true);
    wakeup_signal(far_end.wakeup);
}

/*
 * The answers are late, so the blocks in flight are stored. Each block is counted once, and this
 * run does not send it again.
 */
TEST_WITH(what_waits_long_for_its_answer_is_on_disk_while_it_is_sent, set_up, tear_down)
{
    struct fake_sink *fake = *state;
    fake->settings.flush_interval = 1;
    atomic_store(&far.quiet, true);
    fake_sink_start(fake);
    push(fake, 0, 3);
    wait_stored();
    assert_int_equal(count(&fake->counters->spilled), 0);
    assert_int_equal(atomic_load(&fake->counters->in_flight), 3);
    catch_up();
    wait_counter(&fake->counters->written, 3);
    push(fake, 3, 5);
    wait_counter(&fake->counters->written, 5);
    stop(fake, false);
    assert_int_equal(atomic_load(&far.sends), 5);
    assert_int_equal(count(&fake->counters->possible_duplicates), 0);
    assert_int_equal(count(&fake->counters->spilled), 0);
    assert_int_equal(scratch_count("spill"), 2);
    assert_got(5, false);
}

static bool is_stored(const char *record)
{
    bool has = false;
    for (unsigned first = 0; first < 4; first++) {
        char name[64];
        size_t size = 0;
        snprintf(name, sizeof name, "spill/%020u.seg", first);
        char *bytes = scratch_has(name) ? scratch_read(name, &size) : NULL;
        for (size_t i = 0; i + 3 <= size; i++)
            has |= memcmp(bytes + i, record, 3) == 0;
        free(bytes);
    }
    return has;
}

static void wait_record(const char *record)
{
    int64_t until = patience_until();
    while (!is_stored(record))
        if (!patience(until))
            fail_msg("%s is not stored", record);
}

/*
 * Another program removes the segment of a block that is still in flight. The block is stored
 * again.
 */
TEST_WITH(what_is_removed_while_it_is_sent_is_stored_again, set_up, tear_down)
{
    struct fake_sink *fake = *state;
    /* On Windows, the name of an open file stays until the file is closed. */
    if (!TEST_REMOVES_OPEN_FILES)
        skip();
    fake->settings.flush_interval = 1;
    atomic_store(&far.quiet, true);
    fake_sink_start(fake);
    push(fake, 777, 780);
    wait_record("779");
    assert_int_equal(unlink(first_segment), 0);
    push(fake, 780, 781);
    wait_record("777");
    stop(fake, true);
    assert_int_equal(count(&fake->counters->spilled), 4);
    assert_int_equal(count(&fake->counters->failed[FAILED_DAMAGED]), 0);
    atomic_store(&far.quiet, false);
    fake_sink_start(fake);
    wait_counter(&fake->counters->written, 4);
    stop(fake, false);
}

/* Records that are collected for the next block must go to disk too when no answer comes. */
TEST_WITH(records_collected_while_no_answer_comes_go_to_disk, set_up, tear_down)
{
    struct fake_sink *fake = *state;
    atomic_store(&far.quiet, true);
    fake_sink_start(fake);
    push(fake, 0, 2);
    int64_t until = patience_until();
    while (atomic_load(&far.sends) != 2)
        if (!patience(until))
            fail_msg("it is collected for ever");
    stop(fake, true);
    assert_int_equal(count(&fake->counters->spilled), 2);
    assert_true(atomic_load(&far.stored) >= 1);
}

TEST_WITH(with_fsync_always_a_block_is_on_disk_before_it_is_sent, set_up, tear_down)
{
    struct fake_sink *fake = *state;
    fake->settings.flush_interval = 1;
    fake->settings.file.sync = SYNC_ALWAYS;
    fake_sink_start(fake);
    push(fake, 0, 100);
    wait_counter(&fake->counters->written, 100);
    stop(fake, false);
    assert_in_range(atomic_load(&far.sends), 1, 100); /* a block may hold several records */
    assert_int_equal(atomic_load(&far.stored), atomic_load(&far.sends));
    assert_int_equal(count(&fake->counters->possible_duplicates), 0);
    assert_int_equal(scratch_count("spill"), 2);
    assert_got(100, true);
}

/*
 * The spill can note only a limited number of acknowledged blocks after an unacknowledged one. When
 * it cannot note more, the next blocks must wait on disk.
 */
TEST_WITH(an_unanswered_block_keeps_the_next_ones_on_disk, set_up, tear_down)
{
    struct fake_sink *fake = *state;
    fake->settings.flush_interval = 1;
    fake->settings.file.sync = SYNC_ALWAYS;
    fake->options.drops_oldest = true;
    atomic_store(&far.quiet_once, 1);
    fake_sink_start(fake);
    push(fake, 0, 50);
    assert_in_range(count(&fake->counters->written), 1, 49);
    assert_int_equal(count(&fake->counters->written) + count(&fake->counters->spilled), 49);
    catch_up();
    wait_counter(&fake->counters->written, 50);
    stop(fake, false);
    assert_int_equal(count(&fake->counters->evicted), 0);
    assert_int_equal(atomic_load(&far.sends), 50);
    assert_got(50, false);
}

/*
 * While the far end is slow, the blocks on disk must not wake the sink, because it could not send
 * them and would wake up again and again.
 */
TEST_WITH(while_no_more_may_be_in_flight_what_is_on_disk_does_not_wake_the_sink, set_up, tear_down)
{
    struct fake_sink *fake = *state;
    fake->settings.flush_interval = 1;
    atomic_store(&far.away, true);
    fake_sink_start(fake);
    push(fake, 0, 30);
    stop(fake, false);
    atomic_store(&far.away, false);
    atomic_store(&far.quiet, true);
    atomic_store(&far.sends, 0);
    fake_sink_start(fake);
    int64_t until = patience_until();
    while (atomic_load(&far.sends) != MOST_OUT)
        assert_true(patience(until));
    int before = atomic_load(&far.asked);
    int64_t end_ns = clock_monotonic_ns() + 50000000;
    while (clock_monotonic_ns() < end_ns)
        patience(INT64_MAX);
    assert_in_range(atomic_load(&far.asked) - before, 0, 100);
    stop(fake, true);
}

/*
 * Makes or removes folders that have the names of segments, so that the spill cannot create a
 * segment.
 */
static void obstruct(bool does)
{
    for (unsigned i = 0; i < 256; i++) {
        char name[64];
        snprintf(name, sizeof name, "spill/%020u.seg", i);
        if (does)
            scratch_make_folder(name);
        else
            assert_int_equal(rmdir(scratch_path(name)), 0);
    }
}

static void wait_busy(const struct fake_sink *fake)
{
    int64_t until = patience_until();
    while (sink_thread_is_idle(fake->sink))
        if (!patience(until))
            fail_msg("it has not taken the record");
}

TEST_WITH(what_could_not_be_stored_at_first_is_stored_once, set_up, tear_down)
{
    struct fake_sink *fake = *state;
    fake->settings.flush_interval = 1;
    atomic_store(&far.away, true);
    fake_sink_start(fake);
    obstruct(true);
    push(fake, 0, 1);
    fake_sink_push(fake, 0, "1", 1); /* waits to be stored; it is not one of the older blocks */
    wait_busy(fake);
    obstruct(false);
    wait_stored();
    atomic_store(&far.away, false);
    wait_counter(&fake->counters->written, 2);
    stop(fake, false);
    /* The record is sent together with others, so its place among them is not fixed. */
    assert_got(2, false);
    fake_sink_start(fake);
    push(fake, 2, 3);
    wait_counter(&fake->counters->written, 3);
    stop(fake, false);
    assert_int_equal(count(&fake->counters->recovered), 0); /* 0 means that the spill was empty */
    assert_got(3, false);
}

TEST_WITH(what_cannot_be_stored_while_it_is_sent_is_stored_later, set_up, tear_down)
{
    struct fake_sink *fake = *state;
    fake->settings.flush_interval = 1;
    fake->settings.file.sync = SYNC_ALWAYS;
    atomic_store(&far.quiet, true);
    fake_sink_start(fake);
    obstruct(true);
    push(fake, 0, 2);
    assert_int_equal(atomic_load(&far.sends), 2);
    assert_int_equal(atomic_load(&fake->counters->in_flight), 2);
    obstruct(false);
    wait_stored();
    catch_up();
    wait_counter(&fake->counters->written, 2);
    stop(fake, false);
    assert_int_equal(atomic_load(&far.sends), 2);
    assert_int_equal(count(&fake->counters->possible_duplicates), 0);
    assert_got(2, false);
}

TEST_WITH(what_cannot_be_stored_at_the_stop_has_failed, set_up, tear_down)
{
    struct fake_sink *fake = *state;
    fake->settings.flush_interval = 1;
    atomic_store(&far.away, true);
    fake_sink_start(fake);
    obstruct(true);
    push(fake, 0, 1);
    fake_sink_push(fake, 0, "1", 1); /* this record waits to be stored */
    wait_busy(fake);
    stop(fake, true);
    assert_int_equal(count(&fake->counters->spilled), 0);
    assert_int_equal(count(&fake->counters->failed[FAILED_IO_ERROR]), 2);
    obstruct(false);
}

TEST_WITH(what_comes_after_the_deadline_is_stored_and_not_sent, set_up, tear_down)
{
    struct fake_sink *fake = *state;
    atomic_store(&far.quiet, true);
    fake_sink_start(fake);
    push(fake, 0, 10);
    sink_thread_stop(fake->sink, clock_monotonic_ns());
    push(fake, 10, 30);
    stop(fake, true);
    assert_int_equal(count(&fake->counters->spilled), 30);
    atomic_store(&far.quiet, false);
    fake_sink_start(fake);
    wait_counter(&fake->counters->written, 30);
    stop(fake, false);
    /* Only the block that was in flight may be a duplicate. It has at most 11 records. */
    assert_true(count(&fake->counters->possible_duplicates) <= 11);
    assert_got(30, true);
}

/* There are more blocks than may be in flight at once, so some blocks were never sent. */
TEST_WITH(only_what_was_sent_may_come_twice, set_up, tear_down)
{
    struct fake_sink *fake = *state;
    fake->settings.flush_interval = 1;
    atomic_store(&far.quiet, true);
    fake_sink_start(fake);
    push(fake, 0, 30);
    /* One more block is in memory, because it is the next to be sent. */
    wait_counter(&fake->counters->spilled, 30 - MOST_OUT - 1);
    stop(fake, true);
    assert_int_equal(count(&fake->counters->spilled), 30);
    atomic_store(&far.quiet, false);
    fake_sink_start(fake);
    wait_counter(&fake->counters->written, 30);
    stop(fake, false);
    assert_int_equal(count(&fake->counters->possible_duplicates), MOST_OUT);
    assert_got(30, true);
}

TEST_WITH(an_answer_is_only_for_its_block_and_the_next_ones_stay_on_disk, set_up, tear_down)
{
    struct fake_sink *fake = *state;
    fake->settings.flush_interval = 1;
    atomic_store(&far.quiet, true);
    fake_sink_start(fake);
    push(fake, 0, 30);
    stop(fake, true);
    assert_int_equal(count(&fake->counters->spilled), 30);
    atomic_store(&far.answers, 2);
    fake_sink_start(fake);
    wait_counter(&fake->counters->written, 2);
    stop(fake, true);
    assert_int_equal(count(&fake->counters->spilled), 28);
    atomic_store(&far.quiet, false);
    fake_sink_start(fake);
    wait_counter(&fake->counters->written, 30);
    stop(fake, false);
    assert_int_equal(count(&fake->counters->spilled), 0);
    assert_got(30, true);
}

/* Only some of the records may have been sent by the first run. */
TEST_WITH(what_the_next_run_has_refused_has_failed_unless_it_may_be_there, set_up, tear_down)
{
    struct fake_sink *fake = *state;
    fake->settings.flush_interval = 1;
    atomic_store(&far.quiet, true);
    fake_sink_start(fake);
    push(fake, 0, 30);
    wait_counter(&fake->counters->spilled, 30 - MOST_OUT - 1);
    stop(fake, true);
    atomic_store(&far.quiet, false);
    atomic_store(&far.refuses, true);
    fake_sink_start(fake);
    wait_counter(&fake->counters->spilled, 0);
    stop(fake, false);
    assert_int_equal(count(&fake->counters->unknown), MOST_OUT);
    assert_int_equal(count(&fake->counters->failed[FAILED_REJECTED]), 30 - MOST_OUT);
}

static void wait_sent(void)
{
    int64_t until = patience_until();
    while (atomic_load(&far.sends) == 0)
        if (!patience(until))
            fail_msg("no block is sent");
}

static void start_a_small_spill(struct fake_sink *fake)
{
    fake->settings.flush_interval = 1;
    fake->options.drops_oldest = true;
    fake->settings.delivery.spill_size = (uint64_t)16 * 1024 * 1024;
    atomic_store(&far.away, true);
    fake_sink_start(fake);
}

/*
 * A block is evicted from the spill while it is in memory and in flight. The stop counts it as
 * evicted, and the next run does not find it.
 */
TEST_WITH(what_was_evicted_while_it_was_sent_is_evicted_at_a_stop, set_up, tear_down)
{
    struct fake_sink *fake = *state;
    start_a_small_spill(fake);
    while (count(&fake->counters->evicted) == 0) {
        fake_sink_push(fake, 0, "*1000000", 1);
        fake_sink_wait_asleep(fake);
    }
    stop(fake, true);
    uint64_t spilled = count(&fake->counters->spilled);
    assert_int_equal(count(&fake->counters->failed[FAILED_STOP_TIMEOUT]), 0);
    fake_sink_start(fake);
    stop(fake, true);
    assert_int_equal(count(&fake->counters->spilled), spilled);
}

/*
 * Blocks that are stored after the deadline evict blocks that were already counted as left on disk.
 */
TEST_WITH(what_was_left_and_then_evicted_is_not_said_to_be_there, set_up, tear_down)
{
    struct fake_sink *fake = *state;
    start_a_small_spill(fake);
    fake_sink_push(fake, 0, "*1000000", 1);
    wait_sent();
    sink_thread_stop(fake->sink, clock_monotonic_ns());
    while (count(&fake->counters->evicted) == 0) {
        fake_sink_push(fake, 0, "*1000000", 1);
        fake_sink_wait_asleep(fake);
    }
    stop(fake, true);
    atomic_store(&far.away, false);
    fake_sink_start(fake);
    wait_counter(&fake->counters->spilled, 0);
    stop(fake, false);
}

/*
 * The oldest segment has blocks that the earlier run may have sent, and blocks that it did not
 * send.
 */
TEST_WITH(what_is_evicted_unread_is_unknown_if_an_earlier_run_may_have_sent_it, set_up, tear_down)
{
    struct fake_sink *fake = *state;
    fake->settings.flush_interval = 1;
    fake->settings.delivery.spill_size = (uint64_t)16 * 1024 * 1024;
    atomic_store(&far.quiet, true);
    fake_sink_start(fake);
    push(fake, 0, 30);
    wait_counter(&fake->counters->spilled, 30 - MOST_OUT - 1);
    stop(fake, true);
    atomic_store(&far.quiet, false);
    fake->settings.delivery.in_flight = 1;
    start_a_small_spill(fake);
    while (count(&fake->counters->evicted) == 0) {
        fake_sink_push(fake, 0, "*1000000", 1);
        fake_sink_wait_asleep(fake);
    }
    /*
     * One of the blocks that may have been sent had already been read again, so it was not evicted.
     */
    assert_int_equal(count(&fake->counters->unknown), MOST_OUT - 1);
    stop(fake, true);
    assert_int_equal(count(&fake->counters->unknown), MOST_OUT);
    assert_true(count(&fake->counters->evicted) >= 30 - MOST_OUT);
}

TEST_WITH(another_run_of_the_same_folder_is_refused, set_up, tear_down)
{
    struct fake_sink *fake = *state;
    struct sink_thread *other;
    struct error error;
    fake_sink_start(fake);
    assert_int_equal(sink_thread_create(&other, &fake->options, &error), 0);
    assert_int_equal(sink_thread_open(other, &error), -1);
    assert_int_equal(error.code, EXIT_CODE_CONFIG);
    sink_thread_destroy(other);
    stop(fake, false);
}
