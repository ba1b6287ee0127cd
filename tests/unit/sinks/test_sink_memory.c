/*
 * When memory is short, creating a sink of a set of files fails. It must not become a sink of
 * another kind.
 */
#include <stdbool.h>

#include "collector/ledger/ledger.h"
#include "collector/output/sink_thread.h"
#include "sinks/destinations/destinations.h"
#include "sinks/encoders/encoders.h"
#include "tests/support/platform/failing_memory.h"
#include "tests/support/platform/scratch_directory.h"
#include "tests/support/test.h"

static struct sink_thread_options options_of_file_set(const char *path,
                                                      struct sink_counters *counters)
{
    static struct sink_settings settings;
    settings = (struct sink_settings){.file = {.rotate_size = 1024 * 1024, .max_files = 1},
                                      .encoder = &encoder_json};
    return (struct sink_thread_options){.name = "file:rotated",
                                        .destination = &destination_file,
                                        .path = path,
                                        .settings = &settings,
                                        .counters = counters};
}

TEST_WITH(how_much_a_file_set_takes_is_unknown_without_memory, scratch_make, scratch_remove)
{
    (void)state;
    struct sink_thread_options options = options_of_file_set(scratch_path("rotated"), NULL);
    size_t bytes = 0;
    failing_memory_fail(1);
    assert_false(sink_thread_memory(&options, &bytes));
    assert_true(sink_thread_memory(&options, &bytes));
    assert_true(bytes > 0);
}

TEST_WITH(a_sink_is_made_or_refused_whichever_allocation_failed, scratch_make, scratch_remove)
{
    (void)state;
    struct ledger *ledger = ledger_create();
    struct sink_counters *counters = ledger_sink_block(ledger, ledger_add_sink(ledger, "file:"));
    struct sink_thread_options options = options_of_file_set(scratch_path("rotated"), counters);
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
