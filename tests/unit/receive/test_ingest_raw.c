/* Datagrams that cannot be decoded, for sinks that pass them on as they came. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "collector/output/fan_out.h"
#include "proto/schemas.h"
#include "tests/support/output/fake_sink.h"
#include "tests/support/receive/ingest_bench.h"
#include "tests/support/test.h"

struct fixture {
    void *fake;                /* its thread has nothing to do */
    struct batch_queue *queue; /* which the test empties */
    struct offer_counters *offers;
    _Atomic int64_t in_flight;
    void *bench;
};

static int set_up(void **state)
{
    static char source[] = "riemann";
    static const struct schema_config riemann = {
        .ops = &schema_riemann,
        .source = source,
        .match = {.kind = MATCH_MAGIC, .magic = "!", .magic_size = 1}};
    struct fixture *fixture = calloc(1, sizeof *fixture);
    assert_non_null(fixture);
    assert_int_equal(fake_sink_set_up(&fixture->fake), 0);
    struct fake_sink *fake = fixture->fake;
    fake_sink_start(fake);
    fixture->queue = batch_queue_create(16, 1, false);
    fixture->offers = ledger_offer_block(fake->ledger, 0);
    assert_non_null(fixture->queue);
    assert_non_null(fixture->offers);
    struct ingest_bench *bench = ingest_bench_open(&riemann, 1);
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

/* They do not begin with the magic. Several batches' worth. */
#define DATAGRAMS     100
#define DATAGRAM_SIZE 2000

static void take_unmatched(struct ingest_bench *bench)
{
    static const struct address sender = {.family = ADDRESS_IPV4};
    static const uint8_t bytes[DATAGRAM_SIZE];
    for (size_t i = 0; i < DATAGRAMS; i++)
        ingest_bench_take(bench, &sender, bytes, sizeof bytes, false);
}

/* Empties the queue. Returns how many raw datagrams were in it. */
static uint64_t drain(struct fixture *fixture)
{
    struct ingest_bench *bench = fixture->bench;
    ingest_seal(bench->ingest);
    ingest_thread_seal(&bench->thread);
    uint64_t raw = 0;
    for (struct batch *batch; (batch = batch_queue_pop(fixture->queue)) != NULL;) {
        raw += batch->raw_count;
        batch_release(batch);
    }
    return raw;
}

TEST_WITH(what_a_batch_has_no_room_for_starts_the_next, set_up, tear_down)
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

/* The next ones are counted as no_buffer, before it is asked whose they are. */
TEST_WITH(where_no_other_batch_is_free_it_is_offered_and_refused, set_up, tear_down)
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
