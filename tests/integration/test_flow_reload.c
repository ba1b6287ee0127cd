/*
 * Tests reloads that replace schemas while the pipeline has records. Each record keeps its schema,
 * each schema is freed, and no thread waits. If a freed fake schema is used, the program ends.
 */
#include <stdio.h>
#include <string.h>

#include "tests/support/contract/fake_schema.h"
#include "tests/support/pipeline/flow.h"
#include "tests/support/test.h"

#define FAKE    "schema=fake.desc&message=a.Fake"
#define LISTEN  "--listen udp://127.0.0.1:0?"
#define TO_FILE " --sink file:OUTPUT?view=message"

static struct flow *hooked; /* for fake_schema_making, which has no context */

static struct error error;

static int set_up(void **state)
{
    int result = flow_set_up(state);
    fake_schemas = (struct fake_schemas){0};
    hooked = *state;
    hooked->schema_from_file = &fake_schema;
    return result;
}

static int tear_down(void **state)
{
    fake_schema_making = NULL;
    int result = flow_tear_down(state);
    return result != 0 || fake_schemas.living != 0 ? -1 : 0;
}

static void send_text(struct flow *flow, size_t listener, const char *text)
{
    struct address to = flow_address(flow, listener);
    udp_sender_send(flow->sender, &to, text, strlen(text));
}

static struct listener_totals listener_now(const struct flow *flow)
{
    struct ledger_snapshot *snapshot = pipeline_snapshot(flow->pipeline);
    assert_non_null(snapshot);
    struct listener_totals totals = snapshot->listeners[0];
    ledger_snapshot_free(snapshot);
    return totals;
}

static void assert_made_by(const struct flow *flow, int number, size_t count)
{
    char text[32];
    struct lines lines = lines_read(flow->output);
    snprintf(text, sizeof text, "{\"made\":%d,", number);
    assert_int_equal(lines_with(&lines, text), count);
    lines_free(&lines);
}

TEST_WITH(what_comes_after_a_reload_has_the_new_schema, set_up, tear_down)
{
    struct flow *flow = *state;
    flow_open(flow, LISTEN FAKE TO_FILE);
    for (int i = 1; i <= 3; i++) {
        send_text(flow, 0, "text");
        flow_await_written(flow, 0, (uint64_t)i);
        assert_int_equal(pipeline_reload(flow->pipeline, &error), 0);
    }
    flow_finish(flow, 20000);
    for (int i = 1; i <= 3; i++)
        assert_made_by(flow, i, 1);
}

TEST_WITH(listeners_with_the_same_keys_share_a_schema, set_up, tear_down)
{
    struct flow *flow = *state;
    flow_open(flow, LISTEN FAKE " " LISTEN FAKE " " LISTEN FAKE "&framing=delimited" TO_FILE);
    assert_int_equal(fake_schemas.living, 2);
    assert_int_equal(pipeline_reload(flow->pipeline, &error), 0);
    assert_int_equal(fake_schemas.living, 2);
    for (size_t i = 0; i < 2; i++) {
        send_text(flow, i, "text");
        flow_await_written(flow, 0, i + 1);
    }
    flow_finish(flow, 20000);
    assert_made_by(flow, 3, 2);
}

/*
 * The sink waits in its first write. A reload replaces the schema before each of the nine batches
 * in its queue.
 */
TEST_WITH(what_is_on_its_way_keeps_its_schema, set_up, tear_down)
{
    struct flow *flow = *state;
    gate_shut(&flow->writing);
    flow_open(flow, LISTEN FAKE TO_FILE);
    send_text(flow, 0, "first");
    gate_await_arrivals(&flow->writing, 1);
    for (uint64_t i = 2; i <= 10; i++) {
        assert_int_equal(pipeline_reload(flow->pipeline, &error), 0);
        send_text(flow, 0, "text");
        flow_await_offered(flow, 0, i);
    }
    assert_int_equal(fake_schemas.living, 9);
    assert_int_equal(pipeline_reload(flow->pipeline, &error), 0);
    assert_int_equal(fake_schemas.living, 10);
    gate_open(&flow->writing);
    flow_await_written(flow, 0, 10);
    flow_finish(flow, 20000);
    assert_int_equal(fake_schemas.living, 1);
    for (int i = 1; i <= 10; i++)
        assert_made_by(flow, i, 1);
}

/*
 * There are two receivers and two sinks, of which one writes samples and the other one messages.
 * The sinks stall repeatedly.
 */
TEST_WITH(reloads_under_load_free_nothing_that_is_used, set_up, tear_down)
{
    struct flow *flow = *state;
    flow_open(flow, LISTEN FAKE "&value=v&match=magic:41&" FAKE "&framing=delimited&receivers=2"
                                " --sink file:OUTPUT --sink file:DIRECTORY/second?view=message");
    for (uint64_t i = 0; i < 100; i++) {
        if (i % 10 == 0)
            gate_shut(&flow->writing);
        for (int k = 0; k < 10; k++) {
            send_text(flow, 0, "A sample");
            send_text(flow, 0, "\1a\2bc");
        }
        flow_await_received(flow, 0, 20 * i);
        assert_int_equal(pipeline_reload(flow->pipeline, &error), 0);
        if (i % 10 == 9)
            gate_open(&flow->writing);
    }
    flow_finish(flow, 20000);
    assert_int_equal(fake_schemas.made, 202);
    assert_int_equal(fake_schemas.living, 2);
    const struct listener_totals *listener = &flow->final->listeners[0];
    assert_int_equal(listener->received + listener->kernel_drops, 2000);
    assert_int_equal(listener->decoded, listener->received);
}

static void send_and_await_written(void)
{
    if (fake_schemas.made == 0)
        return;
    for (int i = 0; i < 10; i++)
        send_text(hooked, 0, "text");
    flow_await_written(hooked, 0, 10);
}

TEST_WITH(nobody_waits_for_a_schema_that_is_being_made, set_up, tear_down)
{
    struct flow *flow = *state;
    flow_open(flow, LISTEN FAKE TO_FILE);
    fake_schema_making = send_and_await_written;
    assert_int_equal(pipeline_reload(flow->pipeline, &error), 0);
    flow_finish(flow, 20000);
    assert_made_by(flow, 1, 10);
}

static void fail_at_the_fourth(void)
{
    atomic_store(&fake_schemas.fail, fake_schemas.made == 3);
}

TEST_WITH(if_one_cannot_be_made_all_the_old_ones_go_on, set_up, tear_down)
{
    struct flow *flow = *state;
    flow_open(flow, LISTEN FAKE " " LISTEN "schema=other.desc&message=a.Fake" TO_FILE);
    fake_schema_making = fail_at_the_fourth;
    assert_int_equal(pipeline_reload(flow->pipeline, &error), -1);
    assert_int_equal(fake_schemas.made, 3);
    assert_int_equal(fake_schemas.living, 2);
    send_text(flow, 0, "text");
    send_text(flow, 1, "text");
    flow_finish(flow, 20000);
    assert_made_by(flow, 1, 1);
    assert_made_by(flow, 2, 1);
}

TEST_WITH(a_schema_that_loses_its_samples_is_not_taken_where_they_are_asked_for, set_up, tear_down)
{
    struct flow *flow = *state;
    flow_open(flow, LISTEN FAKE "&value=v --sink file:OUTPUT?view=sample");
    atomic_store(&fake_schemas.bare, true);
    assert_int_equal(pipeline_reload(flow->pipeline, &error), -1);
    assert_int_equal(fake_schemas.living, 1);
    send_text(flow, 0, "text");
    flow_finish(flow, 20000);
    assert_int_equal(flow->final->sinks[0].samples, 1);
}

/* A tap whose request names no schema shows the records of both schemas. */
TEST_WITH(a_schema_that_loses_its_samples_is_shown_as_messages, set_up, tear_down)
{
    struct flow *flow = *state;
    flow_open(flow, LISTEN FAKE "&value=v --sink file:OUTPUT");
    send_text(flow, 0, "text");
    flow_await_written(flow, 0, 1);
    atomic_store(&fake_schemas.bare, true);
    assert_int_equal(pipeline_reload(flow->pipeline, &error), 0);
    send_text(flow, 0, "text");
    flow_finish(flow, 20000);
    assert_int_equal(flow->final->sinks[0].samples, 1);
    assert_int_equal(flow->final->sinks[0].lines, 2);
}

/* --- senders' numbers across a reload --------------------------------------------------------- */

#define NUMBERED "&sequence=n"

static void send_numbers(struct flow *flow, uint64_t first, uint64_t last)
{
    char text[32];
    uint64_t before = listener_now(flow).received;
    for (uint64_t number = first; number <= last; number++) {
        snprintf(text, sizeof text, "#%llu", (unsigned long long)number);
        send_text(flow, 0, text);
    }
    flow_await_received(flow, 0, before + last - first + 1);
}

static void take(struct flow *flow, const char *arguments)
{
    if (!flow_take_config(flow, arguments, &error))
        fail_msg("%s", error.text);
}

static void assert_balances(const struct flow *flow, uint64_t sent, uint64_t lost)
{
    const struct listener_totals *listener = &flow->final->listeners[0];
    assert_int_equal(listener->received, sent);
    assert_int_equal(listener->decoded, sent);
    assert_int_equal(flow->final->sinks[0].written, sent);
    assert_int_equal(listener->lost, lost);
}

TEST_WITH(what_comes_while_a_schema_is_not_numbered_is_not_lost, set_up, tear_down)
{
    struct flow *flow = *state;
    flow_open(flow, LISTEN FAKE NUMBERED TO_FILE);
    send_numbers(flow, 1, 100);
    take(flow, LISTEN FAKE TO_FILE);
    send_numbers(flow, 101, 400);
    take(flow, LISTEN FAKE NUMBERED TO_FILE);
    send_numbers(flow, 401, 500);
    flow_finish(flow, 20000);
    assert_balances(flow, 500, 0);
    assert_int_equal(flow->final->listeners[0].senders, 2);
}

TEST_WITH(what_comes_while_another_schema_takes_it_is_not_lost, set_up, tear_down)
{
    struct flow *flow = *state;
    flow_open(flow, LISTEN FAKE NUMBERED TO_FILE);
    send_numbers(flow, 1, 10);
    take(flow, LISTEN FAKE "&match=magic:23&" FAKE NUMBERED TO_FILE);
    send_numbers(flow, 11, 20);
    take(flow, LISTEN FAKE NUMBERED TO_FILE);
    send_numbers(flow, 21, 30);
    flow_finish(flow, 20000);
    assert_balances(flow, 30, 0);
}

/* Number 2 is missing. It counts as lost when the schema changes, not before. */
TEST_WITH(what_was_lost_before_a_schema_changes_is_counted_when_it_does, set_up, tear_down)
{
    struct flow *flow = *state;
    flow_open(flow, LISTEN FAKE NUMBERED TO_FILE);
    send_numbers(flow, 1, 1);
    send_numbers(flow, 3, 10);
    assert_int_equal(listener_now(flow).lost, 0);
    take(flow, LISTEN FAKE TO_FILE);
    assert_int_equal(listener_now(flow).lost, 1);
    send_numbers(flow, 12, 20);
    take(flow, LISTEN FAKE NUMBERED TO_FILE);
    send_numbers(flow, 21, 21);
    send_numbers(flow, 24, 25);
    flow_finish(flow, 20000);
    assert_balances(flow, 21, 3);
}

TEST_WITH(a_change_that_leaves_the_numbers_as_they_are_leaves_the_windows, set_up, tear_down)
{
    struct flow *flow = *state;
    flow_open(flow, LISTEN FAKE NUMBERED TO_FILE);
    send_numbers(flow, 1, 2);
    take(flow, LISTEN FAKE NUMBERED "&value=v&max_decoded=512KiB " LISTEN FAKE TO_FILE);
    send_numbers(flow, 4, 4);
    assert_int_equal(pipeline_reload(flow->pipeline, &error), 0);
    send_numbers(flow, 6, 6);
    take(flow, LISTEN FAKE NUMBERED TO_FILE);
    send_numbers(flow, 3, 3);
    assert_int_equal(listener_now(flow).reordered, 1);
    flow_finish(flow, 20000);
    assert_balances(flow, 5, 1);
    assert_int_equal(flow->final->listeners[0].senders, 1);
}

TEST_WITH(listeners_that_become_alike_keep_their_windows_apart, set_up, tear_down)
{
    struct flow *flow = *state;
    flow_open(flow, LISTEN FAKE NUMBERED " " LISTEN "schema=other.desc&message=a.Fake" TO_FILE);
    send_numbers(flow, 1, 2);
    take(flow, LISTEN FAKE NUMBERED " " LISTEN FAKE NUMBERED TO_FILE);
    send_numbers(flow, 4, 4);
    send_text(flow, 1, "#100");
    flow_finish(flow, 20000);
    assert_int_equal(flow->final->listeners[0].lost, 1);
    assert_int_equal(flow->final->listeners[0].senders, 1);
    assert_int_equal(flow->final->listeners[1].lost, 0);
    assert_int_equal(flow->final->listeners[1].senders, 1);
}

/* At first the listeners' schemas differ, but not in their sequence numbers. */
TEST_WITH(listeners_that_become_alike_keep_their_windows, set_up, tear_down)
{
    struct flow *flow = *state;
    flow_open(flow, LISTEN FAKE NUMBERED " " LISTEN FAKE NUMBERED "&value=v" TO_FILE);
    send_text(flow, 1, "#1");
    flow_await_received(flow, 1, 1);
    take(flow, LISTEN FAKE NUMBERED " " LISTEN FAKE NUMBERED TO_FILE);
    send_text(flow, 1, "#4");
    flow_await_received(flow, 1, 2);
    flow_finish(flow, 20000);
    assert_int_equal(flow->final->listeners[1].senders, 1);
    assert_int_equal(flow->final->listeners[1].lost, 2);
}

/* A reload waits until a removed listener is gone. So it is gone when the next reload begins. */
TEST_WITH(a_listener_that_comes_back_begins_new_windows, set_up, tear_down)
{
    struct flow *flow = *state;
    char listen[128], arguments[640];
    flow_open(flow, LISTEN FAKE NUMBERED TO_FILE);
    snprintf(listen, sizeof listen, "--listen udp://127.0.0.1:%u?" FAKE NUMBERED,
             (unsigned)flow_address(flow, 0).port);
    send_numbers(flow, 1, 1);
    send_numbers(flow, 3, 3);
    take(flow, "--listen udp://[::1]:0?" FAKE TO_FILE);
    take(flow, "--listen udp://[::1]:0?" FAKE TO_FILE);
    assert_int_equal(listener_now(flow).lost, 1);
    snprintf(arguments, sizeof arguments, "%s" TO_FILE, listen);
    take(flow, arguments);
    send_numbers(flow, 100, 101);
    flow_finish(flow, 20000);
    assert_balances(flow, 4, 1);
}
