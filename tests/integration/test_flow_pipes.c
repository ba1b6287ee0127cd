/*
 * Tests sinks that write to named pipes. If such a pipe has no reader, or its reader closes it, the
 * other sinks lose no records.
 */
#include <stdio.h>
#include <sys/stat.h>

#include <fcntl.h>
#include <unistd.h>

#include "tests/support/pipeline/flow.h"
#include "tests/support/test.h"

static int make_pipe(struct flow *flow, char *path, size_t size)
{
    snprintf(path, size, "%s/pipe", flow->directory);
    assert_int_equal(mkfifo(path, 0600), 0);
    int reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    assert_true(reader >= 0);
    return reader;
}

TEST_WITH(a_pipe_that_nobody_reads_takes_nothing_from_another_sink, flow_set_up, flow_tear_down)
{
    struct flow *flow = *state;
    const uint64_t count = 20000;
    char path[560];
    int reader = make_pipe(flow, path, sizeof path);
    flow_open(flow, "--listen udp://127.0.0.1:0?schema=riemann --sink file:OUTPUT "
                    "--sink file:DIRECTORY/pipe");
    flow_send_as_written(flow, 0, count);
    flow_finish(flow, 200);
    assert_int_equal(flow->final->listeners[0].decoded, count);
    assert_int_equal(flow->final->sinks[0].written, count);
    assert_int_equal(flow_values(flow, "", count), count);
    const struct sink_totals *stalled = &flow->final->sinks[1];
    assert_int_equal(stalled->written + stalled->failed[FAILED_STOP_TIMEOUT] +
                         stalled->refused[REFUSED_RING_FULL],
                     count);
    assert_true(stalled->failed[FAILED_STOP_TIMEOUT] > 0);
    close(reader);
}

TEST_WITH(a_pipe_that_nobody_reads_keeps_no_large_batches_from_another_sink, flow_set_up,
          flow_tear_down)
{
    struct flow *flow = *state;
    char path[560];
    int reader = make_pipe(flow, path, sizeof path);
    flow_open(flow, "--listen udp://127.0.0.1:0?schema=riemann --sink file:OUTPUT "
                    "--sink file:DIRECTORY/pipe");
    flow_send_large(flow, 200);
    flow_finish(flow, 200);
    assert_int_equal(flow->final->listeners[0].decoded, 200);
    assert_int_equal(flow->final->sinks[0].written, 200);
    assert_true(flow->final->sinks[1].refused[REFUSED_RING_FULL] > 0);
    close(reader);
}

TEST_WITH(a_reader_that_goes_ends_its_sink_alone, flow_set_up, flow_tear_down)
{
    struct flow *flow = *state;
    char path[560];
    int reader = make_pipe(flow, path, sizeof path);
    flow_open(flow, "--listen udp://127.0.0.1:0?schema=riemann --sink file:OUTPUT "
                    "--sink file:DIRECTORY/pipe");
    flow_send(flow, 0, 0, FLOW_CHUNK);
    flow_await_received(flow, 0, FLOW_CHUNK);
    close(reader);
    uint64_t sent = FLOW_CHUNK;
    for (bool refused = false; !refused; sent += FLOW_CHUNK) {
        flow_send(flow, 0, sent, FLOW_CHUNK);
        flow_await_received(flow, 0, sent + FLOW_CHUNK);
        struct ledger_snapshot *snapshot = pipeline_snapshot(flow->pipeline);
        refused = snapshot->sinks[1].refused[REFUSED_SINK_ENDED] > 0;
        ledger_snapshot_free(snapshot);
    }
    assert_int_equal(pipeline_state(flow->pipeline), PIPELINE_RUNNING);
    flow_finish(flow, 20000);
    assert_int_equal(flow->final->sinks[0].written, sent);
    assert_int_equal(pipeline_exit_code(flow->pipeline, flow->final), EXIT_CODE_OK);
}

TEST_WITH(without_any_sink_left_there_is_reason_to_stop, flow_set_up, flow_tear_down)
{
    struct flow *flow = *state;
    char path[560];
    int reader = make_pipe(flow, path, sizeof path);
    flow_open(flow, "--listen udp://127.0.0.1:0?schema=riemann --sink file:DIRECTORY/pipe");
    close(reader);
    flow_await_state(flow, PIPELINE_COMPLETE);
    flow_finish(flow, 20000);
}

TEST_WITH(a_reader_that_goes_may_stop_all_and_the_others_are_drained, flow_set_up, flow_tear_down)
{
    struct flow *flow = *state;
    char path[560];
    int reader = make_pipe(flow, path, sizeof path);
    flow_open(flow, "--listen udp://127.0.0.1:0?schema=riemann --sink file:OUTPUT "
                    "--sink file:DIRECTORY/pipe?on_epipe=stop");
    gate_shut(&flow->writing);
    flow_send(flow, 0, 0, FLOW_CHUNK);
    flow_await_received(flow, 0, FLOW_CHUNK);
    assert_int_equal(pipeline_state(flow->pipeline), PIPELINE_RUNNING);
    close(reader);
    gate_open(&flow->writing);
    flow_await_state(flow, PIPELINE_COMPLETE);
    flow_finish(flow, 20000);
    assert_int_equal(flow->final->sinks[0].written, FLOW_CHUNK);
    assert_int_equal(flow_values(flow, "", FLOW_CHUNK), FLOW_CHUNK);
    const struct sink_totals *ended = &flow->final->sinks[1];
    assert_int_equal(ended->written + ended->failed[FAILED_READER_GONE] +
                         ended->refused[REFUSED_SINK_ENDED],
                     FLOW_CHUNK);
    assert_int_equal(pipeline_exit_code(flow->pipeline, flow->final), EXIT_CODE_OK);
}
