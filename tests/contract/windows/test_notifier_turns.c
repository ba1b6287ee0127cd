/*
 * Uses many streams, one after the other, in one notifier that uses ProcessSocketNotifications. The
 * first argument is their number, which may be larger than the notifier's table (2^20 slots). Each
 * stream is watched, armed, unwatched, and closed after its REMOVE packet. If each stream lost a
 * slot, the table would become full.
 *
 * The sockets are reused for later streams. Connecting new ones would take most of the time and
 * makes no difference for the notifier.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "collector/platform/clock.h"
#include "collector/platform/notifier.h"
#include "collector/platform/tcp.h"
#include "collector/platform/windows/stream_port.h"
#include "tests/support/platform/patience.h"
#include "tests/support/platform/tcp_client.h"
#include "tests/support/platform/windows/socket_lookup_emulated.h"
#include "tests/support/test.h"

#define TOGETHER 64 /* number of streams whose removals the test awaits together */

static size_t turns = 640;
static size_t closed;

static void count_close(wait_handle socket)
{
    (void)socket;
    closed++;
}

static void connect_pairs(wait_handle listening, const struct address *bound, wait_handle *clients,
                          wait_handle *servers)
{
    struct error error;
    struct address peer;
    for (size_t i = 0; i < TOGETHER; i++) {
        int64_t until = patience_until();
        clients[i] = tcp_client_connect(bound);
        while (tcp_connection_accept(listening, DESCRIPTOR_OF_SENDER, &servers[i], &peer, &error) !=
               ACCEPT_OK)
            assert_true(patience(until));
    }
}

TEST(streams_in_turn_lose_no_place)
{
    wait_handle clients[TOGETHER], servers[TOGETHER];
    struct notifier *notifier;
    struct notifier_event event;
    struct error error;
    struct address any, bound;
    char token;
    const struct notifier_backend *backend = notifier_choose_for_streams(&error);
    assert_string_equal(backend->name, "psn");
    assert_true(address_parse_host("127.0.0.1", 9, &any));
    wait_handle listening = tcp_listener_open(&any, false, &bound, &error);
    assert_true(listening != NO_HANDLE);
    connect_pairs(listening, &bound, clients, servers);
    assert_int_equal(notifier_create(&notifier, backend, 1, &error), 0);
    int64_t begun_ns = clock_monotonic_ns();
    size_t made = 0;
    while (made < turns) {
        for (size_t i = 0; i < TOGETHER; i++, made++) {
            assert_int_equal(notifier_watch(notifier, servers[i], &token, NOTIFIER_OUT, &error), 0);
            if (i == 0) /* the events of the other streams are not taken */
                assert_int_equal(notifier_wait(notifier, 0, &event, 1, 10000), 1);
            notifier_unwatch(notifier, servers[i], count_close);
        }
        /*
         * The test waits for all removals. notifier_finish would give up those that a busy machine
         * delays.
         */
        while (closed < made)
            assert_in_range(notifier_wait(notifier, 0, &event, 1, 1), 0, 1);
        assert_int_equal(closed, made);
    }
    printf("%zu streams in turn in %" PRId64 " ms\n", made,
           (clock_monotonic_ns() - begun_ns) / 1000000);
    assert_int_equal(notifier_unremoved(notifier), 0);
    assert_in_range(((const struct stream_port *)notifier)->count, 1, TOGETHER);
    notifier_destroy(notifier);
    for (size_t i = 0; i < TOGETHER; i++) {
        tcp_connection_close(clients[i]);
        tcp_connection_close(servers[i]);
    }
    assert_int_equal(emulation_abandoned(), 0);
    tcp_listener_close(listening);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        turns = (size_t)strtoull(argv[1], NULL, 10);
    return test_run_all(argv[0]);
}
