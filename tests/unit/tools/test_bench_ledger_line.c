/* Tests that the bench reads a ledger that the collector's own code prints. */
#include <stdio.h>
#include <string.h>

#include "tests/support/test.h"
#include "tools/bench/ledger_line.h"

/*
 * A ledger of two listeners and two sinks. The first listener lost some datagrams and refused
 * others.
 */
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
    assert_int_equal(sums.kernel_drops, 20);
    assert_int_equal(sums.offered, 206);
    assert_int_equal(sums.written, 193);
}

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

TEST(what_the_program_says_of_them_is_kept)
{
    struct ledger_sums sums = read_with("\"balances\":true", "\"balances\":false");
    assert_true(sums.final);
    assert_false(sums.balances);
    sums = read_with("\"final\":true", "\"final\":false");
    assert_false(sums.final);
}

/*
 * If the kernel filters datagrams of a listener, it counts them together with the drops, and the
 * ledger has one number of another name.
 */
TEST(drops_of_a_filtering_listener_are_drops)
{
    struct ledger_sums sums = read_with("\"kernel_drops\":17", "\"kernel_drops_and_filtered\":19");
    assert_int_equal(sums.kernel_drops, 22);
}

/* After SIGUSR1 the program continues, so its ledger does not show whether it balances. */
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

TEST(what_follows_the_line_does_not_count)
{
    struct ledger_sums sums;
    assert_true(ledger_line_read("{\"final\":true,\"received\":5}\n{\"received\":7}\n", &sums));
    assert_int_equal(sums.received, 5);
}
