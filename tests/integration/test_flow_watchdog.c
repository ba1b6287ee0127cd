/* Tests the notifications to a service manager, at times that the test chooses. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "collector/platform/clock.h"
#include "collector/program/supervision.h"
#include "tests/support/pipeline/flow.h"
#include "tests/support/platform/patience.h"
#include "tests/support/test.h"

#define PIPELINE  "--listen udp://127.0.0.1:0?schema=riemann --sink file:OUTPUT"
#define SECOND_NS INT64_C(1000000000)
#define LOOK_NS   (10 * SECOND_NS) /* between two checks, for a watchdog of 30 s */

struct watched {
    struct flow *flow; /* the first member: teardown casts to it */
    struct supervision *supervision;
    int manager;
};

static struct watched watched;

static int set_up(void **state)
{
    int result = flow_set_up(state);
    watched = (struct watched){.flow = *state};
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%.80s/notify", watched.flow->directory);
    watched.manager = socket(AF_UNIX, SOCK_DGRAM, 0);
    if (result != 0 || watched.manager < 0 ||
        bind(watched.manager, (struct sockaddr *)&address, sizeof address) != 0)
        return -1;
    setenv("NOTIFY_SOCKET", address.sun_path, 1);
    setenv("WATCHDOG_USEC", "30000000", 1);
    return 0;
}

static int tear_down(void **state)
{
    supervision_destroy(watched.supervision);
    close(watched.manager);
    return flow_tear_down(state);
}

/* Returns true if a notification since the last call contains the text. */
static bool was_reported(const char *text)
{
    char message[512];
    ssize_t size;
    bool found = false;
    while ((size = recv(watched.manager, message, sizeof message - 1, MSG_DONTWAIT)) > 0) {
        message[size] = '\0';
        found = found || strstr(message, text) != NULL;
    }
    return found;
}

static void begin(const char *arguments)
{
    flow_open(watched.flow, arguments);
    watched.supervision = supervision_create();
    assert_non_null(watched.supervision);
    supervision_begin(watched.supervision, watched.flow->pipeline);
}

/*
 * Calls supervision_serve repeatedly, as the main loop does. Stops when a call sends the watchdog's
 * notification, or if `alive` is false, when a call does not send it. Returns the time of that
 * call.
 */
static int64_t look_until(int64_t now_ns, bool alive)
{
    int64_t until = patience_until();
    was_reported("");
    do {
        assert_true(patience(until));
        now_ns += LOOK_NS;
        assert_true(supervision_due(watched.supervision) <= now_ns);
        supervision_serve(watched.supervision, now_ns);
    } while (was_reported("WATCHDOG=1") != alive);
    return now_ns;
}

TEST_WITH(the_watchdog_is_fed_three_times_in_its_time, set_up, tear_down)
{
    (void)state;
    begin(PIPELINE);
    assert_true(was_reported("READY=1"));
    int64_t now = look_until(clock_monotonic_ns(), true);
    supervision_serve(watched.supervision, now + LOOK_NS - 1);
    assert_false(was_reported("WATCHDOG=1"));
    supervision_serve(watched.supervision, now + LOOK_NS);
    assert_true(was_reported("WATCHDOG=1"));
    flow_finish(watched.flow, 20000);
}

TEST_WITH(a_receiver_that_is_stuck_stops_feeding_it, set_up, tear_down)
{
    (void)state;
    struct flow *flow = watched.flow;
    begin(PIPELINE);
    int64_t now = look_until(clock_monotonic_ns(), true);
    gate_shut(&flow->receiving);
    flow_send(flow, 0, 0, 1);
    gate_await_arrivals(&flow->receiving, 1);
    now = look_until(now, false);
    for (int i = 0; i < 5; i++) {
        supervision_serve(watched.supervision, now += LOOK_NS);
        assert_false(was_reported("WATCHDOG=1"));
    }
    gate_open(&flow->receiving);
    flow_await_written(flow, 0, 1);
    look_until(now, true);
    flow_finish(flow, 20000);
}

TEST_WITH(a_sink_that_waits_for_its_destination_does_not, set_up, tear_down)
{
    (void)state;
    struct flow *flow = watched.flow;
    begin(PIPELINE);
    gate_shut(&flow->writing);
    flow_send(flow, 0, 0, 1);
    gate_await_arrivals(&flow->writing, 1);
    int64_t now = clock_monotonic_ns();
    for (int i = 0; i < 5; i++)
        now = look_until(now, true);
    gate_open(&flow->writing);
    flow_finish(flow, 20000);
}

TEST_WITH(a_status_is_reported_where_it_has_changed, set_up, tear_down)
{
    (void)state;
    struct flow *flow = watched.flow;
    begin(PIPELINE);
    assert_true(was_reported("STATUS=0 datagrams/s, 0 received, 0 dropped"));
    int64_t now = clock_monotonic_ns() + 10 * SECOND_NS;
    supervision_serve(watched.supervision, now);
    assert_false(was_reported("STATUS="));
    flow_send(flow, 0, 0, 100);
    flow_await_received(flow, 0, 100);
    supervision_serve(watched.supervision, now + SECOND_NS);
    assert_false(was_reported("STATUS="));
    supervision_serve(watched.supervision, now + 10 * SECOND_NS);
    assert_true(was_reported("STATUS=10 datagrams/s, 100 received, 0 dropped"));
    supervision_serve(watched.supervision, now + 20 * SECOND_NS);
    assert_true(was_reported("STATUS=0 datagrams/s, 100 received, 0 dropped"));
    supervision_serve(watched.supervision, now + 30 * SECOND_NS);
    assert_false(was_reported("STATUS="));
    flow_finish(flow, 20000);
}

TEST_WITH(nothing_more_is_due_once_it_stops, set_up, tear_down)
{
    (void)state;
    begin(PIPELINE);
    was_reported("");
    supervision_stopping(watched.supervision, 3 * SECOND_NS);
    assert_true(was_reported("STOPPING=1\nEXTEND_TIMEOUT_USEC=8000000"));
    assert_true(supervision_due(watched.supervision) == INT64_MAX);
    supervision_serve(watched.supervision, clock_monotonic_ns() + 60 * SECOND_NS);
    assert_false(was_reported(""));
    flow_finish(watched.flow, 20000);
}
