/* Tests that a running collector does not allocate memory for datagrams. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/schemas.h"
#include "tests/support/pipeline/flow.h"
#include "tests/support/platform/counted_memory.h"
#include "tests/support/test.h"

static void send_mix(struct flow *flow, uint64_t rounds)
{
    struct address to = flow_address(flow, 0);
    uint8_t events[2000];
    for (size_t i = 0; i < sizeof events; i += 2)
        memcpy(events + i, (const uint8_t[]){0x32, 0x00}, 2);
    for (uint64_t i = 1; i <= rounds; i++) {
        flow_send(flow, 0, 0, 96);
        udp_sender_send(flow->sender, &to, "", 0);
        udp_sender_send(flow->sender, &to, "malformed", 9);
        udp_sender_send(flow->sender, &to, "\xff\2\x32\0\4\x32\2\x68\2", 9); /* two messages */
        /* These messages need a large batch. */
        udp_sender_send(flow->sender, &to, events, sizeof events);
        flow_await_received(flow, 0, i * 100);
    }
}

TEST_WITH(no_datagram_causes_an_allocation, flow_set_up, flow_tear_down)
{
    struct flow *flow = *state;
    flow_open(flow, "--listen udp://127.0.0.1:0?schema=riemann&framing=delimited&header=1"
                    "&match=magic:ff&schema=riemann "
                    "--dead-letter file:DIRECTORY/dead?rate=1000 "
                    "--sink file:OUTPUT --sink file:DIRECTORY/second?view=message "
                    "--sink file:DIRECTORY/packets?format=pcap");
    counted_memory_begin();
    send_mix(flow, 100);
    size_t calls = counted_memory_end();
    flow_finish(flow, 20000);
    assert_int_equal(flow->final->listeners[0].received, 10000);
    assert_int_equal(flow->final->listeners[0].reasons[REASON_MALFORMED], 100);
    assert_int_equal(flow->final->listeners[0].messages, 10000);
    assert_int_equal(flow->final->dead_letters.kept, 100);
    assert_int_equal(calls, 0);
}

/* Sends messages whose services are consecutive numbers: each one is a new series. */
static void send_series(struct flow *flow, uint64_t first, size_t count)
{
    struct address to = flow_address(flow, 0);
    for (size_t i = 0; i < count; i++) {
        char text[32];
        /* Field 6, an event of 12 bytes: field 3, a service of 8 bytes, and field 13, a metric. */
        snprintf(text, sizeof text, "\x32\x0c\x1a\x08%08u\x68\x02", (unsigned)(first + i));
        udp_sender_send(flow->sender, &to, text, 14);
    }
}

TEST_WITH(no_sample_beyond_a_limit_causes_an_allocation, flow_set_up, flow_tear_down)
{
    struct flow *flow = *state;
    flow_open(flow, "--listen udp://127.0.0.1:0?schema=riemann "
                    "--sink file:OUTPUT?max_series=1000&max_series_per_sender=900"
                    "&series_timeout=1h&add_label=at=%{source}&max_age=1h&max_ahead=1h "
                    "--sink file:DIRECTORY/second?max_series=1&format=influx");
    counted_memory_begin();
    for (uint64_t i = 1; i <= 100; i++) {
        send_series(flow, i * 100, 100);
        flow_await_received(flow, 0, i * 100);
    }
    size_t calls = counted_memory_end();
    flow_finish(flow, 20000);
    assert_int_equal(flow->final->listeners[0].decoded, 10000);
    for (size_t i = 0; i < 2; i++) {
        const struct sink_totals *sink = &flow->final->sinks[i];
        assert_int_equal(sink->samples, i == 0 ? 900 : 1);
        assert_int_equal(sink->samples + sink->series_refused, 10000);
    }
    assert_int_equal(calls, 0);
}

/*
 * Sends a message of the type sluice.wildcard.Tree, with a list of two elements that have the same
 * name.
 */
static void send_tree(struct flow *flow)
{
    static const char node[] = "\x12\x0b"                    /* a node of 11 bytes */
                               "\x12\x01t\x7a\x04\x12\x02id" /* "t", with a field "id" */
                               "\x38\x05";                   /* uint32_value */
    struct address to = flow_address(flow, 0);
    char message[2 * (sizeof node - 1)];
    memcpy(message, node, sizeof node - 1);
    memcpy(message + sizeof node - 1, node, sizeof node - 1);
    udp_sender_send(flow->sender, &to, message, sizeof message);
}

TEST_WITH(no_sample_of_every_number_causes_an_allocation, flow_set_up, flow_tear_down)
{
    struct flow *flow = *state;
    flow->schema_from_file = &schema_file;
    flow_open(flow, "--listen udp://127.0.0.1:0?schema=" TEST_SETS "/wildcard.desc"
                    "&message=sluice.wildcard.Tree&value=*&labels=id&texts=info "
                    "--sink file:OUTPUT?view=sample --sink file:DIRECTORY/second?format=influx");
    counted_memory_begin();
    for (uint64_t i = 1; i <= 1000; i++) {
        send_tree(flow);
        flow_await_received(flow, 0, i);
    }
    size_t calls = counted_memory_end();
    flow_finish(flow, 1000);
    assert_int_equal(flow->final->listeners[0].decoded, 1000);
    assert_true(flow->final->sinks[0].samples >= 2000);
    assert_int_equal(calls, 0);
}

TEST_WITH(no_datagram_causes_an_allocation_while_somebody_watches, flow_set_up, flow_tear_down)
{
    struct flow *flow = *state;
    flow_open(flow, "--listen udp://127.0.0.1:0?schema=riemann --sink file:OUTPUT "
                    "--control unix:unused");
    struct tap *tap = pipeline_tap(flow->pipeline);
    tap_set(tap, TAP_TAKING);
    counted_memory_begin();
    uint64_t looked_at = 0;
    for (uint64_t i = 1; i <= 100; i++) {
        struct batch *batch;
        flow_send(flow, 0, 0, 100);
        flow_await_received(flow, 0, i * 100);
        while ((batch = tap_next(tap)) != NULL) {
            looked_at += batch->count;
            tap_done(tap, batch);
        }
    }
    size_t calls = counted_memory_end();
    assert_true(looked_at > 0);
    flow_finish(flow, 20000);
    assert_int_equal(flow->final->listeners[0].decoded, 10000);
    assert_int_equal(calls, 0);
}

/* A tap has its own batches. A full queue and a full tap do not take batches from each other. */
TEST_WITH(a_watcher_that_does_nothing_costs_no_datagram_its_batch, flow_set_up, flow_tear_down)
{
    struct flow *flow = *state;
    char memory[FLOW_MEMORY_SIZE];
    char arguments[256];
    const struct memory_needs needs = {
        .receivers = 1, .fan_outs = 1, .sinks = 1, .ingests = 1, .control = true, .senders = true};
    snprintf(arguments, sizeof arguments,
             "--listen udp://127.0.0.1:0?schema=riemann --sink file:OUTPUT --control unix:unused "
             "%s",
             flow_least_memory(&needs, memory));
    flow_open(flow, arguments);
    tap_set(pipeline_tap(flow->pipeline), TAP_TAKING);
    uint64_t sent = 0;
    while (tap_passed_by(pipeline_tap(flow->pipeline)) == 0) {
        flow_send(flow, 0, sent, 100);
        sent += 100;
        flow_await_written(flow, 0, sent);
    }
    gate_shut(&flow->writing); /* so the rings contain other batches than the tap */
    flow_send_paced(flow, 0, sent, 10000);
    flow_await_received(flow, 0, sent + 10000);
    gate_open(&flow->writing);
    flow_finish(flow, 20000);
    assert_int_equal(flow->final->listeners[0].reasons[REASON_NO_BUFFER], 0);
    assert_int_equal(flow->final->listeners[0].decoded, sent + 10000);
    assert_true(flow->final->sinks[0].refused[REFUSED_RING_FULL] > 0);
}

/* Otherwise a count of zero would prove nothing. */
TEST_WITH(the_wrappers_see_the_collectors_own_allocations, flow_set_up, flow_tear_down)
{
    struct flow *flow = *state;
    counted_memory_begin_all();
    flow_open(flow, "--listen udp://127.0.0.1:0?schema=riemann --sink file:OUTPUT");
    size_t calls = counted_memory_end();
    flow_finish(flow, 20000);
    assert_true(calls > 10);
}
