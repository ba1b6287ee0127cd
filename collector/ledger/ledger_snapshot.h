/* The texts of a snapshot; only for ledger.c. Main thread. */
#ifndef SLUICE_COLLECTOR_LEDGER_LEDGER_SNAPSHOT_H
#define SLUICE_COLLECTOR_LEDGER_LEDGER_SNAPSHOT_H

#include <stdbool.h>

#include "collector/ledger/ledger.h"

/*
 * Replaces the ledger's texts in a new snapshot by copies that the snapshot owns, because a reload
 * frees the texts of the ledger. Returns false if memory is short.
 */
bool ledger_snapshot_keep_texts(struct ledger_snapshot *snapshot);

#endif
