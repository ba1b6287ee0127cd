/*
 * Tests several threads that serve the same sockets, with a notifier that reports the sockets
 * repeatedly. Each datagram is received once, one sender's datagrams stay in order, and the ledger
 * is exact.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/support/pipeline/flow.h"
#include "tests/support/platform/crowd_notifier.h"
#include "tests/support/test.h"

#define LISTENERS 6
#define COUNT     3000 /* datagrams to each listener */
#define LISTEN    "--listen udp://127.0.0.1:0?schema=riemann "
#define ARGUMENTS                                                                                  \
    "--listen udp://127.0.0.1:0?schema=riemann&receivers=4 " LISTEN LISTEN LISTEN LISTEN LISTEN    \
    "--sink file:OUTPUT --sink file:DIRECTORY/second?view=message"

static int set_up(void **state)
{
    int result = flow_set_up(state);
    struct flow *flow = *state;
    flow->notifier = &crowd_notifier;
    return result;
}

static void send_to_all(struct flow *flow)
{
    for (uint64_t sent = 0; sent < COUNT; sent += 100) {
        for (size_t i = 0; i < LISTENERS; i++)
            flow_send(flow, i, i * COUNT + sent, 100);
        for (size_t i = 0; i < LISTENERS; i++)
            flow_await_received(flow, i, sent + 100);
    }
}

static void assert_in_order(const struct lines *lines)
{
    static const char key[] = "\"value\":";
    uint64_t next[LISTENERS];
    for (size_t i = 0; i < LISTENERS; i++)
        next[i] = i * COUNT;
    char *line = lines->text;
    for (size_t i = 0; i < lines->count; i++) {
        char *end = memchr(line, '\n', lines->size - (size_t)(line - lines->text));
        assert_non_null(end);
        *end = '\0'; /* with a sanitizer strstr reads the complete input each time */
        const char *at = strstr(line, key);
        assert_non_null(at);
        uint64_t value = strtoull(at + strlen(key), NULL, 10);
        line = end + 1;
        assert_in_range(value, 0, LISTENERS * COUNT - 1);
        assert_int_equal(value, next[value / COUNT]);
        next[value / COUNT]++;
    }
    for (size_t i = 0; i < LISTENERS; i++)
        assert_int_equal(next[i], (i + 1) * COUNT);
}

TEST_WITH(what_one_sender_sent_stays_in_order, set_up, flow_tear_down)
{
    struct flow *flow = *state;
    flow_open(flow, ARGUMENTS);
    send_to_all(flow);
    flow_finish(flow, 20000);
    struct lines lines = lines_read(flow->output);
    assert_int_equal(lines.count, LISTENERS * COUNT);
    assert_true(lines.whole);
    assert_in_order(&lines);
    lines_free(&lines);
    for (size_t i = 0; i < LISTENERS; i++)
        assert_int_equal(flow->final->listeners[i].received, COUNT);
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(flow->final->sinks[i].written, LISTENERS * COUNT);
}

/* The counters are read repeatedly while sockets are drained and claimed. */
TEST_WITH(a_ledger_that_is_asked_for_meanwhile_comes, set_up, flow_tear_down)
{
    struct flow *flow = *state;
    flow_open(flow, ARGUMENTS);
    for (uint64_t sent = 0; sent < 1000; sent += 100) {
        for (size_t i = 0; i < LISTENERS; i++)
            flow_send(flow, i, sent, 100);
        for (int i = 0; i < 20; i++)
            ledger_snapshot_free(pipeline_snapshot(flow->pipeline));
        for (size_t i = 0; i < LISTENERS; i++)
            flow_await_received(flow, i, sent + 100);
    }
    flow_finish(flow, 20000);
}

TEST_WITH(a_stop_in_the_middle_of_it_ends_all_threads, set_up, flow_tear_down)
{
    struct flow *flow = *state;
    flow_open(flow, ARGUMENTS);
    for (size_t i = 0; i < LISTENERS; i++)
        flow_send(flow, i, 0, 150);
    flow_finish(flow, 20000);
    for (size_t i = 0; i < LISTENERS; i++)
        assert_int_equal(flow->final->listeners[i].received, 150);
}
