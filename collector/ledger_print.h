/*
 * The ledger for people and for programs. Any thread.
 */
#ifndef SLUICE_COLLECTOR_LEDGER_PRINT_H
#define SLUICE_COLLECTOR_LEDGER_PRINT_H

#include <stdio.h>

#include "collector/ledger.h"

/*
 * As indented text: one paragraph per listener and per sink, each sum on a line of its own. Terms
 * that are zero are left out where the sum can be read without them.
 */
void ledger_print_text(const struct ledger_snapshot *snapshot, FILE *file);

/* As one JSON object on one line, every term in it. Returns 0, or -1 where memory is short. */
int ledger_print_json(const struct ledger_snapshot *snapshot, FILE *file);

#endif
