/*
 * Contract tests of the notifier for persistent levels. The test uses both ends of each connection.
 *
 * Arguments: BACKEND [watched] [faults]. With "watched", the tests wait for the notifier's handle
 * with control_wait. With "faults", the backend gets one fault after the other, and the test that
 * must find the fault must fail.
 */
#include <stdio.h>
#include <string.h>

#include "collector/platform/clock.h"
#include "collector/platform/control.h"
#include "collector/platform/notifier.h"
#include "collector/platform/tcp.h"
#include "collector/platform/thread.h"
#include "tests/support/platform/faulty_levels.h"
#include "tests/support/platform/patience.h"
#include "tests/support/platform/plain_socket.h"
#include "tests/support/platform/tcp_client.h"
#include "tests/support/platform/udp_sender.h"
#include "tests/support/test.h"

/*
 * The most events of a condition that may come after the condition has ended. One may be with a
 * thread, one in the queue, and one may be about to be queued by the system.
 */
#define SUPERFLUOUS 3

#define SHORT_MS 50 /* no event may come within this time, in milliseconds */
#define SKIPPED  77 /* exit code of a skipped test (tests/CMakeLists.txt) */
#define FEW      7  /* events that one wait can return in the test with many connections */
#define MANY     (14 * FEW)

static const struct notifier_backend *backend;
static int64_t patience_ns = PATIENCE_NS;
static bool watches;
static struct control *control;

struct pair {
    wait_handle client, server; /* both ends of a connection */
    size_t events;
};

static struct {
    struct notifier *notifier;
    wait_handle handle;
    wait_handle listening;
    struct address address;
    struct pair pair; /* its address is the token of the connection's server end */
} levels;

/* --- connections ------------------------------------------------------------------------------ */

static int64_t until_patience_ends(void)
{
    return clock_monotonic_ns() + patience_ns;
}

static void connect_pair(struct pair *pair)
{
    struct error error;
    struct address peer;
    int64_t until = until_patience_ends();
    pair->events = 0;
    pair->client = tcp_client_connect(&levels.address);
    while (tcp_connection_accept(levels.listening, DESCRIPTOR_OF_SENDER, &pair->server, &peer,
                                 &error) != ACCEPT_OK)
        assert_true(patience(until));
}

static void close_pair(struct pair *pair)
{
    if (pair->client != NO_HANDLE)
        tcp_connection_close(pair->client);
    tcp_connection_close(pair->server);
}

static int set_up(void **state)
{
    (void)state;
    struct error error;
    struct address any;
    assert_true(address_parse_host("127.0.0.1", 9, &any));
    assert_int_equal(notifier_create(&levels.notifier, backend, 1, &error), 0);
    if (watches)
        levels.handle = notifier_handle(levels.notifier, &error);
    assert_true(levels.handle != NO_HANDLE);
    levels.listening = tcp_listener_open(&any, false, &levels.address, &error);
    assert_true(levels.listening != NO_HANDLE);
    connect_pair(&levels.pair);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    notifier_destroy(levels.notifier);
    close_pair(&levels.pair);
    tcp_listener_close(levels.listening);
    return 0;
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
    return tcp_connection_receive(levels.pair.server, bytes, most, size);
}

static void receive_all(size_t wanted)
{
    int64_t until = until_patience_ends();
    while (wanted != 0) {
        size_t size;
        assert_true(receive(wanted, &size) != TCP_BROKEN);
        wanted -= size;
        assert_true(patience(until));
    }
}

/* --- events ----------------------------------------------------------------------------------- */

static size_t take(struct notifier_event *events, size_t capacity, int timeout_ms)
{
    size_t count;
    if (!watches)
        return notifier_wait(levels.notifier, 0, events, capacity, timeout_ms);
    count = notifier_wait(levels.notifier, 0, events, capacity, 0);
    if (count != 0 || timeout_ms == 0)
        return count;
    const struct control_watch watched = {levels.handle, true, false};
    if (control_wait(control, &watched, 1, timeout_ms) != CONTROL_READY)
        return 0; /* no event: so must the wait on the handle */
    return notifier_wait(levels.notifier, 0, events, capacity, 0);
}

static struct notifier_event next_event(void)
{
    struct notifier_event event;
    int64_t until = until_patience_ends();
    while (take(&event, 1, SHORT_MS) == 0)
        assert_true(patience(until));
    return event;
}

static unsigned next_ready(void)
{
    struct notifier_event event = next_event();
    assert_int_equal(event.type, NOTIFIER_READY);
    assert_ptr_equal(event.token, &levels.pair);
    return event.ready;
}

/* Asserts that the connection gets no event, except those of conditions that have ended. */
static void assert_silent(void)
{
    struct notifier_event event;
    for (size_t i = 0; i <= SUPERFLUOUS; i++) {
        if (take(&event, 1, SHORT_MS) == 0)
            return;
        assert_int_equal(event.type, NOTIFIER_READY);
        assert_ptr_equal(event.token, &levels.pair);
    }
    fail_msg("events go on");
}

static void add_pair(struct pair *pair, unsigned interests)
{
    struct error error;
    if (notifier_add_level(levels.notifier, pair->server, pair, interests, &error) != 0)
        fail_msg("%s", error.text);
}

static void add(unsigned interests)
{
    add_pair(&levels.pair, interests);
}

static void change(unsigned interests)
{
    notifier_change_level(levels.notifier, levels.pair.server, &levels.pair, interests);
}

static void remove_pair(struct pair *pair)
{
    assert_int_equal(notifier_remove(levels.notifier, pair->server, pair, NULL), 0);
}

static void await_removed(const struct pair *pair)
{
    struct notifier_event event = next_event();
    assert_int_equal(event.type, NOTIFIER_REMOVED);
    assert_ptr_equal(event.token, pair);
}

/* --- levels ----------------------------------------------------------------------------------- */

TEST_WITH(a_condition_that_held_before_is_reported, set_up, tear_down)
{
    (void)state;
    send_bytes(levels.pair.client, 5);
    add(NOTIFIER_IN);
    assert_int_equal(next_ready(), NOTIFIER_IN);
}

TEST_WITH(a_condition_is_reported_at_every_wait_while_it_holds, set_up, tear_down)
{
    (void)state;
    add(NOTIFIER_IN);
    assert_silent();
    send_bytes(levels.pair.client, 5);
    for (int i = 0; i < 10; i++)
        assert_int_equal(next_ready(), NOTIFIER_IN);
    receive_all(5);
    assert_silent();
}

TEST_WITH(data_that_a_partial_read_left_are_reported, set_up, tear_down)
{
    (void)state;
    size_t size;
    send_bytes(levels.pair.client, 9);
    add(NOTIFIER_IN | NOTIFIER_HANGUP);
    for (int i = 0; i < 9; i++) {
        assert_int_equal(next_ready(), NOTIFIER_IN);
        assert_int_equal(receive(1, &size), TCP_OK);
    }
    assert_silent();
}

TEST_WITH(a_hang_up_is_reported_at_every_wait, set_up, tear_down)
{
    (void)state;
    add(NOTIFIER_HANGUP);
    send_bytes(levels.pair.client, 5);
    assert_silent();
    receive_all(5); /* some backends report a hang-up only after the data was read */
    tcp_connection_finish(levels.pair.client);
    for (int i = 0; i < 3; i++)
        assert_int_equal(next_ready(), NOTIFIER_HANGUP);
}

TEST_WITH(data_before_a_hang_up_are_read_after_it, set_up, tear_down)
{
    (void)state;
    size_t read = 0;
    unsigned ready = 0;
    enum tcp_result result = TCP_OK;
    add(NOTIFIER_IN | NOTIFIER_HANGUP);
    send_bytes(levels.pair.client, 7);
    tcp_connection_finish(levels.pair.client);
    while (result == TCP_OK) {
        size_t size;
        unsigned now = next_ready();
        assert_true((now & NOTIFIER_IN) != 0);
        result = receive(1, &size);
        read += size;
        ready |= now;
    }
    assert_int_equal(result, TCP_END);
    assert_int_equal(read, 7);
    int64_t until = until_patience_ends();
    while ((ready & NOTIFIER_HANGUP) == 0) { /* the last event may still be that of the data */
        ready |= next_ready();
        assert_true(patience(until));
    }
    assert_int_equal(next_ready(), NOTIFIER_IN | NOTIFIER_HANGUP); /* the hang-up stays */
}

TEST_WITH(room_to_write_is_reported_when_the_peer_reads, set_up, tear_down)
{
    (void)state;
    static char bytes[65536];
    size_t size;
    while (tcp_connection_send(levels.pair.server, bytes, sizeof bytes, &size) == TCP_OK)
        ;
    add(NOTIFIER_OUT);
    assert_silent();
    struct notifier_event event;
    int64_t until = until_patience_ends();
    while (take(&event, 1, 1) == 0) {
        tcp_connection_receive(levels.pair.client, bytes, sizeof bytes, &size);
        assert_true(patience(until));
    }
    assert_int_equal(event.ready, NOTIFIER_OUT);
    assert_int_equal(next_ready(), NOTIFIER_OUT);
}

TEST_WITH(only_requested_conditions_are_reported, set_up, tear_down)
{
    (void)state;
    add(NOTIFIER_IN);
    assert_silent();
    send_bytes(levels.pair.client, 5);
    assert_int_equal(next_ready(), NOTIFIER_IN);
}

TEST_WITH(a_change_holds_for_the_next_wait, set_up, tear_down)
{
    (void)state;
    add(NOTIFIER_IN);
    assert_silent();
    change(NOTIFIER_OUT);
    assert_int_equal(next_ready(), NOTIFIER_OUT);
    assert_int_equal(next_ready(), NOTIFIER_OUT);
    change(NOTIFIER_IN);
    assert_silent();
    send_bytes(levels.pair.client, 5);
    assert_int_equal(next_ready(), NOTIFIER_IN);
    change(NOTIFIER_IN | NOTIFIER_OUT);
    unsigned ready = 0;
    int64_t until = until_patience_ends();
    while (ready != (NOTIFIER_IN | NOTIFIER_OUT)) {
        ready = next_ready();
        assert_true(patience(until));
    }
}

TEST_WITH(without_interests_it_is_silent_until_it_has_some, set_up, tear_down)
{
    (void)state;
    send_bytes(levels.pair.client, 5);
    add(NOTIFIER_IN);
    assert_int_equal(next_ready(), NOTIFIER_IN);
    change(0);
    assert_silent();
    change(NOTIFIER_IN);
    assert_int_equal(next_ready(), NOTIFIER_IN);
}

TEST_WITH(a_reset_is_reported_with_all_conditions, set_up, tear_down)
{
    (void)state;
    size_t size;
    add(NOTIFIER_IN);
    assert_silent();
    tcp_client_reset(levels.pair.client);
    levels.pair.client = NO_HANDLE;
    unsigned ready = next_ready();
    assert_true((ready & NOTIFIER_IN) != 0);
    assert_int_equal(receive(64, &size), TCP_BROKEN);
}

TEST_WITH(a_listening_socket_is_ready_until_all_were_accepted, set_up, tear_down)
{
    (void)state;
    struct pair first, second;
    struct error error;
    struct address peer;
    assert_int_equal(
        notifier_add_level(levels.notifier, levels.listening, &levels.pair, NOTIFIER_IN, &error),
        0);
    assert_silent();
    first.client = tcp_client_connect(&levels.address);
    second.client = tcp_client_connect(&levels.address);
    assert_true((next_ready() & NOTIFIER_IN) != 0);
    assert_int_equal(
        tcp_connection_accept(levels.listening, DESCRIPTOR_OF_SENDER, &first.server, &peer, &error),
        ACCEPT_OK);
    assert_true((next_ready() & NOTIFIER_IN) != 0);
    int64_t until = until_patience_ends();
    while (tcp_connection_accept(levels.listening, DESCRIPTOR_OF_SENDER, &second.server, &peer,
                                 &error) != ACCEPT_OK)
        assert_true(patience(until));
    assert_silent();
    close_pair(&first);
    close_pair(&second);
}

TEST_WITH(a_datagram_socket_is_ready_until_all_were_received, set_up, tear_down)
{
    (void)state;
    struct plain_socket *socket = plain_socket_open(true);
    struct address to = plain_socket_bind(socket);
    struct udp_sender *sender = udp_sender_open(ADDRESS_IPV4);
    size_t size;
    assert_int_equal(notifier_add_level(levels.notifier, plain_socket_handle(socket), &levels.pair,
                                        NOTIFIER_IN, NULL),
                     0);
    assert_silent();
    udp_sender_send(sender, &to, "a", 1);
    udp_sender_send(sender, &to, "b", 1);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(next_ready(), NOTIFIER_IN);
        assert_true(plain_socket_receive(socket, &size));
    }
    assert_silent();
    assert_int_equal(
        notifier_remove(levels.notifier, plain_socket_handle(socket), &levels.pair, NULL), 0);
    await_removed(&levels.pair);
    udp_sender_close(sender);
    plain_socket_close(socket);
}

/* Each connection must be reported once before any connection is reported again. */
TEST_WITH(many_are_reported_in_turn, set_up, tear_down)
{
    (void)state;
    static struct pair all[MANY];
    size_t total = 0;
    for (size_t i = 0; i < MANY; i++) {
        connect_pair(&all[i]);
        send_bytes(all[i].client, 1);
    }
    for (size_t i = 0; i < MANY; i++)
        add_pair(&all[i], NOTIFIER_IN);
    int64_t until = until_patience_ends();
    while (total < MANY) {
        struct notifier_event events[FEW];
        size_t count = take(events, FEW, SHORT_MS);
        assert_in_range(count, 0, FEW);
        for (size_t i = 0; i < count; i++) {
            struct pair *pair = events[i].token;
            assert_int_equal(events[i].type, NOTIFIER_READY);
            assert_int_equal(pair->events++, 0);
        }
        total += count;
        assert_true(patience(until));
    }
    notifier_destroy(levels.notifier);
    for (size_t i = 0; i < MANY; i++)
        close_pair(&all[i]);
    levels.notifier = NULL;
}

/* --- removal ---------------------------------------------------------------------------------- */

TEST_WITH(removed_is_the_last_event, set_up, tear_down)
{
    (void)state;
    struct notifier_event event;
    add(NOTIFIER_IN);
    send_bytes(levels.pair.client, 5);
    assert_int_equal(next_ready(), NOTIFIER_IN);
    remove_pair(&levels.pair);
    await_removed(&levels.pair);
    assert_int_equal(take(&event, 1, SHORT_MS), 0);
}

TEST_WITH(an_event_that_was_not_taken_is_not_reported_after_a_removal, set_up, tear_down)
{
    (void)state;
    struct notifier_event event;
    send_bytes(levels.pair.client, 5);
    add(NOTIFIER_IN);
    remove_pair(&levels.pair);
    await_removed(&levels.pair);
    assert_int_equal(take(&event, 1, SHORT_MS), 0);
}

TEST_WITH(a_change_after_a_removal_has_no_effect, set_up, tear_down)
{
    (void)state;
    struct notifier_event event;
    send_bytes(levels.pair.client, 5);
    add(NOTIFIER_IN);
    assert_int_equal(next_ready(), NOTIFIER_IN);
    remove_pair(&levels.pair);
    change(NOTIFIER_IN | NOTIFIER_OUT);
    await_removed(&levels.pair);
    change(NOTIFIER_OUT);
    assert_int_equal(take(&event, 1, SHORT_MS), 0);
}

TEST_WITH(a_socket_is_added_again_with_another_token, set_up, tear_down)
{
    (void)state;
    struct pair other = levels.pair;
    send_bytes(levels.pair.client, 5);
    add(NOTIFIER_IN);
    assert_int_equal(next_ready(), NOTIFIER_IN);
    remove_pair(&levels.pair);
    await_removed(&levels.pair);
    add_pair(&other, NOTIFIER_IN);
    struct notifier_event event = next_event();
    assert_int_equal(event.type, NOTIFIER_READY);
    assert_ptr_equal(event.token, &other);
    remove_pair(&other);
    await_removed(&other);
}

/*
 * Most new connections have the socket number of the previous one. For every second connection, the
 * last event is not taken from the notifier.
 */
TEST_WITH(a_new_connection_has_no_event_of_an_old_one, set_up, tear_down)
{
    (void)state;
    static struct pair pairs[12];
    struct notifier_event event;
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        connect_pair(&pairs[i]);
        add_pair(&pairs[i], NOTIFIER_IN);
        assert_int_equal(take(&event, 1, 10), 0);
        send_bytes(pairs[i].client, 5);
        if (i % 2 == 0)
            assert_ptr_equal(next_event().token, &pairs[i]);
        remove_pair(&pairs[i]);
        await_removed(&pairs[i]);
        close_pair(&pairs[i]);
    }
}

TEST_WITH(one_is_removed_while_another_is_ready, set_up, tear_down)
{
    (void)state;
    struct pair other;
    size_t removed = 0;
    connect_pair(&other);
    add(NOTIFIER_IN);
    add_pair(&other, NOTIFIER_IN);
    send_bytes(levels.pair.client, 5);
    send_bytes(other.client, 5);
    next_event();
    remove_pair(&other);
    for (int i = 0; i < 10; i++) {
        struct notifier_event event = next_event();
        removed += event.type == NOTIFIER_REMOVED;
        assert_ptr_equal(event.token, event.type == NOTIFIER_REMOVED ? &other : &levels.pair);
    }
    assert_int_equal(removed, 1);
    close_pair(&other);
}

/* --- wake-ups --------------------------------------------------------------------------------- */

TEST_WITH(wake_ups_before_a_wait_end_it_once, set_up, tear_down)
{
    (void)state;
    struct notifier_event event;
    add(NOTIFIER_IN);
    notifier_wake(levels.notifier);
    notifier_wake(levels.notifier);
    assert_int_equal(next_event().type, NOTIFIER_WOKEN);
    assert_int_equal(take(&event, 1, SHORT_MS), 0);
}

static void wake_after_a_while(void *unused)
{
    (void)unused;
    int64_t until = clock_monotonic_ns() + (int64_t)SHORT_MS * 1000000;
    while (clock_monotonic_ns() < until)
        this_thread_yield();
    notifier_wake(levels.notifier);
}

TEST_WITH(a_wake_up_ends_a_wait_that_has_begun, set_up, tear_down)
{
    (void)state;
    struct thread *thread;
    struct error error;
    struct notifier_event event = {.type = NOTIFIER_READY};
    add(NOTIFIER_IN);
    assert_int_equal(thread_start(&thread, "wakes", wake_after_a_while, NULL, &error), 0);
    int64_t until = until_patience_ends();
    while (take(&event, 1, (int)(patience_ns / 1000000)) == 0 && patience(until))
        ;
    thread_join(thread);
    assert_int_equal(event.type, NOTIFIER_WOKEN);
}

TEST_WITH(a_wake_up_hides_no_event, set_up, tear_down)
{
    (void)state;
    bool woken = false, ready = false;
    int64_t until = until_patience_ends();
    add(NOTIFIER_IN);
    send_bytes(levels.pair.client, 5);
    notifier_wake(levels.notifier);
    while (!woken || !ready) {
        struct notifier_event event = next_event();
        woken = woken || event.type == NOTIFIER_WOKEN;
        ready = ready || event.type == NOTIFIER_READY;
        assert_true(patience(until));
    }
}

/* --- creating --------------------------------------------------------------------------------- */

TEST(a_notifier_for_levels_begins_with_a_socket)
{
    struct plain_socket *socket = plain_socket_open(true);
    struct address to = plain_socket_bind(socket);
    struct udp_sender *sender = udp_sender_open(ADDRESS_IPV4);
    struct notifier *notifier;
    struct notifier_event event;
    struct error error;
    int token;
    assert_int_equal(notifier_create_for_levels(&notifier, plain_socket_handle(socket), &token,
                                                NOTIFIER_IN, &error),
                     0);
    udp_sender_send(sender, &to, "a", 1);
    int64_t until = until_patience_ends();
    while (notifier_wait(notifier, 0, &event, 1, SHORT_MS) == 0)
        assert_true(patience(until));
    assert_ptr_equal(event.token, &token);
    notifier_destroy(notifier);
    udp_sender_close(sender);
    plain_socket_close(socket);
}

/* --- faults ----------------------------------------------------------------------------------- */

static const struct {
    enum level_fault fault;
    const char *found_by;
} faults[] = {
    {LEVEL_FAULT_NOTHING, "a_condition_that_held_before_is_reported"},
    {LEVEL_FAULT_ONCE, "data_that_a_partial_read_left_are_reported"},
    {LEVEL_FAULT_NO_HANG_UP, "a_hang_up_is_reported_at_every_wait"},
    {LEVEL_FAULT_NOT_REQUESTED, "only_requested_conditions_are_reported"},
    {LEVEL_FAULT_NOT_CHANGED, "a_change_holds_for_the_next_wait"},
    {LEVEL_FAULT_LATE_EVENT, "an_event_that_was_not_taken_is_not_reported_after_a_removal"},
    {LEVEL_FAULT_AFTER_REMOVED, "removed_is_the_last_event"},
    {LEVEL_FAULT_NO_REMOVED, "removed_is_the_last_event"},
    {LEVEL_FAULT_KEY_REUSED, "a_new_connection_has_no_event_of_an_old_one"},
    {LEVEL_FAULT_SAME_AGAIN, "many_are_reported_in_turn"},
    {LEVEL_FAULT_NO_WAKE_UP, "wake_ups_before_a_wait_end_it_once"},
    {LEVEL_FAULT_SILENT_HANDLE, "a_wake_up_ends_a_wait_that_has_begun"},
};

_Static_assert(sizeof faults / sizeof faults[0] == LEVEL_FAULTS, "a fault without its test");

/*
 * Runs the tests with each fault. Returns the number of faults that no test found. Waits have a
 * short time limit, because some faults would make them endless.
 */
static int find_faults(void)
{
    const struct notifier_backend *sound = backend;
    int missed = 0;
    patience_ns = INT64_C(1000000000);
    for (size_t i = 0; i < LEVEL_FAULTS; i++) {
        if (faults[i].fault == LEVEL_FAULT_SILENT_HANDLE && !watches)
            continue;
        backend = faulty_levels(sound, faults[i].fault);
        if (test_run_one(faults[i].found_by, faults[i].found_by) == 1)
            continue;
        fprintf(stderr, "fault %zu is not found by %s\n", i, faults[i].found_by);
        missed++;
    }
    printf("of %d faults %d were not found\n", LEVEL_FAULTS, missed);
    return missed;
}

int main(int argc, char **argv)
{
    struct error error;
    for (size_t i = 0; argc > 1 && notifier_level_backends[i] != NULL; i++)
        if (strcmp(notifier_level_backends[i]->name, argv[1]) == 0)
            backend = notifier_level_backends[i];
    if (backend == NULL) {
        fprintf(stderr, "usage: %s BACKEND [watched] [faults]\n", argv[0]);
        return 64;
    }
    if (!notifier_is_available(backend)) {
        fprintf(stderr, "this system does not have %s\n", backend->name);
        return SKIPPED;
    }
    watches = argc > 2 && strcmp(argv[2], "watched") == 0;
    bool faulty = argc > 2 && strcmp(argv[argc - 1], "faults") == 0;
    if (control_create(&control, &error) != 0) {
        fprintf(stderr, "%s\n", error.text);
        return 70;
    }
    int failed = faulty ? find_faults() : test_run_all(backend->name);
    control_destroy(control);
    return failed;
}
