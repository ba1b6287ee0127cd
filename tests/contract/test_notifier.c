/*
 * The notifier's contract. It is the same on every backend: the program's argument names the one
 * that runs, and nothing here knows more of it.
 *
 * An event too many is allowed, so no test forbids one while its socket is watched; one too few
 * shows as a wait that ends without the event, after PATIENCE_MS.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "collector/notifier.h"
#include "collector/thread.h"
#include "collector/udp_socket.h"
#include "tests/support/udp_sender.h"

#define PATIENCE_MS 10000
#define MAX_SOCKETS 80
#define MANY_EVENTS 128

/* A watched socket; its address is its token. */
struct watched {
    struct udp_socket *socket;
    size_t ready;    /* READY events so far */
    size_t served;   /* of them, those that a drain has followed */
    size_t removed;  /* REMOVED events so far */
    size_t received; /* datagrams so far */
    size_t truncated;
    size_t empty;
};

struct fixture {
    struct notifier *notifier;
    struct datagram_group *group;
    struct udp_sender *sender;
    struct watched watched[MAX_SOCKETS];
    size_t woken;
};

static struct fixture fixture;
static const struct notifier_backend *backend;

static int set_up(void **state)
{
    (void)state;
    struct error error;
    memset(&fixture, 0, sizeof fixture);
    assert_int_equal(notifier_create(&fixture.notifier, backend, 1, &error), 0);
    fixture.group = datagram_group_create();
    assert_non_null(fixture.group);
    fixture.sender = udp_sender_open(ADDRESS_IPV4);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    notifier_destroy(fixture.notifier);
    for (size_t i = 0; i < MAX_SOCKETS; i++)
        udp_socket_close(fixture.watched[i].socket);
    datagram_group_destroy(fixture.group);
    udp_sender_close(fixture.sender);
    return 0;
}

/* --- what a receiver does --------------------------------------------------------------------- */

/* Opens a socket and has it watched, not yet bound. */
static struct watched *watch(size_t index, size_t max_datagram)
{
    struct watched *watched = &fixture.watched[index];
    struct error error;
    struct udp_socket_options options = {
        .address = loopback(ADDRESS_IPV4),
        .receive_buffer = (size_t)4 * 1024 * 1024,
        .max_datagram = max_datagram,
    };
    if (udp_socket_open(&watched->socket, &options, &error) != 0)
        fail_msg("%s", error.text);
    if (notifier_add(fixture.notifier, udp_socket_handle(watched->socket), watched, &error) != 0)
        fail_msg("%s", error.text);
    return watched;
}

static void bind_it(struct watched *watched)
{
    struct error error;
    if (udp_socket_bind(watched->socket, &error) != 0)
        fail_msg("%s", error.text);
}

static struct watched *watch_and_bind(size_t index)
{
    struct watched *watched = watch(index, DATAGRAM_MAX_SIZE);
    bind_it(watched);
    return watched;
}

static void send_to(const struct watched *watched, const void *bytes, size_t size)
{
    struct address to = udp_socket_address(watched->socket);
    udp_sender_send(fixture.sender, &to, bytes, size);
}

/* One wait, its events noted. */
static size_t wait_once(size_t capacity, int timeout_ms)
{
    struct notifier_event events[MANY_EVENTS];
    size_t count = notifier_wait(fixture.notifier, 0, events, capacity, timeout_ms);
    assert_in_range(count, 0, capacity);
    for (size_t i = 0; i < count; i++) {
        struct watched *watched = events[i].token;
        if (events[i].type == NOTIFIER_WOKEN) {
            fixture.woken++;
            continue;
        }
        assert_in_range(watched - fixture.watched, 0, MAX_SOCKETS - 1);
        assert_int_equal(watched->removed, 0); /* nothing comes after REMOVED */
        watched->ready += events[i].type == NOTIFIER_READY;
        watched->removed += events[i].type == NOTIFIER_REMOVED;
    }
    return count;
}

/* Waits until a counter that wait_once keeps has risen to `wanted`. */
#define wait_until(counter, wanted) wait_until_counted(&(counter), (wanted), #counter, __LINE__)

static void wait_until_counted(const size_t *counter, size_t wanted, const char *what, int line)
{
    int64_t give_up = clock_monotonic_ns() + (int64_t)PATIENCE_MS * 1000000;
    while (*counter < wanted) {
        wait_once(MANY_EVENTS, PATIENCE_MS);
        if (*counter < wanted && clock_monotonic_ns() >= give_up)
            fail_msg("line %d: %s is still %zu, not %zu", line, what, *counter, wanted);
    }
}

/* One group; false: would block. */
static bool receive_group(struct watched *watched)
{
    struct error error;
    enum receive_result result = udp_socket_receive(watched->socket, fixture.group, &error);
    if (result == RECEIVE_WOULD_BLOCK)
        return false;
    assert_int_equal(result, RECEIVE_OK);
    assert_in_range(fixture.group->count, 1, DATAGRAM_GROUP_SIZE);
    watched->received += fixture.group->count;
    for (size_t i = 0; i < fixture.group->count; i++) {
        watched->truncated += fixture.group->slots[i].truncated;
        watched->empty += fixture.group->slots[i].sent_size == 0;
    }
    return true;
}

static void drain(struct watched *watched)
{
    watched->served = watched->ready;
    while (receive_group(watched))
        ;
}

/* Waits for an event before each drain, until `wanted` datagrams came in all. */
static void receive_by_events(struct watched *watched, size_t wanted)
{
    while (watched->received < wanted) {
        wait_until(watched->ready, watched->served + 1);
        drain(watched);
    }
    assert_int_equal(watched->received, wanted);
}

/* --- readiness -------------------------------------------------------------------------------- */

static void a_socket_registered_before_bind_gives_an_event(void **state)
{
    (void)state;
    struct watched *watched = watch(0, DATAGRAM_MAX_SIZE);
    wait_once(MANY_EVENTS, 0); /* whatever a backend says of an unbound socket */
    bind_it(watched);
    drain(watched);
    send_to(watched, "x", 1);
    receive_by_events(watched, 1);
}

static void a_datagram_between_bind_and_first_wait_gives_an_event(void **state)
{
    (void)state;
    struct watched *watched = watch_and_bind(0);
    send_to(watched, "x", 1);
    receive_by_events(watched, 1);
}

static void an_event_waits_for_the_wait(void **state)
{
    (void)state;
    struct watched *watched = watch_and_bind(0);
    drain(watched);
    send_to(watched, "x", 1);
    send_to(watched, "y", 1);
    receive_by_events(watched, 2);
}

static void each_arrival_after_would_block_gives_an_event(void **state)
{
    (void)state;
    struct watched *watched = watch_and_bind(0);
    for (size_t i = 1; i <= 1000; i++) {
        send_to(watched, "x", 1);
        receive_by_events(watched, i);
    }
}

static void an_arrival_during_a_drain_is_drained_or_gives_an_event(void **state)
{
    (void)state;
    struct watched *watched = watch_and_bind(0);
    for (size_t i = 1; i <= 200; i++) {
        send_to(watched, "x", 1);
        do {
            wait_until(watched->ready, watched->served + 1);
            watched->served = watched->ready;
        } while (!receive_group(watched)); /* an event too many */
        send_to(watched, "y", 1);          /* would-block was not said yet */
        drain(watched);
        if (watched->received < 2 * i)
            receive_by_events(watched, 2 * i);
    }
}

static void zero_length_datagrams_end_no_drain(void **state)
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

static void truncated_datagrams_end_no_drain(void **state)
{
    (void)state;
    struct watched *watched = watch(0, 100);
    bind_it(watched);
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

static void several_sockets_are_told_apart(void **state)
{
    (void)state;
    for (size_t i = 0; i < MAX_SOCKETS; i++)
        watch_and_bind(i);
    for (size_t i = 0; i < MAX_SOCKETS; i += 2)
        send_to(&fixture.watched[i], "x", 1);
    for (size_t i = 0; i < MAX_SOCKETS; i += 2) {
        wait_until(fixture.watched[i].ready, 1);
        drain(&fixture.watched[i]);
        assert_int_equal(fixture.watched[i].received, 1);
    }
    for (size_t i = 1; i < MAX_SOCKETS; i += 2) {
        drain(&fixture.watched[i]);
        assert_int_equal(fixture.watched[i].received, 0);
        send_to(&fixture.watched[i], "x", 1);
        receive_by_events(&fixture.watched[i], 1);
    }
}

static void events_that_do_not_fit_come_with_later_waits(void **state)
{
    (void)state;
    for (size_t i = 0; i < MAX_SOCKETS; i++) {
        watch_and_bind(i);
        send_to(&fixture.watched[i], "x", 1);
    }
    size_t told = 0;
    int64_t give_up = clock_monotonic_ns() + (int64_t)PATIENCE_MS * 1000000;
    while (told < MAX_SOCKETS) {
        wait_once(3, PATIENCE_MS);
        assert_true(clock_monotonic_ns() < give_up);
        told = 0;
        for (size_t i = 0; i < MAX_SOCKETS; i++)
            told += fixture.watched[i].ready != 0;
    }
}

/* --- budget ----------------------------------------------------------------------------------- */

/*
 * A drain that stopped on its budget has no edge to wait for: the receiver serves the socket again
 * from a list of its own, and nothing is lost or late for the others.
 */
static void a_budget_with_a_ready_list_loses_nothing_and_starves_nobody(void **state)
{
    (void)state;
    enum { FLOOD = 10 * DATAGRAM_GROUP_SIZE + 7 };
    struct watched *flooded = watch_and_bind(0);
    struct watched *quiet = watch_and_bind(1);
    struct watched *list[2];
    size_t listed = 0;

    struct address to = udp_socket_address(flooded->socket);
    udp_sender_send_numbers(fixture.sender, &to, FLOOD);
    send_to(quiet, "x", 1);
    wait_until(flooded->ready, 1);
    wait_until(quiet->ready, 1);
    list[listed++] = flooded;
    list[listed++] = quiet;

    size_t rounds = 0;
    while (listed != 0) {
        size_t kept = 0;
        for (size_t i = 0; i < listed; i++)
            if (receive_group(list[i])) /* the budget: one group */
                list[kept++] = list[i];
        listed = kept;
        rounds++;
        if (rounds == 1)
            assert_int_equal(quiet->received, 1);
        wait_once(MANY_EVENTS, 0); /* may tell of nothing: the list does */
    }
    assert_int_equal(flooded->received, FLOOD);
    assert_int_equal(quiet->received, 1);
    assert_in_range(rounds, FLOOD / DATAGRAM_GROUP_SIZE, FLOOD);

    send_to(flooded, "x", 1);
    send_to(quiet, "x", 1);
    receive_by_events(flooded, FLOOD + 1);
    receive_by_events(quiet, 2);
}

/* --- waking ----------------------------------------------------------------------------------- */

static void a_wake_before_the_wait_is_kept(void **state)
{
    (void)state;
    notifier_wake(fixture.notifier);
    wait_until(fixture.woken, 1);
    notifier_wake(fixture.notifier);
    wait_until(fixture.woken, 2);
}

static void several_wakes_are_at_least_one_and_come_to_an_end(void **state)
{
    (void)state;
    for (int i = 0; i < 5; i++)
        notifier_wake(fixture.notifier);
    wait_until(fixture.woken, 1);
    for (int i = 0; i < 5; i++)
        wait_once(MANY_EVENTS, 0);
    assert_in_range(fixture.woken, 1, 5);
    assert_int_equal(wait_once(MANY_EVENTS, 0), 0);
}

static void a_wake_comes_beside_readiness(void **state)
{
    (void)state;
    struct watched *watched = watch_and_bind(0);
    send_to(watched, "x", 1);
    notifier_wake(fixture.notifier);
    wait_until(fixture.woken, 1);
    wait_until(watched->ready, 1);
    drain(watched);
    assert_int_equal(watched->received, 1);
}

#define WAKE_ROUNDS 500

struct waker {
    struct notifier *notifier;
    atomic_size_t wanted; /* rounds that the waiting thread has begun */
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

/* The other thread wakes as this one goes into its wait: now before, now during it. */
static void another_thread_wakes_before_or_during_the_wait(void **state)
{
    (void)state;
    struct waker waker = {.notifier = fixture.notifier};
    struct thread *thread;
    struct error error;
    assert_int_equal(thread_start(&thread, "waker", wake_once_each_round, &waker, &error), 0);
    for (size_t round = 1; round <= WAKE_ROUNDS; round++) {
        atomic_store(&waker.wanted, round);
        wait_until(fixture.woken, round);
    }
    thread_join(thread);
    assert_int_equal(fixture.woken, WAKE_ROUNDS);
}

/* --- removing --------------------------------------------------------------------------------- */

static void remove_it(struct watched *watched)
{
    struct error error;
    if (notifier_remove(fixture.notifier, udp_socket_handle(watched->socket), watched, &error) != 0)
        fail_msg("%s", error.text);
}

/* Lets everything come that is on its way. */
static void settle(void)
{
    notifier_wake(fixture.notifier);
    wait_until(fixture.woken, fixture.woken + 1);
    while (wait_once(MANY_EVENTS, 0) != 0)
        ;
}

static void a_removed_socket_gives_one_last_event(void **state)
{
    (void)state;
    struct watched *watched = watch_and_bind(0);
    remove_it(watched);
    assert_int_equal(watched->removed, 0); /* it is for a later wait to tell */
    wait_until(watched->removed, 1);
    settle();
    assert_int_equal(watched->removed, 1);
}

/* wait_once fails on anything told of a token after its REMOVED. */
static void a_removed_socket_is_never_ready_again(void **state)
{
    (void)state;
    struct watched *watched = watch_and_bind(0);
    struct watched *other = watch_and_bind(1);
    send_to(watched, "x", 1); /* readiness that no wait has told yet */
    remove_it(watched);
    send_to(watched, "y", 1);
    wait_until(watched->removed, 1);
    send_to(watched, "z", 1);
    settle();
    send_to(other, "x", 1);
    receive_by_events(other, 1);
    drain(watched); /* the socket itself is as it was */
    assert_int_equal(watched->received, 3);
}

static void every_removal_is_told_however_small_the_wait(void **state)
{
    (void)state;
    for (size_t i = 0; i < MAX_SOCKETS; i++)
        watch_and_bind(i);
    for (size_t i = 0; i < MAX_SOCKETS; i++)
        remove_it(&fixture.watched[i]);
    int64_t give_up = clock_monotonic_ns() + (int64_t)PATIENCE_MS * 1000000;
    for (size_t told = 0; told < MAX_SOCKETS;) {
        wait_once(1, PATIENCE_MS);
        assert_true(clock_monotonic_ns() < give_up);
        told = 0;
        for (size_t i = 0; i < MAX_SOCKETS; i++)
            told += fixture.watched[i].removed;
    }
    settle();
    for (size_t i = 0; i < MAX_SOCKETS; i++)
        assert_int_equal(fixture.watched[i].removed, 1);
}

static void a_socket_may_be_watched_again_after_its_removal(void **state)
{
    (void)state;
    struct watched *watched = watch_and_bind(0);
    for (size_t i = 1; i <= 100; i++) {
        struct error error;
        remove_it(watched);
        wait_until(watched->removed, 1);
        watched->removed = 0;
        send_to(watched, "x", 1); /* while it is not watched */
        wait_handle handle = udp_socket_handle(watched->socket);
        assert_int_equal(notifier_add(fixture.notifier, handle, watched, &error), 0);
        drain(watched); /* of what it holds nothing need be told */
        assert_int_equal(watched->received, 2 * i - 1);
        send_to(watched, "y", 1);
        receive_by_events(watched, 2 * i);
    }
}

static void a_socket_that_is_not_watched_cannot_be_removed(void **state)
{
    (void)state;
    struct watched *watched = watch_and_bind(0);
    remove_it(watched);
    wait_until(watched->removed, 1);
    struct error error = {.code = EXIT_CODE_OK};
    wait_handle handle = udp_socket_handle(watched->socket);
    assert_int_equal(notifier_remove(fixture.notifier, handle, watched, &error), -1);
    assert_int_equal(error.code, EXIT_CODE_INTERNAL);
    assert_true(error.text[0] != '\0');
    settle();
    assert_int_equal(watched->removed, 1);
}

/* --- time ------------------------------------------------------------------------------------- */

static void a_wait_without_events_ends_when_its_time_is_over(void **state)
{
    (void)state;
    watch_and_bind(0);
    settle();
    assert_int_equal(wait_once(MANY_EVENTS, 0), 0);
    int64_t begun = clock_monotonic_ns();
    assert_int_equal(wait_once(MANY_EVENTS, 30), 0);
    assert_true(clock_monotonic_ns() - begun >= 25 * INT64_C(1000000));
}

static void a_notifier_knows_its_backend(void **state)
{
    (void)state;
    assert_ptr_equal(fixture.notifier->backend, backend);
}

static void destroying_nothing_is_allowed(void **state)
{
    (void)state;
    notifier_destroy(NULL);
}

#define with_notifier(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(int argc, char **argv)
{
    for (size_t i = 0; notifier_backends[i] != NULL && backend == NULL; i++)
        if (argc > 1 && strcmp(notifier_backends[i]->name, argv[1]) == 0)
            backend = notifier_backends[i];
    if (backend == NULL || !notifier_is_available(backend)) {
        fprintf(stderr, "usage: test_notifier BACKEND, one that this system has\n");
        return 64;
    }
    const struct CMUnitTest tests[] = {
        with_notifier(a_socket_registered_before_bind_gives_an_event),
        with_notifier(a_datagram_between_bind_and_first_wait_gives_an_event),
        with_notifier(an_event_waits_for_the_wait),
        with_notifier(each_arrival_after_would_block_gives_an_event),
        with_notifier(an_arrival_during_a_drain_is_drained_or_gives_an_event),
        with_notifier(zero_length_datagrams_end_no_drain),
        with_notifier(truncated_datagrams_end_no_drain),
        with_notifier(several_sockets_are_told_apart),
        with_notifier(events_that_do_not_fit_come_with_later_waits),
        with_notifier(a_budget_with_a_ready_list_loses_nothing_and_starves_nobody),
        with_notifier(a_wake_before_the_wait_is_kept),
        with_notifier(several_wakes_are_at_least_one_and_come_to_an_end),
        with_notifier(a_wake_comes_beside_readiness),
        with_notifier(another_thread_wakes_before_or_during_the_wait),
        with_notifier(a_removed_socket_gives_one_last_event),
        with_notifier(a_removed_socket_is_never_ready_again),
        with_notifier(every_removal_is_told_however_small_the_wait),
        with_notifier(a_socket_may_be_watched_again_after_its_removal),
        with_notifier(a_socket_that_is_not_watched_cannot_be_removed),
        with_notifier(a_wait_without_events_ends_when_its_time_is_over),
        with_notifier(a_notifier_knows_its_backend),
        cmocka_unit_test(destroying_nothing_is_allowed),
    };
    return cmocka_run_group_tests_name(backend->name, tests, NULL, NULL);
}
