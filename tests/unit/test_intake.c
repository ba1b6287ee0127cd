/* Datagrams into batches: what is judged, in which order, and where records go. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "collector/feed.h"
#include "collector/intake.h"
#include "proto/schemas.h"
#include "tests/support/schema_made.h"

static const uint8_t metric[] = {0x32, 0x02, 0x68, 0x02}; /* a Riemann event of metric 1 */

struct bench {
    struct ledger *ledger;
    struct schema *schema;
    struct listener listener;
    struct intake_thread thread;
    struct intake *intake;
};

/* One small batch, one large one, and no sink: what is sealed is free again at once. */
static int set_up(void **state)
{
    static const uint8_t secret[16];
    struct bench *bench = calloc(1, sizeof *bench);
    assert_non_null(bench);
    bench->ledger = ledger_create();
    assert_int_equal(ledger_add_listener(bench->ledger, "test", "udp", "riemann"), 0);
    bench->schema = schema_made(&schema_riemann);
    bench->listener = (struct listener){
        .name = "test", .schema = bench->schema, .max_decoded = (size_t)512 * 1024};
    struct intake_thread *thread = &bench->thread;
    thread->pool = batch_pool_create(1, 1);
    thread->sequences = sequence_table_create(16, secret);
    thread->scratch.base = malloc(INTAKE_SCRATCH_SIZE);
    thread->scratch.capacity = INTAKE_SCRATCH_SIZE;
    thread->counters = calloc(1, sizeof(struct intake_counters *));
    thread->counters[0] = ledger_intake_block(bench->ledger, 0);
    assert_int_equal(feed_create(&thread->feed, false, NULL), 0);
    bench->intake = intake_create(thread, &bench->listener);
    assert_non_null(bench->intake);
    *state = bench;
    return 0;
}

static int tear_down(void **state)
{
    struct bench *bench = *state;
    intake_seal(bench->intake);
    assert_int_equal(batch_pool_out(bench->thread.pool), 0);
    struct ledger_snapshot *final = ledger_take_snapshot(bench->ledger, true);
    assert_true(ledger_balances(final));
    ledger_snapshot_free(final);
    intake_destroy(bench->intake);
    feed_destroy(bench->thread.feed);
    free(bench->thread.counters);
    free(bench->thread.scratch.base);
    sequence_table_destroy(bench->thread.sequences);
    batch_pool_destroy(bench->thread.pool);
    bench->schema->ops->destroy(bench->schema);
    ledger_destroy(bench->ledger);
    free(bench);
    return 0;
}

static void take(struct bench *bench, const void *bytes, size_t size, bool truncated)
{
    const uint8_t *rest = NULL;
    if (size > DATAGRAM_FRONT_SIZE)
        rest = (const uint8_t *)bytes + DATAGRAM_FRONT_SIZE;
    struct datagram_slot slot = {.front = bytes,
                                 .rest = rest,
                                 .size = (uint32_t)size,
                                 .sent_size = (uint32_t)size,
                                 .truncated = truncated};
    intake_take(bench->intake, &slot);
}

static uint64_t count_of(const struct bench *bench, enum datagram_reason reason)
{
    return counter_read(&bench->thread.counters[0]->reasons[reason]);
}

static uint64_t decoded(const struct bench *bench)
{
    return counter_read(&bench->thread.counters[0]->decoded);
}

static void without_a_free_batch_the_reason_is_no_buffer_before_all_others(void **state)
{
    struct bench *bench = *state;
    struct batch *taken = batch_acquire(bench->thread.pool, false);
    take(bench, metric, sizeof metric, false);
    take(bench, metric, sizeof metric, true);
    take(bench, "malformed", 9, false);
    assert_int_equal(count_of(bench, REASON_NO_BUFFER), 3);
    batch_release(taken);
    take(bench, metric, sizeof metric, false);
    assert_int_equal(decoded(bench), 1);
    assert_int_equal(count_of(bench, REASON_NO_BUFFER), 3);
}

static void without_a_free_large_batch_what_needs_one_is_no_buffer(void **state)
{
    struct bench *bench = *state;
    uint8_t events[2000];
    for (size_t i = 0; i < sizeof events; i += sizeof metric)
        memcpy(events + i, metric, sizeof metric);
    struct batch *taken = batch_acquire(bench->thread.pool, true);
    take(bench, events, sizeof events, false);
    assert_int_equal(count_of(bench, REASON_NO_BUFFER), 1);
    take(bench, metric, sizeof metric, false);
    assert_int_equal(decoded(bench), 1);
    batch_release(taken);
    take(bench, events, sizeof events, false);
    assert_int_equal(decoded(bench), 2);
}

static void truncated_comes_before_malformed(void **state)
{
    struct bench *bench = *state;
    take(bench, "malformed", 9, true);
    assert_int_equal(count_of(bench, REASON_TRUNCATED), 1);
    assert_int_equal(count_of(bench, REASON_MALFORMED), 0);
}

static void what_needs_more_than_max_decoded_is_too_large_whatever_is_free(void **state)
{
    struct bench *bench = *state;
    static uint8_t events[65000];
    for (size_t i = 0; i < sizeof events; i += 2)
        events[i] = 0x32; /* events of no bytes */
    take(bench, metric, sizeof metric, false);
    take(bench, events, sizeof events, false);
    take(bench, metric, sizeof metric, false);
    assert_int_equal(count_of(bench, REASON_TOO_LARGE), 1);
    assert_int_equal(decoded(bench), 2);
}

static void a_batch_is_due_only_while_one_is_open(void **state)
{
    struct bench *bench = *state;
    assert_true(intake_due(bench->intake, 1000) == INT64_MAX);
    take(bench, metric, sizeof metric, false);
    assert_true(intake_due(bench->intake, 1000) == 1000 + INTAKE_OPEN_LEAST_NS);
    assert_true(intake_due(bench->intake, 5000) == 1000 + INTAKE_OPEN_LEAST_NS);
    intake_seal(bench->intake);
    assert_true(intake_due(bench->intake, 9000) == INT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            without_a_free_batch_the_reason_is_no_buffer_before_all_others, set_up, tear_down),
        cmocka_unit_test_setup_teardown(without_a_free_large_batch_what_needs_one_is_no_buffer,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(truncated_comes_before_malformed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(
            what_needs_more_than_max_decoded_is_too_large_whatever_is_free, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_batch_is_due_only_while_one_is_open, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
