/*
 * The ledger for people and for programs, as text that the caller has room for (output.h: it may
 * overflow). Pure functions; any thread.
 */
#ifndef SLUICE_COLLECTOR_LEDGER_LEDGER_PRINT_H
#define SLUICE_COLLECTOR_LEDGER_LEDGER_PRINT_H

#include "collector/ledger/ledger.h"
#include "collector/text/output.h"

/*
 * Indented lines: one paragraph per listener and per sink, each sum on a line of its own. Terms
 * that are zero are left out where the sum can be read without them.
 */
void ledger_write_text(const struct ledger_snapshot *snapshot, struct output *out);

/* One JSON object on one line, every term in it. */
void ledger_write_json(const struct ledger_snapshot *snapshot, struct output *out);

#endif
