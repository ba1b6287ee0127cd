#include "collector/output/fan_out.h"
#include "collector/platform/notifier.h"
#include "collector/receive/receiver.h"
#include "tests/support/platform/posix/aborting.h"
#include "tests/support/test.h"

static void nothing(void *context)
{
    (void)context;
}

static struct receiver *start(void)
{
    static struct ingest_thread thread;
    struct receiver *receiver;
    struct error error;
    const struct receiver_options options = {.notifier = notifier_backends[0],
                                             .threads = &thread,
                                             .thread_count = 1,
                                             .finished = nothing,
                                             .refreshed = nothing};
    if (fan_out_create(&thread.fan_out, 1, FAN_OUT_NEVER_WAITS, &error) != 0 ||
        receiver_create(&receiver, &options, &error) != 0 || receiver_start(receiver, &error) != 0)
        return NULL;
    return receiver;
}

static void start_twice(void)
{
    struct error error;
    receiver_start(start(), &error);
}

static void seal_while_it_runs(void)
{
    receiver_seal_all(start());
}

static void forget_while_it_runs(void)
{
    receiver_forget_gone(start());
}

static void destroy_unjoined(void)
{
    receiver_destroy(start());
}

TEST(a_receiver_starts_once)
{
    assert_aborts(start_twice);
}

TEST(a_receiver_is_changed_while_it_is_quiescent)
{
    assert_aborts(seal_while_it_runs);
    assert_aborts(forget_while_it_runs);
}

TEST(a_receiver_is_joined_before_it_is_destroyed)
{
    assert_aborts(destroy_unjoined);
}
