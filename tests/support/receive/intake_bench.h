/*
 * An intake by itself: one listener with the schemas of a test, one small batch, one large one, and
 * no sink, so that what is sealed is free again at once. Fails the running cmocka test where
 * something cannot be made, or the ledger does not balance at the end.
 */
#ifndef SLUICE_TESTS_SUPPORT_RECEIVE_INTAKE_BENCH_H
#define SLUICE_TESTS_SUPPORT_RECEIVE_INTAKE_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/receive/intake.h"
#include "collector/record/schema_list.h"

struct intake_bench {
    struct ledger *ledger;
    struct listener listener; /* a test may change its max_decoded, senders, limit */
    struct intake_thread thread;
    struct sequence_table *sequences;
    struct intake *intake;
};

struct intake_bench *intake_bench_open(const struct schema_config *schemas, size_t count);

/* For a cmocka teardown. */
int intake_bench_close(void **state);

/* Takes a datagram. */
void intake_bench_take(struct intake_bench *bench, const struct address *sender, const void *bytes,
                       size_t size, bool truncated);

/* As at a stop: adds the numbers that never came to `lost`. */
void intake_bench_settle(struct intake_bench *bench);

/* Counters of the ledger. */
uint64_t count_of(const struct intake_bench *bench, enum datagram_reason reason);
uint64_t decoded(const struct intake_bench *bench);

#endif
