#include <stdbool.h>
#include <string.h>

#include "collector/ledger/ledger_print.h"
#include "collector/platform/udp.h"
#include "tests/support/test.h"

static char text[8192];

static const char *written(void (*write)(const struct ledger_snapshot *, struct output *),
                           const struct ledger_snapshot *snapshot)
{
    struct output out = {.data = text, .capacity = sizeof text - 1};
    write(snapshot, &out);
    assert_false(out.overflow);
    text[out.used] = '\0';
    return text;
}

static void assert_written(const struct listener_totals *listener, const char *in_text,
                           const char *in_json)
{
    struct listener_totals copy = *listener;
    const struct ledger_snapshot snapshot = {.listener_count = 1, .listeners = &copy};
    if (in_text != NULL)
        assert_non_null(strstr(written(ledger_write_text, &snapshot), in_text));
    else
        assert_null(strstr(written(ledger_write_text, &snapshot), "kernel_drops"));
    assert_non_null(strstr(written(ledger_write_json, &snapshot), in_json));
}

TEST(drops_that_are_counted_are_a_number)
{
    struct listener_totals listener = {.name = "udp://h:1",
                                       .kind = &listener_kinds[LISTENER_UDP],
                                       .schema = "telemetry",
                                       .drops_counted = true};
    assert_written(&listener, ", kernel_drops 0\n", "\"kernel_drops\":0,");
    listener.kernel_drops = 7;
    assert_written(&listener, ", kernel_drops 7\n", "\"kernel_drops\":7,");
}

TEST(what_was_lost_is_named_once_for_whoever_asks_what_to_do)
{
    struct listener_totals listeners[2] = {
        {.name = "udp://h:1", .kind = &listener_kinds[LISTENER_UDP], .schema = "telemetry"},
        {.name = "udp://h:2", .kind = &listener_kinds[LISTENER_UDP], .schema = "telemetry"},
    };
    struct sink_totals sink = {.name = "stdout:"};
    const struct ledger_snapshot snapshot = {
        .listener_count = 2, .listeners = listeners, .sink_count = 1, .sinks = &sink};
    listeners[0].reasons[REASON_CONTROL] = 3; /* control messages are not losses */
    assert_null(strstr(written(ledger_write_text, &snapshot), "explain"));
    listeners[0].kernel_drops = listeners[1].kernel_drops = 1;
    listeners[1].reasons[REASON_TOO_LARGE] = 1;
    sink.failed[FAILED_TOO_LARGE] = 1;
    sink.refused[REFUSED_RING_FULL] = 1;
    assert_non_null(strstr(written(ledger_write_text, &snapshot),
                           "\n  what to do: sluice explain kernel_drops too_large ring_full\n"));
}

TEST(terms_that_show_a_wrong_setting_are_named_too)
{
    struct listener_totals listener = {
        .name = "udp://h:1", .kind = &listener_kinds[LISTENER_UDP], .schema = "telemetry"};
    struct sink_totals sink = {.name = "stdout:", .queued = 5, .filtered = 4, .written = 1};
    const struct ledger_snapshot snapshot = {
        .listener_count = 1, .listeners = &listener, .sink_count = 1, .sinks = &sink};
    assert_null(strstr(written(ledger_write_text, &snapshot), "explain"));
    sink = (struct sink_totals){.name = "stdout:", .queued = 5, .filtered = 5};
    assert_non_null(
        strstr(written(ledger_write_text, &snapshot), "\n  what to do: sluice explain filtered\n"));
    listener.lost = listener.unknown_fields = listener.series_repeated = 1;
    assert_non_null(
        strstr(written(ledger_write_text, &snapshot),
               "\n  what to do: sluice explain lost unknown_fields series_repeated filtered\n"));
}

TEST(each_number_of_the_sums_stands_in_the_text)
{
    struct listener_totals listener = {.name = "udp://h:1",
                                       .kind = &listener_kinds[LISTENER_UDP],
                                       .schema = "telemetry",
                                       .received = 9,
                                       .decoded = 5,
                                       .in_assembly = 3};
    listener.reasons[REASON_EMPTY] = 1;
    assert_written(&listener, "received 9 = decoded 5 + empty 1 + in assembly 3\n",
                   "\"in_assembly\":3,");
    struct sink_totals sink = {.name = "stdout:",
                               .offered = 40,
                               .queued = 36,
                               .recovered = 2,
                               .written = 10,
                               .filtered = 3,
                               .evicted = 4,
                               .unknown = 6,
                               .spilled = 7,
                               .in_flight = 3};
    sink.refused[REFUSED_RING_FULL] = 4;
    sink.failed[FAILED_IO_ERROR] = 5;
    const struct ledger_snapshot snapshot = {.sink_count = 1, .sinks = &sink};
    assert_non_null(strstr(written(ledger_write_text, &snapshot),
                           "offered 40 = queued 36 + ring_full 4\n"
                           "    queued 36 + recovered 2 = written 10 + filtered 3 + evicted 4"
                           " + io_error 5 + unknown 6 + spilled 7 + in flight 3\n"));
}

TEST(drops_of_whole_buffers_are_reported_as_such)
{
    struct listener_totals listener = {.name = "udp://h:1",
                                       .kind = &listener_kinds[LISTENER_UDP],
                                       .schema = "telemetry",
                                       .drops_counted = true,
                                       .kernel_drops = 7};
    assert_written(&listener, ", kernel_drops 7\n", "\"kernel_drops_unit\":\"datagram\"");
    listener.drops.buffers = true;
    listener.dropped_buffers = 7;
    assert_written(&listener, ", kernel_drops 7 buffers\n    dropped_buffers 7\n",
                   "\"kernel_drops_unit\":\"buffer\"");
}

TEST(drops_of_both_units_are_told_apart)
{
    struct listener_totals listener = {.name = "udp://h:1",
                                       .kind = &listener_kinds[LISTENER_UDP],
                                       .schema = "telemetry",
                                       .drops_counted = true,
                                       .kernel_drops = 7,
                                       .dropped_buffers = 3,
                                       .drops = {.buffers = true}};
    assert_written(&listener, ", kernel_drops 7\n    dropped_buffers 3\n",
                   "\"kernel_drops\":7,\"dropped_buffers\":3,");
}

TEST(drops_with_what_the_kernel_filtered_are_one_number_of_another_name)
{
    struct listener_totals listener = {.name = "udp://h:1",
                                       .kind = &listener_kinds[LISTENER_UDP],
                                       .schema = "telemetry",
                                       .drops_counted = true,
                                       .kernel_drops = 7,
                                       .drops = {.filtered = true}};
    assert_written(&listener, ", kernel_drops_and_filtered 7\n",
                   "\"kernel_drops_and_filtered\":7,");
    listener.drops.buffers = true;
    listener.dropped_buffers = 7;
    assert_written(&listener, ", kernel_drops_and_filtered 7 buffers\n",
                   "\"kernel_drops_unit\":\"buffer\"");
    const struct ledger_snapshot snapshot = {.listener_count = 1, .listeners = &listener};
    assert_null(strstr(written(ledger_write_json, &snapshot), "\"kernel_drops\""));
}

TEST(drops_that_the_system_does_not_count_are_unknown_and_not_none)
{
    const struct listener_totals listener = {
        .name = "udp://h:1", .kind = &listener_kinds[LISTENER_UDP], .schema = "telemetry"};
    assert_written(&listener, ", kernel_drops unknown\n", "\"kernel_drops\":null,");
}

TEST(a_capture_has_no_kernel_that_drops)
{
    const struct listener_totals listener = {.name = "pcap:x",
                                             .kind = &listener_kinds[LISTENER_CAPTURE],
                                             .schema = "telemetry",
                                             .drops_counted = true};
    assert_written(&listener, NULL, "\"kernel_drops\":0,");
}

TEST(whether_drops_are_counted_is_said_by_the_system)
{
    struct ledger *ledger = ledger_create();
    assert_non_null(ledger);
    assert_int_equal(ledger_add_listener(ledger, "udp://h:1", "udp", "telemetry"), 0);
    assert_int_equal(ledger_add_listener(ledger, "pcap:x", "capture", "telemetry"), 1);
    ledger_set_drops_kind(ledger, 0, (struct drops_kind){.filtered = true});
    struct ledger_snapshot *snapshot = ledger_take_snapshot(ledger, false);
    assert_non_null(snapshot);
    assert_int_equal(snapshot->listeners[0].drops_counted, udp_socket_counts_drops());
    assert_true(snapshot->listeners[1].drops_counted);
    assert_true(snapshot->listeners[0].drops.filtered);
    assert_false(snapshot->listeners[0].drops.buffers);
    assert_false(snapshot->listeners[1].drops.filtered);
    ledger_snapshot_free(snapshot);
    ledger_destroy(ledger);
}

TEST(drops_that_include_filtered_datagrams_keep_their_name_without_the_filter)
{
    struct ledger *ledger = ledger_create();
    assert_non_null(ledger);
    assert_int_equal(ledger_add_listener(ledger, "udp://h:1", "udp", "telemetry"), 0);
    ledger_set_drops_kind(ledger, 0, (struct drops_kind){.filtered = true});
    ledger_set_drops_kind(ledger, 0, (struct drops_kind){.filtered = false});
    struct ledger_snapshot *snapshot = ledger_take_snapshot(ledger, false);
    assert_non_null(snapshot);
    assert_string_equal(ledger_drops_name(&snapshot->listeners[0]), KERNEL_DROPS_AND_FILTERED);
    ledger_snapshot_free(snapshot);
    ledger_destroy(ledger);
}

TEST(names_bring_no_control_characters)
{
    struct listener_totals listener = {
        .name = "a\x1b[m\xc2\x9b", .kind = &listener_kinds[LISTENER_UDP], .schema = "riemann"};
    const struct ledger_snapshot snapshot = {.listener_count = 1, .listeners = &listener};
    assert_non_null(strstr(written(ledger_write_text, &snapshot), "  listener a?[m?? (riemann)\n"));
    assert_non_null(strstr(written(ledger_write_json, &snapshot), "\"a\\u001b[m\\u009b\""));
}
