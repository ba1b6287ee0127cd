/*
 * Listeners, and sinks, of one name become one: a metric has one sample for each set of labels. Two
 * may have one name: captures of one file, commands of one text, one that came again.
 */
#ifndef SLUICE_COLLECTOR_METRICS_METRICS_MERGE_H
#define SLUICE_COLLECTOR_METRICS_METRICS_MERGE_H

#include "collector/ledger/ledger.h"

/* Adds up in the first of each name, and shortens the snapshot's lists. */
void metrics_merge(struct ledger_snapshot *ledger);

#endif
