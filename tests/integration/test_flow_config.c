/*
 * Tests reloads that change the configuration while datagrams arrive. Sinks that stay lose no
 * records, removed sinks end in order, and new sinks start with the next record. A failed reload
 * changes nothing.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "collector/pipeline/pipeline_levels.h"
#include "collector/platform/clock.h"
#include "collector/platform/tcp.h"
#include "collector/platform/udp.h"
#include "tests/support/pipeline/flow.h"
#include "tests/support/platform/patience.h"
#include "tests/support/platform/tcp_client.h"
#include "tests/support/test.h"

#define LISTEN  "--listen udp://127.0.0.1:0?schema=riemann"
#define TO_FILE " --sink file:OUTPUT"

/* The linker resolves the name to this function (ld(1), --wrap). */
uint64_t __wrap_udp_socket_errors(const struct udp_socket *socket);

static _Atomic uint64_t errors_of_each;

uint64_t __wrap_udp_socket_errors(const struct udp_socket *socket)
{
    (void)socket;
    return atomic_load(&errors_of_each);
}

static void take(struct flow *flow, const char *arguments)
{
    struct error error;
    if (!flow_take_config(flow, arguments, &error))
        fail_msg("%s", error.text);
}

static void assert_refused(struct flow *flow, const char *arguments, enum exit_code code,
                           const char *why)
{
    struct error error;
    assert_false(flow_take_config(flow, arguments, &error));
    assert_int_equal(error.code, code);
    if (strstr(error.text, why) == NULL)
        fail_msg("\"%s\" is not in \"%s\"", why, error.text);
}

/* Finds the sink in the final ledger by the end of its name. */
static const struct sink_totals *sink_named(const struct flow *flow, const char *end)
{
    for (size_t i = 0; i < flow->final->sink_count; i++) {
        const struct sink_totals *sink = &flow->final->sinks[i];
        if (strcmp(sink->name + strlen(sink->name) - strlen(end), end) == 0)
            return sink;
    }
    fail_msg("no sink ends in %s", end);
    return NULL;
}

static size_t count_lines(const struct flow *flow, const char *name)
{
    char path[600];
    snprintf(path, sizeof path, "%s/%s", flow->directory, name);
    struct lines lines = lines_read(path);
    size_t count = lines.count;
    assert_true(lines.whole);
    lines_free(&lines);
    return count;
}

TEST_WITH(levels_have_names_of_their_own, flow_set_up, flow_tear_down)
{
    struct flow *flow = *state;
    char expected[600];
    flow_open(flow, LISTEN TO_FILE " --sink file:DIRECTORY/early");
    struct pipeline_levels *levels = pipeline_read_levels(flow->pipeline);
    take(flow, LISTEN TO_FILE);
    take(flow, LISTEN TO_FILE "?flush_interval=1s");
    snprintf(expected, sizeof expected, "file:%s/early", flow->directory);
    assert_memory_equal(levels->listeners[0].name, "udp://127.0.0.1:", 16);
    assert_string_equal(levels->sinks[1].name, expected);
    pipeline_levels_free(levels);
    flow_finish(flow, 20000);
}

static size_t granted(const struct flow *flow)
{
    struct pipeline_levels *levels = pipeline_read_levels(flow->pipeline);
    size_t bytes = levels->listeners[0].buffer_granted;
    pipeline_levels_free(levels);
    return bytes;
}

TEST_WITH(levels_have_the_receive_buffer_that_a_reload_has_changed, flow_set_up, flow_tear_down)
{
    struct flow *flow = *state;
    flow_open(flow, LISTEN "&receive_buffer=64KiB" TO_FILE);
    size_t before = granted(flow);
    take(flow, LISTEN "&receive_buffer=128KiB" TO_FILE);
    assert_true(granted(flow) > before);
    flow_finish(flow, 20000);
}

/* --- sinks ------------------------------------------------------------------------------------ */

TEST_WITH(a_sink_that_comes_gets_what_comes_next, flow_set_up, flow_tear_down)
{
    struct flow *flow = *state;
    flow_open(flow, LISTEN TO_FILE);
    flow_send_paced(flow, 0, 0, 100);
    flow_await_received(flow, 0, 100);
    take(flow, LISTEN TO_FILE " --sink file:DIRECTORY/late");
    flow_send_paced(flow, 0, 100, 50);
    flow_finish(flow, 20000);
    assert_int_equal(flow_values(flow, "", 150), 150);
    assert_int_equal(sink_named(flow, "/late")->offered, 50);
    assert_int_equal(count_lines(flow, "late"), 50);
}

TEST_WITH(a_sink_that_goes_writes_what_it_was_given, flow_set_up, flow_tear_down)
{
    struct flow *flow = *state;
    flow_open(flow, LISTEN TO_FILE " --sink file:DIRECTORY/early");
    flow_send_paced(flow, 0, 0, 100);
    flow_await_received(flow, 0, 100);
    take(flow, LISTEN TO_FILE);
    flow_send_paced(flow, 0, 100, 50);
    flow_finish(flow, 20000);
    assert_int_equal(flow_values(flow, "", 150), 150);
    assert_true(sink_named(flow, "/early")->retired);
    assert_false(sink_named(flow, "/output")->retired);
    assert_int_equal(sink_named(flow, "/early")->written, 100);
    assert_int_equal(count_lines(flow, "early"), 100);
}

/* The old sink waits in its first write. The new sink writes only after the old one has ended. */
TEST_WITH(a_sink_that_changes_writes_after_its_predecessor, flow_set_up, flow_tear_down)
{
    struct flow *flow = *state;
    flow_open(flow, LISTEN TO_FILE);
    gate_shut(&flow->writing);
    flow_send(flow, 0, 0, 10);
    gate_await_arrivals(&flow->writing, 1);
    take(flow, LISTEN TO_FILE "?format=influx&flush_interval=1h");
    flow_send(flow, 0, 10, 10);
    flow_await_received(flow, 0, 20);
    take(flow, LISTEN TO_FILE "?format=influx");
    flow_send(flow, 0, 20, 10);
    flow_await_received(flow, 0, 30);
    gate_open(&flow->writing);
    flow_finish(flow, 20000);

    struct lines lines = lines_read(flow->output);
    assert_int_equal(lines_with(&lines, "{"), 10);
    const char *first_new = strstr(lines.text, "\nrequests");
    assert_non_null(first_new);
    assert_null(strchr(first_new, '{'));
    assert_int_equal(lines.count, 30);
    lines_free(&lines);
    assert_int_equal(flow->final->sink_count, 2);
}

TEST_WITH(a_sink_that_comes_back_counts_on, flow_set_up, flow_tear_down)
{
    struct flow *flow = *state;
    flow_open(flow, LISTEN TO_FILE " --sink file:DIRECTORY/other");
    for (uint64_t i = 0; i < 6; i++) {
        flow_send_paced(flow, 0, 10 * i, 10);
        flow_await_received(flow, 0, 10 * i + 10);
        take(flow, i % 2 == 0 ? LISTEN TO_FILE : LISTEN TO_FILE " --sink file:DIRECTORY/other");
    }
    flow_finish(flow, 20000);
    assert_int_equal(flow->final->sink_count, 2);
    assert_int_equal(sink_named(flow, "/other")->written, 30);
    assert_int_equal(count_lines(flow, "other"), 30);
}

/* The memory for more sinks is taken from the queues of all sinks, and returned to them later. */
TEST_WITH(all_sinks_share_the_memory, flow_set_up, flow_tear_down)
{
    struct flow *flow = *state;
    static const char more[] = LISTEN TO_FILE " --sink file:DIRECTORY/a --sink file:DIRECTORY/b";
    flow_open(flow, LISTEN TO_FILE);
    for (uint64_t i = 0; i < 10; i++) {
        take(flow, i % 2 == 0 ? more : LISTEN TO_FILE);
        flow_send_paced(flow, 0, 1000 * i, 1000);
    }
    flow_finish(flow, 20000);
    assert_int_equal(flow_refused_records(flow, 0), 0);
    assert_int_equal(flow->final->listeners[0].reasons[REASON_NO_BUFFER], 0);
    assert_int_equal(flow_values(flow, "", 10000), 10000);
}

/* --- listeners -------------------------------------------------------------------------------- */

TEST_WITH(a_listener_that_comes_is_received, flow_set_up, flow_tear_down)
{
    struct flow *flow = *state;
    flow_open(flow, LISTEN TO_FILE);
    flow_send_paced(flow, 0, 0, 10);
    take(flow, LISTEN " " LISTEN "&max_datagram=100B" TO_FILE);
    flow_send_paced(flow, 1, 0, 20);
    flow_finish(flow, 20000);
    assert_int_equal(flow->final->listeners[0].decoded, 10);
    assert_int_equal(flow->final->listeners[1].decoded, 20);
    assert_int_equal(flow->final->sinks[0].written, 30);
}

/* Waits until the tap gets a batch. The batch must contain one record. */
static void await_watched(struct tap *tap)
{
    struct batch *batch;
    int64_t until = patience_until();
    while ((batch = tap_next(tap)) == NULL)
        if (!patience(until))
            fail_msg("nothing that passed was seen");
    assert_int_equal(batch->count, 1);
    tap_done(tap, batch);
}

/* A stream listener has its own thread, which also passes batches to the tap. */
TEST_WITH(a_listener_of_streams_that_comes_is_watched_too, flow_set_up, flow_tear_down)
{
    struct flow *flow = *state;
    static const uint8_t frame[4] = {0};
    size_t sent;
    flow_open(flow, LISTEN TO_FILE " --control unix:unused");
    tap_set(pipeline_tap(flow->pipeline), TAP_TAKING);
    take(flow,
         LISTEN " --listen tcp://127.0.0.1:0?schema=riemann" TO_FILE " --control unix:unused");
    struct address address = flow_address(flow, 1);
    wait_handle client = tcp_client_connect(&address);
    int64_t until = patience_until();
    while (tcp_connection_send(client, frame, sizeof frame, &sent) != TCP_OK)
        assert_true(patience(until));
    await_watched(pipeline_tap(flow->pipeline));
    tcp_connection_close(client);
    flow_finish(flow, 20000);
    assert_int_equal(flow->final->listeners[1].received, 1);
}

TEST_WITH(a_listener_that_comes_has_its_share_of_a_slow_sink, flow_set_up, flow_tear_down)
{
    struct flow *flow = *state;
    gate_shut(&flow->writing);
    flow_open(flow, LISTEN TO_FILE);
    take(flow, LISTEN " " LISTEN "&max_datagram=100B" TO_FILE);
    uint64_t sent = 0;
    uint64_t refused[REFUSAL_COUNT] = {0};
    while (refused[REFUSED_LISTENER_SHARE] == 0) {
        flow_send(flow, 0, sent, FLOW_CHUNK);
        sent += FLOW_CHUNK;
        flow_await_received(flow, 0, sent);
        struct ledger_snapshot *snapshot = pipeline_snapshot(flow->pipeline);
        memcpy(refused, snapshot->sinks[0].refused, sizeof refused);
        ledger_snapshot_free(snapshot);
        assert_int_equal(refused[REFUSED_RING_FULL], 0);
    }
    flow_send(flow, 1, 0, 100);
    flow_await_received(flow, 1, 100);
    gate_open(&flow->writing);
    flow_finish(flow, 20000);
    assert_int_equal(flow->final->listeners[1].decoded, 100);
    assert_int_equal(flow->final->sinks[0].refused[REFUSED_RING_FULL], 0);
}

/* Datagrams that the kernel had queued are received. Later ones find no socket. */
TEST_WITH(a_listener_that_goes_is_drained, flow_set_up, flow_tear_down)
{
    struct flow *flow = *state;
    flow_open(flow, LISTEN " " LISTEN "&max_datagram=100B" TO_FILE);
    for (uint64_t i = 0; i < 20; i++) {
        flow_send(flow, 0, 10 * i, 10);
        take(flow, LISTEN TO_FILE);
        take(flow, LISTEN " " LISTEN "&max_datagram=100B" TO_FILE);
    }
    struct address gone = flow_address(flow, 1);
    flow_send(flow, 1, 1000, 10);
    take(flow, LISTEN TO_FILE);
    udp_sender_send(flow->sender, &gone, "late", 4);
    flow_send(flow, 0, 200, 10);
    flow_finish(flow, 20000);
    const struct listener_totals *last = &flow->final->listeners[flow->final->listener_count - 1];
    assert_true(last->retired);
    assert_int_equal(last->decoded, 10);
    assert_int_equal(flow->final->listeners[0].decoded, 210);
    assert_false(flow->final->listeners[0].retired);
}

TEST_WITH(a_listeners_keys_change_while_its_socket_stays, flow_set_up, flow_tear_down)
{
    struct flow *flow = *state;
    flow_open(flow, LISTEN TO_FILE);
    struct address before = flow_address(flow, 0);
    flow_send_paced(flow, 0, 0, 10);
    flow_await_received(flow, 0, 10);
    take(flow, LISTEN "&max_datagram=1B&receive_buffer=64KiB" TO_FILE);
    flow_send(flow, 0, 10, 5);
    flow_await_received(flow, 0, 15);
    take(flow, LISTEN "&deny=127.0.0.0/8" TO_FILE);
    flow_send(flow, 0, 15, 4);
    flow_await_received(flow, 0, 19);
    take(flow, LISTEN "&rate_limit=1" TO_FILE);
    flow_send(flow, 0, 19, 3);
    flow_await_received(flow, 0, 22);
    take(flow, "--listen udp://127.0.0.1:0?schema=telemetry" TO_FILE);
    flow_send(flow, 0, 22, 2);
    flow_await_received(flow, 0, 24);
    take(flow, LISTEN TO_FILE);
    flow_send(flow, 0, 24, 1);
    struct address after = flow_address(flow, 0);
    flow_finish(flow, 20000);
    assert_int_equal(before.port, after.port);
    const struct listener_totals *listener = &flow->final->listeners[0];
    assert_int_equal(flow->final->listener_count, 1);
    assert_int_equal(listener->received, 25);
    assert_int_equal(listener->reasons[REASON_TRUNCATED], 5);
    assert_int_equal(listener->reasons[REASON_SOURCE_DENIED], 4);
    assert_int_equal(listener->reasons[REASON_RATE_LIMITED], 2);
    assert_int_equal(listener->decoded + listener->reasons[REASON_MALFORMED], 25 - 11);
    assert_string_equal(listener->schema, "riemann");
}

TEST_WITH(a_listener_beside_one_that_changes_stays_as_it_is, flow_set_up, flow_tear_down)
{
    struct flow *flow = *state;
    flow_open(flow,
              LISTEN " --listen udp://[::1]:0?schema=riemann " LISTEN "&max_datagram=100B" TO_FILE);
    take(flow, LISTEN "&max_datagram=1B --listen udp://[::1]:0?schema=riemann " LISTEN
                      "&max_datagram=100B" TO_FILE);
    flow_send(flow, 0, 0, 5);
    flow_await_received(flow, 0, 5);
    flow_send(flow, 2, 0, 5);
    flow_await_received(flow, 2, 5);
    flow_finish(flow, 20000);
    assert_int_equal(flow->final->listeners[0].reasons[REASON_TRUNCATED], 5);
    assert_int_equal(flow->final->listeners[2].decoded, 5);
}

static int tear_down_errors(void **state)
{
    atomic_store(&errors_of_each, 0);
    return flow_tear_down(state);
}

/* The totals of the ledger include a removed listener, also after it is added again. */
TEST_WITH(a_listener_that_comes_back_counts_its_sockets_errors_on, flow_set_up, tear_down_errors)
{
    struct flow *flow = *state;
    static const char other[] = "--listen udp://[::1]:0?schema=riemann" TO_FILE;
    char listen[128];
    atomic_store(&errors_of_each, 3);
    flow_open(flow, LISTEN TO_FILE);
    snprintf(listen, sizeof listen, "--listen udp://127.0.0.1:%u?schema=riemann" TO_FILE,
             (unsigned)flow_address(flow, 0).port);
    take(flow, other);
    take(flow, other); /* waits until the removed listener is gone */
    take(flow, listen);
    flow_finish(flow, 20000);
    assert_int_equal(flow->final->listener_count, 2);
    assert_int_equal(flow->final->listeners[0].receive_errors, 6);
    assert_int_equal(flow->final->listeners[1].receive_errors, 3);
}

/* A removed listener still applies allow= and deny= while its socket is drained. */
TEST_WITH(a_listener_that_goes_knows_to_the_end_who_may_send, flow_set_up, flow_tear_down)
{
    struct flow *flow = *state;
    flow_open(flow, LISTEN TO_FILE);
    for (uint64_t i = 0; i < 10; i++) {
        take(flow, LISTEN " " LISTEN "&deny=10.0.0.0/8&allow=127.0.0.0/8" TO_FILE);
        flow_send(flow, 1, 100 * i, 100);
        take(flow, LISTEN TO_FILE);
        pipeline_state(flow->pipeline);
    }
    flow_finish(flow, 20000);
    assert_int_equal(flow->final->sinks[0].written, 1000);
}

/* --- sockets and sinks that cannot be opened -------------------------------------------------- */

TEST_WITH(what_cannot_be_had_changes_nothing, flow_set_up, flow_tear_down)
{
    struct flow *flow = *state;
    char taken[256];
    flow_open(flow, LISTEN " " LISTEN TO_FILE);
    flow_send_paced(flow, 0, 0, 10);
    assert_refused(flow, LISTEN " --sink file:DIRECTORY/none/file --sink file:DIRECTORY/new",
                   EXIT_CODE_CANNOT_CREATE, "none/file");
    assert_refused(flow, LISTEN " " LISTEN TO_FILE " --memory 1MiB", EXIT_CODE_CONFIG, "--memory");
    struct udp_sender *occupant = udp_sender_open(ADDRESS_IPV4);
    struct address its = udp_sender_address(occupant);
    snprintf(taken, sizeof taken,
             LISTEN " --listen udp://127.0.0.1:%u?schema=riemann --sink file:DIRECTORY/new",
             (unsigned)its.port);
    assert_refused(flow, taken, EXIT_CODE_CANNOT_BIND, "cannot bind");
    udp_sender_close(occupant);
    flow_send_paced(flow, 0, 10, 10);
    flow_send_paced(flow, 1, 0, 10);
    flow_finish(flow, 20000);
    assert_int_equal(flow->final->listener_count, 2);
    assert_int_equal(flow->final->sink_count, 1);
    assert_int_equal(flow->final->listeners[0].decoded, 20);
    assert_int_equal(flow->final->listeners[1].decoded, 10);
    assert_int_equal(flow->final->sinks[0].written, 30);
}

/* The reload binds one socket and changes another before it fails to bind the last one. */
TEST_WITH(sockets_are_what_they_were_when_the_last_cannot_be_bound, flow_set_up, flow_tear_down)
{
    struct flow *flow = *state;
    char taken[512];
    flow_open(flow, LISTEN TO_FILE);
    struct udp_sender *occupant = udp_sender_open(ADDRESS_IPV4);
    struct address its = udp_sender_address(occupant);
    snprintf(taken, sizeof taken,
             LISTEN "&max_datagram=1B " LISTEN
                    " --listen udp://127.0.0.1:%u?schema=riemann" TO_FILE,
             (unsigned)its.port);
    for (int i = 0; i < 3; i++)
        assert_refused(flow, taken, EXIT_CODE_CANNOT_BIND, "cannot bind");
    udp_sender_close(occupant);
    flow_send_paced(flow, 0, 0, 10);
    flow_await_received(flow, 0, 10);
    take(flow, taken);
    flow_send_paced(flow, 2, 0, 10);
    flow_finish(flow, 20000);
    assert_int_equal(flow->final->listeners[0].decoded, 10);
    assert_int_equal(flow->final->sinks[0].written, 20);
}

/*
 * Creates a file of another program with the name of the rotating sink's next file. So the reload
 * fails only when it opens the sink.
 */
static void put_in_the_way(const struct flow *flow)
{
    char path[600];
    snprintf(path, sizeof path, "%s/output.part", flow->directory);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("somebody else's\n", file);
    fclose(file);
}

static int64_t fails_since(const struct flow *flow)
{
    struct pipeline_levels *levels = pipeline_read_levels(flow->pipeline);
    assert_non_null(levels);
    int64_t since_ns = levels->sinks[0].condition.fails_since_ns;
    pipeline_levels_free(levels);
    return since_ns;
}

static void await_failure(struct flow *flow)
{
    int64_t until = patience_until();
    while (fails_since(flow) == 0) {
        assert_true(patience(until));
        pipeline_state(flow->pipeline);
        wakeup_wait(flow->changed, NO_HANDLE, false, 10);
    }
}

TEST_WITH(a_sink_that_cannot_be_opened_is_in_nobodys_way_for_ever, flow_set_up, flow_tear_down)
{
    struct flow *flow = *state;
    flow_open(flow, LISTEN TO_FILE);
    flow_send_paced(flow, 0, 0, 10);
    flow_await_written(flow, 0, 10);
    put_in_the_way(flow);
    take(flow, LISTEN TO_FILE "?rotate_size=1MiB --stop-timeout 100ms");
    flow_send_paced(flow, 0, 10, 10);
    flow_await_received(flow, 0, 20);
    take(flow, LISTEN TO_FILE " --stop-timeout 100ms");
    flow_send_paced(flow, 0, 20, 10);
    flow_await_received(flow, 0, 30);
    flow_finish(flow, 20000);
    uint64_t written = 0, failed = 0;
    for (size_t i = 0; i < flow->final->sink_count; i++) {
        written += flow->final->sinks[i].written;
        failed += flow->final->sinks[i].failed[FAILED_IO_ERROR];
    }
    assert_int_equal(written, 20);
    assert_int_equal(failed, 10);
    assert_int_equal(flow_values(flow, "", 30), 20);
}

TEST_WITH(a_sink_that_never_could_be_opened_does_not_keep_a_stop, flow_set_up, flow_tear_down)
{
    struct flow *flow = *state;
    flow_open(flow, LISTEN TO_FILE);
    flow_send_paced(flow, 0, 0, 10);
    flow_await_written(flow, 0, 10);
    put_in_the_way(flow);
    take(flow, LISTEN TO_FILE "?rotate_size=1MiB");
    flow_send_paced(flow, 0, 10, 10);
    flow_await_received(flow, 0, 20);
    await_failure(flow);
    flow_finish(flow, 500);
    assert_int_equal(flow->final->sinks[1].failed[FAILED_IO_ERROR], 10);
}

TEST_WITH(what_only_a_start_can_change_is_refused_by_name, flow_set_up, flow_tear_down)
{
    struct flow *flow = *state;
    flow_open(flow, LISTEN " " LISTEN TO_FILE);
#define TWO LISTEN " " LISTEN TO_FILE
    assert_refused(flow, TWO " --duration 1h", EXIT_CODE_CONFIG, "--duration");
    assert_refused(flow, TWO " --max-datagrams 5", EXIT_CODE_CONFIG, "--max-datagrams");
    assert_refused(flow, TWO " --dead-letter file:DIRECTORY/letters", EXIT_CODE_CONFIG,
                   "--dead-letter");
    assert_refused(flow, LISTEN "&receivers=2 " LISTEN TO_FILE, EXIT_CODE_CONFIG, "receivers=");
    assert_refused(flow, TWO " " LISTEN "&receivers=2", EXIT_CODE_CONFIG, "receivers=");
    assert_refused(flow, TWO " --listen pcap:CAPTURES/otlp_logs_v4.pcap?schema=otlp-logs",
                   EXIT_CODE_CONFIG, "capture");
    flow_send_paced(flow, 0, 0, 10);
    flow_finish(flow, 20000);
    assert_int_equal(flow->final->sinks[0].written, 10);
}

TEST_WITH(a_capture_that_is_read_cannot_be_taken_away, flow_set_up, flow_tear_down)
{
    struct flow *flow = *state;
    flow_open(flow, LISTEN " --listen pcap:CAPTURES/riemann_cli_v4.pcap?schema=riemann" TO_FILE);
    assert_refused(flow, LISTEN TO_FILE, EXIT_CODE_CONFIG, "a capture is always read to its end");
    flow_send_paced(flow, 0, 0, 10);
    flow_finish(flow, 20000);
    assert_int_equal(flow->final->listeners[0].decoded, 10);
}

TEST_WITH(a_receiver_that_does_not_answer_leaves_all_as_it_is, flow_set_up, flow_tear_down)
{
    struct flow *flow = *state;
    flow_open(flow, LISTEN TO_FILE);
    gate_shut(&flow->receiving);
    flow_send(flow, 0, 0, 10);
    gate_await_arrivals(&flow->receiving, 1);
    assert_refused(flow, LISTEN TO_FILE " --sink file:DIRECTORY/new", EXIT_CODE_INTERNAL,
                   "did not pause in time");
    gate_open(&flow->receiving);
    flow_await_written(flow, 0, 10);
    take(flow, LISTEN TO_FILE " --sink file:DIRECTORY/new");
    flow_send(flow, 0, 10, 10);
    flow_finish(flow, 20000);
    assert_int_equal(flow->final->sinks[0].written, 20);
    assert_int_equal(sink_named(flow, "/new")->written, 10);
}

/* --- again and again -------------------------------------------------------------------------- */

TEST_WITH(who_stays_misses_nothing_of_many_changes, flow_set_up, flow_tear_down)
{
    struct flow *flow = *state;
    static const char *const configs[] = {
        LISTEN TO_FILE,
        LISTEN TO_FILE " --sink file:DIRECTORY/a",
        LISTEN " " LISTEN "&max_datagram=200B" TO_FILE " --sink file:DIRECTORY/a?format=csv",
        LISTEN "&receive_buffer=8MiB" TO_FILE
               " --sink file:DIRECTORY/b --sink file:DIRECTORY/a?format=csv",
    };
    const uint64_t changes = TEST_TRIES(200);
    flow_open(flow, configs[0]);
    for (uint64_t i = 0; i < changes; i++) {
        flow_await_received(flow, 0, 100 * i);
        flow_send(flow, 0, 100 * i, 100);
        take(flow, configs[(i + 1) % 4]);
    }
    flow_finish(flow, 20000);
    assert_int_equal(flow->final->listeners[0].decoded, 100 * changes);
    assert_int_equal(flow->final->listeners[0].kernel_drops, 0);
    assert_int_equal(flow->final->sinks[0].written, 100 * changes);
    assert_int_equal(flow_values(flow, "", 100 * changes), 100 * changes);
    assert_in_range(flow->final->sink_count, 3, 4);
}
