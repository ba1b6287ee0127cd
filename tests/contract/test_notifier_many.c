/*
 * Contract tests of the notifier for more sockets than a system may be able to wait for at once.
 * They are the same for every backend.
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "collector/platform/clock.h"
#include "collector/platform/thread.h"
#include "tests/support/base/random_number.h"
#include "tests/support/platform/this_thread.h"
#include "tests/support/platform/watching.h"
#include "tests/support/test.h"

TEST_WITH(several_sockets_are_distinguished, watching_set_up, watching_tear_down)
{
    (void)state;
    for (size_t i = 0; i < MAX_SOCKETS; i++)
        watch_and_bind(i);
    for (size_t i = 0; i < MAX_SOCKETS; i += 2)
        send_to(&watching.watched[i], "x", 1);
    for (size_t i = 0; i < MAX_SOCKETS; i += 2) {
        wait_until(watching.watched[i].ready, 1);
        drain(&watching.watched[i]);
        assert_int_equal(watching.watched[i].received, 1);
    }
    for (size_t i = 1; i < MAX_SOCKETS; i += 2) {
        drain(&watching.watched[i]);
        assert_int_equal(watching.watched[i].received, 0);
        send_to(&watching.watched[i], "x", 1);
        receive_by_events(&watching.watched[i], 1);
    }
}

TEST_WITH(events_that_do_not_fit_come_with_later_waits, watching_set_up, watching_tear_down)
{
    (void)state;
    for (size_t i = 0; i < MAX_SOCKETS; i++) {
        watch_and_bind(i);
        send_to(&watching.watched[i], "x", 1);
    }
    size_t told = 0;
    int64_t give_up = clock_monotonic_ns() + (int64_t)PATIENCE_MS * 1000000;
    while (told < MAX_SOCKETS) {
        wait_once(3, PATIENCE_MS);
        assert_true(clock_monotonic_ns() < give_up);
        told = 0;
        for (size_t i = 0; i < MAX_SOCKETS; i++)
            told += watching.watched[i].ready != 0;
    }
}

/* The sockets take turns: the socket that has waited longest is reported first. */
TEST_WITH(with_room_for_one_event_a_flooded_socket_hides_no_other, watching_set_up,
          watching_tear_down)
{
    (void)state;
    for (size_t i = 0; i < MAX_SOCKETS; i++) {
        watch_and_bind(i);
        send_to(&watching.watched[i], "x", 1);
    }
    struct watched *flooded = &watching.watched[0];
    size_t told = 0;
    for (size_t waits = 0; told < MAX_SOCKETS; waits++) {
        assert_in_range(waits, 0, 10 * MAX_SOCKETS);
        wait_once(1, PATIENCE_MS);
        if (flooded->ready != flooded->served) {
            drain(flooded);
            send_to(flooded, "x", 1);
        }
        told = 0;
        for (size_t i = 0; i < MAX_SOCKETS; i++)
            told += watching.watched[i].ready != 0;
    }
}

#define BURSTS          50
#define BURST_DATAGRAMS (2 * MAX_SOCKETS)

struct bursts {
    struct udp_sender *sender;
    struct address to[MAX_SOCKETS];
    atomic_size_t wanted;
};

/*
 * Sends to the sockets in random order, so that some get several datagrams in a row while others
 * get none.
 */
static void send_bursts(void *argument)
{
    struct bursts *bursts = argument;
    uint64_t state = 1;
    for (size_t burst = 1; burst <= BURSTS; burst++) {
        while (atomic_load(&bursts->wanted) < burst)
            this_thread_yield();
        for (size_t i = 0; i < BURST_DATAGRAMS; i++)
            udp_sender_send(bursts->sender, &bursts->to[next_random(&state) % MAX_SOCKETS], "x", 1);
    }
}

static size_t drain_those_reported(void)
{
    size_t received = 0;
    for (size_t i = 0; i < MAX_SOCKETS; i++) {
        struct watched *watched = &watching.watched[i];
        if (watched->ready != watched->served)
            drain(watched);
        received += watched->received;
    }
    return received;
}

/* If an event were lost, the last datagrams of a burst would stay in a socket. */
TEST_WITH(bursts_from_another_thread_to_many_sockets_are_received_whole, watching_set_up,
          watching_tear_down)
{
    (void)state;
    struct bursts bursts = {.sender = watching.sender};
    for (size_t i = 0; i < MAX_SOCKETS; i++) {
        watch_and_bind(i);
        bursts.to[i] = udp_socket_address(watching.watched[i].socket);
    }
    struct thread *thread;
    struct error error;
    assert_int_equal(thread_start(&thread, "bursts", send_bursts, &bursts, &error), 0);
    bool lost = false;
    for (size_t burst = 1; burst <= BURSTS; burst++) {
        int64_t give_up = clock_monotonic_ns() + (int64_t)PATIENCE_MS * 1000000;
        atomic_store(&bursts.wanted, lost ? BURSTS : burst);
        while (!lost && drain_those_reported() < burst * BURST_DATAGRAMS) {
            wait_once(MANY_EVENTS, 100);
            lost = clock_monotonic_ns() > give_up;
        }
    }
    thread_join(thread);
    assert_false(lost);
}

/*
 * A receiver stops after one group, although the socket has more datagrams. No new event comes for
 * these, so the receiver keeps a list of such sockets and serves them again. Other sockets must
 * lose no datagrams and must not wait long.
 */
TEST_WITH(a_budget_with_a_ready_list_loses_nothing_and_starves_nobody, watching_set_up,
          watching_tear_down)
{
    (void)state;
    enum { FLOOD = 10 * DATAGRAM_GROUP_SIZE + 7 };
    struct watched *flooded = watch_and_bind(0);
    struct watched *quiet = watch_and_bind(1);
    struct watched *list[2];
    size_t listed = 0;

    struct address to = udp_socket_address(flooded->socket);
    udp_sender_send_numbers(watching.sender, &to, FLOOD);
    send_to(quiet, "x", 1);
    wait_until(flooded->ready, 1);
    wait_until(quiet->ready, 1);
    list[listed++] = flooded;
    list[listed++] = quiet;

    size_t rounds = 0;
    while (listed != 0) {
        size_t kept = 0;
        for (size_t i = 0; i < listed; i++)
            if (receive_group(list[i])) /* the budget is one group */
                list[kept++] = list[i];
        listed = kept;
        rounds++;
        if (rounds == 1)
            assert_int_equal(quiet->received, 1);
        wait_once(MANY_EVENTS, 0); /* may return no event, because the sockets are in the list */
    }
    assert_int_equal(flooded->received, FLOOD);
    assert_int_equal(quiet->received, 1);
    assert_in_range(rounds, FLOOD / DATAGRAM_GROUP_SIZE, FLOOD);

    send_to(flooded, "x", 1);
    send_to(quiet, "x", 1);
    receive_by_events(flooded, FLOOD + 1);
    receive_by_events(quiet, 2);
}

static void expect_numbers(const struct datagram_group *group, uint32_t *last)
{
    for (size_t i = 0; i < group->count; i++) {
        uint32_t number;
        assert_int_equal(group->slots[i].size, sizeof number);
        memcpy(&number, group->slots[i].front, sizeof number);
        assert_int_equal(number, ++*last);
    }
}

/*
 * The datagrams stay in order whether a wait of the notifier or a receive fetches them from the
 * system, and when both do so in turn.
 */
TEST_WITH(a_flood_keeps_its_order_whatever_waits_come_between, watching_set_up, watching_tear_down)
{
    (void)state;
    struct watched *watched = watch_and_bind(0);
    struct watched *other = watch_and_bind(1);
    struct error error;
    uint32_t sent = 0;
    uint32_t last = 0;
    uint64_t random = 1;
    for (size_t round = 0; round < TEST_TRIES(300); round++) {
        size_t count = next_random(&random) % 256;
        for (size_t i = 0; i < count; i++) {
            sent++;
            send_to(watched, &sent, sizeof sent);
            if (next_random(&random) % 8 == 0)
                send_to(other, "x", 1);
        }
        size_t groups = next_random(&random) % 8;
        if (next_random(&random) % 2 == 0)
            wait_once(MANY_EVENTS, 0);
        while (groups-- > 0 &&
               udp_socket_receive(watched->socket, watching.group, &error) == RECEIVE_OK)
            expect_numbers(watching.group, &last);
        if (next_random(&random) % 2 == 0)
            drain(other);
    }
    wait_once(MANY_EVENTS, 0); /* returns all sockets that were not drained to the end */
    while (udp_socket_receive(watched->socket, watching.group, &error) == RECEIVE_OK)
        expect_numbers(watching.group, &last);
    assert_int_equal(last, sent);
}

TEST_WITH(every_removal_is_reported_however_small_the_wait, watching_set_up, watching_tear_down)
{
    (void)state;
    for (size_t i = 0; i < MAX_SOCKETS; i++)
        watch_and_bind(i);
    for (size_t i = 0; i < MAX_SOCKETS; i++)
        stop_watching(&watching.watched[i]);
    int64_t give_up = clock_monotonic_ns() + (int64_t)PATIENCE_MS * 1000000;
    for (size_t told = 0; told < MAX_SOCKETS;) {
        wait_once(1, PATIENCE_MS);
        assert_true(clock_monotonic_ns() < give_up);
        told = 0;
        for (size_t i = 0; i < MAX_SOCKETS; i++)
            told += watching.watched[i].removed;
    }
    settle();
    for (size_t i = 0; i < MAX_SOCKETS; i++)
        assert_int_equal(watching.watched[i].removed, 1);
}

/*
 * The wait has room for one event, but the notifier finds those of all sockets. So the other events
 * are pending when their sockets are removed.
 */
TEST_WITH(a_socket_removed_while_its_event_waits_for_room_has_no_event_after_removed,
          watching_set_up, watching_tear_down)
{
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        watch_and_bind(i);
        send_to(&watching.watched[i], "x", 1);
    }
    for (size_t told = 0; told == 0;)
        told = wait_once(1, PATIENCE_MS);
    bool asked[4] = {false};
    for (size_t i = 0; i < 4; i++)
        if (watching.watched[i].ready == 0) {
            stop_watching(&watching.watched[i]);
            asked[i] = true;
        }
    for (size_t i = 0; i < 4; i++)
        wait_until(watching.watched[i].removed, asked[i]);
    settle(); /* wait_once fails on a second REMOVED */
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(watching.watched[i].removed, asked[i]);
}

TEST_WITH(removing_every_other_socket_leaves_the_rest_watched, watching_set_up, watching_tear_down)
{
    (void)state;
    for (size_t i = 0; i < MAX_SOCKETS; i++)
        watch_and_bind(i);
    for (size_t i = 0; i < MAX_SOCKETS; i += 2)
        stop_watching(&watching.watched[i]);
    for (size_t i = 0; i < MAX_SOCKETS; i++)
        send_to(&watching.watched[i], "x", 1);
    for (size_t i = 0; i < MAX_SOCKETS; i++) {
        if (i % 2 == 0)
            wait_until(watching.watched[i].removed, 1);
        else
            receive_by_events(&watching.watched[i], 1);
    }
}

int main(int argc, char **argv)
{
    if (!watching_choose_backend(argc, argv))
        return 64;
    return test_run_all(watching_backend->name);
}
