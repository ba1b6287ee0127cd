/*
 * Applies a sink's series_limits (contract/series_limits.h) to its samples, in front of its
 * encoder.
 *
 * For each sample the encoder computes a fingerprint with the guard's key, and calls the guard to
 * find out whether the sample may be written. The encoder counts the refused samples. A sink
 * has one guard, also if it writes several files. The guard exists as long as the sink. So a reload
 * that keeps the sink keeps its series; if a reload changes the sink's keys, the sink begins with
 * an empty table.
 *
 * A sender is the key that sealed its datagrams or, without one, a host, whatever its port and
 * whichever listener it sends to; for IPv6 it is the /64 network (address_network), whose addresses
 * one host can choose freely.
 *
 * Times are arrival times: an hour of a capture counts as an hour, even if it is read within a
 * second. The sink's thread calls the functions, except those that say otherwise. Memory is
 * allocated only at creation.
 */
#ifndef SLUICE_COLLECTOR_SERIES_SERIES_GUARD_H
#define SLUICE_COLLECTOR_SERIES_SERIES_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/address.h"
#include "collector/base/error.h"
#include "collector/base/fingerprint.h"
#include "collector/contract/series_limits.h"
#include "collector/series/series_growth.h"
#include "collector/series/series_table.h"

struct series_guard {
    struct series_limits limits;
    struct fingerprint_key key;
    struct series_table *table; /* NULL: series are not limited */
    struct series_growth *growth;
    uint32_t now_s; /* arrival of the current record, seconds since 1970 modulo 2^32 */
};

/* Whether a sink with these limits needs a guard. */
static inline bool series_guard_is_needed(const struct series_limits *limits)
{
    return series_limits_series(limits) || series_limits_times(limits);
}

/* Returns the guard, or NULL with `error` filled. */
struct series_guard *series_guard_create(const struct series_limits *limits, struct error *error);
/* NULL is allowed. */
void series_guard_destroy(struct series_guard *guard);

/* Bytes that a guard allocates; 0 if none is needed. */
size_t series_guard_memory(const struct series_limits *limits);

/* Begins a record that arrived at this time (nanoseconds since 1970). */
void series_guard_begin_record(struct series_guard *guard, int64_t received_ns);

/*
 * Whether the sample's own time (nanoseconds since 1970; 0: it has none) is within the limits.
 * Otherwise notes its sender.
 */
bool series_guard_is_in_time(struct series_guard *guard, int64_t time_ns, int64_t received_ns,
                             const struct address *sender);

/* Whether the series is known; notes that it has a sample. Only if series are limited. */
static inline bool series_guard_knows(struct series_guard *guard, uint64_t series)
{
    return series_table_touch(guard->table, series, guard->now_s);
}

/*
 * Adds a series that is not known, of a sender with this address and the name of its key (NULL: it
 * has none). Returns whether it may be written. The caller notes its labels in `growth` in both
 * cases.
 */
bool series_guard_add(struct series_guard *guard, uint64_t series, const struct address *sender,
                      const char *name);

/* The state of a guard. */
struct series_report {
    uint64_t series, series_most; /* 0 of 0: series are not limited */
    struct growth_report growth;
};

/* Any thread. */
void series_guard_read(const struct series_guard *guard, struct series_report *report);

#endif
