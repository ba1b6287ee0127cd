/* When memory is short, a failed addition leaves no trace and the ledger stays readable. */
#include <stdbool.h>

#include "collector/ledger/ledger.h"
#include "tests/support/platform/failing_memory.h"
#include "tests/support/test.h"

static void take_steps(struct ledger *ledger)
{
    int socket = ledger_add_listener(ledger, "udp://one", "udp", "riemann");
    if (socket >= 0) {
        ledger_ingest_block(ledger, socket);
        ledger_rename_listener(ledger, socket, "udp://two");
        ledger_set_schema(ledger, socket, "telemetry");
        ledger_retire_listener(ledger, socket);
        if (ledger_add_listener(ledger, "udp://two", "udp", "otlp") == socket)
            ledger_cancel_listener(ledger, socket);
    }
    ledger_add_listener(ledger, "pcap:file", "capture", "riemann");
    int sink = ledger_add_sink(ledger, "stdout:");
    if (sink >= 0) {
        ledger_offer_block(ledger, sink);
        ledger_sink_block(ledger, sink);
    }
    ledger_thread_block(ledger);
    if (ledger_add_dead_letters(ledger, "file:letters"))
        ledger_dead_letter_block(ledger);
    ledger_snapshot_free(ledger_take_snapshot(ledger, false));
}

static void assert_readable(const struct ledger *ledger)
{
    struct ledger_snapshot *snapshot = ledger_take_snapshot(ledger, true);
    assert_non_null(snapshot);
    for (size_t i = 0; i < snapshot->listener_count; i++) {
        assert_non_null(snapshot->listeners[i].name);
        assert_non_null(snapshot->listeners[i].schema);
    }
    for (size_t i = 0; i < snapshot->sink_count; i++)
        assert_non_null(snapshot->sinks[i].name);
    assert_true(ledger_balances(snapshot));
    ledger_snapshot_free(snapshot);
}

TEST(a_ledger_is_readable_whichever_allocation_failed)
{
    bool failed = true;
    uint64_t number = 0;
    while (failed) {
        struct ledger *ledger = ledger_create();
        assert_non_null(ledger);
        failing_memory_fail(++number);
        take_steps(ledger);
        failed = failing_memory_left() == 0;
        failing_memory_fail(0);
        assert_readable(ledger);
        ledger_destroy(ledger);
    }
    assert_int_equal(failing_memory_failed(), number - 1);
    assert_true(number > 20);
}

TEST(a_listener_that_could_not_be_added_is_not_there)
{
    /* The numbers of the allocations: 1 is the name, 2 the schema, 3 the entry. */
    for (uint64_t number = 1; number <= 3; number++) {
        struct ledger *ledger = ledger_create();
        failing_memory_fail(number);
        assert_int_equal(ledger_add_listener(ledger, "udp://one", "udp", "riemann"), -1);
        struct ledger_snapshot *snapshot = ledger_take_snapshot(ledger, false);
        assert_int_equal(snapshot->listener_count, 0);
        ledger_snapshot_free(snapshot);
        assert_int_equal(ledger_add_listener(ledger, "udp://one", "udp", "riemann"), 0);
        ledger_destroy(ledger);
    }
}
