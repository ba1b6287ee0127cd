/*
 * Contract tests of the notifier for streams. The interests are levels, and an event disarms its
 * connection. So only the thread that gets the event uses the connection. The test uses both ends
 * of each connection.
 *
 * Arguments: BACKEND [faults]. With "faults", the backend gets one fault after the other, and the
 * test that must find the fault must fail.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "collector/platform/clock.h"
#include "collector/platform/notifier.h"
#include "collector/platform/tcp.h"
#include "collector/platform/thread.h"
#include "tests/support/platform/faulty_notifier.h"
#include "tests/support/platform/patience.h"
#include "tests/support/platform/tcp_client.h"
#include "tests/support/test.h"

#define SHORT_MS 50 /* no event may come within this time, in milliseconds */
#define SKIPPED  77 /* exit code of a skipped test (tests/CMakeLists.txt) */

static const struct notifier_backend *backend;
static int64_t patience_ns = PATIENCE_NS;

static struct {
    struct notifier *notifier;
    wait_handle listening;
    struct address address;
    wait_handle client, server; /* both ends of a connection */
    char token;
    size_t closed; /* number of calls of count_close */
} streams;

static int64_t until_patience_ends(void)
{
    return clock_monotonic_ns() + patience_ns;
}

static int set_up_threads(size_t threads)
{
    struct error error;
    struct address any;
    assert_true(address_parse_host("127.0.0.1", 9, &any));
    streams.closed = 0;
    assert_int_equal(notifier_create(&streams.notifier, backend, threads, &error), 0);
    streams.listening = tcp_listener_open(&any, false, &streams.address, &error);
    assert_true(streams.listening != NO_HANDLE);
    streams.client = tcp_client_connect(&streams.address);
    struct address peer;
    int64_t until = until_patience_ends();
    while (tcp_connection_accept(streams.listening, DESCRIPTOR_OF_SENDER, &streams.server, &peer,
                                 &error) != ACCEPT_OK)
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
    if (streams.server != NO_HANDLE)
        tcp_connection_close(streams.server);
    tcp_listener_close(streams.listening);
    notifier_destroy(streams.notifier);
    return 0;
}

static void count_close(wait_handle socket)
{
    streams.closed++;
    tcp_connection_close(socket);
}

static void unwatch(void)
{
    wait_handle socket = streams.server;
    streams.server = NO_HANDLE;
    notifier_unwatch(streams.notifier, socket, count_close);
}

static void watch_socket(wait_handle socket, void *token, unsigned interests)
{
    assert_int_equal(notifier_watch(streams.notifier, socket, token, interests, NULL), 0);
}

static void watch(unsigned interests)
{
    watch_socket(streams.server, &streams.token, interests);
}

static void arm(unsigned interests)
{
    assert_int_equal(
        notifier_arm(streams.notifier, streams.server, &streams.token, interests, NULL), 0);
}

static struct notifier_event next_event(void)
{
    struct notifier_event event;
    int64_t until = until_patience_ends();
    while (notifier_wait(streams.notifier, 0, &event, 1, SHORT_MS) == 0)
        assert_true(patience(until));
    return event;
}

static unsigned next_ready(void)
{
    struct notifier_event event = next_event();
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

TEST_WITH(each_arming_has_one_event, set_up, tear_down)
{
    (void)state;
    watch(NOTIFIER_IN);
    for (int i = 0; i < 20; i++) {
        struct notifier_event event;
        size_t size;
        send_bytes(streams.client, 1);
        assert_int_equal(next_ready(), NOTIFIER_IN);
        assert_int_equal(notifier_wait(streams.notifier, 0, &event, 1, 0), 0);
        assert_int_equal(receive(64, &size), TCP_OK);
        arm(NOTIFIER_IN);
    }
    assert_silent();
}

TEST_WITH(armed_again_before_its_event_was_taken_it_has_one_event, set_up, tear_down)
{
    (void)state;
    send_bytes(streams.client, 5);
    watch(NOTIFIER_IN);
    arm(NOTIFIER_IN);
    arm(NOTIFIER_IN);
    assert_int_equal(next_ready(), NOTIFIER_IN);
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
    size_t size;
    send_bytes(streams.client, 5);
    assert_silent();
    /*
     * Some backends report a hang-up only after all data was read. On a busy machine the data may
     * not have arrived yet.
     */
    int64_t until = until_patience_ends();
    while (receive(64, &size) == TCP_WOULD_BLOCK)
        assert_true(patience(until));
    assert_int_equal(size, 5);
    tcp_connection_finish(streams.client);
    assert_int_equal(next_ready(), NOTIFIER_HANGUP);
}

/* The socket stays readable while data or the end of the stream is unread. */
TEST_WITH(what_came_before_a_hang_up_is_read_after_it, set_up, tear_down)
{
    (void)state;
    size_t read = 0;
    unsigned ready = 0;
    enum tcp_result result;
    watch(NOTIFIER_IN | NOTIFIER_HANGUP);
    send_bytes(streams.client, 7);
    tcp_connection_finish(streams.client);
    for (;;) {
        size_t size;
        ready |= next_ready();
        assert_true((ready & NOTIFIER_IN) != 0);
        result = receive(1, &size);
        read += size;
        if (result != TCP_OK)
            break;
        ready &= NOTIFIER_HANGUP;
        arm(NOTIFIER_IN | NOTIFIER_HANGUP);
    }
    assert_int_equal(result, TCP_END);
    assert_int_equal(read, 7);
    assert_true((ready & NOTIFIER_HANGUP) != 0);
}

TEST_WITH(the_end_is_readable_where_a_hang_up_is_not_asked_for, set_up, tear_down)
{
    (void)state;
    size_t size;
    watch(NOTIFIER_IN);
    tcp_connection_finish(streams.client);
    assert_int_equal(next_ready(), NOTIFIER_IN);
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

static void fill(void)
{
    static const char bytes[65536];
    size_t sent;
    while (tcp_connection_send(streams.server, bytes, sizeof bytes, &sent) == TCP_OK)
        ;
}

TEST_WITH(room_to_write_is_reported_when_the_other_side_reads, set_up, tear_down)
{
    (void)state;
    static char bytes[65536];
    size_t size;
    watch(NOTIFIER_IN);
    fill();
    arm(NOTIFIER_OUT);
    assert_silent();
    struct notifier_event event;
    int64_t until = until_patience_ends();
    while (notifier_wait(streams.notifier, 0, &event, 1, 0) == 0) {
        tcp_connection_receive(streams.client, bytes, sizeof bytes, &size);
        assert_true(patience(until));
    }
    assert_int_equal(event.ready, NOTIFIER_OUT);
}

TEST_WITH(a_reset_is_reported_where_room_to_write_is_waited_for, set_up, tear_down)
{
    (void)state;
    watch(NOTIFIER_IN);
    fill();
    arm(NOTIFIER_OUT);
    assert_silent();
    tcp_client_reset(streams.client);
    streams.client = NO_HANDLE;
    assert_int_equal(next_ready(), NOTIFIER_IN | NOTIFIER_OUT | NOTIFIER_HANGUP);
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
    watch_socket(streams.listening, &streams.token, NOTIFIER_IN);
    wait_handle first = tcp_client_connect(&streams.address);
    assert_true((next_ready() & NOTIFIER_IN) != 0);
    wait_handle second = tcp_client_connect(&streams.address);
    assert_silent();
    assert_int_equal(
        tcp_connection_accept(streams.listening, DESCRIPTOR_OF_SENDER, &accepted, &peer, &error),
        ACCEPT_OK);
    tcp_connection_close(accepted);
    assert_int_equal(
        notifier_arm(streams.notifier, streams.listening, &streams.token, NOTIFIER_IN, NULL), 0);
    /* The second connection has not been accepted, so the listening socket is still readable. */
    assert_true((next_ready() & NOTIFIER_IN) != 0);
    assert_int_equal(
        tcp_connection_accept(streams.listening, DESCRIPTOR_OF_SENDER, &accepted, &peer, &error),
        ACCEPT_OK);
    tcp_connection_close(accepted);
    assert_int_equal(
        tcp_connection_accept(streams.listening, DESCRIPTOR_OF_SENDER, &accepted, &peer, &error),
        ACCEPT_WOULD_BLOCK);
    tcp_connection_close(first);
    tcp_connection_close(second);
}

TEST_WITH(one_that_is_not_watched_any_more_is_not_reported, set_up, tear_down)
{
    (void)state;
    watch(NOTIFIER_IN);
    unwatch();
    send_bytes(streams.client, 5);
    assert_silent();
}

TEST_WITH(nor_is_what_nobody_had_taken_before, set_up, tear_down)
{
    (void)state;
    watch(NOTIFIER_IN);
    send_bytes(streams.client, 5);
    unwatch();
    assert_silent();
}

/* --- handing a socket over -------------------------------------------------------------------- */

TEST_WITH(one_that_was_unwatched_is_closed_once, set_up, tear_down)
{
    (void)state;
    char byte;
    size_t size;
    watch(NOTIFIER_IN);
    unwatch();
    int64_t until = until_patience_ends();
    while (streams.closed == 0) {
        assert_silent();
        assert_true(patience(until));
    }
    assert_silent();
    notifier_finish(streams.notifier);
    assert_int_equal(streams.closed, 1);
    assert_int_equal(notifier_unremoved(streams.notifier), 0);
    while (tcp_connection_receive(streams.client, &byte, 1, &size) == TCP_WOULD_BLOCK)
        assert_true(patience(until));
}

TEST_WITH(so_are_one_that_has_an_event_and_one_that_was_never_watched, set_up, tear_down)
{
    (void)state;
    notifier_unwatch(streams.notifier, tcp_client_connect(&streams.address), count_close);
    assert_int_equal(streams.closed, 1);
    send_bytes(streams.client, 1);
    watch(NOTIFIER_IN | NOTIFIER_OUT);
    next_event();
    unwatch();
    notifier_finish(streams.notifier);
    assert_int_equal(streams.closed, 2);
}

TEST_WITH(many_are_closed_when_the_notifier_is_finished, set_up, tear_down)
{
    (void)state;
    enum { MANY = 100 };
    for (size_t i = 0; i < MANY; i++) {
        wait_handle socket = tcp_client_connect(&streams.address);
        watch_socket(socket, &streams.token, NOTIFIER_IN);
        notifier_unwatch(streams.notifier, socket, count_close);
    }
    notifier_finish(streams.notifier);
    assert_int_equal(streams.closed, MANY);
    assert_int_equal(notifier_unremoved(streams.notifier), 0);
}

TEST_WITH(or_destroyed, set_up, tear_down)
{
    (void)state;
    struct error error;
    watch(NOTIFIER_IN);
    unwatch();
    notifier_destroy(streams.notifier);
    assert_int_equal(streams.closed, 1);
    assert_int_equal(notifier_create(&streams.notifier, backend, 1, &error), 0);
}

/*
 * Most connections have the socket number of the previous one. For every second connection, the
 * events are not taken from the notifier.
 */
TEST_WITH(a_new_connection_has_no_event_of_an_old_one, set_up, tear_down)
{
    (void)state;
    static char tokens[40];
    for (size_t i = 0; i < sizeof tokens; i++) {
        struct error error;
        struct address peer;
        watch_socket(streams.server, &tokens[i], NOTIFIER_IN);
        send_bytes(streams.client, 5);
        if (i % 2 == 0)
            assert_ptr_equal(next_event().token, &tokens[i]);
        unwatch();
        tcp_connection_close(streams.client);
        streams.client = tcp_client_connect(&streams.address);
        int64_t until = until_patience_ends();
        while (tcp_connection_accept(streams.listening, DESCRIPTOR_OF_SENDER, &streams.server,
                                     &peer, &error) != ACCEPT_OK)
            assert_true(patience(until));
    }
    assert_silent();
}

/* There are more connections than some systems can wait for at once, which is 64 objects. */
TEST_WITH(each_of_many_connections_is_reported_once, set_up, tear_down)
{
    (void)state;
    enum { MANY = 150 };
    static struct {
        wait_handle client, server;
        size_t events;
    } all[MANY];
    for (size_t i = 0; i < MANY; i++) {
        struct error error;
        struct address peer;
        int64_t until = until_patience_ends();
        all[i].events = 0;
        all[i].client = tcp_client_connect(&streams.address);
        while (tcp_connection_accept(streams.listening, DESCRIPTOR_OF_SENDER, &all[i].server, &peer,
                                     &error) != ACCEPT_OK)
            assert_true(patience(until));
        watch_socket(all[i].server, &all[i], NOTIFIER_IN | NOTIFIER_HANGUP);
    }
    assert_silent();
    for (size_t i = MANY; i-- > 0;)
        send_bytes(all[i].client, 1);
    for (size_t i = 0; i < MANY; i++) {
        size_t index = (size_t)((char *)next_event().token - (char *)all) / sizeof all[0];
        assert_in_range(index, 0, MANY - 1);
        assert_int_equal(all[index].events++, 0);
    }
    assert_silent();
    for (size_t i = 0; i < MANY; i++) {
        notifier_unwatch(streams.notifier, all[i].server, tcp_connection_close);
        tcp_connection_close(all[i].client);
    }
}

#define CONNECTS 500

/*
 * Connects clients one after the other. Resets every fifth connection, often before it is accepted.
 */
static void connect_many(void *argument)
{
    (void)argument;
    for (size_t i = 0; i < CONNECTS; i++) {
        wait_handle client = tcp_client_connect(&streams.address);
        if (i % 5 == 0)
            tcp_client_reset(client);
        else
            tcp_connection_close(client);
    }
}

TEST_WITH(nobody_who_connects_is_left_waiting, set_up, tear_down)
{
    (void)state;
    struct error error;
    struct address peer;
    struct thread *thread;
    wait_handle accepted;
    size_t count = 0;
    watch_socket(streams.listening, &streams.token, NOTIFIER_IN);
    assert_int_equal(thread_start(&thread, "connects", connect_many, NULL, &error), 0);
    while (count < CONNECTS * 4 / 5) {
        assert_int_equal(next_ready(), NOTIFIER_IN);
        while (tcp_connection_accept(streams.listening, DESCRIPTOR_OF_SENDER, &accepted, &peer,
                                     &error) == ACCEPT_OK) {
            tcp_connection_close(accepted);
            count++;
        }
        assert_int_equal(
            notifier_arm(streams.notifier, streams.listening, &streams.token, NOTIFIER_IN, NULL),
            0);
    }
    thread_join(thread);
}

/* --- wake-ups --------------------------------------------------------------------------------- */

TEST_WITH(wake_ups_before_a_wait_end_it_once, set_up, tear_down)
{
    (void)state;
    watch(NOTIFIER_IN);
    notifier_wake(streams.notifier);
    notifier_wake(streams.notifier);
    assert_int_equal(next_event().type, NOTIFIER_WOKEN);
    assert_silent();
}

TEST_WITH(a_wake_up_hides_no_event, set_up, tear_down)
{
    (void)state;
    watch(NOTIFIER_IN);
    send_bytes(streams.client, 5);
    notifier_wake(streams.notifier);
    struct notifier_event first = next_event();
    struct notifier_event second = next_event();
    assert_true((first.type == NOTIFIER_WOKEN) != (second.type == NOTIFIER_WOKEN));
    assert_silent();
}

/* --- several waiting threads ------------------------------------------------------------------ */

#define THREADS 4
#define BYTES   3000

static struct {
    _Atomic size_t owners; /* number of threads that own the connection; never more than one */
    _Atomic size_t most;
    _Atomic size_t read;
    _Atomic bool stop;
    _Atomic size_t in_order; /* number of bytes read; only the connection's owner writes it */
    _Atomic bool disorder;
} shared;

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
    bool patient = true;
    int64_t until = until_patience_ends();
    for (size_t sent = 0; patient && sent < BYTES;) {
        uint8_t bytes[50];
        size_t done = 0;
        for (size_t i = 0; i < sizeof bytes; i++)
            bytes[i] = (uint8_t)(sent + i);
        if (tcp_connection_send(streams.client, bytes, sizeof bytes, &done) != TCP_OK)
            patient = patience(until);
        sent += done;
    }
    while (patient && atomic_load(&shared.read) < BYTES)
        patient = patience(until);
    atomic_store(&shared.stop, true);
    for (size_t i = 0; i < THREADS; i++)
        thread_join(threads[i]);
    assert_int_equal(atomic_load(&shared.read), BYTES);
    assert_int_equal(atomic_load(&shared.most), 1);
    assert_false(atomic_load(&shared.disorder));
}

/* Waits without a time limit until it is woken, and then wakes the next thread. */
static void wait_for_wake_up(void *argument)
{
    struct notifier_event event = {.type = NOTIFIER_READY};
    while (notifier_wait(streams.notifier, *(size_t *)argument, &event, 1, -1) == 0 ||
           event.type != NOTIFIER_WOKEN)
        ;
    notifier_wake(streams.notifier);
}

TEST_WITH(a_wake_up_that_is_passed_on_reaches_all_threads, set_up_several, tear_down)
{
    (void)state;
    struct thread *threads[THREADS];
    size_t numbers[THREADS];
    struct error error;
    watch(NOTIFIER_IN);
    for (size_t i = 0; i < THREADS; i++) {
        numbers[i] = i;
        assert_int_equal(thread_start(&threads[i], "waiter", wait_for_wake_up, &numbers[i], &error),
                         0);
    }
    notifier_wake(streams.notifier);
    for (size_t i = 0; i < THREADS; i++)
        thread_join(threads[i]);
}

/* --- faults ----------------------------------------------------------------------------------- */

static const struct {
    enum notifier_fault fault;
    const char *found_by;
} faults[] = {
    {FAULT_HELD_BEFORE, "what_came_before_it_was_watched_is_reported"},
    {FAULT_HELD_AGAIN, "what_is_left_unread_is_reported_again_when_it_is_armed"},
    {FAULT_NOT_DISARMED, "after_an_event_it_is_silent_until_it_is_armed"},
    {FAULT_TWO_EVENTS, "each_arming_has_one_event"},
    {FAULT_NOT_ASKED, "armed_for_a_hang_up_alone_it_does_not_report_data"},
    {FAULT_NO_HANG_UP, "armed_for_a_hang_up_alone_it_does_not_report_data"},
    {FAULT_ONLY_A_HANG_UP, "what_came_before_a_hang_up_is_read_after_it"},
    {FAULT_NO_WAKE_UP, "wake_ups_before_a_wait_end_it_once"},
    {FAULT_WATCHED_STILL, "one_that_is_not_watched_any_more_is_not_reported"},
    {FAULT_LATE_EVENT, "nor_is_what_nobody_had_taken_before"},
    {FAULT_NOT_CLOSED, "one_that_was_unwatched_is_closed_once"},
    {FAULT_CLOSED_TWICE, "one_that_was_unwatched_is_closed_once"},
};

_Static_assert(sizeof faults / sizeof faults[0] == FAULTS, "a fault without its test");

/*
 * Runs the tests with each fault. Returns the number of faults that no test found. Waits have a
 * short time limit, because some faults would make them endless.
 */
static int find_faults(void)
{
    const struct notifier_backend *sound = backend;
    int missed = 0;
    patience_ns = INT64_C(1000000000);
    for (size_t i = 0; i < FAULTS; i++) {
        backend = faulty_notifier(sound, faults[i].fault);
        if (test_run_one(faults[i].found_by, faults[i].found_by) == 1)
            continue;
        fprintf(stderr, "fault %zu is not found by %s\n", i, faults[i].found_by);
        missed++;
    }
    printf("of %d faults %d were found\n", FAULTS, FAULTS - missed);
    return missed;
}

int main(int argc, char **argv)
{
    for (size_t i = 0; argc > 1 && notifier_stream_backends[i] != NULL; i++)
        if (strcmp(notifier_stream_backends[i]->name, argv[1]) == 0)
            backend = notifier_stream_backends[i];
    if (backend == NULL) {
        fprintf(stderr, "usage: %s BACKEND [faults]\n", argv[0]);
        return 64;
    }
    if (!notifier_is_available(backend)) {
        fprintf(stderr, "this system does not have %s\n", backend->name);
        return SKIPPED;
    }
    return argc > 2 ? find_faults() : test_run_all(backend->name);
}
