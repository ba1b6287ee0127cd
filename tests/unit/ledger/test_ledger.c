/*
 * Tests the ledger's sums over its blocks, and that a final ledger with any single mistake does not
 * balance.
 */
#include <string.h>

#include "collector/ledger/ledger.h"
#include "collector/platform/thread.h"
#include "tests/support/test.h"

/*
 * A run whose ledger balances. It has a socket with two threads, a capture, and two sinks. Each
 * counter in a sum is nonzero, and no two amounts are equal.
 */
struct run {
    struct ledger *ledger;
    struct ingest_counters *socket[2];
    struct ingest_counters *capture;
    struct offer_counters *offers[2][2];
    struct sink_counters *sinks[2];
};

static void fill_socket(struct ingest_counters *socket, uint64_t decoded)
{
    uint64_t received = decoded;
    counter_add(&socket->decoded, decoded);
    counter_add(&socket->messages, decoded);
    for (unsigned i = 0; i < REASON_COUNT; i++) {
        counter_add(&socket->reasons[i], decoded + 10 + i);
        received += decoded + 10 + i;
    }
    counter_add(&socket->received, received);
}

/*
 * Fills the counters so that they balance: frames = whole + fragments + other + cut, and received =
 * whole + reassembled.
 */
static void fill_capture(struct ingest_counters *capture, uint64_t decoded)
{
    counter_add(&capture->decoded, decoded);
    counter_add(&capture->messages, decoded);
    counter_add(&capture->received, decoded);
    counter_add(&capture->reassembled, 3);
    counter_add(&capture->fragments, 9);
    counter_add(&capture->other, 20);
    counter_add(&capture->cut, 5);
    counter_add(&capture->incomplete, 2);
    counter_add(&capture->frames, decoded - 3 + 9 + 20 + 5);
}

static void fill_offers(struct offer_counters *offers, uint64_t offered)
{
    counter_add(&offers->offered, offered);
    for (unsigned i = 0; i < REFUSAL_COUNT; i++)
        counter_add(&offers->refused[i], i + 1);
    counter_add(&offers->queued, offered - 6);
    counter_add(&offers->raw_offered, 22);
    counter_add(&offers->raw_refused, 1);
}

static void fill_sink(struct sink_counters *sink, uint64_t queued)
{
    for (unsigned i = 0; i < FAILURE_COUNT; i++)
        counter_add(&sink->failed[i], i + 1);
    counter_add(&sink->filtered, 7);
    counter_add(&sink->evicted, 8);
    counter_add(&sink->unknown, 9);
    const uint64_t failed = (uint64_t)FAILURE_COUNT * (FAILURE_COUNT + 1) / 2;
    counter_add(&sink->written, queued - failed - 7 - 8 - 9);
    counter_add(&sink->raw_sent, 40);
    counter_add(&sink->raw_refused, 2);
}

static int set_up(void **state)
{
    static struct run run;
    run.ledger = ledger_create();
    assert_non_null(run.ledger);
    assert_int_equal(ledger_add_listener(run.ledger, "udp://[::]:1", "udp", "telemetry"), 0);
    assert_int_equal(ledger_add_listener(run.ledger, "pcap:x", "capture", "riemann"), 1);
    run.socket[0] = ledger_ingest_block(run.ledger, 0);
    run.socket[1] = ledger_ingest_block(run.ledger, 0);
    run.capture = ledger_ingest_block(run.ledger, 1);
    for (int i = 0; i < 2; i++)
        assert_int_equal(ledger_add_sink(run.ledger, i == 0 ? "stdout:" : "file:y"), i);
    fill_socket(run.socket[0], 1000);
    fill_socket(run.socket[1], 200);
    fill_capture(run.capture, 70);
    for (int i = 0; i < 2; i++) {
        run.offers[i][0] = ledger_offer_block(run.ledger, i);
        run.offers[i][1] = ledger_offer_block(run.ledger, i);
        run.sinks[i] = ledger_sink_block(run.ledger, i);
        fill_offers(run.offers[i][0], 1070);
        fill_offers(run.offers[i][1], 200);
        fill_sink(run.sinks[i], 1270 - 12);
    }
    *state = &run;
    return 0;
}

static int tear_down(void **state)
{
    ledger_destroy(((struct run *)*state)->ledger);
    return 0;
}

static bool balances(const struct run *run)
{
    struct ledger_snapshot *snapshot = ledger_take_snapshot(run->ledger, true);
    assert_non_null(snapshot);
    assert_true(snapshot->final);
    bool result = ledger_balances(snapshot);
    ledger_snapshot_free(snapshot);
    return result;
}

/*
 * Asserts that the ledger does not balance if the counter is one too high, nor if it is one too
 * low. Then restores the counter.
 */
static void assert_watched(const struct run *run, struct counter *counter, const char *what)
{
    uint64_t right = counter_read(counter);
    counter_add(counter, 1);
    if (balances(run))
        fail_msg("one %s too many is not seen", what);
    if (right != 0) {
        counter_set(counter, right - 1);
        if (balances(run))
            fail_msg("one %s too few is not seen", what);
    }
    counter_set(counter, right);
    assert_true(balances(run));
}

/* --- balanced and unbalanced ledgers ---------------------------------------------------------- */

TEST_WITH(a_run_without_mistakes_balances, set_up, tear_down)
{
    assert_true(balances(*state));
}

TEST_WITH(a_mistake_in_any_count_of_datagrams_is_seen, set_up, tear_down)
{
    struct run *run = *state;
    for (int i = 0; i < 2; i++) {
        assert_watched(run, &run->socket[i]->received, "received");
        assert_watched(run, &run->socket[i]->decoded, "decoded");
        assert_watched(run, &run->socket[i]->messages, "messages");
        for (int k = 0; k < REASON_COUNT; k++)
            assert_watched(run, &run->socket[i]->reasons[k], datagram_reason_names[k]);
    }
}

TEST_WITH(a_mistake_in_any_count_of_frames_is_seen, set_up, tear_down)
{
    struct run *run = *state;
    assert_watched(run, &run->capture->received, "received");
    assert_watched(run, &run->capture->decoded, "decoded");
    assert_watched(run, &run->capture->frames, "frames");
    assert_watched(run, &run->capture->fragments, "fragments");
    assert_watched(run, &run->capture->reassembled, "reassembled");
    assert_watched(run, &run->capture->other, "other");
    assert_watched(run, &run->capture->cut, "cut");
}

TEST_WITH(a_mistake_in_any_count_of_records_is_seen, set_up, tear_down)
{
    struct run *run = *state;
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 2; k++) {
            assert_watched(run, &run->offers[i][k]->offered, "offered");
            assert_watched(run, &run->offers[i][k]->queued, "queued");
            assert_watched(run, &run->offers[i][k]->raw_offered, "raw_offered");
            assert_watched(run, &run->offers[i][k]->raw_refused, "raw_refused");
            for (int r = 0; r < REFUSAL_COUNT; r++)
                assert_watched(run, &run->offers[i][k]->refused[r], record_refusal_names[r]);
        }
        assert_watched(run, &run->sinks[i]->written, "written");
        assert_watched(run, &run->sinks[i]->filtered, "filtered");
        assert_watched(run, &run->sinks[i]->evicted, "evicted");
        assert_watched(run, &run->sinks[i]->unknown, "unknown");
        assert_watched(run, &run->sinks[i]->raw_sent, "raw_sent");
        assert_watched(run, &run->sinks[i]->raw_refused, "raw_refused");
        for (int r = 0; r < FAILURE_COUNT; r++)
            assert_watched(run, &run->sinks[i]->failed[r], record_failure_names[r]);
    }
}

TEST_WITH(a_record_in_flight_after_the_stop_is_seen, set_up, tear_down)
{
    struct run *run = *state;
    atomic_store(&run->sinks[1]->in_flight, 1);
    assert_false(balances(run));
    atomic_store(&run->sinks[1]->in_flight, -1);
    assert_false(balances(run));
    /* The sums include the records in flight, but a final ledger must have none. */
    atomic_store(&run->sinks[1]->in_flight, 1);
    counter_set(&run->sinks[1]->written, counter_read(&run->sinks[1]->written) - 1);
    assert_false(balances(run));
}

/* The sums of the sink balance, but fewer records were offered to it than were decoded. */
TEST_WITH(a_record_that_a_sink_was_never_offered_is_seen, set_up, tear_down)
{
    struct run *run = *state;
    counter_set(&run->offers[0][0]->offered, counter_read(&run->offers[0][0]->offered) - 1);
    counter_set(&run->offers[0][0]->queued, counter_read(&run->offers[0][0]->queued) - 1);
    counter_set(&run->sinks[0]->written, counter_read(&run->sinks[0]->written) - 1);
    assert_false(balances(run));
}

/* Opposite mistakes at two listeners, or at two sinks, must not cancel out. */
TEST_WITH(a_datagram_counted_at_the_wrong_listener_is_seen, set_up, tear_down)
{
    struct run *run = *state;
    counter_add(&run->socket[0]->received, 1);
    counter_set(&run->capture->received, counter_read(&run->capture->received) - 1);
    counter_set(&run->capture->frames, counter_read(&run->capture->frames) - 1);
    assert_false(balances(run));
}

TEST_WITH(what_stands_beside_changes_no_sum, set_up, tear_down)
{
    struct run *run = *state;
    struct counter *beside[] = {
        &run->socket[0]->bytes,      &run->socket[0]->kernel_drops,
        &run->socket[0]->lost,       &run->socket[0]->refused_while_stopping,
        &run->socket[0]->duplicated, &run->socket[0]->receive_errors,
        &run->socket[0]->reordered,  &run->socket[0]->late,
        &run->socket[0]->restarted,  &run->socket[0]->senders,
        &run->capture->incomplete,   &run->socket[0]->senders_evicted,
        &run->sinks[0]->lines,       &run->sinks[0]->bytes,
        &run->sinks[0]->samples,     &run->sinks[0]->write_errors,
        &run->sinks[0]->restarts,
    };
    for (size_t i = 0; i < sizeof beside / sizeof beside[0]; i++)
        counter_add(beside[i], i + 1);
    assert_true(balances(run));
}

/* Two threads offer dead letters, and a third thread counts those that were written. */
TEST_WITH(every_dead_letter_is_kept_or_dropped_and_none_is_missing, set_up, tear_down)
{
    struct run *run = *state;
    uint64_t refused = 0;
    struct ingest_counters *ingests[] = {run->socket[0], run->socket[1], run->capture};
    for (int i = 0; i < 3; i++)
        for (int reason = 0; reason < REASON_COUNT; reason++)
            if (reason != REASON_NO_BUFFER && reason != REASON_SOURCE_DENIED &&
                reason != REASON_RATE_LIMITED && reason != REASON_HANDSHAKE &&
                reason != REASON_HANDSHAKE_REFUSED && reason != REASON_NO_SESSION &&
                reason != REASON_CONTROL && reason != REASON_SEGMENT_REPEATED &&
                reason != REASON_ASSEMBLY_FULL)
                refused += counter_read(&ingests[i]->reasons[reason]);
    assert_true(ledger_add_dead_letters(run->ledger, "file:dead"));
    assert_false(balances(run));
    struct dead_letter_counters *one = ledger_dead_letter_block(run->ledger);
    struct dead_letter_counters *other = ledger_dead_letter_block(run->ledger);
    struct dead_letter_counters *writer = ledger_dead_letter_block(run->ledger);
    counter_add(&one->offered, 5);
    counter_add(&other->offered, refused - 5);
    counter_add(&one->dropped[DROPPED_RATE], 1);
    counter_add(&other->dropped[DROPPED_RING_FULL], 1);
    counter_add(&writer->dropped[DROPPED_FILE_FULL], 1);
    counter_add(&writer->dropped[DROPPED_IO_ERROR], 1);
    counter_add(&writer->dropped[DROPPED_STOP_TIMEOUT], 1);
    counter_add(&writer->kept, refused - 5);
    assert_true(balances(run));
    assert_watched(run, &one->offered, "offered");
    assert_watched(run, &writer->kept, "kept");
    for (int i = 0; i < DROP_COUNT; i++)
        assert_watched(run, &writer->dropped[i], dead_letter_drop_names[i]);
    /*
     * The sums of the dead letters balance, but one datagram less was offered to them than the
     * listeners refused.
     */
    counter_set(&one->offered, counter_read(&one->offered) - 1);
    counter_set(&writer->kept, counter_read(&writer->kept) - 1);
    assert_false(balances(run));
}

TEST(an_empty_ledger_balances)
{
    struct ledger *ledger = ledger_create();
    struct run run = {.ledger = ledger};
    assert_true(balances(&run));
    /*
     * A listener and a sink whose threads never requested their counters do not prevent the
     * balance.
     */
    assert_int_equal(ledger_add_listener(ledger, "a", "udp", "telemetry"), 0);
    assert_int_equal(ledger_add_sink(ledger, "b"), 0);
    assert_true(balances(&run));
    ledger_destroy(ledger);
    ledger_destroy(NULL);
    ledger_snapshot_free(NULL);
}

/* --- snapshots -------------------------------------------------------------------------------- */

static void fill_counters(void *block, size_t size, uint64_t first)
{
    struct counter *counters = block;
    for (size_t i = 0; i < size / sizeof *counters; i++)
        counter_add(&counters[i], first + i);
}

/* In the totals, the counters follow the name in the same order as in each block of counters. */
TEST(every_counter_of_every_block_is_in_the_totals)
{
    struct ledger *ledger = ledger_create();
    ledger_add_listener(ledger, "a", "udp", "telemetry");
    ledger_add_sink(ledger, "b");
    for (int i = 0; i < 3; i++) {
        fill_counters(ledger_ingest_block(ledger, 0), sizeof(struct ingest_counters), 1000);
        fill_counters(ledger_offer_block(ledger, 0), sizeof(struct offer_counters), 2000);
    }
    struct sink_counters *own = ledger_sink_block(ledger, 0);
    fill_counters(own, offsetof(struct sink_counters, in_flight), 3000);
    atomic_store(&own->in_flight, -5);

    struct ledger_snapshot *snapshot = ledger_take_snapshot(ledger, false);
    assert_false(snapshot->final);
    const struct listener_totals *listener = &snapshot->listeners[0];
    const uint64_t *totals = &listener->received;
    size_t count = sizeof(struct ingest_counters) / sizeof(struct counter);
    assert_int_equal((const char *)(listener + 1) - (const char *)totals, count * sizeof *totals);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(totals[i], 3 * (1000 + i));

    const struct sink_totals *sink = &snapshot->sinks[0];
    assert_int_equal(sink->offered, 6000);
    assert_int_equal(sink->queued, 6003);
    for (size_t i = 0; i < REFUSAL_COUNT; i++)
        assert_int_equal(sink->refused[i], 3 * (2002 + i));
    const uint64_t *own_totals = &sink->written;
    count = offsetof(struct sink_counters, in_flight) / sizeof(struct counter);
    assert_int_equal((const char *)&sink->in_flight - (const char *)own_totals,
                     count * sizeof *own_totals);
    for (size_t i = 0; i < count; i++) {
        uint64_t of_offers = 0; /* the producers' blocks count a part of these */
        if (&own_totals[i] == &sink->raw_offered)
            of_offers = 3 * (2002 + REFUSAL_COUNT);
        else if (&own_totals[i] == &sink->raw_refused)
            of_offers = 3 * (2003 + REFUSAL_COUNT);
        assert_int_equal(own_totals[i], 3000 + i + of_offers);
    }
    assert_int_equal(sink->in_flight, -5);
    ledger_snapshot_free(snapshot);
    ledger_destroy(ledger);
}

TEST(a_snapshot_has_texts_of_its_own)
{
    struct ledger *ledger = ledger_create();
    ledger_add_listener(ledger, "udp://127.0.0.1:5555", "udp", "telemetry");
    ledger_add_sink(ledger, "file:/dev/null");
    ledger_add_dead_letters(ledger, "file:letters");
    struct ledger_snapshot *snapshot = ledger_take_snapshot(ledger, false);
    ledger_rename_listener(ledger, 0, "udp://127.0.0.1:6666");
    ledger_set_schema(ledger, 0, "reinkarna");
    ledger_destroy(ledger);
    assert_string_equal(snapshot->listeners[0].name, "udp://127.0.0.1:5555");
    assert_string_equal(snapshot->listeners[0].schema, "telemetry");
    assert_string_equal(snapshot->sinks[0].name, "file:/dev/null");
    assert_string_equal(snapshot->dead_letters.name, "file:letters");
    ledger_snapshot_free(snapshot);
}

TEST(listeners_and_sinks_keep_their_names_and_numbers)
{
    struct ledger *ledger = ledger_create();
    char name[] = "udp://127.0.0.1:0";
    char schema[] = "telemetry";
    enum { COUNT = 20 };
    for (int i = 0; i < COUNT; i++) {
        name[sizeof name - 2] = schema[0] = (char)('a' + i);
        assert_int_equal(ledger_add_listener(ledger, name, "udp", schema), i);
        assert_int_equal(ledger_add_sink(ledger, name), i);
        counter_add(&ledger_ingest_block(ledger, i)->received, (uint64_t)i);
        counter_add(&ledger_offer_block(ledger, i)->offered, (uint64_t)i);
        counter_add(&ledger_sink_block(ledger, i)->lines, (uint64_t)i);
    }
    struct ledger_snapshot *snapshot = ledger_take_snapshot(ledger, false);
    assert_int_equal(snapshot->listener_count, COUNT);
    assert_int_equal(snapshot->sink_count, COUNT);
    assert_true(snapshot->uptime_ns >= 0);
    for (int i = 0; i < COUNT; i++) {
        name[sizeof name - 2] = schema[0] = (char)('a' + i);
        assert_string_equal(snapshot->listeners[i].name, name);
        assert_string_equal(snapshot->listeners[i].kind->name, "udp");
        assert_string_equal(snapshot->listeners[i].schema, schema);
        assert_string_equal(snapshot->sinks[i].name, name);
        assert_int_equal(snapshot->listeners[i].received, i);
        assert_int_equal(snapshot->sinks[i].offered, i);
        assert_int_equal(snapshot->sinks[i].lines, i);
    }
    ledger_snapshot_free(snapshot);
    ledger_destroy(ledger);
}

/* --- entries that a reload removes and adds again --------------------------------------------- */

TEST_WITH(what_is_retired_stays_in_the_ledger, set_up, tear_down)
{
    struct run *run = *state;
    ledger_retire_listener(run->ledger, 0);
    ledger_retire_sink(run->ledger, 1);
    struct ledger_snapshot *snapshot = ledger_take_snapshot(run->ledger, true);
    assert_true(ledger_balances(snapshot));
    assert_int_equal(snapshot->listener_count, 2);
    assert_true(snapshot->listeners[0].retired && !snapshot->listeners[1].retired);
    assert_true(!snapshot->sinks[0].retired && snapshot->sinks[1].retired);
    assert_int_equal(snapshot->listeners[0].decoded, 1200);
    ledger_snapshot_free(snapshot);
}

TEST_WITH(a_reserved_entry_is_not_for_whoever_has_its_name, set_up, tear_down)
{
    const struct run *run = *state;
    struct ledger *ledger = run->ledger;
    int first = ledger_add_sink(ledger, "file:reserved");
    ledger_retire_sink(ledger, first);
    ledger_reserve_sink(ledger, first, true);
    int second = ledger_add_sink(ledger, "file:reserved");
    assert_int_not_equal(second, first);
    assert_false(ledger_sink_is_live(ledger, first));
    ledger_begin_sink(ledger, first);
    assert_true(ledger_sink_is_live(ledger, first));
    ledger_retire_sink(ledger, first);
    ledger_reserve_sink(ledger, first, false);
    assert_int_equal(ledger_add_sink(ledger, "file:reserved"), first);
}

TEST_WITH(a_retired_name_that_comes_back_counts_on, set_up, tear_down)
{
    struct run *run = *state;
    ledger_retire_listener(run->ledger, 0);
    assert_int_equal(ledger_add_listener(run->ledger, "udp://[::]:1", "udp", "riemann"), 0);
    assert_int_equal(ledger_add_listener(run->ledger, "udp://[::]:2", "udp", "riemann"), 2);
    struct ledger_snapshot *snapshot = ledger_take_snapshot(run->ledger, true);
    assert_int_equal(snapshot->listener_count, 3);
    assert_false(snapshot->listeners[0].retired);
    assert_string_equal(snapshot->listeners[0].schema, "riemann");
    assert_int_equal(snapshot->listeners[0].decoded, 1200);
    ledger_snapshot_free(snapshot);
}

TEST_WITH(a_sink_answers_for_what_was_decoded_while_it_was_there, set_up, tear_down)
{
    struct run *run = *state;
    int late = ledger_add_sink(run->ledger, "late");
    struct sink_counters *own = ledger_sink_block(run->ledger, late);
    struct offer_counters *offers = ledger_offer_block(run->ledger, late);
    for (int i = 0; i < 2; i++) {
        fill_capture(run->capture, 10); /* before the sink exists */
        ledger_begin_sink(run->ledger, late);
        fill_capture(run->capture, 30);
        ledger_retire_sink(run->ledger, late);
        fill_capture(run->capture, 50); /* after it was removed */
        assert_int_equal(ledger_add_sink(run->ledger, "late"), late);
    }
    ledger_retire_sink(run->ledger, late);
    for (int i = 0; i < 2; i++) {
        counter_add(&run->offers[i][0]->offered, 180);
        counter_add(&run->offers[i][0]->queued, 180);
        counter_add(&run->sinks[i]->written, 180);
    }
    counter_add(&offers->offered, 60);
    counter_add(&offers->queued, 60);
    counter_add(&own->written, 60);
    assert_true(balances(run));
    assert_watched(run, &offers->offered, "offered");
}

TEST_WITH(what_comes_in_the_place_of_a_sink_counts_on_in_its_entry, set_up, tear_down)
{
    struct run *run = *state;
    assert_true(ledger_sink_is_live(run->ledger, 1));
    ledger_retire_sink(run->ledger, 1);
    assert_false(ledger_sink_is_live(run->ledger, 1));
    ledger_begin_sink(run->ledger, 1);
    assert_true(ledger_sink_is_live(run->ledger, 1));
    fill_capture(run->capture, 10);
    for (int i = 0; i < 2; i++) {
        counter_add(&run->offers[i][0]->offered, 10);
        counter_add(&run->offers[i][0]->queued, 10);
        counter_add(&run->sinks[i]->written, 10);
    }
    struct ledger_snapshot *snapshot = ledger_take_snapshot(run->ledger, true);
    assert_int_equal(snapshot->sink_count, 2);
    assert_false(snapshot->sinks[1].retired);
    assert_true(ledger_balances(snapshot));
    ledger_snapshot_free(snapshot);
}

TEST_WITH(a_block_that_was_returned_is_counted_on_by_the_next_writer, set_up, tear_down)
{
    struct run *run = *state;
    assert_ptr_not_equal(ledger_sink_block(run->ledger, 1), run->sinks[1]);
    ledger_return_block(run->sinks[1]);
    ledger_return_block(run->socket[0]);
    ledger_return_block(NULL);
    assert_ptr_equal(ledger_ingest_block(run->ledger, 0), run->socket[0]);
    assert_ptr_not_equal(ledger_ingest_block(run->ledger, 0), run->socket[0]);
    assert_ptr_equal(ledger_sink_block(run->ledger, 1), run->sinks[1]);
    assert_true(balances(run));
}

TEST_WITH(what_came_to_nothing_is_not_reported, set_up, tear_down)
{
    struct run *run = *state;
    int listener = ledger_add_listener(run->ledger, "udp://[::]:2", "udp", "riemann");
    int sink = ledger_add_sink(run->ledger, "late");
    ledger_cancel_listener(run->ledger, listener);
    ledger_cancel_sink(run->ledger, sink);
    struct ledger_snapshot *snapshot = ledger_take_snapshot(run->ledger, true);
    assert_int_equal(snapshot->listener_count, 2);
    assert_int_equal(snapshot->sink_count, 2);
    ledger_snapshot_free(snapshot);
    assert_int_equal(ledger_add_listener(run->ledger, "udp://[::]:2", "udp", "otlp"), listener);
    assert_int_equal(ledger_add_sink(run->ledger, "late"), sink);
    ledger_retire_sink(run->ledger, sink);
    assert_int_equal(ledger_add_sink(run->ledger, "late"), sink);
    ledger_cancel_sink(run->ledger, sink);
    snapshot = ledger_take_snapshot(run->ledger, true);
    assert_int_equal(snapshot->sink_count, 3);
    assert_true(snapshot->sinks[2].retired);
    ledger_snapshot_free(snapshot);
}

/*
 * A reload bound new sockets and was then refused. The ledger reports each new listener that got
 * datagrams before that.
 */
TEST_WITH(a_cancelled_listener_with_datagrams_is_reported, set_up, tear_down)
{
    struct run *run = *state;
    const char *const names[] = {"udp://[::]:2", "udp://[::]:3", "udp://[::]:4"};
    for (size_t i = 0; i < 3; i++) {
        int listener = ledger_add_listener(run->ledger, names[i], "udp", "riemann");
        struct ingest_counters *counters = ledger_ingest_block(run->ledger, listener);
        counter_add(i == 0   ? &counters->received
                    : i == 1 ? &counters->kernel_drops
                             : &counters->refused_while_stopping,
                    1);
        ledger_cancel_listener(run->ledger, listener);
        struct ledger_snapshot *snapshot = ledger_take_snapshot(run->ledger, true);
        assert_int_equal(snapshot->listener_count, 3 + i);
        assert_string_equal(snapshot->listeners[2 + i].name, names[i]);
        assert_true(snapshot->listeners[2 + i].retired);
        ledger_snapshot_free(snapshot);
    }
}

TEST_WITH(no_two_blocks_share_a_cache_line, set_up, tear_down)
{
    struct run *run = *state;
    const char *blocks[] = {(char *)run->socket[0], (char *)run->socket[1],
                            (char *)run->capture,   (char *)run->offers[0][0],
                            (char *)run->sinks[0],  (char *)run->offers[1][1]};
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++)
        assert_int_equal((uintptr_t)blocks[i] % 64, 0);
}

TEST(every_reason_has_a_name_of_its_own)
{
    const char *names[(size_t)REASON_COUNT + REFUSAL_COUNT];
    memcpy(names, datagram_reason_names, sizeof datagram_reason_names);
    memcpy(names + REASON_COUNT, record_refusal_names, sizeof record_refusal_names);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_non_null(names[i]);
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(names[i], names[k]);
    }
    for (size_t i = 0; i < FAILURE_COUNT; i++) {
        assert_non_null(record_failure_names[i]);
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(record_failure_names[i], record_failure_names[k]);
    }
}

/* --- snapshots of a running program ----------------------------------------------------------- */

static void count_up(void *argument)
{
    struct run *run = argument;
    for (int i = 0; i < 20000; i++) {
        counter_add(&run->socket[0]->received, 1);
        counter_add(&run->socket[0]->decoded, 1);
        counter_add(&run->offers[0][0]->offered, 1);
        counter_add(&run->offers[0][0]->queued, 1);
        counter_add(&run->sinks[0]->written, 1);
    }
}

/*
 * A snapshot reads the counters of the sinks first. Otherwise it could show more records written
 * than offered.
 */
TEST_WITH(a_live_snapshot_shows_no_effect_before_its_cause, set_up, tear_down)
{
    struct run *run = *state;
    struct thread *thread;
    struct error error;
    struct ledger_snapshot *before = ledger_take_snapshot(run->ledger, false);
    assert_int_equal(thread_start(&thread, "counting", count_up, run, &error), 0);
    for (int i = 0; i < 300; i++) {
        struct ledger_snapshot *now = ledger_take_snapshot(run->ledger, false);
        uint64_t written = now->sinks[0].written - before->sinks[0].written;
        uint64_t offered = now->sinks[0].offered - before->sinks[0].offered;
        uint64_t received = now->listeners[0].received - before->listeners[0].received;
        assert_true(written <= offered);
        assert_true(offered <= received);
        ledger_snapshot_free(now);
    }
    thread_join(thread);
    ledger_snapshot_free(before);
}

TEST_WITH(measures_of_all_threads_stand_beside_the_totals, set_up, tear_down)
{
    struct run *run = *state;
    struct thread_measures *first = ledger_thread_block(run->ledger);
    struct thread_measures *second = ledger_thread_block(run->ledger);
    histogram_note(&first->drain_length, histogram_counts, 2);
    histogram_note(&first->drain_length, histogram_counts, 16);
    histogram_note(&second->batch_records, histogram_counts, 1);
    histogram_note(&run->sinks[1]->write_time, histogram_times, 10001);
    struct ledger_snapshot *snapshot = ledger_take_snapshot(run->ledger, true);
    assert_int_equal(snapshot->thread_count, 2);
    assert_string_equal(snapshot->threads[1].name, "1");
    assert_int_equal(snapshot->threads[0].drain_length.sum, 18);
    assert_int_equal(snapshot->threads[0].drain_length.ranges[2], 1);
    assert_int_equal(snapshot->threads[0].drain_length.ranges[5], 1);
    assert_int_equal(snapshot->threads[0].batch_records.sum, 0);
    assert_int_equal(snapshot->threads[1].batch_records.ranges[1], 1);
    assert_int_equal(snapshot->sinks[0].write_time.sum, 0);
    assert_int_equal(snapshot->sinks[1].write_time.ranges[1], 1);
    assert_true(ledger_balances(snapshot));
    ledger_snapshot_free(snapshot);
}
