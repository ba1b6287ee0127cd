/*
 * Writes the ledger to the caller's buffer, which may overflow (output.h), as text for people or as
 * JSON for programs. Pure functions; any thread.
 */
#ifndef SLUICE_COLLECTOR_LEDGER_LEDGER_PRINT_H
#define SLUICE_COLLECTOR_LEDGER_LEDGER_PRINT_H

#include "collector/ledger/ledger.h"
#include "collector/text/output.h"

/*
 * Writes an indented paragraph per listener and per sink, with each sum on its own line. Zero terms
 * are omitted if the sum can be read without them.
 */
void ledger_write_text(const struct ledger_snapshot *snapshot, struct output *out);

/* Writes one JSON object on one line, with every term. */
void ledger_write_json(const struct ledger_snapshot *snapshot, struct output *out);

#endif
