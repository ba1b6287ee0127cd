/*
 * Keeps served counters from decreasing. The ledger subtracts bytes that a destination takes back,
 * but readers of metrics take a decreasing counter for a restart, and would count all of it again.
 *
 * Zero-initialised; grows with the ledger. One thread.
 */
#ifndef SLUICE_COLLECTOR_METRICS_METRICS_RISING_H
#define SLUICE_COLLECTOR_METRICS_METRICS_RISING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/ledger/ledger.h"

struct metrics_rising {
    uint64_t *sink_bytes; /* highest values served, by index in the ledger */
    size_t sink_count;
};

/*
 * Raises values in the snapshot that are less than the last time. Returns false, with the snapshot
 * unchanged, if memory is short.
 */
bool metrics_rising_keep(struct metrics_rising *rising, struct ledger_snapshot *ledger);

/* Frees its memory, not the struct itself. */
void metrics_rising_free(struct metrics_rising *rising);

#endif
