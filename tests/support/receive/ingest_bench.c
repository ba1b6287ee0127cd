#include "tests/support/receive/ingest_bench.h"
#include "tests/support/record/batches_out.h"

#include <stdlib.h>

#include "collector/output/fan_out.h"
#include "tests/support/test.h"

struct ingest_bench *ingest_bench_open(const struct schema_config *schemas, size_t count)
{
    static const uint8_t secret[16];
    struct ingest_bench *bench = calloc(1, sizeof *bench);
    struct schema_list *list;
    struct error error;
    assert_non_null(bench);
    if (schema_list_create(&list, schemas, count, NULL, &error) != 0)
        fail_msg("%s", error.text);
    bench->ledger = ledger_create();
    assert_int_equal(ledger_add_listener(bench->ledger, "test", "udp", "test"), 0);
    bench->listener = (struct listener){.name = "test",
                                        .schemas = schema_slot_create(list),
                                        .schema_names = "test",
                                        .max_decoded = (size_t)512 * 1024};
    if (schemas[0].framing == FRAMING_UDP_NOTIF) {
        bench->listener.segment_memory = INGEST_BENCH_SEGMENT_MEMORY;
        bench->listener.segment_timeout_ns = INGEST_BENCH_SEGMENT_TIMEOUT;
    }
    struct ingest_thread *thread = &bench->thread;
    thread->pool = batch_pool_create(1, 1);
    bench->sequences = sequence_table_create(16, secret);
    thread->counters = calloc(1, sizeof(struct ingest_counters *));
    thread->counters[0] = ledger_ingest_block(bench->ledger, 0);
    sequence_queue_init(&thread->numbers, bench->sequences, thread->counters);
    thread->measures = ledger_thread_block(bench->ledger);
    assert_int_equal(fan_out_create(&thread->fan_out, 1, FAN_OUT_NEVER_WAITS, NULL), 0);
    bench->ingest = ingest_create(thread, &bench->listener, thread->counters[0]);
    assert_non_null(bench->ingest);
    return bench;
}

int ingest_bench_close(void **state)
{
    struct ingest_bench *bench = *state;
    ingest_finish(bench->ingest);
    ingest_thread_seal(&bench->thread);
    assert_int_equal(batches_out(bench->thread.pool), 0);
    struct ledger_snapshot *final = ledger_take_snapshot(bench->ledger, true);
    assert_true(ledger_balances(final));
    ledger_snapshot_free(final);
    ingest_destroy(bench->ingest);
    fan_out_destroy(bench->thread.fan_out);
    free(bench->thread.counters);
    sequence_table_destroy(bench->sequences);
    batch_pool_destroy(bench->thread.pool);
    schema_slot_destroy(bench->listener.schemas);
    ledger_destroy(bench->ledger);
    free(bench);
    return 0;
}

void ingest_bench_take(struct ingest_bench *bench, const struct address *sender, const void *bytes,
                       size_t size, bool truncated)
{
    static const struct address destination = {.family = ADDRESS_IPV4};
    const uint8_t *rest = NULL;
    if (size > DATAGRAM_FRONT_SIZE)
        rest = (const uint8_t *)bytes + DATAGRAM_FRONT_SIZE;
    struct datagram_slot slot = {.front = bytes,
                                 .rest = rest,
                                 .size = (uint32_t)size,
                                 .sent_size = (uint32_t)size,
                                 .truncated = truncated,
                                 .source = *sender,
                                 .destination = &destination,
                                 .received_ns = bench->now_ns};
    ingest_take(bench->ingest, &slot);
    ingest_thread_commit(&bench->thread);
}

static void add_lost(void *context, uint32_t listener, uint64_t lost)
{
    struct ingest_bench *bench = context;
    assert_int_equal(listener, 0);
    counter_add(&bench->thread.counters[0]->lost, lost);
}

void ingest_bench_commit(struct ingest_bench *bench)
{
    sequence_finish(bench->sequences, add_lost, bench);
}

uint64_t count_of(const struct ingest_bench *bench, enum datagram_reason reason)
{
    return counter_read(&bench->thread.counters[0]->reasons[reason]);
}

uint64_t decoded(const struct ingest_bench *bench)
{
    return counter_read(&bench->thread.counters[0]->decoded);
}
