/*
 * Keeps what is served of a ledger from falling: what a destination takes back, sluice's ledger
 * takes off again, and a counter that falls has begun anew, for who reads metrics; all of it would
 * be counted a second time.
 *
 * Zero at first; grows with the ledger. One thread.
 */
#ifndef SLUICE_COLLECTOR_METRICS_METRICS_RISING_H
#define SLUICE_COLLECTOR_METRICS_METRICS_RISING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/ledger/ledger.h"

struct metrics_rising {
    uint64_t *sink_bytes; /* that were served last, by index in the ledger */
    size_t sink_count;
};

/*
 * Raises in the snapshot what is less than it was the last time. Returns false, the snapshot as it
 * was, where memory is short.
 */
bool metrics_rising_keep(struct metrics_rising *rising, struct ledger_snapshot *ledger);

/* Frees all it holds, not the struct itself. */
void metrics_rising_free(struct metrics_rising *rising);

#endif
