/* Ends an object within a time limit. After the limit, the end continues in the background. */
#include "sinks/destinations/end_within.h"

#include "collector/platform/clock.h"
#include "collector/platform/wakeup.h"
#include "tests/support/test.h"

#define PATIENCE_MS 10000
#define MS_NS       INT64_C(1000000)

/* An object that ends only when `may_end` is signalled. */
struct slow {
    struct wakeup *may_end, *has_ended;
};

static void end_slowly(void *object)
{
    struct slow *slow = object;
    wakeup_wait(slow->may_end, NO_HANDLE, false, PATIENCE_MS);
    wakeup_signal(slow->has_ended);
}

/*
 * The wake-ups are never destroyed, because a thread that was left behind may signal one after the
 * test.
 */
static void begin(struct slow *slow)
{
    struct error error;
    assert_int_equal(wakeup_create(&slow->may_end, &error), 0);
    assert_int_equal(wakeup_create(&slow->has_ended, &error), 0);
}

static bool has_ended(const struct slow *slow, int ms)
{
    return wakeup_wait(slow->has_ended, NO_HANDLE, false, ms) == WAKEUP_SIGNALLED;
}

TEST(an_end_that_is_quick_is_waited_for)
{
    static struct slow slow;
    begin(&slow);
    wakeup_signal(slow.may_end);
    end_within(end_slowly, &slow, PATIENCE_MS);
    assert_true(has_ended(&slow, 0));
}

TEST(an_end_that_takes_long_goes_on_alone)
{
    static struct slow slow;
    begin(&slow);
    int64_t begun = clock_monotonic_ns();
    end_within(end_slowly, &slow, 1);
    assert_true(clock_monotonic_ns() - begun < PATIENCE_MS * MS_NS);
    assert_false(has_ended(&slow, 0));
    wakeup_signal(slow.may_end);
    assert_true(has_ended(&slow, PATIENCE_MS));
}
