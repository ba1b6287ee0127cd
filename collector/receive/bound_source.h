/*
 * Code that only the sources udp:// and tcp:// share: their sockets are bound by this process.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_BOUND_SOURCE_H
#define SLUICE_COLLECTOR_RECEIVE_BOUND_SOURCE_H

#include <stdbool.h>

#include "collector/contract/source.h"
#include "collector/ledger/ledger.h"

/* An operation of struct source_ops. */
bool bound_source_conflict(const struct listener_config *a, const struct listener_config *b);

/*
 * Puts the port that the system chose into the listener's name. Returns 0, or -1 if out of memory.
 */
int bound_source_name_by_port(struct source *source, struct ledger *ledger);

#endif
