/* Tests that datagrams that cannot be decoded are kept for sinks that relay them unchanged. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "collector/base/byte_order.h"
#include "collector/output/fan_out.h"
#include "proto/schemas.h"
#include "tests/support/output/fake_sink.h"
#include "tests/support/receive/ingest_bench.h"
#include "tests/support/test.h"

struct fixture {
    void *fake; /* a fake sink, whose thread is idle */
    struct batch_queue *queue;
    struct offer_counters *offers;
    _Atomic int64_t in_flight;
    void *bench;
};

static char source[] = "riemann";
static const struct schema_config by_magic = {
    .ops = &schema_riemann,
    .source = source,
    .match = {.kind = MATCH_MAGIC, .magic = "!", .magic_size = 1}};
static const struct schema_config in_segments = {
    .ops = &schema_riemann, .source = source, .framing = FRAMING_UDP_NOTIF};

static int set_up_with(void **state, const struct schema_config *schema)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    assert_non_null(fixture);
    assert_int_equal(fake_sink_set_up(&fixture->fake), 0);
    struct fake_sink *fake = fixture->fake;
    fake_sink_start(fake);
    fixture->queue = batch_queue_create(16, 1, false);
    fixture->offers = ledger_offer_block(fake->ledger, 0);
    assert_non_null(fixture->queue);
    assert_non_null(fixture->offers);
    struct ingest_bench *bench = ingest_bench_open(schema, 1);
    bench->listener.keeps_raw = true;
    const struct fan_out_sink raw = {.name = "raw:",
                                     .sink = fake->sink,
                                     .queue = fixture->queue,
                                     .offers = fixture->offers,
                                     .in_flight = &fixture->in_flight,
                                     .takes_raw = true};
    struct error error;
    assert_int_equal(fan_out_add_sink(bench->thread.fan_out, &raw, &error), 0);
    fixture->bench = bench;
    *state = fixture;
    return 0;
}

static int set_up(void **state)
{
    return set_up_with(state, &by_magic);
}

static int set_up_segments(void **state)
{
    return set_up_with(state, &in_segments);
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    ingest_bench_close(&fixture->bench);
    batch_queue_destroy(fixture->queue);
    fake_sink_finish(fixture->fake);
    fake_sink_tear_down(&fixture->fake);
    free(fixture);
    return 0;
}

/* The datagrams match no schema, and fill several batches. */
#define DATAGRAMS     100
#define DATAGRAM_SIZE 2000

static void take_unmatched(struct ingest_bench *bench)
{
    static const struct address sender = {.family = ADDRESS_IPV4};
    static const uint8_t bytes[DATAGRAM_SIZE];
    for (size_t i = 0; i < DATAGRAMS; i++)
        ingest_bench_take(bench, &sender, bytes, sizeof bytes, false);
}

static bool has_schema(const struct batch *batch, const struct schema *schema)
{
    for (size_t i = 0; i < batch->schemas->count; i++)
        if (batch->schemas->entries[i].schema == schema)
            return true;
    return false;
}

static uint64_t drain(struct fixture *fixture)
{
    struct ingest_bench *bench = fixture->bench;
    ingest_seal(bench->ingest);
    ingest_thread_seal(&bench->thread);
    uint64_t raw = 0;
    for (struct batch *batch; (batch = batch_queue_pop(fixture->queue)) != NULL;) {
        raw += batch->raw_count;
        for (const struct record *record = batch->first; record != NULL; record = record->next)
            assert_true(has_schema(batch, record->schema));
        batch_release(batch);
    }
    return raw;
}

TEST_WITH(a_full_batch_is_followed_by_another, set_up, tear_down)
{
    struct fixture *fixture = *state;
    struct ingest_bench *bench = fixture->bench;
    assert_true(batch_pool_resize(bench->thread.pool, 8, 1));
    take_unmatched(bench);
    assert_int_equal(drain(fixture), DATAGRAMS);
    assert_int_equal(count_of(bench, REASON_NO_MATCH), DATAGRAMS);
    assert_int_equal(counter_read(&fixture->offers->raw_offered), DATAGRAMS);
    assert_int_equal(counter_read(&fixture->offers->raw_refused), 0);
}

/*
 * When no batch is free, datagrams count as no_buffer. This is checked before they are matched with
 * a schema.
 */
TEST_WITH(if_no_other_batch_is_free_a_copy_is_refused, set_up, tear_down)
{
    struct fixture *fixture = *state;
    struct ingest_bench *bench = fixture->bench;
    take_unmatched(bench);
    uint64_t kept = drain(fixture);
    uint64_t unmatched = count_of(bench, REASON_NO_MATCH);
    assert_int_equal(unmatched + count_of(bench, REASON_NO_BUFFER), DATAGRAMS);
    assert_int_equal(counter_read(&fixture->offers->raw_offered), unmatched);
    assert_int_equal(counter_read(&fixture->offers->raw_refused), 1);
    assert_int_equal(kept + 1, unmatched);
}

TEST_WITH(copies_that_find_the_queue_full_are_refused_and_counted, set_up, tear_down)
{
    struct fixture *fixture = *state;
    struct ingest_bench *bench = fixture->bench;
    assert_true(batch_pool_resize(bench->thread.pool, 32, 1));
    for (int i = 0; i < 10; i++)
        take_unmatched(bench);
    assert_int_equal(count_of(bench, REASON_NO_MATCH), 10 * DATAGRAMS);
    uint64_t kept = drain(fixture);
    assert_int_equal(counter_read(&fixture->offers->raw_offered), 10 * DATAGRAMS);
    assert_in_range(kept, DATAGRAMS, 9 * DATAGRAMS);
    assert_int_equal(counter_read(&fixture->offers->raw_refused), 10 * DATAGRAMS - kept);
}

/* --- segments that are given up while another datagram is received ---------------------------- */

/*
 * Segments of messages that stay incomplete. As raw datagrams they fill more than one small batch.
 */
#define LATE      60
#define LATE_SIZE 1200

static void take_segment(struct ingest_bench *bench, uint32_t message, unsigned number, bool last,
                         size_t size)
{
    static const struct address sender = {.family = ADDRESS_IPV4};
    uint8_t bytes[16 + LATE_SIZE] = {0x30, 16, 0, 0, 0, 0, 0, 7};
    put_network_u16(bytes + 2, (unsigned)(16 + size));
    put_network_u32(bytes + 8, message);
    bytes[12] = 1;
    bytes[13] = 4;
    put_network_u16(bytes + 14, number << 1 | last);
    ingest_bench_take(bench, &sender, bytes, 16 + size, false);
}

/*
 * Takes LATE segments whose timeout is over when the next segment arrives, and a segment of message
 * 1 whose timeout is not. Copies of the LATE segments need a second batch.
 */
static void hold_late_ones(struct ingest_bench *bench)
{
    for (uint32_t i = 0; i < LATE; i++)
        take_segment(bench, 100 + i, 0, false, LATE_SIZE);
    bench->now_ns += INGEST_BENCH_SEGMENT_TIMEOUT - 1;
    take_segment(bench, 1, 0, false, 0);
    bench->now_ns += 1;
}

static void put_new_schemas(struct ingest_bench *bench)
{
    struct schema_list *list;
    assert_int_equal(schema_list_create(&list, &in_segments, 1, NULL, NULL), 0);
    schema_slot_put(bench->listener.schemas, list);
}

/* There is no sink, so a batch releases its schemas as soon as it is offered. */
TEST_WITH(a_message_outlives_the_batch_that_it_was_admitted_by, set_up_segments, tear_down)
{
    struct fixture *fixture = *state;
    struct ingest_bench *bench = fixture->bench;
    assert_true(fan_out_reserve(bench->thread.fan_out, 0));
    fan_out_set_sinks(bench->thread.fan_out, NULL, 0);
    hold_late_ones(bench);
    put_new_schemas(bench);
    take_segment(bench, 1, 1, true, 0);
    assert_int_equal(count_of(bench, REASON_SEGMENTS_MISSING), LATE);
    assert_int_equal(decoded(bench), 2);
}

TEST_WITH(a_message_has_the_schemas_of_the_batch_that_takes_it, set_up_segments, tear_down)
{
    struct fixture *fixture = *state;
    struct ingest_bench *bench = fixture->bench;
    assert_true(batch_pool_resize(bench->thread.pool, 8, 1));
    hold_late_ones(bench);
    put_new_schemas(bench);
    take_segment(bench, 1, 1, true, 0);
    assert_int_equal(drain(fixture), LATE);
    assert_int_equal(decoded(bench), 2);
}

TEST_WITH(a_complete_message_without_a_batch_counts_as_no_buffer, set_up_segments, tear_down)
{
    struct fixture *fixture = *state;
    struct ingest_bench *bench = fixture->bench;
    hold_late_ones(bench);
    take_segment(bench, 1, 1, true, 0);
    assert_int_equal(count_of(bench, REASON_SEGMENTS_MISSING), LATE);
    assert_int_equal(count_of(bench, REASON_NO_BUFFER), 2);
    assert_int_equal(counter_read(&bench->thread.counters[0]->in_assembly), 0);
    drain(fixture);
}
