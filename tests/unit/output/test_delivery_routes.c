/*
 * Tests a delivery with a spill, whose records have different routes. A record that needs a new
 * block because of its route waits for that block, also while blocks are read from the disk.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "collector/platform/clock.h"
#include "collector/platform/wakeup.h"
#include "tests/support/output/fake_sink.h"
#include "tests/support/output/far_end.h"
#include "tests/support/platform/patience.h"
#include "tests/support/platform/scratch_directory.h"
#include "tests/support/test.h"

#define HOUR UINT64_C(3600000000000)

static struct {
    _Atomic bool quiet; /* if true, the far end does not answer blocks */
    /* Number of unanswered blocks that the far end answers while the next record is routed. */
    _Atomic int answers;
} far;

static char folder[1300];

static bool take(struct destination *destination, struct delivery_block *block, struct error *error)
{
    (void)destination;
    (void)error;
    if (atomic_load(&far.quiet))
        far_end_keep_silent(block);
    else
        far_end_answer(block, DELIVERY_ACKNOWLEDGED, DELIVERY_REJECTED);
    return true;
}

static void answer_silent(void)
{
    assert_true(far_end.silent_count != 0);
    far_end_answer(far_end.silent[--far_end.silent_count], DELIVERY_ACKNOWLEDGED,
                   DELIVERY_REJECTED);
}

static struct delivery_block *answer(struct destination *destination, struct error *error,
                                     int64_t *retry_after_ns)
{
    while (!atomic_load(&far.quiet) && far_end.silent_count != 0)
        answer_silent();
    return far_end_take_answer(destination, error, retry_after_ns);
}

static bool route(struct destination *destination, const struct listener *listener,
                  const struct record *record, char *out)
{
    (void)destination;
    (void)listener;
    for (; atomic_load(&far.answers) != 0; atomic_fetch_sub(&far.answers, 1))
        answer_silent();
    out[0] = (char)record->data[0];
    out[1] = '\0';
    return true;
}

static const struct delivery_ops delivery_ops = {
    .send = take, .answer = answer, .route = route, .abandon = far_end_abandon};

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
    fake->options.destination = &far_destination;
    /* The interval is long, so that only a new route ends a block. */
    fake->settings.flush_interval = HOUR;
    fake->settings.delivery = (struct delivery_options){
        .timeout = HOUR, .in_flight = 1, .spill = folder, .spill_size = (uint64_t)64 * 1024 * 1024};
    return result;
}

static int tear_down(void **state)
{
    int result = fake_sink_tear_down(state);
    return scratch_remove(state) == 0 ? result : -1;
}

/*
 * Pushes a record, and waits until the sink is idle again. The far end answers `answers` earlier
 * blocks during that.
 */
static void push(struct fake_sink *fake, const char *payload, int answers)
{
    atomic_store(&far.answers, answers);
    fake_sink_push(fake, 0, payload, 1);
    fake_sink_wait_asleep(fake);
    assert_int_equal(atomic_load(&far.answers), 0);
}

static void wait_written(const struct fake_sink *fake, uint64_t records)
{
    int64_t until = patience_until();
    while (counter_read(&fake->counters->written) != records)
        if (!patience(until))
            fail_msg("%llu records are written",
                     (unsigned long long)counter_read(&fake->counters->written));
}

static void stop(struct fake_sink *fake)
{
    sink_thread_stop(fake->sink, clock_monotonic_ns() + INT64_C(10000000000));
    fake_sink_close(fake);
    sink_thread_join(fake->sink);
    sink_thread_destroy(fake->sink);
    fake->sink = NULL;
}

/*
 * When a new route ends a block, the block is stored in the spill, which frees its memory. An
 * answer then makes room in flight, so an older and larger block is read from disk into the same
 * memory.
 */
TEST_WITH(a_record_of_a_new_route_survives_a_block_that_is_read_from_disk, set_up, tear_down)
{
    struct fake_sink *fake = *state;
    atomic_store(&far.quiet, true);
    fake_sink_start(fake);
    push(fake, "a1", 0);
    push(fake, "b2", 0);                  /* a1 is sent */
    push(fake, "a3, which is longer", 0); /* b2 waits to be sent */
    push(fake, "b4, which is longer", 0); /* a3 is stored */
    push(fake, "a5", 1);                  /* b4 is stored, and b2 is sent */
    push(fake, "b6", 1);                  /* a5 is stored, and a3 is read from disk and sent */
    assert_int_equal(counter_read(&fake->counters->written), 2);
    assert_int_equal(counter_read(&fake->counters->spilled), 2);
    atomic_store(&far.quiet, false);
    wakeup_signal(far_end.wakeup);
    wait_written(fake, 5);
    stop(fake);
    fake_sink_start(fake);
    wait_written(fake, 6);
    stop(fake);
    far_end.got[far_end.used] = '\0';
    assert_string_equal(far_end.got, "a1\nb2\na3, which is longer\nb4, which is longer\na5\nb6\n");
}
