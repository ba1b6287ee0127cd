/*
 * Creates an ingest for tests: one listener with the schemas of the test, one small and one large
 * batch. There is no sink, so a sealed batch is free again at once. Fails the running cmocka test
 * if an object cannot be created, or if the ledger does not balance at the end.
 */
#ifndef SLUICE_TESTS_SUPPORT_RECEIVE_INGEST_BENCH_H
#define SLUICE_TESTS_SUPPORT_RECEIVE_INGEST_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/receive/ingest.h"
#include "collector/record/schema_list.h"

struct ingest_bench {
    struct ledger *ledger;
    struct listener listener; /* a test may change its max_decoded, senders and limit */
    struct ingest_thread thread;
    struct sequence_table *sequences;
    struct ingest *ingest;
    int64_t now_ns; /* receive time of the next datagrams */
};

/* Used if the first schema has messages in segments. */
#define INGEST_BENCH_SEGMENT_MEMORY  ((size_t)256 * 1024)
#define INGEST_BENCH_SEGMENT_TIMEOUT INT64_C(1000000000)

struct ingest_bench *ingest_bench_open(const struct schema_config *schemas, size_t count);

/* A cmocka teardown. */
int ingest_bench_close(void **state);

/* Passes a datagram to the ingest. */
void ingest_bench_take(struct ingest_bench *bench, const struct address *sender, const void *bytes,
                       size_t size, bool truncated);

/* Adds the sequence numbers that have not arrived to `lost`, as a stop does. */
void ingest_bench_commit(struct ingest_bench *bench);

/* count_of and decoded read counters of the ledger. */
uint64_t count_of(const struct ingest_bench *bench, enum datagram_reason reason);
uint64_t decoded(const struct ingest_bench *bench);

#endif
