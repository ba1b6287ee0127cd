/* Contract tests of the notifier for single sockets. They are the same for every backend. */
#include <stdatomic.h>
#include <string.h>

#include "collector/platform/clock.h"
#include "collector/platform/thread.h"
#include "tests/support/platform/watching.h"
#include "tests/support/test.h"

/* --- readiness -------------------------------------------------------------------------------- */

TEST_WITH(a_socket_registered_before_bind_gives_an_event, watching_set_up, watching_tear_down)
{
    (void)state;
    struct watched *watched = watch(0, DATAGRAM_MAX_SIZE);
    wait_once(MANY_EVENTS, 0);
    bind_watched(watched);
    drain(watched);
    send_to(watched, "x", 1);
    receive_by_events(watched, 1);
}

TEST_WITH(a_datagram_between_bind_and_first_wait_gives_an_event, watching_set_up,
          watching_tear_down)
{
    (void)state;
    struct watched *watched = watch_and_bind(0);
    send_to(watched, "x", 1);
    receive_by_events(watched, 1);
}

TEST_WITH(an_event_waits_for_the_wait, watching_set_up, watching_tear_down)
{
    (void)state;
    struct watched *watched = watch_and_bind(0);
    drain(watched);
    send_to(watched, "x", 1);
    send_to(watched, "y", 1);
    receive_by_events(watched, 2);
}

TEST_WITH(each_arrival_after_would_block_gives_an_event, watching_set_up, watching_tear_down)
{
    (void)state;
    struct watched *watched = watch_and_bind(0);
    for (size_t i = 1; i <= 1000; i++) {
        send_to(watched, "x", 1);
        receive_by_events(watched, i);
    }
}

TEST_WITH(an_arrival_during_a_drain_is_drained_or_gives_an_event, watching_set_up,
          watching_tear_down)
{
    (void)state;
    struct watched *watched = watch_and_bind(0);
    for (size_t i = 1; i <= 200; i++) {
        send_to(watched, "x", 1);
        do {
            wait_until(watched->ready, watched->served + 1);
            watched->served = watched->ready;
        } while (!receive_group(watched));
        send_to(watched, "y", 1); /* no receive has returned would-block so far */
        drain(watched);
        if (watched->received < 2 * i)
            receive_by_events(watched, 2 * i);
    }
}

TEST_WITH(zero_length_datagrams_end_no_drain, watching_set_up, watching_tear_down)
{
    (void)state;
    struct watched *watched = watch_and_bind(0);
    for (int i = 0; i < 50; i++) {
        send_to(watched, "", 0);
        send_to(watched, "full", 4);
        send_to(watched, "", 0);
    }
    receive_by_events(watched, 150);
    assert_int_equal(watched->empty, 100);
    send_to(watched, "", 0);
    receive_by_events(watched, 151);
}

TEST_WITH(truncated_datagrams_end_no_drain, watching_set_up, watching_tear_down)
{
    (void)state;
    struct watched *watched = watch(0, 100);
    bind_watched(watched);
    static const char bytes[5000];
    for (int i = 0; i < 50; i++) {
        send_to(watched, bytes, 100);
        send_to(watched, bytes, 101);
        send_to(watched, bytes, sizeof bytes);
    }
    receive_by_events(watched, 150);
    assert_int_equal(watched->truncated, 100);
    send_to(watched, bytes, sizeof bytes);
    receive_by_events(watched, 151);
}

/* --- waking ----------------------------------------------------------------------------------- */

TEST_WITH(a_wake_before_the_wait_is_kept, watching_set_up, watching_tear_down)
{
    (void)state;
    notifier_wake(watching.notifier);
    wait_until(watching.woken, 1);
    notifier_wake(watching.notifier);
    wait_until(watching.woken, 2);
}

TEST_WITH(several_wakes_are_at_least_one_and_come_to_an_end, watching_set_up, watching_tear_down)
{
    (void)state;
    for (int i = 0; i < 5; i++)
        notifier_wake(watching.notifier);
    wait_until(watching.woken, 1);
    for (int i = 0; i < 5; i++)
        wait_once(MANY_EVENTS, 0);
    assert_in_range(watching.woken, 1, 5);
    assert_int_equal(wait_once(MANY_EVENTS, 0), 0);
}

TEST_WITH(a_wake_comes_beside_readiness, watching_set_up, watching_tear_down)
{
    (void)state;
    struct watched *watched = watch_and_bind(0);
    send_to(watched, "x", 1);
    notifier_wake(watching.notifier);
    wait_until(watching.woken, 1);
    wait_until(watched->ready, 1);
    drain(watched);
    assert_int_equal(watched->received, 1);
}

#define WAKE_ROUNDS 500

struct waker {
    struct notifier *notifier;
    atomic_size_t wanted; /* number of rounds that the waiting thread has begun */
};

static void wake_once_each_round(void *argument)
{
    struct waker *waker = argument;
    for (size_t round = 1; round <= WAKE_ROUNDS; round++) {
        while (atomic_load(&waker->wanted) < round)
            ;
        notifier_wake(waker->notifier);
    }
}

/*
 * Another thread wakes this one when it begins a wait. The wake-up comes before the wait in some
 * rounds, and during it in others.
 */
TEST_WITH(another_thread_wakes_before_or_during_the_wait, watching_set_up, watching_tear_down)
{
    (void)state;
    struct waker waker = {.notifier = watching.notifier};
    struct thread *thread;
    struct error error;
    assert_int_equal(thread_start(&thread, "waker", wake_once_each_round, &waker, &error), 0);
    for (size_t round = 1; round <= WAKE_ROUNDS; round++) {
        atomic_store(&waker.wanted, round);
        wait_until(watching.woken, round);
    }
    thread_join(thread);
    assert_int_equal(watching.woken, WAKE_ROUNDS);
}

static void wake_once(void *argument)
{
    struct waker *waker = argument;
    notifier_wake(waker->notifier);
}

TEST_WITH(a_wait_without_a_limit_ends_with_a_wake, watching_set_up, watching_tear_down)
{
    (void)state;
    struct waker waker = {.notifier = watching.notifier};
    struct thread *thread;
    struct error error;
    assert_int_equal(thread_start(&thread, "waker", wake_once, &waker, &error), 0);
    while (watching.woken == 0)
        wait_once(MANY_EVENTS, -1);
    thread_join(thread);
}

/* --- removing --------------------------------------------------------------------------------- */

TEST_WITH(a_removed_socket_gives_one_last_event, watching_set_up, watching_tear_down)
{
    (void)state;
    struct watched *watched = watch_and_bind(0);
    stop_watching(watched);
    assert_int_equal(watched->removed, 0); /* only a later wait reports it */
    wait_until(watched->removed, 1);
    settle();
    assert_int_equal(watched->removed, 1);
}

/* wait_once fails if an event of a socket comes after the socket's REMOVED event. */
TEST_WITH(a_removed_socket_is_never_ready_again, watching_set_up, watching_tear_down)
{
    (void)state;
    struct watched *watched = watch_and_bind(0);
    struct watched *other = watch_and_bind(1);
    send_to(watched, "x", 1); /* makes it ready before any wait reports it */
    stop_watching(watched);
    send_to(watched, "y", 1);
    wait_until(watched->removed, 1);
    send_to(watched, "z", 1);
    settle();
    send_to(other, "x", 1);
    receive_by_events(other, 1);
    drain(watched); /* a removal does not change the socket itself */
    assert_int_equal(watched->received, 3);
}

TEST_WITH(a_socket_may_be_watched_again_after_its_removal, watching_set_up, watching_tear_down)
{
    (void)state;
    struct watched *watched = watch_and_bind(0);
    for (size_t i = 1; i <= 100; i++) {
        stop_watching(watched);
        wait_until(watched->removed, 1);
        watched->removed = 0;
        send_to(watched, "x", 1); /* the socket is not watched now */
        add_watched(watched);
        drain(watched); /* this datagram need not be reported */
        assert_int_equal(watched->received, 2 * i - 1);
        send_to(watched, "y", 1);
        receive_by_events(watched, 2 * i);
    }
}

TEST_WITH(a_socket_that_is_not_watched_cannot_be_removed, watching_set_up, watching_tear_down)
{
    (void)state;
    struct watched *watched = watch_and_bind(0);
    stop_watching(watched);
    wait_until(watched->removed, 1);
    struct error error = {.code = EXIT_CODE_OK};
    wait_handle handle = udp_socket_handle(watched->socket);
    assert_int_equal(notifier_remove(watching.notifier, handle, watched, &error), -1);
    assert_int_equal(error.code, EXIT_CODE_INTERNAL);
    assert_true(error.text[0] != '\0');
    settle();
    assert_int_equal(watched->removed, 1);
}

/* --- time ------------------------------------------------------------------------------------- */

TEST_WITH(a_wait_without_events_ends_when_its_time_is_over, watching_set_up, watching_tear_down)
{
    (void)state;
    watch_and_bind(0);
    settle();
    assert_int_equal(wait_once(MANY_EVENTS, 0), 0);
    int64_t begun = clock_monotonic_ns();
    assert_int_equal(wait_once(MANY_EVENTS, 30), 0);
    assert_true(clock_monotonic_ns() - begun >= 25 * INT64_C(1000000));
}

/* --- choosing --------------------------------------------------------------------------------- */

static bool never(void)
{
    return false;
}

TEST(a_backend_that_the_system_has_is_chosen_when_wanted)
{
    struct error error;
    assert_ptr_equal(notifier_choose(watching_backend, &error), watching_backend);
}

TEST(the_first_one_that_the_system_has_is_chosen_when_none_is_wanted)
{
    struct error error;
    size_t first = 0;
    while (!notifier_is_available(notifier_backends[first]))
        first++;
    assert_ptr_equal(notifier_choose(NULL, &error), notifier_backends[first]);
}

TEST(one_that_the_system_does_not_have_is_refused_by_name)
{
    const struct notifier_backend missing = {.name = "missing", .is_available = never};
    struct error error = {.code = EXIT_CODE_OK};
    assert_null(notifier_choose(&missing, &error));
    assert_int_equal(error.code, EXIT_CODE_CONFIG);
    assert_non_null(strstr(error.text, "missing"));
}

TEST_WITH(a_notifier_knows_its_backend, watching_set_up, watching_tear_down)
{
    (void)state;
    assert_ptr_equal(watching.notifier->backend, watching_backend);
}

TEST(destroying_nothing_is_allowed)
{
    notifier_destroy(NULL);
}

int main(int argc, char **argv)
{
    if (!watching_choose_backend(argc, argv))
        return 64;
    return test_run_all(watching_backend->name);
}
