/* Tests that a socket for which memory is short gives its block of counters back to the ledger. */
#include "collector/ledger/ledger.h"
#include "collector/platform/notifier.h"
#include "collector/receive/receiver.h"
#include "tests/support/platform/failing_memory.h"
#include "tests/support/test.h"

TEST(a_socket_that_is_not_added_returns_its_counters)
{
    static struct ingest_thread thread;
    const struct listener listener = {.name = "udp://a"};
    struct receiver *receiver;
    struct error error;
    const struct receiver_options options = {
        .notifier = notifier_choose(NULL, &error), .threads = &thread, .thread_count = 1};
    struct ledger *ledger = ledger_create();
    assert_non_null(ledger);
    assert_non_null(options.notifier);
    int number = ledger_add_listener(ledger, "udp://a", "udp", "fake");
    assert_int_equal(receiver_create(&receiver, &options, &error), 0);
    struct ingest_counters *counters = ledger_ingest_block(ledger, number);
    assert_non_null(counters);
    const struct receiver_socket socket = {.listener = &listener, .counters = counters};
    for (uint64_t allocation = 1; allocation <= 2; allocation++) { /* the endpoint, its ingest */
        failing_memory_fail(allocation);
        assert_int_equal(receiver_add_socket(receiver, &socket, NULL, NULL, &error), -1);
        assert_int_equal(failing_memory_left(), 0);
        failing_memory_fail(0);
        assert_ptr_equal(ledger_ingest_block(ledger, number), counters);
    }
    receiver_destroy(receiver);
    ledger_destroy(ledger);
}
