/* Datagrams into batches: what is judged, in which order, and where records go. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "collector/networks.h"
#include "collector/rate_limit.h"
#include "proto/schemas.h"
#include "tests/support/intake_bench.h"

static const uint8_t metric[] = {0x32, 0x02, 0x68, 0x02}; /* a Riemann event of metric 1 */

static int set_up(void **state)
{
    static char source[] = "riemann";
    static const struct schema_config riemann = {.ops = &schema_riemann, .source = source};
    *state = intake_bench_open(&riemann, 1);
    return 0;
}

static void take(struct intake_bench *bench, const void *bytes, size_t size, bool truncated)
{
    const struct address sender = {.family = ADDRESS_IPV4};
    intake_bench_take(bench, &sender, bytes, size, truncated);
}

static void without_a_free_batch_the_reason_is_no_buffer_before_all_others(void **state)
{
    struct intake_bench *bench = *state;
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
    struct intake_bench *bench = *state;
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

/* 192.0.2.0/24 may send; `last` is the sender's last byte, in another network where it is 0. */
static void take_from(struct intake_bench *bench, uint8_t last, const void *bytes, size_t size,
                      bool truncated)
{
    const struct address sender = {.family = ADDRESS_IPV4,
                                   .bytes = {192, 0, last == 0 ? 3 : 2, last}};
    intake_bench_take(bench, &sender, bytes, size, truncated);
}

static struct networks *some_senders(void)
{
    const struct network network = {{.family = ADDRESS_IPV4, .bytes = {192, 0, 2}}, 24};
    struct networks *senders = networks_create(&network, 1);
    assert_non_null(senders);
    return senders;
}

static void who_may_not_send_is_denied_before_anything_is_looked_at(void **state)
{
    struct intake_bench *bench = *state;
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

static void without_a_free_batch_who_may_not_send_has_no_buffer_either(void **state)
{
    struct intake_bench *bench = *state;
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

/* One that was opened for nothing does not stay away from others. */
static void who_may_not_send_leaves_no_batch_open(void **state)
{
    struct intake_bench *bench = *state;
    struct networks *senders = some_senders();
    bench->listener.senders = senders;
    take_from(bench, 0, metric, sizeof metric, false);
    intake_drained(bench->intake, 1000, 1000);
    assert_int_equal(batch_pool_out(bench->thread.pool), 0);
    networks_free(senders);
}

/* Whatever it is that a source sends too much of; who may not send takes nothing of a limit. */
static void who_has_sent_too_much_is_limited_before_anything_is_looked_at(void **state)
{
    static const uint8_t secret[16] = "not very secret";
    struct intake_bench *bench = *state;
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

/* What we had no room for is not held against its sender. */
static void without_a_free_batch_nothing_is_taken_of_a_limit(void **state)
{
    static const uint8_t secret[16] = "not very secret";
    struct intake_bench *bench = *state;
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

static void truncated_comes_before_malformed(void **state)
{
    struct intake_bench *bench = *state;
    take(bench, "malformed", 9, true);
    assert_int_equal(count_of(bench, REASON_TRUNCATED), 1);
    assert_int_equal(count_of(bench, REASON_MALFORMED), 0);
}

static void what_needs_more_than_max_decoded_is_too_large_whatever_is_free(void **state)
{
    struct intake_bench *bench = *state;
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
    struct intake_bench *bench = *state;
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
            without_a_free_batch_the_reason_is_no_buffer_before_all_others, set_up,
            intake_bench_close),
        cmocka_unit_test_setup_teardown(without_a_free_large_batch_what_needs_one_is_no_buffer,
                                        set_up, intake_bench_close),
        cmocka_unit_test_setup_teardown(who_may_not_send_is_denied_before_anything_is_looked_at,
                                        set_up, intake_bench_close),
        cmocka_unit_test_setup_teardown(without_a_free_batch_who_may_not_send_has_no_buffer_either,
                                        set_up, intake_bench_close),
        cmocka_unit_test_setup_teardown(who_may_not_send_leaves_no_batch_open, set_up,
                                        intake_bench_close),
        cmocka_unit_test_setup_teardown(
            who_has_sent_too_much_is_limited_before_anything_is_looked_at, set_up,
            intake_bench_close),
        cmocka_unit_test_setup_teardown(without_a_free_batch_nothing_is_taken_of_a_limit, set_up,
                                        intake_bench_close),
        cmocka_unit_test_setup_teardown(truncated_comes_before_malformed, set_up,
                                        intake_bench_close),
        cmocka_unit_test_setup_teardown(
            what_needs_more_than_max_decoded_is_too_large_whatever_is_free, set_up,
            intake_bench_close),
        cmocka_unit_test_setup_teardown(a_batch_is_due_only_while_one_is_open, set_up,
                                        intake_bench_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
