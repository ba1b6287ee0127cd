/* Making the sink of a store of files where memory is short: it never takes another kind for it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "collector/ledger/ledger.h"
#include "collector/output/sink_thread.h"
#include "sinks/destinations/destinations.h"
#include "sinks/encoders/encoders.h"
#include "tests/support/platform/failing_memory.h"
#include "tests/support/platform/scratch_directory.h"

static struct sink_thread_options options_of_store(const char *path, struct sink_counters *counters)
{
    return (struct sink_thread_options){.name = "file:rotated",
                                        .destination = &destination_file,
                                        .path = path,
                                        .file = {.rotate_size = 1024 * 1024, .max_files = 1},
                                        .encoder = &encoder_json,
                                        .counters = counters};
}

static void how_much_a_store_takes_is_unknown_without_memory(void **state)
{
    (void)state;
    struct sink_thread_options options = options_of_store(scratch_path("rotated"), NULL);
    size_t bytes = 0;
    failing_memory_fail(1);
    assert_false(sink_thread_memory(&options, &bytes));
    assert_true(sink_thread_memory(&options, &bytes));
    assert_true(bytes > 0);
}

static void a_sink_is_made_or_refused_whichever_allocation_failed(void **state)
{
    (void)state;
    struct ledger *ledger = ledger_create();
    struct sink_counters *counters = ledger_sink_block(ledger, ledger_add_sink(ledger, "file:"));
    struct sink_thread_options options = options_of_store(scratch_path("rotated"), counters);
    bool refused = true;
    uint64_t number = 0;
    while (refused) {
        struct sink_thread *sink = NULL;
        struct error error;
        failing_memory_fail(++number);
        refused = sink_thread_create(&sink, &options, &error) != 0;
        assert_int_equal(refused, failing_memory_left() == 0);
        if (refused)
            assert_int_equal(error.code, EXIT_CODE_INTERNAL);
        failing_memory_fail(0);
        if (!refused)
            sink_thread_destroy(sink);
    }
    assert_true(number > 5);
    ledger_destroy(ledger);
}

int main(void)
{
#define with_directory(test) cmocka_unit_test_setup_teardown(test, scratch_make, scratch_remove)
    const struct CMUnitTest tests[] = {
        with_directory(how_much_a_store_takes_is_unknown_without_memory),
        with_directory(a_sink_is_made_or_refused_whichever_allocation_failed),
    };
    return cmocka_run_group_tests_name("sink without memory", tests, NULL, NULL);
}
