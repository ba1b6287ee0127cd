/*
 * Tests the levels that a running pipeline reports: full queues, waiting sinks, and receivers that
 * do not answer.
 */
#include <string.h>

#include "collector/pipeline/pipeline_levels.h"
#include "tests/support/pipeline/flow.h"
#include "tests/support/platform/patience.h"
#include "tests/support/test.h"

TEST_WITH(only_sockets_have_a_receive_buffer, flow_set_up, flow_tear_down)
{
    struct flow *flow = *state;
    flow_open(flow, "--listen udp://127.0.0.1:0?schema=riemann&receive_buffer=64KiB "
                    "--listen pcap:CAPTURES/riemann_cli_v4.pcap?schema=riemann "
                    "--sink file:OUTPUT");
    struct pipeline_levels *levels = pipeline_read_levels(flow->pipeline);
    assert_int_equal(levels->listener_count, 1);
    assert_memory_equal(levels->listeners[0].name, "udp://127.0.0.1:", 16);
    assert_true(levels->listeners[0].sockets == 1);
    assert_int_equal(levels->listeners[0].buffer_asked, 65536);
    assert_true(levels->listeners[0].buffer_granted > 0);
    pipeline_levels_free(levels);
    flow_finish(flow, 20000);
}

TEST_WITH(batches_that_a_sink_does_not_take_fill_its_queue, flow_set_up, flow_tear_down)
{
    struct flow *flow = *state;
    gate_shut(&flow->writing);
    flow_open(flow, "--listen udp://127.0.0.1:0?schema=riemann --sink file:OUTPUT");
    struct pipeline_levels *empty = pipeline_read_levels(flow->pipeline);
    assert_int_equal(empty->sinks[0].queue.batches, 0);
    assert_true(empty->sinks[0].queue.batches_most >= MEMORY_DEFAULT_RING);
    assert_int_equal(empty->pool.small, empty->pool.small_free);
    flow_send_paced(flow, 0, 0, 10000);
    flow_await_received(flow, 0, 10000);
    struct pipeline_levels *full = pipeline_read_levels(flow->pipeline);
    assert_true(full->sinks[0].queue.batches > 0);
    assert_true(full->sinks[0].queue.batches <= full->sinks[0].queue.batches_most);
    assert_true(full->pool.small_free < full->pool.small);
    assert_true(full->sinks[0].condition.waits_since_ns != 0);
    pipeline_levels_free(empty);
    pipeline_levels_free(full);
    gate_open(&flow->writing);
    flow_finish(flow, 20000);
}

TEST_WITH(a_receiver_that_does_not_answer_is_reported_until_it_does, flow_set_up, flow_tear_down)
{
    struct flow *flow = *state;
    flow_open(flow, "--listen udp://127.0.0.1:0?schema=riemann --sink file:OUTPUT");
    ledger_snapshot_free(pipeline_snapshot(flow->pipeline));
    unsigned before = atomic_load(&flow->receiving.arrived);
    gate_shut(&flow->receiving);
    flow_send(flow, 0, 0, 1);
    gate_await_arrivals(&flow->receiving, before + 1);
    assert_true(pipeline_refresh_receivers(flow->pipeline, 1000) == INT64_MAX);
    assert_int_equal(pipeline_refresh_receivers(flow->pipeline, 2000), 1000);
    assert_int_equal(pipeline_refresh_receivers(flow->pipeline, 3000), 1000);
    gate_open(&flow->receiving);
    int64_t until = patience_until();
    while (pipeline_refresh_receivers(flow->pipeline, 4000) != INT64_MAX)
        assert_true(patience(until));
    flow_finish(flow, 20000);
    assert_true(pipeline_refresh_receivers(flow->pipeline, 5000) == INT64_MAX);
}

TEST_WITH(a_glance_has_what_a_snapshot_has, flow_set_up, flow_tear_down)
{
    struct flow *flow = *state;
    flow_open(flow, "--listen udp://127.0.0.1:0?schema=riemann --sink file:OUTPUT");
    flow_send(flow, 0, 0, 30);
    flow_await_written(flow, 0, 30);
    struct ledger_snapshot *glance = pipeline_glance(flow->pipeline);
    assert_int_equal(glance->listener_count, 1);
    assert_int_equal(glance->sinks[0].written, 30);
    ledger_snapshot_free(glance);
    flow_finish(flow, 20000);
}
