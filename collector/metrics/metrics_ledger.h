/* Writes the ledger as metrics. New terms of the ledger appear automatically. */
#ifndef SLUICE_COLLECTOR_METRICS_METRICS_LEDGER_H
#define SLUICE_COLLECTOR_METRICS_METRICS_LEDGER_H

#include "collector/ledger/ledger.h"
#include "collector/metrics/metrics_text.h"

/*
 * Writes listeners, receiving threads, sinks and dead letters. Listeners must have different names,
 * and so must sinks.
 */
void metrics_ledger_write(struct metrics_text *text, const struct ledger_snapshot *ledger);

#endif
