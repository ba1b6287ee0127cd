/* Tests a file sink whose file another program empties just before the sink writes. */
#include <string.h>

#include "tests/support/pipeline/flow.h"
#include "tests/support/platform/others.h"
#include "tests/support/test.h"

#define LISTEN "--listen udp://127.0.0.1:0?schema=riemann --sink file:OUTPUT?flush_interval=0"

/* Empties the file with the first record just before the second one is written. */
static struct lines empty_before_write(struct flow *flow)
{
    flow_send(flow, 0, 0, 1);
    flow_await_written(flow, 0, 1);
    unsigned arrived = atomic_load(&flow->writing.arrived);
    gate_shut(&flow->writing);
    flow_send(flow, 0, 1, 1);
    gate_await_arrivals(&flow->writing, arrived + 1);
    others_empty("output");
    gate_open(&flow->writing);
    flow_finish(flow, 20000);
    assert_int_equal(flow->final->sinks[0].written, 2);
    assert_int_equal(flow->final->sinks[0].write_errors, 1);
    return lines_read(flow->output);
}

TEST_WITH(rows_in_a_file_that_is_emptied_just_before_a_write_have_their_head, flow_set_up,
          flow_tear_down)
{
    struct flow *flow = *state;
    flow_open(flow, LISTEN "&format=csv");
    struct lines lines = empty_before_write(flow);
    assert_int_equal(lines.count, 2);
    assert_memory_equal(lines.text, "time,name,", 10);
    lines_free(&lines);
}

TEST_WITH(lines_in_a_file_that_is_emptied_just_before_a_write_are_whole, flow_set_up,
          flow_tear_down)
{
    struct flow *flow = *state;
    flow_open(flow, LISTEN);
    struct lines lines = empty_before_write(flow);
    assert_int_equal(lines.count, 1);
    assert_true(lines.whole);
    assert_int_equal(lines.text[0], '{');
    lines_free(&lines);
}
