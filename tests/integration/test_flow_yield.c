/*
 * Tests a receiver that waits for a slow sink, while datagrams wait in the socket's receive buffer.
 */
#include <stdatomic.h>
#include <string.h>

#include "collector/output/sink_thread.h"
#include "collector/pipeline/pipeline_levels.h"
#include "collector/platform/udp.h"
#include "tests/support/pipeline/flow.h"
#include "tests/support/test.h"

/* The linker resolves the name to this function (ld(1), --wrap). */
bool __real_udp_socket_is_half_full(const struct udp_socket *socket);
bool __wrap_udp_socket_is_half_full(const struct udp_socket *socket);

static _Atomic bool half_full; /* all receive buffers count as half full */

bool __wrap_udp_socket_is_half_full(const struct udp_socket *socket)
{
    return atomic_load(&half_full) || __real_udp_socket_is_half_full(socket);
}

/* A Riemann message of 250 events with metric 1. It fills a batch. */
#define EVENTS 250

/* More than Linux charges to a receive buffer for one message. */
#define CHARGE 4096

static void send_messages(struct flow *flow, uint64_t count)
{
    static const uint8_t event[] = {0x32, 0x02, 0x68, 0x02};
    uint8_t message[EVENTS * sizeof event];
    struct address to = flow_address(flow, 0);
    for (size_t i = 0; i < sizeof message; i += sizeof event)
        memcpy(message + i, event, sizeof event);
    for (uint64_t i = 0; i < count; i++)
        udp_sender_send(flow->sender, &to, message, sizeof message);
}

/*
 * Sends until the sink has begun its first write, which waits at the gate. Returns the number of
 * messages sent.
 */
static uint64_t stop_the_sink(struct flow *flow)
{
    uint64_t sent = 0;
    while (atomic_load(&flow->writing.arrived) == 0) {
        send_messages(flow, 1);
        flow_await_received(flow, 0, ++sent);
    }
    return sent;
}

/*
 * Returns a number of messages for which the sink's queue has no room. Returns 0 if the receive
 * buffer cannot hold them, or if the system does not report how full it is.
 */
static uint64_t too_many(const struct flow *flow)
{
    struct pipeline_levels *levels = pipeline_read_levels(flow->pipeline);
    assert_non_null(levels);
    uint64_t count = levels->sinks[0].queue.batches_most + 20;
    uint64_t granted = levels->listeners[0].buffer_granted;
    pipeline_levels_free(levels);
    return udp_socket_counts_drops() && count * CHARGE < granted / 2 ? count : 0;
}

/*
 * Returns the number of received datagrams after at least two complete rounds of the receiver. It
 * answers a request for the ledger once in a round.
 */
static uint64_t received_after_rounds(struct flow *flow)
{
    uint64_t received = 0;
    for (int i = 0; i < 4; i++) {
        struct ledger_snapshot *snapshot = pipeline_snapshot(flow->pipeline);
        assert_non_null(snapshot);
        received = snapshot->listeners[0].received;
        ledger_snapshot_free(snapshot);
    }
    return received;
}

/* Records may be written up to a minute late, so the receiver waits that long for the sink. */
TEST_WITH(a_burst_waits_in_the_receive_buffer_for_a_sink_that_is_behind, flow_set_up,
          flow_tear_down)
{
    struct flow *flow = *state;
    sink_thread_set_delay_most(INT64_C(60000000000));
    gate_shut(&flow->writing);
    flow_open(flow, "--listen udp://127.0.0.1:0?schema=riemann "
                    "--sink file:OUTPUT?flush_interval=60s");
    uint64_t burst = too_many(flow);
    uint64_t sent = stop_the_sink(flow);
    send_messages(flow, burst);
    flow_await_received(flow, 0, sent + burst / 4);
    uint64_t received = received_after_rounds(flow);
    gate_open(&flow->writing);
    flow_await_received(flow, 0, sent + burst);
    flow_finish(flow, 20000);
    if (burst == 0)
        skip();
    assert_true(received < sent + burst);
    assert_int_equal(flow_refused_records(flow, 0), 0);
    assert_int_equal(flow->final->sinks[0].written, sent + burst);
}

/*
 * Asserts that the receiver receives a complete burst while the sink is stalled, and refuses its
 * records.
 */
static void assert_burst_is_received_and_refused(struct flow *flow)
{
    uint64_t burst = too_many(flow);
    uint64_t sent = stop_the_sink(flow);
    send_messages(flow, burst);
    flow_await_received(flow, 0, sent + burst);
    gate_open(&flow->writing);
    flow_finish(flow, 20000);
    if (burst == 0)
        skip();
    assert_int_not_equal(flow_refused_records(flow, 0), 0);
}

static int tear_down_half_full(void **state)
{
    atomic_store(&half_full, false);
    return flow_tear_down(state);
}

/*
 * If the receiver waited, the kernel would soon drop datagrams. So it does not wait, although the
 * records may be written late.
 */
TEST_WITH(a_receive_buffer_that_is_half_full_is_emptied_whatever_the_sinks_do, flow_set_up,
          tear_down_half_full)
{
    struct flow *flow = *state;
    sink_thread_set_delay_most(INT64_C(60000000000));
    gate_shut(&flow->writing);
    atomic_store(&half_full, true);
    flow_open(flow, "--listen udp://127.0.0.1:0?schema=riemann "
                    "--sink file:OUTPUT?flush_interval=60s");
    assert_burst_is_received_and_refused(flow);
}

/* When records have waited for the longest permitted time, the receiver continues. */
TEST_WITH(a_sink_that_stays_behind_is_not_waited_for, flow_set_up, flow_tear_down)
{
    struct flow *flow = *state;
    gate_shut(&flow->writing);
    flow_open(flow, "--listen udp://127.0.0.1:0?schema=riemann "
                    "--sink file:OUTPUT?flush_interval=10ms");
    assert_burst_is_received_and_refused(flow);
}
