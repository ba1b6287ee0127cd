#include <stdatomic.h>

#include "collector/platform/thread.h"
#include "collector/senders/rate_limit.h"
#include "tests/support/senders/hosts.h"
#include "tests/support/test.h"

#define NOW INT64_C(1700000000000000000)

/* This is less than the number of sources that the table can hold. */
#define SOURCES 10000

#define THREADS 4
#define EACH    20000

static struct rate_limit *limit_of(uint64_t rate)
{
    static const uint8_t secret[16] = "not very secret";
    struct rate_limit *limit = rate_limit_create(rate, secret);
    assert_non_null(limit);
    return limit;
}

static bool take(struct rate_limit *limit, uint32_t n)
{
    struct address source = host(n);
    return rate_limit_take(limit, &source, NULL, NOW);
}

struct crowd {
    struct rate_limit *limit;
    _Atomic uint64_t passed;
};

static void send_much(void *context)
{
    struct crowd *crowd = context;
    for (uint64_t i = 0; i < EACH; i++)
        atomic_fetch_add(&crowd->passed, take(crowd->limit, 1));
}

static uint64_t passed_by_all(struct crowd *crowd, void (*send)(void *context))
{
    struct thread *threads[THREADS];
    struct error error;
    for (size_t i = 0; i < THREADS; i++)
        if (thread_start(&threads[i], "sender", send, crowd, &error) != 0)
            fail_msg("%s", error.text);
    for (size_t i = 0; i < THREADS; i++)
        thread_join(threads[i]);
    return atomic_load(&crowd->passed);
}

TEST(threads_share_a_sources_bucket)
{
    struct crowd crowd = {.limit = limit_of(EACH)};
    assert_int_equal(passed_by_all(&crowd, send_much), EACH);
    rate_limit_destroy(crowd.limit);
}

static void send_from_all(void *context)
{
    struct crowd *crowd = context;
    for (uint32_t n = 0; n < SOURCES; n++)
        atomic_fetch_add(&crowd->passed, take(crowd->limit, n));
}

/* There are enough sources that some of them use their second set in the table. */
TEST(threads_share_all_sources_buckets)
{
    struct crowd crowd = {.limit = limit_of(2)};
    assert_in_range(passed_by_all(&crowd, send_from_all), 2 * SOURCES, 2 * SOURCES + SOURCES / 100);
    rate_limit_destroy(crowd.limit);
}
