/*
 * Tests a whole collector without disturbances: each record that is sent to a socket is written to
 * the file once, and complete.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/pipeline/flow.h"
#include "tests/support/platform/receiving.h"
#include "tests/support/test.h"

#define COUNT 3000

static void assert_each_once(const struct lines *lines, const char *text, size_t count)
{
    uint8_t *seen = calloc(count, 1);
    assert_non_null(seen);
    lines_count_values(lines, text, seen, count);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(seen[i], 1);
    free(seen);
}

TEST_WITH(every_datagram_sent_is_one_line_after_a_stop, flow_set_up, flow_tear_down)
{
    struct flow *flow = *state;
    flow_open(flow, "--listen udp://127.0.0.1:0?schema=riemann --sink file:OUTPUT");
    flow_send_paced(flow, 0, 0, COUNT);
    flow_finish(flow, 20000);
    assert_int_equal(flow->final->listeners[0].received, COUNT);
    assert_int_equal(flow->final->listeners[0].decoded, COUNT);
    assert_int_equal(flow->final->listeners[0].kernel_drops, 0);
    assert_int_equal(flow->final->sinks[0].written, COUNT);
    assert_int_equal(flow->final->sinks[0].lines, COUNT);

    struct lines lines = lines_read(flow->output);
    assert_int_equal(lines.count, COUNT);
    assert_int_equal(lines.size, flow->final->sinks[0].bytes);
    assert_true(lines.whole);
    assert_each_once(&lines, "", COUNT);
    lines_free(&lines);
}

/* A record is written without waiting for a full batch, for more traffic or for a stop. */
TEST_WITH(a_single_datagram_is_written_while_the_collector_runs, flow_set_up, flow_tear_down)
{
    struct flow *flow = *state;
    flow_open(flow, "--listen udp://127.0.0.1:0?schema=riemann --sink file:OUTPUT");
    for (uint64_t i = 0; i < 20; i++) {
        flow_send(flow, 0, i, 1);
        flow_await_received(flow, 0, i + 1);
    }
    flow_await_written(flow, 0, 20);
    flow_finish(flow, 20000);
}

TEST_WITH(every_sink_gets_every_record, flow_set_up, flow_tear_down)
{
    struct flow *flow = *state;
    flow_open(flow, "--listen udp://127.0.0.1:0?schema=riemann --sink file:OUTPUT "
                    "--sink file:DIRECTORY/second?view=message");
    flow_send_as_written(flow, 1, COUNT);
    flow_finish(flow, 20000);
    char second[560];
    snprintf(second, sizeof second, "%s/second", flow->directory);
    struct lines lines = lines_read(flow->output);
    struct lines messages = lines_read(second);
    assert_each_once(&lines, "", COUNT);
    assert_int_equal(messages.count, COUNT);
    assert_int_equal(flow->final->sinks[0].samples, COUNT);
    assert_int_equal(flow->final->sinks[1].lines, COUNT);
    assert_int_equal(flow->final->sinks[1].samples, 0);
    assert_int_equal(lines_with(&messages, "\"schema\":\"riemann\""), COUNT);
    lines_free(&lines);
    lines_free(&messages);
}

TEST_WITH(several_receivers_share_a_port_and_lose_nothing, flow_set_up, flow_tear_down)
{
    struct flow *flow = *state;
    flow_open(flow, "--listen udp://127.0.0.1:0?schema=riemann&receivers=3 --sink file:OUTPUT");
    for (size_t i = 0; i < 30; i++) { /* each part from another sender, because the kernel chooses
                                         the socket by the source */
        udp_sender_close(flow->sender);
        flow->sender = udp_sender_open(ADDRESS_IPV4);
        flow_send_paced(flow, 0, i * 100, 100);
    }
    flow_finish(flow, 20000);
    assert_int_equal(flow->final->listeners[0].received, 3000);
    struct lines lines = lines_read(flow->output);
    assert_each_once(&lines, "", 3000);
    lines_free(&lines);
}

TEST_WITH(a_dual_stack_listener_hears_both_families, flow_set_up, flow_tear_down)
{
    struct flow *flow = *state;
    if (!loopback_has_ipv6())
        skip();
    flow_open(flow, "--listen udp://[::]:0?schema=riemann --sink file:OUTPUT");
    struct address to = flow_address(flow, 0);
    struct address to_ipv4 = loopback(ADDRESS_IPV4);
    to_ipv4.port = to.port;
    struct udp_sender *ipv6 = udp_sender_open(ADDRESS_IPV6);
    static const uint8_t event_of_metric_1[] = {0x32, 0x02, 0x68, 0x02};
    udp_sender_send(ipv6, &to, event_of_metric_1, sizeof event_of_metric_1);
    udp_sender_send(flow->sender, &to_ipv4, event_of_metric_1, sizeof event_of_metric_1);
    flow_finish(flow, 20000);
    struct lines lines = lines_read(flow->output);
    assert_int_equal(lines.count, 2);
    assert_int_equal(lines_with(&lines, "\"source\":\"[::1]:"), 1);
    assert_int_equal(lines_with(&lines, "\"source\":\"127.0.0.1:"), 1);
    udp_sender_close(ipv6);
    lines_free(&lines);
}

TEST_WITH(listeners_are_accounted_for_apart, flow_set_up, flow_tear_down)
{
    struct flow *flow = *state;
    flow_open(flow, "--listen udp://127.0.0.1:0?schema=riemann "
                    "--listen udp://127.0.0.1:0?schema=telemetry --sink file:OUTPUT");
    flow_send(flow, 0, 0, 100);
    struct address to = flow_address(flow, 1);
    udp_sender_send(flow->sender, &to, "", 0);
    flow_finish(flow, 20000);
    assert_int_equal(flow->final->listeners[0].decoded, 100);
    assert_int_equal(flow->final->listeners[1].received, 1);
    assert_int_equal(flow->final->listeners[1].reasons[REASON_EMPTY], 1);
    assert_int_equal(flow->final->sinks[0].written, 100);
}

TEST_WITH(max_datagrams_is_a_reason_to_stop, flow_set_up, flow_tear_down)
{
    struct flow *flow = *state;
    flow_open(flow, "--listen udp://127.0.0.1:0?schema=riemann --sink file:OUTPUT "
                    "--max-datagrams 10");
    assert_int_equal(pipeline_state(flow->pipeline), PIPELINE_RUNNING);
    flow_send(flow, 0, 0, 10);
    flow_await_state(flow, PIPELINE_COMPLETE);
    flow_finish(flow, 20000);
    assert_int_equal(flow->final->sinks[0].written, 10);
}

TEST_WITH(an_address_in_use_is_reported_before_anything_starts, flow_set_up, flow_tear_down)
{
    struct flow *flow = *state;
    struct receiving *taken;
    assert_int_equal(receiving_set_up((void **)&taken), 0);
    receiving_open(taken, ADDRESS_IPV4, 65536);
    char arguments[128], address[ADDRESS_TEXT_SIZE];
    address_format(&taken->to, address);
    snprintf(arguments, sizeof arguments, "--listen udp://%s --sink file:OUTPUT", address);
    struct error error = flow_open_fails(flow, arguments);
    assert_int_equal(error.code, EXIT_CODE_CANNOT_BIND);
    assert_non_null(strstr(error.text, address));
    FILE *file = fopen(flow->output, "rb");
    assert_null(file);
    receiving_tear_down((void **)&taken);
}

/* With receivers=2 the port may be shared, but only among the sockets of one listener. */
TEST_WITH(an_address_in_use_is_reported_where_the_port_may_be_shared_too, flow_set_up,
          flow_tear_down)
{
    struct flow *flow = *state;
    flow_open(flow, "--listen udp://127.0.0.1:0?receivers=2 --sink file:OUTPUT");
    struct flow second = *flow; /* both write to the same directory */
    second.config = (struct config){0};
    second.pipeline = NULL;
    char arguments[128], address[ADDRESS_TEXT_SIZE];
    struct address taken = flow_address(flow, 0);
    address_format(&taken, address);
    snprintf(arguments, sizeof arguments, "--listen udp://%s?receivers=2 --sink file:OUTPUT",
             address);
    assert_int_equal(flow_open_fails(&second, arguments).code, EXIT_CODE_CANNOT_BIND);
    config_free(&second.config);
    flow_finish(flow, 20000);
}

TEST_WITH(a_sink_that_cannot_be_made_is_reported, flow_set_up, flow_tear_down)
{
    struct flow *flow = *state;
    struct error error = flow_open_fails(
        flow, "--listen udp://127.0.0.1:0?schema=riemann --sink file:DIRECTORY/no/such/place");
    assert_int_equal(error.code, EXIT_CODE_CANNOT_CREATE);
    assert_non_null(strstr(error.text, "no/such/place"));
}
