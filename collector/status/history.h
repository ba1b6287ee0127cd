/*
 * What the ledger counted in each of the last seconds and minutes, for graphs: rings of a fixed
 * size, without a database.
 *
 * A series belongs to a listener or a sink, or to all of them; its columns are the ledger's terms
 * and reasons, the ranges of a measure, and levels. A counter's value is what was added in that
 * second or minute, so that the values of a column and the ledger's total agree; a level's is the
 * one that was found, in a minute the highest.
 *
 * All memory is taken at the creation; pages of it that no series needs stay untouched. More
 * listeners or sinks than there is room for are in the series of all of them only. One thread;
 * pure.
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

/* Series, beside those of all listeners and of all sinks: at least, and of either at most. */
#define HISTORY_LISTENERS 16
#define HISTORY_SINKS     8
#define HISTORY_MOST      64

struct history;

struct history_size {
    size_t listeners, sinks; /* series */
};

/*
 * For so many listeners and sinks, in so many bytes (0: as many as it takes); not below the least
 * and not above the most series.
 */
struct history_size status_history_size(size_t listeners, size_t sinks, uint64_t memory);

/* Returns NULL where memory is short. */
struct history *status_history_create(struct history_size size);
/* NULL is allowed. */
void status_history_destroy(struct history *history);

/* Bytes that a history takes. */
size_t status_history_memory(struct history_size size);

/*
 * Notes what was counted since the last note, as the end of a second: to be called once in each.
 * `at_ms` is monotonic, in milliseconds, and rises; the first minute begins at 0.
 */
void status_history_note(struct history *history, const struct ledger_snapshot *ledger,
                         const struct pipeline_levels *levels, int64_t at_ms);

enum history_ring { HISTORY_OF_SECONDS, HISTORY_OF_MINUTES };

/*
 * Appends the last `most` seconds or minutes, or those that there are, as one JSON object:
 *
 *     {"from":0,"at":[1000,2000],
 *      "decode":{"decode_latency":{"3":[1,0]}},
 *      "listeners":[{"index":null,"received":[5,7],"reasons":{"malformed":[0,1]}},
 *                   {"index":0,...}],
 *      "sinks":[{"index":0,"written":[4,6],"queue_batches":[0,1],"write_time":{"2":[1,1]}}]}
 *
 * `at` is when each ended, and the next began; `from` when the first of them began. The minute that
 * goes on is the last one. A column whose values are all 0
 * is left out. `index` is that of the ledger; null: the sum of all, which comes first. Ranges of a
 * measure are numbered from 0, in the order of its bounds.
 */
void status_history_write(const struct history *history, enum history_ring ring, size_t most,
                          struct output *out);

#endif
