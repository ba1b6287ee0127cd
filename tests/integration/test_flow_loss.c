/*
 * Tests what is lost if a sink or a receiver is too slow: exactly the records that the ledger
 * counts. Other sinks and listeners lose none.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/platform/clock.h"
#include "collector/platform/thread.h"
#include "collector/receive/receiver.h"
#include "tests/support/pipeline/flow.h"
#include "tests/support/test.h"

TEST_WITH(what_a_slow_sink_misses_is_what_its_rings_refused, flow_set_up, flow_tear_down)
{
    struct flow *flow = *state;
    const uint64_t count = 20000;
    const struct memory_needs needs = {.receivers = 1, .fan_outs = 1, .sinks = 1, .ingests = 1};
    char arguments[256], memory[FLOW_MEMORY_SIZE];
    snprintf(arguments, sizeof arguments,
             "--listen udp://127.0.0.1:0?schema=riemann --sink file:OUTPUT %s",
             flow_least_memory(&needs, memory));
    gate_shut(&flow->writing);
    flow_open(flow, arguments);
    flow_send_paced(flow, 0, 0, count);
    gate_open(&flow->writing);
    flow_finish(flow, 20000);

    assert_int_equal(flow->final->listeners[0].received, count);
    assert_int_equal(flow->final->listeners[0].kernel_drops, 0);
    assert_int_equal(flow_refused_datagrams(flow, 0), 0);
    uint64_t refused = flow->final->sinks[0].refused[REFUSED_RING_FULL];
    assert_true(refused > 0);
    assert_int_equal(flow_refused_records(flow, 0), refused);
    assert_int_equal(flow_values(flow, "", count), count - refused);
}

TEST_WITH(what_a_slow_receiver_misses_is_what_the_kernel_dropped, flow_set_up, flow_tear_down)
{
    struct flow *flow = *state;
    const uint64_t count = 5000;
    gate_shut(&flow->receiving);
    flow_open(flow, "--listen udp://127.0.0.1:0?schema=riemann&receive_buffer=64KiB "
                    "--sink file:OUTPUT");
    flow_send(flow, 0, 0, count);
    gate_open(&flow->receiving);
    flow_finish(flow, 20000);

    /* On a system without a count of drops, the missing datagrams are the drops. */
    uint64_t drops = udp_socket_counts_drops() ? flow->final->listeners[0].kernel_drops
                                               : count - flow->final->listeners[0].received;
    assert_true(drops > 0);
    assert_int_equal(flow->final->listeners[0].refused_while_stopping, 0);
    assert_int_equal(flow->final->listeners[0].received, count - drops);
    assert_int_equal(flow_values(flow, "", count), count - drops);
}

TEST_WITH(what_a_slow_sink_misses_of_large_messages_is_counted_too, flow_set_up, flow_tear_down)
{
    struct flow *flow = *state;
    gate_shut(&flow->writing);
    flow_open(flow, "--listen udp://127.0.0.1:0?schema=riemann --sink file:OUTPUT");
    flow_send_large(flow, 200);
    gate_open(&flow->writing);
    flow_finish(flow, 20000);
    uint64_t refused = flow->final->sinks[0].refused[REFUSED_RING_FULL];
    assert_true(refused > 0);
    assert_int_equal(flow->final->listeners[0].decoded, 200);
    assert_int_equal(flow->final->sinks[0].written, 200 - refused);
    assert_int_equal(flow->final->sinks[0].lines, 300 * (200 - refused));
}

struct flood {
    struct flow *flow;
    struct udp_sender *sender;
    struct address to;
    struct thread *thread;
    _Atomic bool over;
    uint64_t sent;
};

static void flood(void *argument)
{
    struct flood *this = argument;
    static const uint8_t event_of_metric_1[] = {0x32, 0x02, 0x68, 0x02};
    while (!atomic_load(&this->over)) {
        udp_sender_send(this->sender, &this->to, event_of_metric_1, sizeof event_of_metric_1);
        this->sent++;
    }
}

static void flood_begin(struct flood *this, struct flow *flow, size_t listener)
{
    *this = (struct flood){
        .flow = flow, .sender = udp_sender_open(ADDRESS_IPV4), .to = flow_address(flow, listener)};
    struct error error;
    assert_int_equal(thread_start(&this->thread, "flood", flood, this, &error), 0);
}

static void flood_end(struct flood *this)
{
    atomic_store(&this->over, true);
    thread_join(this->thread);
    udp_sender_close(this->sender);
}

TEST_WITH(a_flooded_listener_takes_nothing_from_another, flow_set_up, flow_tear_down)
{
    struct flow *flow = *state;
    flow_open(flow, "--listen udp://127.0.0.1:0?schema=riemann "
                    "--listen udp://127.0.0.1:0?schema=riemann --sink file:OUTPUT");
    struct flood flooded;
    flood_begin(&flooded, flow, 0);
    flow_await_received(flow, 0, 1000);
    for (uint64_t i = 0; i < 200; i++) {
        flow_send(flow, 1, i, 1);
        flow_await_received(flow, 1, i + 1);
    }
    flood_end(&flooded);
    flow_finish(flow, 20000);
    assert_int_equal(flow->final->listeners[1].decoded, 200);
    const struct listener_totals *first = &flow->final->listeners[0];
    if (udp_socket_counts_drops())
        assert_int_equal(first->received + first->kernel_drops, flooded.sent);
    else
        assert_in_range(first->received, 1000, flooded.sent);

    char address[ADDRESS_TEXT_SIZE], name[128];
    struct address quiet = flow_address(flow, 1);
    address_format(&quiet, address);
    snprintf(name, sizeof name, "\"listener\":\"udp://%s\"", address);
    assert_int_equal(flow_values(flow, name, 200), 200);
}

/*
 * A queue that is nearly full of one listener's batches still has room for batches of another
 * listener.
 */
TEST_WITH(a_slow_sink_is_shared_fairly, flow_set_up, flow_tear_down)
{
    struct flow *flow = *state;
    gate_shut(&flow->writing);
    flow_open(flow, "--listen udp://127.0.0.1:0?schema=riemann "
                    "--listen udp://127.0.0.1:0?schema=riemann --sink file:OUTPUT");
    uint64_t sent = 0;
    for (bool refused = false; !refused; sent += FLOW_CHUNK) {
        flow_send(flow, 0, sent, FLOW_CHUNK);
        flow_await_received(flow, 0, sent + FLOW_CHUNK);
        struct ledger_snapshot *snapshot = pipeline_snapshot(flow->pipeline);
        refused = snapshot->sinks[0].refused[REFUSED_LISTENER_SHARE] > 0;
        ledger_snapshot_free(snapshot);
    }
    flow_send(flow, 1, 0, 100);
    flow_await_received(flow, 1, 100);
    gate_open(&flow->writing);
    flow_finish(flow, 20000);
    const struct sink_totals *sink = &flow->final->sinks[0];
    assert_int_equal(flow_refused_records(flow, 0), sink->refused[REFUSED_LISTENER_SHARE]);
    assert_int_equal(sink->written, sent + 100 - sink->refused[REFUSED_LISTENER_SHARE]);
    char address[ADDRESS_TEXT_SIZE], name[128];
    struct address quiet = flow_address(flow, 1);
    address_format(&quiet, address);
    snprintf(name, sizeof name, "\"listener\":\"udp://%s\"", address);
    struct lines lines = lines_read(flow->output);
    assert_int_equal(lines_with(&lines, name), 100);
    lines_free(&lines);
}

/* Each datagram sent before the sockets were closed was received, dropped or refused. */
TEST_WITH(a_stop_under_load_leaves_whole_lines_and_exact_sums, flow_set_up, flow_tear_down)
{
    struct flow *flow = *state;
    flow_open(flow, "--listen udp://127.0.0.1:0?schema=riemann --sink file:OUTPUT");
    struct flood flooded;
    flood_begin(&flooded, flow, 0);
    flow_await_received(flow, 0, 5000);
    flow_finish(flow, 20000);
    flood_end(&flooded);
    const struct listener_totals *listener = &flow->final->listeners[0];
    assert_true(listener->received + listener->kernel_drops + listener->refused_while_stopping <=
                flooded.sent);
    struct lines lines = lines_read(flow->output);
    assert_true(lines.whole);
    assert_int_equal(lines.count, flow->final->sinks[0].written);
    assert_int_equal(lines.count + flow_refused_records(flow, 0), listener->decoded);
    lines_free(&lines);
}

/*
 * During a stop, a filter on the socket refuses new datagrams. These are not counted as dropped by
 * a full buffer. (On systems without a filter, datagrams that arrive before the last receive are
 * received.) The test holds the receiver before its last receive, when the filter is already set.
 * The receiver then exceeds the time limit of its turn, so the turn ends after one receive. The
 * receive after that is part of the last drain.
 */
TEST_WITH(a_ledger_asked_for_during_a_stop_counts_nothing_twice, flow_set_up, flow_tear_down)
{
    struct flow *flow = *state;
    gate_shut(&flow->receiving);
    flow_open(flow, "--listen udp://127.0.0.1:0?schema=riemann --sink file:OUTPUT");
    flow_send(flow, 0, 0, 10);
    gate_await_arrivals(&flow->receiving, 1);
    int64_t turn_over = clock_monotonic_ns() + 2 * RECEIVER_BUDGET_NS;
    while (clock_monotonic_ns() < turn_over) {
    }
    pipeline_stop(flow->pipeline, clock_monotonic_ns() + INT64_C(20000000000));
    gate_let_one(&flow->receiving);
    gate_await_arrivals(&flow->receiving, 2);
    flow_send(flow, 0, 10, 100);
    /* The receiver answers this after the gate has opened. */
    ledger_snapshot_free(pipeline_snapshot(flow->pipeline));
    gate_open(&flow->receiving);
    flow_finish(flow, 20000);
    /* The kernel counts datagrams that the filter refuses as drops. */
    uint64_t refused = udp_socket_counts_drops() ? 100 : 0;
    assert_int_equal(flow->final->listeners[0].received, 110 - refused);
    assert_int_equal(flow->final->listeners[0].kernel_drops, 0);
    assert_int_equal(flow->final->listeners[0].refused_while_stopping, refused);
}

/* A capture waits for room where a socket would lose datagrams. */
TEST_WITH(a_capture_loses_nothing_to_a_slow_sink, flow_set_up, flow_tear_down)
{
    struct flow *flow = *state;
    const struct memory_needs needs = {
        .producers = 2, .producer_threads = 2, .sinks = 1, .ingests = 2};
    char arguments[1024], memory[FLOW_MEMORY_SIZE];
    snprintf(arguments, sizeof arguments,
             "--listen pcap:CAPTURES/collectd_riemann_batchoff_v4.pcap?schema=riemann "
             "--listen pcap:CAPTURES/riemann_frag_v4_mtu1500.pcap?schema=riemann "
             "--sink file:OUTPUT?view=message %s",
             flow_least_memory(&needs, memory));
    gate_shut(&flow->writing);
    flow_open(flow, arguments);
    flow_await_received(flow, 0, 10);
    gate_open(&flow->writing);
    flow_await_state(flow, PIPELINE_FINISHED);
    flow->final = pipeline_finish(flow->pipeline);
    assert_true(ledger_balances(flow->final));
    assert_int_equal(flow->final->sinks[0].written, 488 + 10);
    assert_int_equal(flow_refused_records(flow, 0), 0);
}
