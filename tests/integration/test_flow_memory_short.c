/*
 * Tests starts and reloads while an allocation fails. They are refused, and the error says that
 * memory is short. After a refused reload the collector continues unchanged.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/support/pipeline/flow.h"
#include "tests/support/platform/failing_memory.h"
#include "tests/support/test.h"

#define BEFORE "--listen udp://127.0.0.1:0?schema=riemann --sink file:OUTPUT"
#define AFTER                                                                                      \
    BEFORE " --listen tcp://127.0.0.1:0?schema=riemann&max_frame=64KiB --sink file:DIRECTORY/new"

static void assert_names_memory(const struct error *error, uint64_t number)
{
    if (strstr(error->text, "memory") == NULL)
        fail_msg("allocation %u failed, and it was said: \"%s\"", (unsigned)number, error->text);
}

static void ignore(void *context)
{
    (void)context;
}

TEST_WITH(a_start_is_refused_whatever_allocation_of_it_fails, flow_set_up, flow_tear_down)
{
    struct flow *flow = *state;
    struct config *config = flow_read_config(flow, AFTER);
    const struct pipeline_options options = {.config = config, .notify = ignore};
    bool failed = true;
    uint64_t number = 1;
    for (; failed; number++) {
        struct pipeline *pipeline = NULL;
        struct error error = {.code = EXIT_CODE_OK};
        failing_memory_fail(number);
        bool made = pipeline_create(&pipeline, &options, &error) == 0;
        failed = failing_memory_left() == 0;
        failing_memory_fail(0);
        if (made)
            pipeline_destroy(pipeline);
        else
            assert_names_memory(&error, number);
        assert_true(made || failed);
    }
    assert_true(number > 50);
    config_free(config);
    free(config);
}

/*
 * Reloads with another configuration while the allocation of this number fails. Returns true if
 * that allocation was made.
 */
static bool reload_without(uint64_t number)
{
    void *state;
    assert_int_equal(flow_set_up(&state), 0);
    struct flow *flow = state;
    struct error error = {.code = EXIT_CODE_OK};
    flow_open(flow, BEFORE);
    struct config *config = flow_read_config(flow, AFTER);
    failing_memory_fail(number);
    bool taken = pipeline_apply_config(flow->pipeline, config, &error) == 0;
    bool failed = failing_memory_left() == 0;
    failing_memory_fail(0);
    if (!taken) {
        assert_true(failed);
        assert_names_memory(&error, number);
        flow_send(flow, 0, 0, 10);
        flow_await_written(flow, 0, 10);
        if (!flow_take_config(flow, AFTER, &error))
            fail_msg("after allocation %u had failed: %s", (unsigned)number, error.text);
    }
    flow_send(flow, 0, taken ? 0 : 10, 10);
    flow_finish(flow, 20000);
    assert_int_equal(flow->final->listener_count, 2);
    assert_int_equal(flow->final->sink_count, 2);
    assert_int_equal(flow->final->sinks[0].written, taken ? 10 : 20);
    assert_int_equal(flow->final->sinks[1].written, 10);
    assert_int_equal(flow_tear_down(&state), 0);
    return failed;
}

/*
 * Each allocation is tried with a new collector, because a refused reload may leave data that the
 * next one uses. With a sanitizer only every second allocation is tried.
 */
TEST(a_reload_is_refused_whatever_allocation_of_it_fails)
{
    uint64_t number = 1;
    while (reload_without(number))
        number += TEST_PART;
    assert_true(number > 50);
}
