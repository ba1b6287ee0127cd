/*
 * Stores the series that a sink writes, in a table of fixed size that forgets idle series.
 *
 * A series is identified by a 64-bit fingerprint (base/fingerprint.h). With n series in the table,
 * a new one is mistaken for one of them with a probability of about n / 2^63. With a million
 * series, one in 10^13 new series is therefore written beyond the limit.
 *
 * The table uses open addressing with linear probing, and is at most three quarters full. Removing
 * a series moves later ones back, so there are no tombstones. A hand moves round the table and
 * removes series that had no sample for the timeout; a round takes an eighth of the timeout. Before
 * a new series is refused, the hand advances by SERIES_HAND_STEPS slots.
 *
 * If the series of each sender are limited, a series counts for the sender of its first sample.
 * Each counted sender has at least one series, so the table of senders needs no more places than
 * there may be series, and never refuses a sender.
 *
 * One thread uses a table; any thread may read the count. Memory is allocated and populated only at
 * creation.
 */
#ifndef SLUICE_COLLECTOR_SERIES_SERIES_TABLE_H
#define SLUICE_COLLECTOR_SERIES_SERIES_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct series_table;

struct series_table_options {
    size_t series;      /* upper limit of series: 1 to SERIES_LIMIT_MOST */
    size_t per_sender;  /* upper limit of series of one sender; 0 means no limit */
    uint32_t timeout_s; /* seconds without a sample after which a series is forgotten; at least 1 */
};

/* The number of slots that the hand visits before a new series is refused. */
#define SERIES_HAND_STEPS 256

/* Returns NULL if out of memory. */
struct series_table *series_table_create(const struct series_table_options *options);
/* NULL is allowed. */
void series_table_destroy(struct series_table *table);

/* Returns the bytes that a table allocates. */
size_t series_table_memory(const struct series_table_options *options);

/*
 * Moves the hand if time has passed. Call it for each record. `now_s` is in seconds of any clock,
 * modulo 2^32. If the clock goes back, series are forgotten later.
 */
void series_table_tick(struct series_table *table, uint32_t now_s);

/* Returns true if the series is in the table, and notes that it has a sample now. */
bool series_table_touch(struct series_table *table, uint64_t series, uint32_t now_s);

enum series_verdict {
    SERIES_ADDED,
    SERIES_TABLE_FULL,  /* the table has its upper limit of series */
    SERIES_SENDER_FULL, /* the sender has its upper limit of series */
};

/* Adds a series that is not in the table. `sender` is the fingerprint of its sender. */
enum series_verdict series_table_add(struct series_table *table, uint64_t series, uint64_t sender,
                                     uint32_t now_s);

/* Any thread: returns the number of series in the table. */
size_t series_table_count(const struct series_table *table);

#endif
