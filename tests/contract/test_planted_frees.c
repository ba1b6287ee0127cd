/*
 * Tests that faults of a receiver, one at a time, make it use memory that it has freed. It frees
 * the object of a socket while an event of the socket may be pending, or while another thread may
 * use the object.
 *
 * The test does not really free memory, but marks a token as freed. If a thread gets an event of a
 * marked token, or uses a marked token, the fault has been found.
 */
#include <stdbool.h>
#include <string.h>

#include "collector/platform/clock.h"
#include "tests/support/platform/patience.h"
#include "tests/support/platform/this_thread.h"
#include "tests/support/platform/waiter.h"
#include "tests/support/platform/watching.h"
#include "tests/support/test.h"

struct token {
    struct udp_socket *socket;
    bool freed;
};

static void open_socket(struct token *token)
{
    struct error error;
    struct udp_socket_options options = {
        .address = loopback(ADDRESS_IPV4),
        .receive_buffer = (size_t)64 * 1024,
        .max_datagram = 100,
    };
    *token = (struct token){0};
    if (udp_socket_open(&token->socket, &options, &error) != 0 ||
        notifier_add(watching.notifier, udp_socket_handle(token->socket), token, &error) != 0 ||
        udp_socket_bind(token->socket, &error) != 0)
        fail_msg("%s", error.text);
    struct address to = udp_socket_address(token->socket);
    udp_sender_send(watching.sender, &to, "x", 1);
}

static void ask_for_removal(struct token *token)
{
    struct error error;
    if (notifier_remove(watching.notifier, udp_socket_handle(token->socket), token, &error) != 0)
        fail_msg("%s", error.text);
}

static void close_and_free(struct token *token)
{
    udp_socket_close(token->socket);
    token->freed = true;
}

/* --- a socket freed when it is closed --------------------------------------------------------- */

#define SOCKETS 200

static bool reports_a_freed_token(int timeout_ms)
{
    struct notifier_event event;
    size_t count = notifier_wait(watching.notifier, 0, &event, 1, timeout_ms);
    struct token *token = event.token;
    if (count == 0)
        return false;
    bool fault = token->freed;
    if (event.type == NOTIFIER_REMOVED)
        close_and_free(token);
    return fault;
}

/* Waits a millisecond, so that some of the sockets get an event that no thread has taken. */
static void give_a_millisecond(void)
{
    int64_t until = clock_monotonic_ns() + 1000000;
    while (clock_monotonic_ns() < until)
        this_thread_yield();
}

/* Closes and frees several sockets. Returns true if one of them is reported after that. */
static bool is_reported_after_closing(bool awaits_removed)
{
    static struct token tokens[SOCKETS];
    bool fault = false;
    for (size_t i = 0; i < SOCKETS && !fault; i++) {
        open_socket(&tokens[i]);
        give_a_millisecond();
        if (awaits_removed)
            ask_for_removal(&tokens[i]);
        else
            close_and_free(&tokens[i]);
        fault = reports_a_freed_token(0);
    }
    int64_t give_up = patience_until();
    for (size_t i = 0; i < SOCKETS && awaits_removed; i++)
        while (!tokens[i].freed) {
            fault = reports_a_freed_token(20) || fault;
            assert_true(patience(give_up));
        }
    for (int i = 0; i < 5; i++)
        fault = reports_a_freed_token(20) || fault;
    return fault;
}

static void who_frees_a_socket_as_it_is_closed_is_notified_of_it_later(void **state)
{
    (void)state;
    int64_t give_up = patience_until();
    /* The fault shows only if an event comes at the right moment, so the test tries again. */
    while (!is_reported_after_closing(false))
        assert_true(patience(give_up));
}

static void who_awaits_its_removal_is_not(void **state)
{
    (void)state;
    assert_false(is_reported_after_closing(true));
}

/* --- a socket freed while another thread holds an event --------------------------------------- */

/*
 * Another thread has an event of a socket, but has not used it yet. This thread removes the socket.
 * Returns true if the token is freed before the other thread uses it.
 */
static bool is_freed_in_another_threads_hands(bool notifier_knows_of_both)
{
    struct error error;
    size_t threads = notifier_knows_of_both ? 2 : 1;
    notifier_destroy(watching.notifier);
    assert_int_equal(notifier_create(&watching.notifier, watching_backend, threads, &error), 0);
    struct waiter *other = waiter_start(watching.notifier, threads - 1);
    struct token token;
    struct notifier_event held = {0};
    open_socket(&token);
    waiter_begin(other, PATIENCE_MS);
    assert_true(waiter_has_ended(other, 2 * PATIENCE_MS));
    assert_int_equal(waiter_events(other, &held), 1);
    assert_ptr_equal(held.token, &token);

    ask_for_removal(&token);
    for (int i = 0; i < 5; i++)
        reports_a_freed_token(20);
    bool fault = token.freed;

    int64_t give_up = patience_until();
    while (!token.freed) { /* thread 1 has finished with the event */
        assert_true(patience(give_up));
        waiter_begin(other, 20);
        reports_a_freed_token(20);
        assert_true(waiter_has_ended(other, PATIENCE_MS));
        if (waiter_events(other, &held) == 1 && held.type == NOTIFIER_REMOVED)
            close_and_free(held.token);
    }
    waiter_end(other);
    return fault;
}

/*
 * A notifier for one thread reports REMOVED at once, although another thread still uses the token.
 */
static void who_frees_on_removed_alone_frees_what_another_thread_holds(void **state)
{
    (void)state;
    assert_true(is_freed_in_another_threads_hands(false));
}

static void who_waits_for_each_thread_to_come_round_does_not(void **state)
{
    (void)state;
    assert_false(is_freed_in_another_threads_hands(true));
}

#define with_notifier(test)                                                                        \
    cmocka_unit_test_setup_teardown(test, watching_set_up, watching_tear_down)

int main(int argc, char **argv)
{
    if (!watching_choose_backend(argc, argv))
        return 64;
    const struct CMUnitTest alone[] = {
        with_notifier(who_frees_a_socket_as_it_is_closed_is_notified_of_it_later),
        with_notifier(who_awaits_its_removal_is_not),
    };
    const struct CMUnitTest shared[] = {
        with_notifier(who_frees_on_removed_alone_frees_what_another_thread_holds),
        with_notifier(who_waits_for_each_thread_to_come_round_does_not),
    };
    int failed = cmocka_run_group_tests_name(watching_backend->name, alone, NULL, NULL);
    if (watching_backend->shared)
        failed += cmocka_run_group_tests_name(watching_backend->name, shared, NULL, NULL);
    return failed;
}
