/* What the bench reads of a ledger, which the collector's own code prints. */
#include <stdio.h>
#include <string.h>

#include "tests/support/test.h"
#include "tools/bench/ledger_line.h"

/* Two listeners, one of which lost and refused, and two sinks. */
static const char line[] =
    "{\"final\":true,\"balances\":true,\"uptime_seconds\":1.99,\"listeners\":["
    "{\"name\":\"udp://127.0.0.1:5555\",\"received\":100,\"bytes\":11700,\"decoded\":93,"
    "\"reasons\":{\"no_buffer\":1,\"truncated\":0,\"malformed\":6},\"messages\":93,"
    "\"kernel_drops\":17,\"refused_while_stopping\":2,\"lost\":99},"
    "{\"name\":\"a \\\"received\\\":9 in a name\",\"received\":10,\"decoded\":10,"
    "\"reasons\":{\"no_buffer\":0},\"kernel_drops\":3,\"refused_while_stopping\":0}],"
    "\"sinks\":[{\"name\":\"file:x\",\"offered\":103,\"queued\":100,"
    "\"refused\":{\"ring_full\":2,\"sink_ended\":1},\"written\":90,\"filtered\":4,\"evicted\":3,"
    "\"failed\":{\"io_error\":1,\"stop_timeout\":1},\"unknown\":1,\"in_flight\":0},"
    "{\"name\":\"file:y\",\"offered\":103,\"queued\":103,\"refused\":{\"ring_full\":0},"
    "\"written\":103,\"filtered\":0,\"evicted\":0,\"failed\":{},\"in_flight\":0}]}\n";

TEST(sums_are_of_all_listeners_and_all_sinks)
{
    struct ledger_sums sums;
    assert_true(ledger_line_read(line, &sums));
    assert_true(sums.final && sums.balances);
    assert_int_equal(sums.received, 110);
    assert_int_equal(sums.decoded, 103);
    assert_int_equal(sums.reasons, 7);
    assert_int_equal(sums.kernel_drops, 20);
    assert_int_equal(sums.refused_while_stopping, 2);
    assert_int_equal(sums.offered, 206);
    assert_int_equal(sums.queued, 203);
    assert_int_equal(sums.refused, 3);
    assert_int_equal(sums.written, 193);
    assert_int_equal(sums.filtered, 4);
    assert_int_equal(sums.evicted, 3);
    assert_int_equal(sums.failed, 2);
    assert_int_equal(sums.unknown, 1);
    assert_int_equal(sums.in_flight, 0);
    assert_true(ledger_sums_balance(&sums));
}

/* Reads the line with one text in the place of another. */
static struct ledger_sums read_with(const char *before, const char *after)
{
    char changed[sizeof line + 64];
    const char *at = strstr(line, before);
    struct ledger_sums sums;
    assert_non_null(at);
    snprintf(changed, sizeof changed, "%.*s%s%s", (int)(at - line), line, after,
             at + strlen(before));
    assert_true(ledger_line_read(changed, &sums));
    return sums;
}

TEST(one_that_is_missing_does_not_balance)
{
    static const char *const changes[][2] = {
        {"\"balances\":true", "\"balances\":false"}, {"\"final\":true", "\"final\":false"},
        {"\"received\":100", "\"received\":101"},    {"\"no_buffer\":1", "\"no_buffer\":0"},
        {"\"offered\":103", "\"offered\":104"},      {"\"written\":90", "\"written\":89"},
        {"\"io_error\":1", "\"io_error\":3"},        {"\"unknown\":1", "\"unknown\":2"},
        {"\"in_flight\":0", "\"in_flight\":1"},
    };
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        struct ledger_sums sums = read_with(changes[i][0], changes[i][1]);
        if (ledger_sums_balance(&sums))
            fail_msg("balances with %s", changes[i][1]);
    }
}

/* A listener whose filter the kernel has has both in one number, under another name. */
TEST(drops_of_a_filtering_listener_are_drops)
{
    struct ledger_sums sums = read_with("\"kernel_drops\":17", "\"kernel_drops_and_filtered\":19");
    assert_int_equal(sums.kernel_drops, 22);
    assert_true(ledger_sums_balance(&sums));
}

/* As on SIGUSR1: the program goes on, and says nothing about balance. */
TEST(one_of_a_program_that_goes_on_is_read)
{
    struct ledger_sums sums;
    assert_true(ledger_line_read("{\"final\":false,\"listeners\":[{\"received\":5}]}", &sums));
    assert_false(sums.final || sums.balances);
    assert_int_equal(sums.received, 5);
}

TEST(what_is_no_ledger_is_refused)
{
    struct ledger_sums sums;
    assert_false(ledger_line_read("", &sums));
    assert_false(ledger_line_read("\n", &sums));
    assert_false(ledger_line_read("sluice: listening on udp://127.0.0.1:5555\n", &sums));
    assert_false(ledger_line_read("{\"final\":true,\"listeners\":[{\"received\":5", &sums));
}

/* Only the first line is looked at. */
TEST(what_follows_the_line_does_not_count)
{
    struct ledger_sums sums;
    assert_true(ledger_line_read("{\"final\":true,\"received\":5}\n{\"received\":7}\n", &sums));
    assert_int_equal(sums.received, 5);
}
