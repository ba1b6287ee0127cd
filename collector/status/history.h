/*
 * The ledger's counts in each of the last seconds and minutes, for graphs: rings of a fixed size.
 *
 * A series belongs to a listener or a sink, or to all of them; its columns are the ledger's terms
 * and reasons, the ranges of a measure, and levels. The value of a counter is its increase in that
 * second or minute, so that the values of a column add up to the ledger's total. The value of a
 * level is the present one, in a minute the highest.
 *
 * All memory is allocated by status_history_create; pages that no series needs are never touched.
 * Listeners and sinks beyond the number of series are only in the series of all. One thread; pure.
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
 * Numbers of series, not counting the series of all listeners and of all sinks: the least for
 * listeners, the least for sinks, and the most for both together.
 */
#define HISTORY_LISTENERS 16
#define HISTORY_SINKS     8
#define HISTORY_MOST      64

struct history;

struct history_size {
    size_t listeners, sinks; /* series */
};

/*
 * Returns the numbers of series for `listeners` and `sinks` within `memory` bytes (0: no limit).
 * They are at least the least numbers, and together at most HISTORY_MOST.
 */
struct history_size status_history_size(size_t listeners, size_t sinks, uint64_t memory);

/* Returns NULL if memory is short. */
struct history *status_history_create(struct history_size size);
/* NULL is allowed. */
void status_history_destroy(struct history *history);

/* Returns the bytes that a history of this size allocates. */
size_t status_history_memory(struct history_size size);

/*
 * Adds the counts since the previous call; called at the end of each second. `at_ms` is
 * monotonic, in milliseconds, and increases with each call; the first minute begins at 0.
 */
void status_history_note(struct history *history, const struct ledger_snapshot *ledger,
                         const struct pipeline_levels *levels, int64_t at_ms);

enum history_ring { HISTORY_OF_SECONDS, HISTORY_OF_MINUTES };

/*
 * Appends the last `most` seconds or minutes, as far as they exist, as one JSON object:
 *
 *     {"from":0,"at":[1000,2000],
 *      "decode":{"decode_latency":{"3":[1,0]}},
 *      "listeners":[{"index":null,"received":[5,7],"reasons":{"malformed":[0,1]}},
 *                   {"index":0,...}],
 *      "sinks":[{"index":0,"written":[4,6],"queue_fill":[0,125],"write_time":{"2":[1,1]}}]}
 *
 * `at`: when each ended and the next began; `from`: when the first began. The last minute is not
 * complete. Columns whose values are all 0 are omitted. `queue_fill` is in thousandths. `index` is
 * that of the ledger; null: the sum of all (of queue_fill the highest), which comes first. Ranges of
 * a measure are numbered from 0 in the order of its bounds.
 */
void status_history_write(const struct history *history, enum history_ring ring, size_t most,
                          struct output *out);

#endif
