/* Tests pipeline_stuck: it returns the names of stuck threads, but not of threads that wait. */
#include <string.h>

#include "collector/platform/tcp.h"
#include "tests/support/pipeline/flow.h"
#include "tests/support/platform/patience.h"
#include "tests/support/platform/tcp_client.h"
#include "tests/support/test.h"

#define LISTEN "--listen udp://127.0.0.1:0?schema=riemann"

/*
 * If `stuck` is set, waits until two checks in a row find a stuck thread, and returns its name.
 * Otherwise waits until two checks in a row find none, and returns NULL.
 */
static const char *await_stuck(struct flow *flow, bool stuck)
{
    const char *name = NULL;
    int64_t until = patience_until();
    for (int times = 0; times < 2;) {
        name = pipeline_stuck(flow->pipeline);
        times = (name != NULL) == stuck ? times + 1 : 0;
        if (!patience(until))
            fail_msg("%s is stuck", name != NULL ? name : "nobody");
    }
    return name;
}

/* Holds the listener's receiver until it is reported as stuck, and then releases it. */
static void hold_receiver(struct flow *flow)
{
    flow_send(flow, 0, 0, 1);
    flow_await_written(flow, 0, 1);
    await_stuck(flow, false);
    unsigned arrived = atomic_load(&flow->receiving.arrived);
    gate_shut(&flow->receiving);
    flow_send(flow, 0, 1, 1);
    gate_await_arrivals(&flow->receiving, arrived + 1);
    const char *name = await_stuck(flow, true);
    struct ledger_snapshot *snapshot = pipeline_snapshot(flow->pipeline);
    assert_non_null(snapshot);
    assert_string_equal(name, snapshot->listeners[0].name);
    ledger_snapshot_free(snapshot);
    gate_open(&flow->receiving);
    flow_await_written(flow, 0, 2);
    await_stuck(flow, false);
    flow_finish(flow, 20000);
}

TEST_WITH(a_receiver_that_hangs_is_stuck_until_it_goes_on, flow_set_up, flow_tear_down)
{
    struct flow *flow = *state;
    flow_open(flow, LISTEN " --sink file:OUTPUT");
    hold_receiver(flow);
}

TEST_WITH(the_same_where_it_writes_as_well, flow_set_up, flow_tear_down)
{
    struct flow *flow = *state;
    flow_open(flow, LISTEN " --sink file:OUTPUT --threads 1");
    hold_receiver(flow);
}

static void send_frame(wait_handle client)
{
    static const uint8_t frame[4] = {0};
    size_t sent = 0;
    int64_t until = patience_until();
    while (tcp_connection_send(client, frame, sizeof frame, &sent) != TCP_OK)
        if (!patience(until))
            fail_msg("the frame is not sent");
    assert_int_equal(sent, sizeof frame);
}

TEST_WITH(one_of_a_streams_threads_that_hangs_is_stuck_until_it_goes_on, flow_set_up,
          flow_tear_down)
{
    struct flow *flow = *state;
    flow_open(flow, "--listen tcp://127.0.0.1:0?schema=riemann&receivers=2 --sink file:OUTPUT");
    struct address address = flow_address(flow, 0);
    wait_handle client = tcp_client_connect(&address);
    await_stuck(flow, false);
    gate_shut(&flow->receiving);
    send_frame(client);
    gate_await_arrivals(&flow->receiving, 1);
    assert_non_null(strstr(await_stuck(flow, true), "tcp://127.0.0.1:"));
    gate_open(&flow->receiving);
    flow_await_received(flow, 0, 1);
    await_stuck(flow, false);
    tcp_connection_close(client);
    flow_finish(flow, 20000);
}

/* Holds the sink in its write. It must not be reported, because a system call may take any time. */
static void hold_write(struct flow *flow)
{
    gate_shut(&flow->writing);
    flow_send(flow, 0, 0, 1);
    gate_await_arrivals(&flow->writing, 1);
    await_stuck(flow, false);
    for (int i = 0; i < 100; i++)
        assert_null(pipeline_stuck(flow->pipeline));
    gate_open(&flow->writing);
    flow_finish(flow, 20000);
    assert_int_equal(flow->final->sinks[0].written, 1);
}

TEST_WITH(a_write_that_hangs_leaves_nobody_stuck, flow_set_up, flow_tear_down)
{
    struct flow *flow = *state;
    flow_open(flow, LISTEN " --sink file:OUTPUT");
    hold_write(flow);
}

TEST_WITH(the_same_where_the_receiver_writes, flow_set_up, flow_tear_down)
{
    struct flow *flow = *state;
    flow_open(flow, LISTEN " --sink file:OUTPUT --threads 1");
    hold_write(flow);
}

/* A busy thread that finishes its turns is not reported. */
TEST_WITH(nobody_is_stuck_under_load, flow_set_up, flow_tear_down)
{
    struct flow *flow = *state;
    flow_open(flow, LISTEN " --sink file:OUTPUT");
    for (uint64_t sent = 0; sent < 20; sent++) {
        flow_send_paced(flow, 0, sent * FLOW_CHUNK, FLOW_CHUNK);
        await_stuck(flow, false);
    }
    flow_finish(flow, 20000);
}
