#include <stdatomic.h>
#include <stdbool.h>

#include "collector/platform/thread.h"
#include "collector/senders/traffic.h"
#include "tests/support/senders/hosts.h"
#include "tests/support/test.h"

static int set_up(void **state)
{
    static const uint8_t secret[16] = "not very secret";
    *state = traffic_table_create(secret);
    return *state == NULL;
}

static int tear_down(void **state)
{
    traffic_table_destroy(*state);
    return 0;
}

static void note(struct traffic_table *table, uint32_t n, uint32_t bytes)
{
    struct address source = host(n);
    traffic_note(table, 0, &source, bytes);
}

struct flood {
    struct traffic_table *table;
    _Atomic bool ended;
};

static void flood(void *argument)
{
    struct flood *flood = argument;
    for (uint32_t n = 0; !atomic_load(&flood->ended); n++) {
        note(flood->table, n % 20000 + 1, n % 20000 + 1);
        note(flood->table, 7, 7);
    }
}

TEST_WITH(a_concurrent_reader_sees_no_mixed_counts, set_up, tear_down)
{
    struct flood context = {.table = *state};
    struct thread *thread;
    struct error error;
    assert_int_equal(thread_start(&thread, "flood", flood, &context, &error), 0);
    static struct traffic_sender found[TRAFFIC_SENDERS];
    size_t seen = 0;
    for (int reads = 0; reads < 2000 || seen == 0; reads++) {
        size_t count = traffic_read(context.table, found);
        seen += count;
        assert_true(count <= TRAFFIC_SENDERS);
        for (size_t i = 0; i < count; i++) {
            const uint8_t *bytes = found[i].source.bytes;
            uint64_t n = (uint64_t)bytes[1] << 16 | (uint64_t)bytes[2] << 8 | bytes[3];
            assert_true(found[i].source.family == ADDRESS_IPV4 && found[i].listener == 0);
            assert_int_equal(found[i].bytes % n, 0);
            /* The bytes of the last datagram may not be counted yet. */
            assert_in_range(found[i].datagrams * n, found[i].bytes, UINT64_MAX);
        }
    }
    atomic_store(&context.ended, true);
    thread_join(thread);
}
