/*
 * An ingest by itself: one listener with the schemas of a test, one small batch, one large one, and
 * no sink, so that a sealed batch is free again at once. Fails the running cmocka test if an object
 * cannot be made, or if the ledger does not balance at the end.
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
    struct listener listener; /* a test may change max_decoded, senders and limit of it */
    struct ingest_thread thread;
    struct sequence_table *sequences;
    struct ingest *ingest;
    int64_t now_ns; /* when datagrams come */
};

/* Used if messages of the first schema come in segments. */
#define INGEST_BENCH_SEGMENT_MEMORY  ((size_t)256 * 1024)
#define INGEST_BENCH_SEGMENT_TIMEOUT INT64_C(1000000000)

struct ingest_bench *ingest_bench_open(const struct schema_config *schemas, size_t count);

/* For a cmocka teardown. */
int ingest_bench_close(void **state);

/* Takes a datagram. */
void ingest_bench_take(struct ingest_bench *bench, const struct address *sender, const void *bytes,
                       size_t size, bool truncated);

/* As at a stop: numbers that have not come are added to `lost`. */
void ingest_bench_commit(struct ingest_bench *bench);

/* Counters of the ledger. */
uint64_t count_of(const struct ingest_bench *bench, enum datagram_reason reason);
uint64_t decoded(const struct ingest_bench *bench);

#endif
