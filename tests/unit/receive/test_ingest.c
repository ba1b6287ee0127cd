/*
 * Tests how datagrams become records in batches: the checks, their order, and the batches that get
 * the records.
 */
#include <string.h>

#include "collector/base/networks.h"
#include "collector/senders/rate_limit.h"
#include "proto/schemas.h"
#include "tests/support/log/heard.h"
#include "tests/support/receive/ingest_bench.h"
#include "tests/support/record/batches_out.h"
#include "tests/support/test.h"

static const uint8_t metric[] = {0x32, 0x02, 0x68, 0x02}; /* a Riemann event with the metric 1 */

static int set_up(void **state)
{
    static char source[] = "riemann";
    static const struct schema_config riemann = {.ops = &schema_riemann, .source = source};
    *state = ingest_bench_open(&riemann, 1);
    return 0;
}

static void take(struct ingest_bench *bench, const void *bytes, size_t size, bool truncated)
{
    const struct address sender = {.family = ADDRESS_IPV4};
    ingest_bench_take(bench, &sender, bytes, size, truncated);
}

TEST_WITH(without_a_free_batch_the_reason_is_no_buffer_before_all_others, set_up,
          ingest_bench_close)
{
    struct ingest_bench *bench = *state;
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

TEST_WITH(without_a_free_large_batch_large_datagrams_count_as_no_buffer, set_up, ingest_bench_close)
{
    struct ingest_bench *bench = *state;
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

/*
 * Takes a datagram from 192.0.2.`last`, which is in the allowed network. If `last` is 0, the
 * datagram is from another network.
 */
static void take_from(struct ingest_bench *bench, uint8_t last, const void *bytes, size_t size,
                      bool truncated)
{
    const struct address sender = {.family = ADDRESS_IPV4,
                                   .bytes = {192, 0, last == 0 ? 3 : 2, last}};
    ingest_bench_take(bench, &sender, bytes, size, truncated);
}

static struct networks *some_senders(void)
{
    const struct network network = {{.family = ADDRESS_IPV4, .bytes = {192, 0, 2}}, 24};
    struct networks *senders = networks_create(&network, 1);
    assert_non_null(senders);
    return senders;
}

TEST_WITH(senders_are_denied_before_the_contents_are_checked, set_up, ingest_bench_close)
{
    struct ingest_bench *bench = *state;
    struct networks *senders = some_senders();
    bench->listener.senders = senders;
    take_from(bench, 0, metric, sizeof metric, false);
    take_from(bench, 0, metric, sizeof metric, true);
    take_from(bench, 0, "malformed", 9, false);
    assert_int_equal(count_of(bench, REASON_SOURCE_DENIED), 3);
    take_from(bench, 7, metric, sizeof metric, false);
    take_from(bench, 8, metric, sizeof metric, true);
    take_from(bench, 9, "malformed", 9, false);
    assert_int_equal(count_of(bench, REASON_SOURCE_DENIED), 3);
    assert_int_equal(count_of(bench, REASON_TRUNCATED), 1);
    assert_int_equal(count_of(bench, REASON_MALFORMED), 1);
    assert_int_equal(decoded(bench), 1);
    networks_free(senders);
}

TEST_WITH(without_a_free_batch_denied_senders_count_as_no_buffer, set_up, ingest_bench_close)
{
    struct ingest_bench *bench = *state;
    struct networks *senders = some_senders();
    bench->listener.senders = senders;
    struct batch *taken = batch_acquire(bench->thread.pool, false);
    take_from(bench, 0, metric, sizeof metric, false);
    assert_int_equal(count_of(bench, REASON_NO_BUFFER), 1);
    batch_release(taken);
    take_from(bench, 0, metric, sizeof metric, false);
    assert_int_equal(count_of(bench, REASON_SOURCE_DENIED), 1);
    networks_free(senders);
}

/* A denied datagram does not use the open batch, which is kept for the next datagram. */
TEST_WITH(a_denied_datagram_leaves_the_open_batch_available, set_up, ingest_bench_close)
{
    struct ingest_bench *bench = *state;
    struct networks *senders = some_senders();
    bench->listener.senders = senders;
    take_from(bench, 0, metric, sizeof metric, false);
    ingest_drained(bench->ingest, 1000, 1000);
    assert_int_equal(batches_out(bench->thread.pool), 0);
    networks_free(senders);
}

/* Each datagram counts against the limit of its source, unless its sender is denied. */
TEST_WITH(the_rate_is_limited_before_the_contents_are_checked, set_up, ingest_bench_close)
{
    static const uint8_t secret[16] = "not very secret";
    struct ingest_bench *bench = *state;
    struct networks *senders = some_senders();
    struct rate_limit *limit = rate_limit_create(2, secret);
    assert_non_null(limit);
    bench->listener.senders = senders;
    bench->listener.rate_limit = limit;
    take_from(bench, 7, metric, sizeof metric, false);
    take_from(bench, 7, "malformed", 9, false);
    take_from(bench, 7, metric, sizeof metric, false);
    take_from(bench, 7, metric, sizeof metric, true);
    take_from(bench, 7, "malformed", 9, false);
    assert_int_equal(count_of(bench, REASON_RATE_LIMITED), 3);
    assert_int_equal(count_of(bench, REASON_MALFORMED), 1);
    assert_int_equal(decoded(bench), 1);
    take_from(bench, 8, metric, sizeof metric, false);
    assert_int_equal(decoded(bench), 2);
    for (int i = 0; i < 5; i++)
        take_from(bench, 0, metric, sizeof metric, false);
    assert_int_equal(count_of(bench, REASON_SOURCE_DENIED), 5);
    assert_int_equal(count_of(bench, REASON_RATE_LIMITED), 3);
    rate_limit_destroy(limit);
    networks_free(senders);
}

/* A datagram for which no batch is free does not count against the limit of its source. */
TEST_WITH(without_a_free_batch_the_rate_limit_is_not_used, set_up, ingest_bench_close)
{
    static const uint8_t secret[16] = "not very secret";
    struct ingest_bench *bench = *state;
    struct rate_limit *limit = rate_limit_create(1, secret);
    assert_non_null(limit);
    bench->listener.rate_limit = limit;
    struct batch *taken = batch_acquire(bench->thread.pool, false);
    take(bench, metric, sizeof metric, false);
    assert_int_equal(count_of(bench, REASON_NO_BUFFER), 1);
    batch_release(taken);
    take(bench, metric, sizeof metric, false);
    take(bench, metric, sizeof metric, false);
    assert_int_equal(decoded(bench), 1);
    assert_int_equal(count_of(bench, REASON_RATE_LIMITED), 1);
    rate_limit_destroy(limit);
}

TEST_WITH(truncated_comes_before_malformed, set_up, ingest_bench_close)
{
    struct ingest_bench *bench = *state;
    take(bench, "malformed", 9, true);
    assert_int_equal(count_of(bench, REASON_TRUNCATED), 1);
    assert_int_equal(count_of(bench, REASON_MALFORMED), 0);
}

TEST_WITH(the_log_line_of_a_refused_datagram_has_others_only_if_some_had_none, set_up,
          ingest_bench_close)
{
    struct ingest_bench *bench = *state;
    heard_begin();
    take(bench, "malformed", 9, false);
    heard_end();
    assert_int_equal(heard("datagram of 9 bytes from "), 1);
    assert_int_equal(heard("since the last such line"), 0);
}

TEST_WITH(messages_beyond_max_decoded_are_too_large, set_up, ingest_bench_close)
{
    struct ingest_bench *bench = *state;
    static uint8_t events[65000];
    for (size_t i = 0; i < sizeof events; i += 2)
        events[i] = 0x32; /* an empty event */
    take(bench, metric, sizeof metric, false);
    take(bench, events, sizeof events, false);
    take(bench, metric, sizeof metric, false);
    assert_int_equal(count_of(bench, REASON_TOO_LARGE), 1);
    assert_int_equal(decoded(bench), 2);
}

TEST_WITH(a_batch_is_due_only_while_one_is_open, set_up, ingest_bench_close)
{
    struct ingest_bench *bench = *state;
    assert_true(ingest_seal_if_due(bench->ingest, 1000) == INT64_MAX);
    take(bench, metric, sizeof metric, false);
    assert_true(ingest_seal_if_due(bench->ingest, 1000) == 1000 + INGEST_OPEN_LEAST_NS);
    assert_true(ingest_seal_if_due(bench->ingest, 5000) == 1000 + INGEST_OPEN_LEAST_NS);
    assert_int_equal(batches_out(bench->thread.pool), 1);
    assert_true(ingest_seal_if_due(bench->ingest, 1000 + INGEST_OPEN_LEAST_NS) == INT64_MAX);
    assert_int_equal(batches_out(bench->thread.pool), 0);
}

/* --- batches that listeners share ------------------------------------------------------------- */

struct others {
    struct listener alike;
    struct listener different;
    struct ingest *of_alike;
    struct ingest *of_different;
};

static struct schema_list *make_list(void)
{
    static char source[] = "riemann";
    static const struct schema_config config = {.ops = &schema_riemann, .source = source};
    struct schema_list *list = NULL;
    struct error error;
    assert_int_equal(schema_list_create(&list, &config, 1, NULL, &error), 0);
    return list;
}

static struct others *open_others(struct ingest_bench *bench)
{
    static struct others others;
    others = (struct others){.alike = bench->listener, .different = bench->listener};
    bench->thread.shares = true;
    assert_true(batch_pool_resize(bench->thread.pool, 8, 1));
    others.alike.schemas = schema_slot_create(schema_slot_take(bench->listener.schemas));
    others.different.schemas = schema_slot_create(make_list());
    others.of_alike = ingest_create(&bench->thread, &others.alike, bench->thread.counters[0]);
    others.of_different =
        ingest_create(&bench->thread, &others.different, bench->thread.counters[0]);
    return &others;
}

static void close_others(struct ingest_bench *bench, struct others *others)
{
    ingest_thread_seal(&bench->thread);
    ingest_seal(others->of_alike);
    ingest_seal(others->of_different);
    ingest_destroy(others->of_alike);
    ingest_destroy(others->of_different);
    schema_slot_destroy(others->alike.schemas);
    schema_slot_destroy(others->different.schemas);
}

static void give(struct ingest *ingest, size_t datagrams)
{
    struct datagram_slot slot = {.front = metric,
                                 .size = sizeof metric,
                                 .sent_size = sizeof metric,
                                 .source = {.family = ADDRESS_IPV4}};
    ingest_begin(ingest, datagrams);
    for (size_t i = 0; i < datagrams; i++)
        ingest_take(ingest, &slot);
}

static void assert_out(const struct ingest_bench *bench, size_t batches)
{
    assert_int_equal(batches_out(bench->thread.pool), batches);
}

TEST_WITH(few_datagrams_of_listeners_with_equal_schemas_share_a_batch, set_up, ingest_bench_close)
{
    struct ingest_bench *bench = *state;
    struct others *others = open_others(bench);
    give(bench->ingest, 1);
    give(others->of_alike, INGEST_LITTLE);
    assert_out(bench, 1);
    const struct batch *shared = bench->thread.shared[0].batch;
    assert_non_null(shared);
    assert_null(shared->listener);
    assert_int_equal(shared->count, 1 + INGEST_LITTLE);
    assert_ptr_equal(shared->first->listener, &bench->listener);
    assert_ptr_equal(shared->last->listener, &others->alike);
    give(others->of_different, 1);
    assert_out(bench, 2);
    assert_int_equal(shared->count, 1 + INGEST_LITTLE);
    close_others(bench, others);
    assert_out(bench, 0);
}

TEST_WITH(many_datagrams_get_their_own_batch_after_the_shared_one, set_up, ingest_bench_close)
{
    struct ingest_bench *bench = *state;
    struct others *others = open_others(bench);
    give(bench->ingest, 1);
    give(bench->ingest, INGEST_LITTLE + 1);
    assert_null(bench->thread.shared[0].batch);
    assert_out(bench, 1);
    give(bench->ingest, 1); /* while the listener's own batch is open, records go there */
    assert_null(bench->thread.shared[0].batch);
    assert_out(bench, 1);
    ingest_seal(bench->ingest);
    give(bench->ingest, 1);
    assert_non_null(bench->thread.shared[0].batch);
    close_others(bench, others);
    ingest_thread_seal(&bench->thread);
}

TEST_WITH(other_schemas_go_to_another_batch_after_the_old_one, set_up, ingest_bench_close)
{
    struct ingest_bench *bench = *state;
    struct others *others = open_others(bench);
    give(bench->ingest, 1);
    schema_slot_put(bench->listener.schemas, make_list());
    give(bench->ingest, 1);
    assert_out(bench, 1);
    give(others->of_alike, 1);
    assert_out(bench, 2);
    close_others(bench, others);
}

TEST_WITH(threads_with_a_common_fan_out_do_not_share_batches, set_up, ingest_bench_close)
{
    struct ingest_bench *bench = *state;
    bench->thread.shares = false;
    give(bench->ingest, 1);
    assert_null(bench->thread.shared[0].batch);
    assert_out(bench, 1);
}

TEST_WITH(a_shared_batch_is_sealed_when_it_is_due, set_up, ingest_bench_close)
{
    struct ingest_bench *bench = *state;
    bench->thread.shares = true;
    give(bench->ingest, 1);
    assert_true(ingest_seal_if_due(bench->ingest, 1000) == INT64_MAX);
    assert_true(ingest_thread_seal_if_due(&bench->thread, 1000) == 1000 + INGEST_OPEN_LEAST_NS);
    assert_out(bench, 1);
    assert_true(ingest_thread_seal_if_due(&bench->thread, 1000 + INGEST_OPEN_LEAST_NS) ==
                INT64_MAX);
    assert_out(bench, 0);
}

TEST_WITH(a_drained_thread_seals_shared_batches_if_sinks_are_idle, set_up, ingest_bench_close)
{
    struct ingest_bench *bench = *state;
    bench->thread.shares = true;
    give(bench->ingest, 1);
    ingest_thread_drained(&bench->thread, 1000, 1000 + INGEST_DELAY_NS - 1);
    assert_out(bench, 1);
    ingest_thread_drained(&bench->thread, 2000, 2000);
    assert_out(bench, 0);
}

TEST_WITH(a_drained_thread_seals_the_shared_batches_of_all_schemas, set_up, ingest_bench_close)
{
    struct ingest_bench *bench = *state;
    struct others *others = open_others(bench);
    give(bench->ingest, 1);
    give(others->of_different, 1);
    assert_out(bench, 2);
    ingest_thread_drained(&bench->thread, 1000, 1000);
    assert_out(bench, 0);
    close_others(bench, others);
}

TEST_WITH(large_batches_are_not_shared, set_up, ingest_bench_close)
{
    struct ingest_bench *bench = *state;
    uint8_t events[2000];
    for (size_t i = 0; i < sizeof events; i += sizeof metric)
        memcpy(events + i, metric, sizeof metric);
    bench->thread.shares = true;
    ingest_begin(bench->ingest, 1);
    take(bench, events, sizeof events, false);
    assert_int_equal(decoded(bench), 1);
    assert_null(bench->thread.shared[0].batch);
    assert_out(bench, 1);
}
