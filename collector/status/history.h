/*
 * Keeps the ledger's counts in each of the last seconds and minutes, for graphs, in rings of a
 * fixed size.
 *
 * A series belongs to a listener, to a sink, or to the sum of all. Its columns are the ledger's
 * terms and reasons, the ranges of a histogram, and levels. The value of a counter is its increase
 * in that second or minute, so that a column's values add up to the ledger's total. The value of a
 * level is the present one; for a minute it is the highest.
 *
 * status_history_create allocates all memory. Memory pages that no series needs are never touched.
 * Listeners and sinks beyond the number of series are only in the sum. One thread; pure.
 */
#ifndef SLUICE_COLLECTOR_STATUS_HISTORY_H
#define SLUICE_COLLECTOR_STATUS_HISTORY_H

#include <stddef.h>
#include <stdint.h>

#include "collector/ledger/ledger.h"
#include "collector/pipeline/pipeline_levels.h"
#include "collector/text/output.h"

#define HISTORY_SECONDS 300
#define HISTORY_MINUTES 60

/*
 * Limits for the numbers of series, without the sums: the minimum for listeners, the minimum for
 * sinks, and the maximum for each of the two.
 */
#define HISTORY_LISTENERS 16
#define HISTORY_SINKS     8
#define HISTORY_MOST      64

struct history;

struct history_size {
    size_t listeners, sinks; /* numbers of series */
};

/*
 * Returns the numbers of series for `listeners` and `sinks`, between these limits, within `memory`
 * bytes if possible (0: no limit).
 */
struct history_size status_history_size(size_t listeners, size_t sinks, uint64_t memory);

/* Returns NULL if memory is short. */
struct history *status_history_create(struct history_size size);
/* NULL is allowed. */
void status_history_destroy(struct history *history);

/* Returns the bytes that a history of this size allocates. */
size_t status_history_memory(struct history_size size);

/*
 * Adds the counts since the previous call; called at the end of each second. `at_ms` is monotonic,
 * in milliseconds since the start, and never decreases.
 */
void status_history_note(struct history *history, const struct ledger_snapshot *ledger,
                         const struct pipeline_levels *levels, int64_t at_ms);

enum history_ring { HISTORY_OF_SECONDS, HISTORY_OF_MINUTES };

/*
 * Appends the last `most` seconds or minutes, as far as they exist, as one JSON object:
 *
 *   {"from":0,"at":[1000,2000],
 *    "decode":{"decode_latency":{"3":[1,0]}},
 *    "listeners":[{"index":null,"received":[5,7],"reasons":{"malformed":[0,1]}},
 *                 {"index":0,...}],
 *    "sinks":[{"index":0,"written":[4,6],"queue_fill":[0,125],"write_time":{"2":[1,1]}}]}
 *
 * `at`: when each one ended and the next began; `from`: when the first began (milliseconds). The
 * last minute is not complete. Columns that are all 0 are omitted. `queue_fill` is in thousandths.
 * `index` is that of the ledger; the sum of all has null and comes first (for queue_fill, the
 * highest value). The ranges of a histogram are numbered from 0 in the order of its bounds.
 */
void status_history_write(const struct history *history, enum history_ring ring, size_t most,
                          struct output *out);

#endif
