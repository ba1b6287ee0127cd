/*
 * Tests that faults of a receiver, one at a time, make it lose datagrams.
 *
 * Some systems hide some of these faults: one reports sockets again that were not drained, and
 * another makes sockets non-blocking by itself. A receiver must not rely on that. So this receiver
 * only gets the events that the contract promises (collector/platform/notifier.h): none until a
 * receive has returned would-block.
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "collector/platform/clock.h"
#include "collector/platform/thread.h"
#include "tests/support/platform/patience.h"
#include "tests/support/platform/plain_socket.h"
#include "tests/support/platform/watching.h"
#include "tests/support/test.h"

#define BURST      100 /* datagrams; every tenth one is empty */
#define BURSTS     20
#define SILENCE_MS 500 /* after this time without an event no event will come */

enum fault {
    NO_FAULT,
    STOPS_AFTER_16,      /* stops a drain after 16 datagrams and waits for an event */
    ENDS_AT_ZERO_LENGTH, /* takes an empty datagram for the end of a stream */
    IS_ADDED_LATE,       /* is added to the notifier after bind, when datagrams are queued */
};

struct receiver {
    enum fault fault;
    struct plain_socket *socket;
    struct address address;
    bool promised; /* the contract promises an event for the next datagram */
    size_t received;
};

static void add(struct receiver *receiver)
{
    struct error error;
    receiver->promised = !plain_socket_holds_data(receiver->socket);
    wait_handle handle = plain_socket_handle(receiver->socket);
    if (notifier_add(watching.notifier, handle, receiver, &error) != 0)
        fail_msg("%s", error.text);
}

static void drain_with_fault(struct receiver *receiver)
{
    for (size_t taken = 0; receiver->fault != STOPS_AFTER_16 || taken < 16; taken++) {
        size_t size;
        if (!plain_socket_receive(receiver->socket, &size)) {
            receiver->promised = true;
            return;
        }
        receiver->received++;
        if (receiver->fault == ENDS_AT_ZERO_LENGTH && size == 0)
            return;
    }
}

static void receive_until_silence(struct receiver *receiver, size_t wanted)
{
    int64_t silent = clock_monotonic_ns() + (int64_t)SILENCE_MS * 1000000;
    while (receiver->received < wanted && clock_monotonic_ns() < silent) {
        struct notifier_event event;
        size_t count = notifier_wait(watching.notifier, 0, &event, 1, SILENCE_MS);
        if (count == 0 || event.type != NOTIFIER_READY || !receiver->promised)
            continue;
        assert_ptr_equal(event.token, receiver);
        receiver->promised = false;
        drain_with_fault(receiver);
        silent = clock_monotonic_ns() + (int64_t)SILENCE_MS * 1000000;
    }
}

static void send_one_burst(const struct receiver *receiver)
{
    for (size_t i = 0; i < BURST; i++)
        udp_sender_send(watching.sender, &receiver->address, "datagram", i % 10 == 5 ? 0 : 8);
}

static size_t receive_bursts(enum fault fault)
{
    struct receiver receiver = {.fault = fault, .socket = plain_socket_open(true)};
    if (fault != IS_ADDED_LATE)
        add(&receiver);
    receiver.address = plain_socket_bind(receiver.socket);
    for (size_t burst = 1; burst <= BURSTS; burst++) {
        send_one_burst(&receiver);
        if (fault == IS_ADDED_LATE && burst == 1)
            add(&receiver);
        receive_until_silence(&receiver, burst * BURST);
        if (receiver.received < burst * BURST)
            break;
    }
    plain_socket_close(receiver.socket);
    return receiver.received;
}

TEST_WITH(without_a_fault_all_datagrams_arrive, watching_set_up, watching_tear_down)
{
    (void)state;
    assert_int_equal(receive_bursts(NO_FAULT), BURSTS * BURST);
}

TEST_WITH(a_drain_that_stops_after_16_waits_for_ever, watching_set_up, watching_tear_down)
{
    (void)state;
    assert_int_equal(receive_bursts(STOPS_AFTER_16), 16);
}

TEST_WITH(a_drain_that_ends_at_a_zero_length_datagram_waits_for_ever, watching_set_up,
          watching_tear_down)
{
    (void)state;
    assert_int_equal(receive_bursts(ENDS_AT_ZERO_LENGTH), 6);
}

TEST_WITH(a_socket_that_is_added_with_data_queued_may_stay_silent, watching_set_up,
          watching_tear_down)
{
    (void)state;
    assert_int_equal(receive_bursts(IS_ADDED_LATE), 0);
}

/* --- a socket that blocks --------------------------------------------------------------------- */

struct blocked {
    struct plain_socket *socket;
    atomic_size_t received;
    atomic_bool ended;
};

/*
 * Receives until the socket would block, or until an empty datagram, which the test sends to end a
 * receive that blocks.
 */
static void drain_once(void *argument)
{
    struct blocked *blocked = argument;
    size_t size;
    while (plain_socket_receive(blocked->socket, &size) && size != 0)
        atomic_fetch_add(&blocked->received, 1);
    atomic_store(&blocked->ended, true);
}

/* Returns true if a thread that receives three datagrams then ends by itself. */
static bool drain_ends_by_itself(bool non_blocking)
{
    struct blocked blocked = {.socket = plain_socket_open(non_blocking)};
    struct address to = plain_socket_bind(blocked.socket);
    for (int i = 0; i < 3; i++)
        udp_sender_send(watching.sender, &to, "x", 1);
    struct thread *thread;
    struct error error;
    assert_int_equal(thread_start(&thread, "drain", drain_once, &blocked, &error), 0);
    int64_t later = clock_monotonic_ns() + (int64_t)SILENCE_MS * 1000000;
    int64_t give_up = patience_until();
    while (!atomic_load(&blocked.ended) &&
           (atomic_load(&blocked.received) < 3 || clock_monotonic_ns() < later))
        assert_true(patience(give_up));
    bool ended = atomic_load(&blocked.ended);
    udp_sender_send(watching.sender, &to, "", 0);
    thread_join(thread);
    assert_int_equal(blocked.received, 3);
    plain_socket_close(blocked.socket);
    return ended;
}

/*
 * This test uses no notifier, because the function WSAEventSelect would make the socket
 * non-blocking.
 */
TEST_WITH(a_socket_left_blocking_holds_its_receiver_at_the_end_of_a_drain, watching_set_up,
          watching_tear_down)
{
    (void)state;
    assert_true(drain_ends_by_itself(true));
    assert_false(drain_ends_by_itself(false));
}

int main(int argc, char **argv)
{
    if (!watching_choose_backend(argc, argv))
        return 64;
    return test_run_all(watching_backend->name);
}
