/*
 * Applies the limits of a sink's series (contract/series_limits.h) to its samples before they are
 * encoded.
 *
 * For each sample the encoder computes a fingerprint with the guard's key, and calls the guard to
 * check if the sample may be written. The encoder counts the refused samples. A sink has one guard,
 * even if it writes several files. The guard exists as long as the sink: a reload that keeps the
 * sink keeps its series; a reload that changes the sink's keys begins with an empty table.
 *
 * A sender is identified by the key that sealed its datagrams. Without a key it is a host,
 * regardless of ports and listeners; for IPv6 it is the /64 network (address_network), because one
 * host can choose any address in it.
 *
 * Times are arrival times: an hour of a capture counts as an hour, even if it is read within a
 * second. Only the sink's thread may call these functions, unless stated otherwise. Memory is
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
    struct series_table *table; /* NULL if series are not limited */
    struct series_growth *growth;
    uint32_t now_s; /* arrival time of the current record, in seconds since 1970 modulo 2^32 */
};

/* Returns true if a sink with these limits needs a guard. */
static inline bool series_guard_is_needed(const struct series_limits *limits)
{
    return series_limits_series(limits) || series_limits_times(limits);
}

/* Returns NULL with `error` filled if out of memory, or if the system has no random numbers. */
struct series_guard *series_guard_create(const struct series_limits *limits, struct error *error);
/* NULL is allowed. */
void series_guard_destroy(struct series_guard *guard);

/* Returns the bytes that a guard allocates, or 0 if none is needed. */
size_t series_guard_memory(const struct series_limits *limits);

/* Begins a record that arrived at this time (ns since 1970). */
void series_guard_begin_record(struct series_guard *guard, int64_t received_ns);

/*
 * Returns true if the sample's own time is within the limits or 0 (no time). Otherwise notes its
 * sender. Times are ns since 1970.
 */
bool series_guard_is_in_time(struct series_guard *guard, int64_t time_ns, int64_t received_ns,
                             const struct address *sender);

/*
 * Returns true if the series is in the table, and notes that it has a sample now. Series must be
 * limited.
 */
static inline bool series_guard_knows(struct series_guard *guard, uint64_t series)
{
    return series_table_touch(guard->table, series, guard->now_s);
}

/*
 * Adds a series that is not in the table. `sender` is its sender's address, `name` the name of the
 * sender's key or NULL. Returns true if the series may be written. In both cases the caller notes
 * the series' labels in `growth`.
 */
bool series_guard_add(struct series_guard *guard, uint64_t series, const struct address *sender,
                      const char *name);

struct series_report {
    uint64_t series, series_most; /* both 0 if series are not limited */
    struct growth_report growth;
};

/* Any thread. */
void series_guard_read(const struct series_guard *guard, struct series_report *report);

#endif
