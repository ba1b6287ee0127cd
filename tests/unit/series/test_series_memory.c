/*
 * Tests the limits of a sink when memory is short: they are complete, or creating the sink fails.
 */
#include "collector/series/series_guard.h"
#include "tests/support/platform/failing_memory.h"
#include "tests/support/test.h"

TEST(a_guard_is_made_whole_or_not_at_all_whichever_allocation_fails)
{
    const struct series_limits limits = {
        .max_series = 1000, .max_per_sender = 10, .timeout = SERIES_TIMEOUT_DEFAULT};
    struct series_guard *guard = NULL;
    uint64_t number = 0;
    while (guard == NULL) {
        struct error error = {0};
        failing_memory_fail(++number);
        guard = series_guard_create(&limits, &error);
        assert_int_equal(guard == NULL, failing_memory_left() == 0);
        if (guard == NULL)
            assert_int_equal(error.code, EXIT_CODE_INTERNAL);
    }
    failing_memory_fail(0);
    /*
     * The allocations are those of the guard: growth and its lock, the table, its slots, senders
     * and chains.
     */
    assert_true(number > 6);
    series_guard_destroy(guard);
}

TEST(no_allocation_is_made_for_samples)
{
    const struct series_limits limits = {
        .max_series = 100, .max_per_sender = 50, .max_age = 1, .timeout = UINT64_C(2000000000)};
    const struct address sender = {.family = ADDRESS_IPV4, .bytes = {192, 0, 2, 1}};
    struct error error;
    struct series_guard *guard = series_guard_create(&limits, &error);
    assert_non_null(guard);
    failing_memory_fail(1);
    for (uint64_t i = 1; i <= 10000; i++) {
        const struct text name = {"id", 2};
        int64_t now_ns = (int64_t)i * 100000000;
        series_guard_begin_record(guard, now_ns);
        series_guard_is_in_time(guard, 5, now_ns, &sender);
        if (!series_guard_knows(guard, i << 40))
            series_guard_add(guard, i << 40, &sender, NULL);
        series_growth_note_label(guard->growth, &name, i << 40);
    }
    assert_int_equal(failing_memory_left(), 1);
    failing_memory_fail(0);
    series_guard_destroy(guard);
}
