/* What the ledger counts, as metrics: a new term of the ledger is here by itself. */
#ifndef SLUICE_COLLECTOR_METRICS_METRICS_LEDGER_H
#define SLUICE_COLLECTOR_METRICS_METRICS_LEDGER_H

#include "collector/ledger/ledger.h"
#include "collector/metrics/metrics_text.h"

/* Listeners, receiving threads, sinks and dead letters; each name is there once. */
void metrics_ledger_write(struct metrics_text *text, const struct ledger_snapshot *ledger);

#endif
