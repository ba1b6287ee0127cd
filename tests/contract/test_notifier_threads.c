/*
 * Contract tests of the notifier for several threads. They are the same for every backend that
 * threads can share.
 *
 * The test's own thread has number 0. The other threads wait when the test requests it, or run by
 * themselves.
 */
#include <stdatomic.h>
#include <stdio.h>

#include "collector/platform/clock.h"
#include "collector/platform/thread.h"
#include "tests/support/platform/patience.h"
#include "tests/support/platform/waiter.h"
#include "tests/support/platform/watching.h"
#include "tests/support/test.h"

#define THREADS 4

static struct waiter *waiters[THREADS]; /* waiters[0] is not used: that is the test's own thread */

static int set_up(void **state)
{
    struct error error;
    watching_set_up(state);
    notifier_destroy(watching.notifier);
    assert_int_equal(notifier_create(&watching.notifier, watching_backend, THREADS, &error), 0);
    return 0;
}

/* Starts threads 1 to `count` - 1. All other threads leave the notifier. */
static void have_threads(size_t count)
{
    for (size_t i = 1; i < THREADS; i++)
        if (i < count)
            waiters[i] = waiter_start(watching.notifier, i);
        else
            notifier_leave(watching.notifier, i);
}

static int tear_down(void **state)
{
    for (size_t i = 1; i < THREADS; i++) {
        while (waiters[i] != NULL && !waiter_has_ended(waiters[i], 20))
            notifier_wake(watching.notifier);
        waiter_end(waiters[i]);
        waiters[i] = NULL;
    }
    return watching_tear_down(state);
}

static struct notifier_event event_of(struct waiter *waiter)
{
    struct notifier_event event;
    int64_t give_up = patience_until();
    do {
        waiter_begin(waiter, PATIENCE_MS);
        assert_true(waiter_has_ended(waiter, 2 * PATIENCE_MS));
        assert_true(patience(give_up));
    } while (waiter_events(waiter, &event) == 0);
    return event;
}

/* --- sharing ---------------------------------------------------------------------------------- */

TEST_WITH(a_wait_takes_one_event_and_leaves_the_rest_to_the_others, set_up, tear_down)
{
    (void)state;
    have_threads(2);
    for (size_t i = 0; i < 8; i++) {
        watch_and_bind(i);
        send_to(&watching.watched[i], "x", 1);
    }
    assert_int_equal(wait_once(MANY_EVENTS, PATIENCE_MS), 1);
    for (size_t i = 0; i < 7; i++) {
        struct notifier_event event = event_of(waiters[1]);
        assert_int_equal(event.type, NOTIFIER_READY);
        ((struct watched *)event.token)->ready++;
    }
    for (size_t i = 0; i < 8; i++)
        assert_int_equal(watching.watched[i].ready, 1);
}

TEST_WITH(one_thread_drains_what_another_was_notified_of, set_up, tear_down)
{
    (void)state;
    have_threads(2);
    struct watched *watched = watch_and_bind(0);
    for (size_t i = 1; i <= 100; i++) {
        send_to(watched, "x", 1);
        struct notifier_event event = event_of(waiters[1]);
        assert_ptr_equal(event.token, watched);
        drain(watched);
        assert_int_equal(watched->received, i);
        send_to(watched, "y", 1);
        receive_by_events(watched, i + 1);
        watched->received = i;
    }
}

/* --- waking ----------------------------------------------------------------------------------- */

TEST_WITH(a_wake_ends_one_wait_and_the_next_wake_the_other, set_up, tear_down)
{
    (void)state;
    struct notifier_event event;
    have_threads(3);
    waiter_begin(waiters[1], PATIENCE_MS);
    waiter_begin(waiters[2], PATIENCE_MS);
    notifier_wake(watching.notifier);
    int64_t give_up = patience_until();
    while (!waiter_has_ended(waiters[1], 0) && !waiter_has_ended(waiters[2], 0))
        assert_true(patience(give_up));
    size_t first = waiter_has_ended(waiters[1], 0) ? 1 : 2;
    size_t other = 3 - first;
    assert_int_equal(waiter_events(waiters[first], &event), 1);
    assert_int_equal(event.type, NOTIFIER_WOKEN);
    assert_false(waiter_has_ended(waiters[other], 50));
    notifier_wake(watching.notifier);
    assert_true(waiter_has_ended(waiters[other], PATIENCE_MS));
    assert_int_equal(waiter_events(waiters[other], &event), 1);
    assert_int_equal(event.type, NOTIFIER_WOKEN);
}

TEST_WITH(a_wait_without_a_limit_lasts_until_there_is_something, set_up, tear_down)
{
    (void)state;
    have_threads(2);
    watch_and_bind(0);
    waiter_begin(waiters[1], -1);
    assert_false(waiter_has_ended(waiters[1], 100));
    notifier_wake(watching.notifier);
    assert_true(waiter_has_ended(waiters[1], PATIENCE_MS));
}

/* --- removing --------------------------------------------------------------------------------- */

/* Waits in this thread, and in the threads that do not wait yet, until the removal was reported. */
static void await_removal(struct watched *watched)
{
    int64_t give_up = patience_until();
    while (watched->removed == 0) {
        assert_true(patience(give_up));
        for (size_t i = 1; i < THREADS; i++) {
            struct notifier_event event;
            if (waiters[i] == NULL || !waiter_has_ended(waiters[i], 0))
                continue;
            if (waiter_events(waiters[i], &event) == 1 && event.type == NOTIFIER_REMOVED)
                ((struct watched *)event.token)->removed++;
            waiter_begin(waiters[i], PATIENCE_MS);
        }
        if (watched->removed == 0)
            wait_once(1, 20);
    }
    assert_int_equal(watched->removed, 1);
}

TEST_WITH(a_removal_waits_for_the_thread_that_holds_an_event, set_up, tear_down)
{
    (void)state;
    have_threads(2);
    struct watched *watched = watch_and_bind(0);
    struct watched *other = watch_and_bind(1);
    send_to(watched, "x", 1);
    assert_ptr_equal(event_of(waiters[1]).token, watched);

    stop_watching(watched);
    for (int i = 0; i < 5; i++)
        wait_once(1, 20);
    assert_int_equal(watched->removed, 0);
    send_to(other, "x", 1); /* a pending removal does not delay other sockets */
    receive_by_events(other, 1);
    settle();
    assert_int_equal(watched->removed, 0);

    waiter_begin(waiters[1], PATIENCE_MS);
    await_removal(watched);
}

/*
 * A removal waits for a thread that may have taken an event of the socket. A thread that sleeps in
 * its wait has taken none, and must not delay the removal.
 */
TEST_WITH(threads_that_sleep_in_their_waits_hold_no_removal_up, set_up, tear_down)
{
    (void)state;
    have_threads(THREADS);
    for (size_t i = 0; i < 20; i++) {
        struct watched *watched = watch_and_bind(i);
        for (size_t k = 1; k < THREADS; k++)
            if (waiter_has_ended(waiters[k], 0))
                waiter_begin(waiters[k], PATIENCE_MS);
        stop_watching(watched);
        int64_t begun = clock_monotonic_ns();
        await_removal(watched);
        assert_true(clock_monotonic_ns() - begun < PATIENCE_MS / 2 * INT64_C(1000000));
    }
}

/* The other threads sleep in their waits, so the thread that leaves must complete the removal. */
TEST_WITH(a_thread_that_leaves_holds_no_removal_up, set_up, tear_down)
{
    (void)state;
    have_threads(3);
    struct watched *watched = watch_and_bind(0);
    send_to(watched, "x", 1);
    wait_until(watched->ready, 1);
    stop_watching(watched);
    for (size_t i = 1; i <= 2; i++)
        do
            waiter_begin(waiters[i], PATIENCE_MS);
        while (waiter_has_ended(waiters[i], 100));
    assert_false(waiter_has_ended(waiters[1], 0));

    notifier_leave(watching.notifier, 0);
    int64_t begun = clock_monotonic_ns();
    int64_t give_up = patience_until();
    while (!waiter_has_ended(waiters[1], 0) && !waiter_has_ended(waiters[2], 0))
        assert_true(patience(give_up));
    assert_true(clock_monotonic_ns() - begun < PATIENCE_MS / 2 * INT64_C(1000000));
    struct notifier_event event;
    assert_int_equal(waiter_events(waiters[waiter_has_ended(waiters[1], 0) ? 1 : 2], &event), 1);
    assert_int_equal(event.type, NOTIFIER_REMOVED);
    assert_ptr_equal(event.token, watched);
}

TEST_WITH(the_last_thread_removes_all_when_the_others_have_left, set_up, tear_down)
{
    (void)state;
    have_threads(1);
    for (size_t i = 0; i < MAX_SOCKETS; i++)
        send_to(watch_and_bind(i), "x", 1);
    for (size_t i = 0; i < MAX_SOCKETS; i++)
        stop_watching(&watching.watched[i]);
    for (size_t i = 0; i < MAX_SOCKETS; i++)
        wait_until(watching.watched[i].removed, 1);
    settle();
    for (size_t i = 0; i < MAX_SOCKETS; i++)
        assert_int_equal(watching.watched[i].removed, 1);
}

TEST_WITH(a_removal_that_is_never_reported_does_not_keep_a_notifier_alive, set_up, tear_down)
{
    (void)state;
    have_threads(2);
    struct watched *watched = watch_and_bind(0);
    send_to(watched, "x", 1);
    assert_ptr_equal(event_of(waiters[1]).token, watched);
    stop_watching(watched);
    wait_once(1, 0);
    wait_once(1, 0); /* the teardown destroys the notifier while a removal is pending */
}

/* --- threads that run by themselves ----------------------------------------------------------- */

/*
 * The numbers of events of one socket, which all threads count. An event after REMOVED counts as
 * too late, because the token may have been freed.
 */
static struct tally {
    atomic_size_t ready;
    atomic_size_t removed;
    atomic_size_t too_late;
} tallies[MAX_SOCKETS];

static atomic_bool stopping;

static void tally(const struct notifier_event *event)
{
    struct watched *watched = event->token;
    struct tally *of = &tallies[watched - watching.watched];
    if (atomic_load(&of->removed) != 0)
        atomic_fetch_add(&of->too_late, 1);
    atomic_fetch_add(event->type == NOTIFIER_READY ? &of->ready : &of->removed, 1);
}

static void wait_and_tally(void *argument)
{
    size_t number = *(const size_t *)argument;
    while (!atomic_load(&stopping)) {
        struct notifier_event event;
        if (notifier_wait(watching.notifier, number, &event, 1, -1) == 1 &&
            event.type != NOTIFIER_WOKEN)
            tally(&event);
    }
    notifier_wake(watching.notifier); /* pass the wake-up on to the next thread */
}

static struct thread *runners[THREADS];

static void start_runners(void)
{
    static const size_t numbers[THREADS] = {0, 1, 2, 3};
    for (size_t i = 0; i < MAX_SOCKETS; i++)
        tallies[i] = (struct tally){0};
    atomic_store(&stopping, false);
    for (size_t i = 0; i < THREADS; i++) {
        struct error error;
        assert_int_equal(thread_start(&runners[i], "runner", wait_and_tally,
                                      (void *)(uintptr_t)&numbers[i], &error),
                         0);
    }
}

/* Stops all threads. This wakes one of them, and each thread wakes the next one. */
static void stop_runners(void)
{
    atomic_store(&stopping, true);
    notifier_wake(watching.notifier);
    for (size_t i = 0; i < THREADS; i++)
        thread_join(runners[i]);
}

static bool all_have_come(size_t sockets, bool removed)
{
    int64_t give_up = patience_until();
    for (size_t i = 0; i < sockets; i++)
        while (atomic_load(removed ? &tallies[i].removed : &tallies[i].ready) == 0)
            if (!patience(give_up))
                return false;
    return true;
}

TEST_WITH(one_wake_that_is_passed_on_ends_the_waits_of_all, set_up, tear_down)
{
    (void)state;
    for (int i = 0; i < 50; i++) {
        start_runners();
        stop_runners();
    }
}

/* No thread receives from the sockets, so each socket has exactly one event. */
TEST_WITH(each_event_goes_to_one_thread, set_up, tear_down)
{
    (void)state;
    for (size_t i = 0; i < MAX_SOCKETS; i++)
        watch_and_bind(i);
    start_runners();
    for (size_t i = 0; i < MAX_SOCKETS; i++)
        send_to(&watching.watched[i], "x", 1);
    bool come = all_have_come(MAX_SOCKETS, false);
    stop_runners();
    assert_true(come);
    for (size_t i = 0; i < MAX_SOCKETS; i++)
        assert_int_equal(tallies[i].ready, 1);
}

/* Adds and removes all sockets. The next round uses the same socket numbers and tokens again. */
static bool come_and_go(void)
{
    for (size_t i = 0; i < MAX_SOCKETS; i++) {
        tallies[i] = (struct tally){0};
        watch_and_bind(i);
        send_to(&watching.watched[i], "x", 1);
    }
    for (size_t i = 0; i < MAX_SOCKETS; i++)
        stop_watching(&watching.watched[i]);
    bool gone = all_have_come(MAX_SOCKETS, true);
    for (size_t i = 0; i < MAX_SOCKETS; i++) {
        gone = gone && tallies[i].removed == 1 && tallies[i].too_late == 0;
        udp_socket_close(watching.watched[i].socket);
        watching.watched[i].socket = NULL;
    }
    return gone;
}

TEST_WITH(sockets_that_come_and_go_while_all_wait_are_reported_removed_once_and_last, set_up,
          tear_down)
{
    (void)state;
    bool gone = true;
    start_runners();
    for (int round = 0; round < 3 && gone; round++)
        gone = come_and_go();
    stop_runners();
    assert_true(gone);
}

int main(int argc, char **argv)
{
    if (!watching_choose_backend(argc, argv))
        return 64;
    if (!watching_backend->shared) {
        fprintf(stderr, "%s is for one thread\n", watching_backend->name);
        return 64;
    }
    return test_run_all(watching_backend->name);
}
