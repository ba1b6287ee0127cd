/* Gives a snapshot its own copies of all texts. Used only by ledger.c. Main thread. */
#ifndef SLUICE_COLLECTOR_LEDGER_LEDGER_SNAPSHOT_H
#define SLUICE_COLLECTOR_LEDGER_LEDGER_SNAPSHOT_H

#include <stdbool.h>

#include "collector/ledger/ledger.h"

/*
 * Copies the texts of a new snapshot, because a reload frees the texts of the ledger. The snapshot
 * owns the copies. Returns false if out of memory.
 */
bool ledger_snapshot_keep_texts(struct ledger_snapshot *snapshot);

#endif
