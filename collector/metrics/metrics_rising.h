/*
 * Prevents counters from decreasing between two pages. The ledger subtracts bytes that a
 * destination removes again. But readers of metrics interpret a decreasing counter as a restart,
 * and would count its whole value again.
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
 * Raises values in the snapshot that are less than in the previous call. Returns false, with the
 * snapshot unchanged, if memory is short.
 */
bool metrics_rising_keep(struct metrics_rising *rising, struct ledger_snapshot *ledger);

/* Frees the memory of the struct, not the struct itself. */
void metrics_rising_free(struct metrics_rising *rising);

#endif
