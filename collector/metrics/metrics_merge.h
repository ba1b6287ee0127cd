/*
 * Merges listeners, and sinks, of the same name, because a metric may have only one sample for a
 * set of labels. Names repeat for captures of one file, equal commands, and after a reload.
 */
#ifndef SLUICE_COLLECTOR_METRICS_METRICS_MERGE_H
#define SLUICE_COLLECTOR_METRICS_METRICS_MERGE_H

#include "collector/ledger/ledger.h"

/* Adds all rows of a name to the first of them, and shortens the snapshot's lists. */
void metrics_merge(struct ledger_snapshot *ledger);

#endif
