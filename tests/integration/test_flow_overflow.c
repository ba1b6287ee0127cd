/*
 * Tests the key overflow= with a reader that stalls for some time and then reads everything. The
 * sink must have kept the records that the key prescribes.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/platform/clock.h"
#include "tests/support/pipeline/flow.h"
#include "tests/support/test.h"

/* --- a named pipe that is read late ----------------------------------------------------------- */

static int make_pipe(struct flow *flow)
{
    char path[560];
    snprintf(path, sizeof path, "%s/pipe", flow->directory);
    assert_int_equal(mkfifo(path, 0600), 0);
    int reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    assert_true(reader >= 0);
    return reader;
}

/*
 * Fills the pipe with empty lines, so that the sink's first write stalls, and sends record 0 for
 * that write. The sink is then stalled when later datagrams arrive.
 */
static void stall(struct flow *flow)
{
    char path[560], chunk[4096];
    snprintf(path, sizeof path, "%s/pipe", flow->directory);
    int writer = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    assert_true(writer >= 0);
    memset(chunk, '\n', sizeof chunk);
    while (write(writer, chunk, sizeof chunk) > 0) {
    }
    close(writer);
    flow_send(flow, 0, 0, 1);
    gate_await_arrivals(&flow->writing, 1);
}

static void read_some(int reader, FILE *output)
{
    static char chunk[65536];
    ssize_t size;
    while ((size = read(reader, chunk, sizeof chunk)) > 0)
        assert_int_equal(fwrite(chunk, 1, (size_t)size, output), (size_t)size);
    assert_true(size == 0 || errno == EAGAIN);
}

/* Stops the flow, and writes the rest of the pipe's content to the output file. */
static void read_to_the_end(struct flow *flow, int reader)
{
    FILE *output = fopen(flow->output, "wb");
    assert_non_null(output);
    int64_t give_up = clock_monotonic_ns() + INT64_C(30000000000);
    pipeline_stop(flow->pipeline, give_up);
    while (pipeline_state(flow->pipeline) != PIPELINE_FINISHED) {
        if (clock_monotonic_ns() > give_up)
            fail_msg("the pipeline has not finished in time");
        read_some(reader, output);
        wakeup_wait(flow->changed, NO_HANDLE, false, 1);
    }
    read_some(reader, output);
    fclose(output);
    close(reader);
    flow_finish(flow, 0);
}

/*
 * Returns an array of `count` elements, which the caller frees. An element is 1 if its index was
 * read as a value. A value must not be read twice.
 */
static uint8_t *values_read(const struct flow *flow, const char *text, size_t count)
{
    struct lines lines = lines_read(flow->output);
    assert_true(lines.whole);
    uint8_t *seen = calloc(count, 1);
    assert_non_null(seen);
    lines_count_values(&lines, text, seen, count);
    lines_free(&lines);
    for (size_t i = 0; i < count; i++)
        assert_true(seen[i] <= 1);
    return seen;
}

static size_t sum(const uint8_t *seen, size_t from, size_t to)
{
    size_t found = 0;
    for (size_t i = from; i < to; i++)
        found += seen[i];
    return found;
}

static size_t unbroken(const uint8_t *seen, size_t count)
{
    size_t length = 0;
    while (length < count && seen[length] != 0)
        length++;
    return length;
}

static uint64_t refused_now(struct flow *flow)
{
    uint64_t refused = 0;
    struct ledger_snapshot *snapshot = pipeline_snapshot(flow->pipeline);
    assert_non_null(snapshot);
    for (int i = 0; i < REFUSAL_COUNT; i++)
        refused += snapshot->sinks[0].refused[i];
    ledger_snapshot_free(snapshot);
    return refused;
}

#define COUNT ((uint64_t)40000)

/* --- one listener ----------------------------------------------------------------------------- */

/*
 * The sink's block contains record 0. The newest records follow. The only gaps are records that
 * were refused while the sink made room.
 */
TEST_WITH(with_drop_oldest_the_newest_survive_a_stall, flow_set_up, flow_tear_down)
{
    struct flow *flow = *state;
    int reader = make_pipe(flow);
    flow_open(flow, "--listen udp://127.0.0.1:0?schema=riemann "
                    "--sink file:DIRECTORY/pipe?overflow=drop_oldest");
    stall(flow);
    flow_send_paced(flow, 0, 1, COUNT - 1);
    flow_await_received(flow, 0, COUNT);
    /* While the sink makes room, a record may still be accepted. Send until one is. */
    uint64_t count = COUNT;
    for (uint64_t before = UINT64_MAX; refused_now(flow) != before; count++) {
        before = refused_now(flow);
        flow_send(flow, 0, count, 1);
        flow_await_offered(flow, 0, count + 1);
    }
    read_to_the_end(flow, reader);

    const struct sink_totals *sink = &flow->final->sinks[0];
    uint64_t refused = flow_refused_records(flow, 0);
    uint8_t *seen = values_read(flow, "value", count);
    size_t newest = sum(seen, 1, count);
    assert_int_equal(flow->final->listeners[0].decoded, count);
    assert_true(sink->evicted > 0);
    assert_int_equal(1 + newest, count - sink->evicted - refused);
    assert_int_equal(sink->written, 1 + newest);
    assert_int_equal(seen[0], 1);
    assert_int_equal(seen[count - 1], 1);
    assert_int_equal(sum(seen, 1, count - newest - refused), 0);
    free(seen);
}

TEST_WITH(with_drop_newest_the_oldest_survive_a_stall, flow_set_up, flow_tear_down)
{
    struct flow *flow = *state;
    int reader = make_pipe(flow);
    flow_open(flow, "--listen udp://127.0.0.1:0?schema=riemann "
                    "--sink file:DIRECTORY/pipe?overflow=drop_newest");
    stall(flow);
    flow_send_paced(flow, 0, 1, COUNT - 1);
    /* Otherwise the last batch could be offered after the reads from the pipe begin. */
    flow_await_offered(flow, 0, COUNT);
    read_to_the_end(flow, reader);

    const struct sink_totals *sink = &flow->final->sinks[0];
    uint64_t refused = sink->refused[REFUSED_RING_FULL];
    uint8_t *seen = values_read(flow, "value", COUNT);
    assert_true(refused > COUNT / 4);
    assert_int_equal(flow_refused_records(flow, 0), refused);
    assert_int_equal(sink->evicted, 0);
    assert_int_equal(unbroken(seen, COUNT), COUNT - refused);
    assert_int_equal(sum(seen, 0, COUNT), COUNT - refused);
    free(seen);
}

/* The messages need a large batch when decoded. A queue holds only a few of these batches. */
TEST_WITH(large_messages_are_evicted_and_counted_too, flow_set_up, flow_tear_down)
{
    struct flow *flow = *state;
    static const uint8_t event_of_metric_1[] = {0x32, 0x02, 0x68, 0x02};
    uint8_t events[300 * sizeof event_of_metric_1];
    for (size_t i = 0; i < sizeof events; i += sizeof event_of_metric_1)
        memcpy(events + i, event_of_metric_1, sizeof event_of_metric_1);
    int reader = make_pipe(flow);
    flow_open(flow, "--listen udp://127.0.0.1:0?schema=riemann "
                    "--sink file:DIRECTORY/pipe?overflow=drop_oldest");
    struct address to = flow_address(flow, 0);
    for (uint64_t i = 1; i <= 200; i++) {
        udp_sender_send(flow->sender, &to, events, sizeof events);
        flow_await_received(flow, 0, i);
    }
    read_to_the_end(flow, reader);
    const struct sink_totals *sink = &flow->final->sinks[0];
    assert_true(sink->evicted > 0);
    assert_int_equal(sink->written, 200 - sink->evicted - flow_refused_records(flow, 0));
    assert_int_equal(sink->lines, 300 * sink->written);
}

/* --- several listeners ------------------------------------------------------------------------ */

TEST_WITH(a_flooded_listener_evicts_nothing_of_another, flow_set_up, flow_tear_down)
{
    struct flow *flow = *state;
    int reader = make_pipe(flow);
    flow_open(flow, "--listen udp://127.0.0.1:0?schema=riemann "
                    "--listen udp://127.0.0.1:0?schema=riemann "
                    "--sink file:DIRECTORY/pipe?overflow=drop_oldest");
    flow_send_paced(flow, 0, 0, COUNT / 2);
    flow_send_paced(flow, 1, 0, 100);
    flow_await_received(flow, 1, 100);
    flow_send_paced(flow, 0, COUNT / 2, COUNT / 2);
    flow_await_received(flow, 0, COUNT);
    char address[ADDRESS_TEXT_SIZE], name[128];
    struct address quiet = flow_address(flow, 1);
    address_format(&quiet, address);
    snprintf(name, sizeof name, "\"listener\":\"udp://%s\"", address);
    read_to_the_end(flow, reader);
    const struct sink_totals *sink = &flow->final->sinks[0];
    assert_true(sink->evicted > 0);
    assert_int_equal(sink->written, COUNT + 100 - sink->evicted - flow_refused_records(flow, 0));
    uint8_t *seen = values_read(flow, name, 100);
    assert_int_equal(sum(seen, 0, 100), 100);
    free(seen);
}

/* --- captures --------------------------------------------------------------------------------- */

/* A capture does not lose records: with each overflow= it waits until the queue has room. */
static void a_capture_loses_nothing(struct flow *flow, const char *overflow)
{
    const struct memory_needs needs = {
        .producers = 2, .producer_threads = 2, .sinks = 1, .ingests = 2};
    char arguments[1024], memory[FLOW_MEMORY_SIZE];
    snprintf(arguments, sizeof arguments,
             "--listen pcap:CAPTURES/collectd_riemann_batchoff_v4.pcap?schema=riemann "
             "--listen pcap:CAPTURES/riemann_frag_v4_mtu1500.pcap?schema=riemann "
             "--sink file:OUTPUT?view=message&overflow=%s %s",
             overflow, flow_least_memory(&needs, memory));
    gate_shut(&flow->writing);
    flow_open(flow, arguments);
    flow_await_received(flow, 0, 10);
    gate_open(&flow->writing);
    flow_await_state(flow, PIPELINE_FINISHED);
    flow->final = pipeline_finish(flow->pipeline);
    assert_true(ledger_balances(flow->final));
    assert_int_equal(flow->final->sinks[0].written, 488 + 10);
    assert_int_equal(flow->final->sinks[0].evicted, 0);
    assert_int_equal(flow_refused_records(flow, 0), 0);
}

TEST_WITH(a_capture_loses_nothing_to_drop_oldest, flow_set_up, flow_tear_down)
{
    a_capture_loses_nothing(*state, "drop_oldest");
}

TEST_WITH(a_capture_loses_nothing_to_block, flow_set_up, flow_tear_down)
{
    a_capture_loses_nothing(*state, "block");
}

TEST_WITH(block_is_refused_where_a_socket_feeds_the_sink, flow_set_up, flow_tear_down)
{
    struct flow *flow = *state;
    struct error error = flow_open_fails(
        flow, "--listen pcap:CAPTURES/riemann_cli_v4.pcap?schema=riemann "
              "--listen udp://127.0.0.1:0?schema=riemann --sink file:OUTPUT?overflow=block");
    assert_int_equal(error.code, EXIT_CODE_CONFIG);
    assert_non_null(strstr(error.text, "udp://127.0.0.1:0"));
    assert_non_null(strstr(error.text, flow->output));
}
