/*
 * Tests that opening a delivery with a spill fails when memory is short, and a second try succeeds.
 */
#include <stdio.h>
#include <string.h>

#include "collector/ledger/ledger.h"
#include "collector/output/sink_thread.h"
#include "sinks/compression/compressions.h"
#include "sinks/destinations/destinations.h"
#include "sinks/encoders/encoders.h"
#include "tests/support/platform/failing_memory.h"
#include "tests/support/platform/scratch_directory.h"
#include "tests/support/test.h"

#define MOST 200 /* more than the number of allocations of an opening */

static struct sink_thread_options options_of(const struct destination_ops *destination,
                                             const char *path, struct sink_counters *counters)
{
    static char folder[1300], headers[1300];
    scratch_put_text("headers", "X-Tenant: a\nX-Other: b\n");
    snprintf(headers, sizeof headers, "%s", scratch_path("headers"));
    snprintf(folder, sizeof folder, "%s", scratch_path("spill"));
    static struct sink_settings settings;
    settings = (struct sink_settings){
        .file = {.compression = destination->sends_requests ? &compression_gzip : NULL},
        .http = {.header_file = headers},
        .broker = {.max_topics = 4},
        .delivery = {.timeout = 1000000000,
                     .in_flight = 2,
                     .spill = folder,
                     .spill_size = (uint64_t)64 * 1024 * 1024},
        .encoder = &encoder_influx,
    };
    return (struct sink_thread_options){.name = "delivery",
                                        .destination = destination,
                                        .path = path,
                                        .settings = &settings,
                                        .counters = counters};
}

static void assert_says_memory(const struct error *error, uint64_t number)
{
    if (strstr(error->text, "memory") == NULL && strstr(error->text, "allocate") == NULL)
        fail_msg("allocation %u: %s", (unsigned)number, error->text);
}

static bool open_short(const struct sink_thread_options *options, uint64_t number)
{
    struct sink_thread *sink = NULL;
    struct error error = {.text = ""};
    failing_memory_fail(number);
    bool made = sink_thread_create(&sink, options, &error) == 0;
    bool opened = made && sink_thread_open(sink, &error) == 0;
    bool failed = failing_memory_left() == 0;
    failing_memory_fail(0);
    assert_int_equal(!opened, failed);
    if (failed)
        assert_says_memory(&error, number);
    if (made && !opened && sink_thread_open(sink, &error) != 0)
        fail_msg("after allocation %u: %s", (unsigned)number, error.text);
    sink_thread_destroy(sink);
    return failed;
}

static void open_each(const struct destination_ops *destination, const char *path)
{
    if (strstr(destination->library(), "(not on this system)") != NULL)
        skip(); /* the library is not installed */
    struct ledger *ledger = ledger_create();
    struct sink_counters *counters = ledger_sink_block(ledger, ledger_add_sink(ledger, "a"));
    struct sink_thread_options options = options_of(destination, path, counters);
    uint64_t number = 1;
    while (open_short(&options, number))
        assert_true(++number < MOST);
    assert_true(number > 20);
    ledger_destroy(ledger);
}

TEST_WITH(to_http_whichever_allocation_failed, scratch_make, scratch_remove)
{
    (void)state;
    open_each(&destination_http, "//127.0.0.1:1/write");
}

TEST_WITH(to_kafka_whichever_allocation_failed, scratch_make, scratch_remove)
{
    (void)state;
    open_each(&destination_kafka, "//127.0.0.1:1/topic");
}

TEST_WITH(to_nats_whichever_allocation_failed, scratch_make, scratch_remove)
{
    (void)state;
    open_each(&destination_nats, "//127.0.0.1:1/subject");
}
