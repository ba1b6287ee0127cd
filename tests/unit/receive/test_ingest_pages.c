/*
 * Tests a thread that reads a capture, and so must not lose a datagram, when the system has no
 * memory for a new batch.
 */
#include "collector/output/fan_out.h"
#include "collector/platform/clock.h"
#include "collector/platform/machine.h"
#include "proto/schemas.h"
#include "tests/support/receive/ingest_bench.h"
#include "tests/support/record/batches_out.h"
#include "tests/support/test.h"

bool __real_aligned_memory_populate(void *memory, size_t size);
bool __wrap_aligned_memory_populate(void *memory, size_t size);
bool __wrap_fan_out_pause(struct fan_out *fan_out);
int64_t __wrap_clock_monotonic_ns(void);

#define SECOND   INT64_C(1000000000)
#define FOR_EVER 1000

static int refusals; /* number of calls that find no pages */
static int64_t now_ns;
static struct batch *lent; /* a batch that is in use, and is released after `pauses` pauses */
static int pauses;

bool __wrap_aligned_memory_populate(void *memory, size_t size)
{
    if (refusals == 0)
        return __real_aligned_memory_populate(memory, size);
    refusals--;
    return false;
}

bool __wrap_fan_out_pause(struct fan_out *fan_out)
{
    (void)fan_out;
    if (pauses > 0 && --pauses == 0)
        batch_release(lent);
    return true;
}

int64_t __wrap_clock_monotonic_ns(void)
{
    return now_ns += SECOND;
}

static int set_up(void **state)
{
    static char source[] = "riemann";
    static const struct schema_config riemann = {.ops = &schema_riemann, .source = source};
    refusals = FOR_EVER;
    struct ingest_bench *bench = ingest_bench_open(&riemann, 1);
    bench->thread.lossless = true;
    *state = bench;
    return 0;
}

static void take(struct ingest_bench *bench)
{
    static const uint8_t metric[] = {0x32, 0x02, 0x68, 0x02};
    const struct address sender = {.family = ADDRESS_IPV4};
    ingest_bench_take(bench, &sender, metric, sizeof metric, false);
}

TEST_WITH(pages_that_come_in_time_are_waited_for, set_up, ingest_bench_close)
{
    struct ingest_bench *bench = *state;
    refusals = 3;
    take(bench);
    assert_int_equal(decoded(bench), 1);
    assert_int_equal(count_of(bench, REASON_NO_BUFFER), 0);
}

TEST_WITH(pages_that_never_come_are_waited_for_once, set_up, ingest_bench_close)
{
    struct ingest_bench *bench = *state;
    take(bench);
    assert_int_equal(count_of(bench, REASON_NO_BUFFER), 1);
    assert_in_range(FOR_EVER - refusals, 2, 20);
    int before = refusals;
    take(bench);
    assert_int_equal(count_of(bench, REASON_NO_BUFFER), 2);
    assert_int_equal(before - refusals, 1);
}

TEST_WITH(after_pages_return_a_new_wait_begins, set_up, ingest_bench_close)
{
    struct ingest_bench *bench = *state;
    take(bench);
    refusals = 0;
    take(bench);
    assert_int_equal(decoded(bench), 1);
    assert_int_equal(bench->thread.short_since_ns, 0);
    assert_int_equal(count_of(bench, REASON_NO_BUFFER), 1);
}

TEST_WITH(batches_in_use_are_awaited_without_a_limit, set_up, ingest_bench_close)
{
    struct ingest_bench *bench = *state;
    refusals = 0;
    lent = batch_acquire(bench->thread.pool, false);
    pauses = 100;
    take(bench);
    assert_int_equal(decoded(bench), 1);
}
