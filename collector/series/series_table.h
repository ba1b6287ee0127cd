/*
 * The series that a sink writes: a table of fixed size, which forgets series that are idle.
 *
 * A series is known by its fingerprint (base/fingerprint.h), of which the table keeps 64 bits: with
 * n series in the table, a new one is taken for a known one with a probability of about n / 2^63,
 * so with a million series one in 10^13 new ones is written although it is beyond the limit. No
 * known series is ever taken for another.
 *
 * The fingerprints are in an open table with linear probing, at most three quarters full; removing
 * one moves its followers back, so there are no tombstones. A hand goes round the table and removes
 * series without a sample for the timeout: one round takes an eighth of the timeout. A series that
 * would be refused first moves the hand on by SERIES_HAND_STEPS slots.
 *
 * With a limit for each sender, the series of each are counted by the sender that brought them. A
 * sender in the table has at least one series, so the table of senders has room for as many senders
 * as there may be series, and never refuses one itself.
 *
 * One thread uses a table; any thread may read the count. Memory is allocated, and touched, only at
 * creation.
 */
#ifndef SLUICE_COLLECTOR_SERIES_SERIES_TABLE_H
#define SLUICE_COLLECTOR_SERIES_SERIES_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct series_table;

struct series_table_options {
    size_t series;      /* the most series: 1 to SERIES_LIMIT_MOST */
    size_t per_sender;  /* the most series of a sender; 0: no limit */
    uint32_t timeout_s; /* seconds without a sample after which a series is forgotten; at least 1 */
};

/* Before a series is refused, the hand visits this number of slots in addition. */
#define SERIES_HAND_STEPS 256

/* Returns NULL if memory is short. */
struct series_table *series_table_create(const struct series_table_options *options);
/* NULL is allowed. */
void series_table_destroy(struct series_table *table);

/* Bytes that a table allocates. */
size_t series_table_memory(const struct series_table_options *options);

/*
 * Moves the hand, if time has passed. `now_s` is in seconds of any clock, modulo 2^32; it may go
 * back, which delays forgetting. Call it for each record.
 */
void series_table_tick(struct series_table *table, uint32_t now_s);

/* Returns whether the series is known, and notes that it has a sample now. */
bool series_table_touch(struct series_table *table, uint64_t series, uint32_t now_s);

enum series_verdict {
    SERIES_ADDED,
    SERIES_TABLE_FULL,  /* the table has the maximum number of series */
    SERIES_SENDER_FULL, /* the sender has the maximum number of series */
};

/* Adds a series that is not known. `sender`: the fingerprint of the sender that brings it. */
enum series_verdict series_table_add(struct series_table *table, uint64_t series, uint64_t sender,
                                     uint32_t now_s);

/* Any thread: the number of series in the table. */
size_t series_table_count(const struct series_table *table);

#endif
