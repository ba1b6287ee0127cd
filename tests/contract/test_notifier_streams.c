/*
 * The notifier's contract for streams: a level, one event at a time, by which whoever takes it owns
 * the connection. Both ends of each connection are the test's.
 */
#include <stdatomic.h>
#include <string.h>

#include "collector/platform/clock.h"
#include "collector/platform/notifier.h"
#include "collector/platform/tcp_connection.h"
#include "collector/platform/tcp_listener.h"
#include "collector/platform/thread.h"
#include "tests/support/platform/patience.h"
#include "tests/support/platform/tcp_client.h"
#include "tests/support/test.h"

#define SHORT_MS 50 /* in which nothing is to come */

static struct {
    struct notifier *notifier;
    wait_handle listening;
    struct address address;
    wait_handle client, server; /* the two ends of a connection */
    char token;
} streams;

static int set_up_threads(size_t threads)
{
    struct error error;
    struct address any;
    const struct notifier_backend *backend = notifier_choose_for_streams(&error);
    assert_non_null(backend);
    assert_true(address_parse_host("127.0.0.1", 9, &any));
    assert_int_equal(notifier_create(&streams.notifier, backend, threads, &error), 0);
    streams.listening = tcp_listener_open(&any, false, &streams.address, &error);
    assert_true(streams.listening != NO_HANDLE);
    streams.client = tcp_client_connect(&streams.address);
    struct address peer;
    int64_t until = patience_until();
    while (tcp_connection_accept(streams.listening, &streams.server, &peer, &error) != ACCEPT_OK)
        assert_true(patience(until));
    return 0;
}

static int set_up(void **state)
{
    (void)state;
    return set_up_threads(1);
}

static int tear_down(void **state)
{
    (void)state;
    if (streams.client != NO_HANDLE)
        tcp_connection_close(streams.client);
    tcp_connection_close(streams.server);
    tcp_listener_close(streams.listening);
    notifier_destroy(streams.notifier);
    return 0;
}

static void watch(unsigned interests)
{
    assert_int_equal(
        notifier_watch(streams.notifier, streams.server, &streams.token, interests, NULL), 0);
}

static void arm(unsigned interests)
{
    assert_int_equal(
        notifier_arm(streams.notifier, streams.server, &streams.token, interests, NULL), 0);
}

/* The next event is the connection's; returns what is ready. */
static unsigned next_ready(void)
{
    struct notifier_event event;
    int64_t until = patience_until();
    while (notifier_wait(streams.notifier, 0, &event, 1, SHORT_MS) == 0)
        assert_true(patience(until));
    assert_int_equal(event.type, NOTIFIER_READY);
    assert_ptr_equal(event.token, &streams.token);
    return event.ready;
}

static void assert_silent(void)
{
    struct notifier_event event;
    assert_int_equal(notifier_wait(streams.notifier, 0, &event, 1, SHORT_MS), 0);
}

static void send_bytes(wait_handle from, size_t size)
{
    static const char bytes[64];
    size_t sent;
    assert_int_equal(tcp_connection_send(from, bytes, size, &sent), TCP_OK);
    assert_int_equal(sent, size);
}

static enum tcp_result receive(size_t most, size_t *size)
{
    char bytes[64];
    return tcp_connection_receive(streams.server, bytes, most, size);
}

TEST_WITH(what_came_before_it_was_watched_is_reported, set_up, tear_down)
{
    (void)state;
    send_bytes(streams.client, 5);
    watch(NOTIFIER_IN);
    assert_int_equal(next_ready(), NOTIFIER_IN);
}

TEST_WITH(after_an_event_it_is_silent_until_it_is_armed, set_up, tear_down)
{
    (void)state;
    watch(NOTIFIER_IN);
    assert_silent();
    send_bytes(streams.client, 5);
    assert_int_equal(next_ready(), NOTIFIER_IN);
    send_bytes(streams.client, 5);
    assert_silent();
}

TEST_WITH(what_is_left_unread_is_reported_again_when_it_is_armed, set_up, tear_down)
{
    (void)state;
    size_t size;
    watch(NOTIFIER_IN);
    send_bytes(streams.client, 5);
    assert_int_equal(next_ready(), NOTIFIER_IN);
    assert_int_equal(receive(2, &size), TCP_OK);
    assert_int_equal(size, 2);
    arm(NOTIFIER_IN);
    assert_int_equal(next_ready(), NOTIFIER_IN);
    assert_int_equal(receive(64, &size), TCP_OK);
    assert_int_equal(size, 3);
    arm(NOTIFIER_IN);
    assert_silent();
}

TEST_WITH(armed_for_a_hang_up_alone_it_does_not_report_data, set_up, tear_down)
{
    (void)state;
    watch(NOTIFIER_HANGUP);
    send_bytes(streams.client, 5);
    assert_silent();
    tcp_connection_finish(streams.client);
    assert_true((next_ready() & NOTIFIER_HANGUP) != 0);
}

TEST_WITH(what_came_before_a_hang_up_can_be_read_after_it, set_up, tear_down)
{
    (void)state;
    size_t size;
    watch(NOTIFIER_IN | NOTIFIER_HANGUP);
    send_bytes(streams.client, 7);
    tcp_connection_finish(streams.client);
    int64_t until = patience_until();
    while ((next_ready() & NOTIFIER_HANGUP) == 0) {
        arm(NOTIFIER_IN | NOTIFIER_HANGUP);
        assert_true(patience(until));
    }
    assert_int_equal(receive(64, &size), TCP_OK);
    assert_int_equal(size, 7);
    assert_int_equal(receive(64, &size), TCP_END);
}

TEST_WITH(room_to_write_is_reported_where_it_is_asked_for, set_up, tear_down)
{
    (void)state;
    watch(NOTIFIER_IN);
    assert_silent();
    arm(NOTIFIER_OUT);
    assert_int_equal(next_ready(), NOTIFIER_OUT);
}

TEST_WITH(a_connection_that_is_reset_is_reported_whatever_it_is_armed_for, set_up, tear_down)
{
    (void)state;
    size_t size;
    watch(NOTIFIER_HANGUP);
    tcp_client_reset(streams.client);
    streams.client = NO_HANDLE;
    assert_true((next_ready() & NOTIFIER_HANGUP) != 0);
    assert_int_equal(receive(64, &size), TCP_BROKEN);
}

TEST_WITH(who_connects_is_reported_once_until_it_is_armed_again, set_up, tear_down)
{
    (void)state;
    struct error error;
    struct address peer;
    wait_handle accepted;
    assert_int_equal(
        notifier_watch(streams.notifier, streams.listening, &streams.token, NOTIFIER_IN, NULL), 0);
    wait_handle first = tcp_client_connect(&streams.address);
    assert_true((next_ready() & NOTIFIER_IN) != 0);
    wait_handle second = tcp_client_connect(&streams.address);
    assert_silent();
    assert_int_equal(tcp_connection_accept(streams.listening, &accepted, &peer, &error), ACCEPT_OK);
    tcp_connection_close(accepted);
    assert_int_equal(
        notifier_arm(streams.notifier, streams.listening, &streams.token, NOTIFIER_IN, NULL), 0);
    assert_true((next_ready() & NOTIFIER_IN) != 0); /* the second waits still */
    assert_int_equal(tcp_connection_accept(streams.listening, &accepted, &peer, &error), ACCEPT_OK);
    tcp_connection_close(accepted);
    assert_int_equal(tcp_connection_accept(streams.listening, &accepted, &peer, &error),
                     ACCEPT_WOULD_BLOCK);
    tcp_connection_close(first);
    tcp_connection_close(second);
}

TEST_WITH(one_that_is_not_watched_any_more_is_not_reported, set_up, tear_down)
{
    (void)state;
    watch(NOTIFIER_IN);
    notifier_unwatch(streams.notifier, streams.server);
    send_bytes(streams.client, 5);
    assert_silent();
}

/* --- several threads -------------------------------------------------------------------------- */

#define THREADS 4
#define BYTES   20000

static struct {
    _Atomic size_t owners; /* that have the connection in hand: never more than one */
    _Atomic size_t most;
    _Atomic size_t read;
    _Atomic bool stop;
    _Atomic size_t in_order; /* what was read so far: its owner alone writes it */
    _Atomic bool disorder;
} shared;

/* One byte an event, and the connection passes on. */
static void serve(void *argument)
{
    size_t thread = *(size_t *)argument;
    while (!atomic_load(&shared.stop)) {
        struct notifier_event event;
        if (notifier_wait(streams.notifier, thread, &event, 1, 10) == 0 ||
            event.type != NOTIFIER_READY)
            continue;
        size_t owners = atomic_fetch_add(&shared.owners, 1) + 1;
        if (owners > atomic_load(&shared.most))
            atomic_store(&shared.most, owners);
        uint8_t byte;
        size_t size;
        if (tcp_connection_receive(streams.server, &byte, 1, &size) == TCP_OK) {
            if (byte != (uint8_t)atomic_load(&shared.in_order))
                atomic_store(&shared.disorder, true);
            atomic_fetch_add(&shared.in_order, 1);
            atomic_fetch_add(&shared.read, 1);
        }
        atomic_fetch_sub(&shared.owners, 1);
        notifier_arm(streams.notifier, streams.server, &streams.token, NOTIFIER_IN, NULL);
    }
}

static int set_up_several(void **state)
{
    (void)state;
    memset(&shared, 0, sizeof shared);
    return set_up_threads(THREADS);
}

TEST_WITH(a_connection_that_passes_from_thread_to_thread_loses_nothing, set_up_several, tear_down)
{
    (void)state;
    struct thread *threads[THREADS];
    size_t numbers[THREADS];
    struct error error;
    watch(NOTIFIER_IN);
    for (size_t i = 0; i < THREADS; i++) {
        numbers[i] = i;
        assert_int_equal(thread_start(&threads[i], "waiter", serve, &numbers[i], &error), 0);
    }
    int64_t until = patience_until();
    for (size_t sent = 0; sent < BYTES;) {
        uint8_t bytes[50];
        size_t done = 0;
        for (size_t i = 0; i < sizeof bytes; i++)
            bytes[i] = (uint8_t)(sent + i);
        if (tcp_connection_send(streams.client, bytes, sizeof bytes, &done) != TCP_OK)
            assert_true(patience(until));
        sent += done;
    }
    while (atomic_load(&shared.read) < BYTES)
        assert_true(patience(until));
    atomic_store(&shared.stop, true);
    for (size_t i = 0; i < THREADS; i++)
        thread_join(threads[i]);
    assert_int_equal(atomic_load(&shared.most), 1);
    assert_false(atomic_load(&shared.disorder));
}
