/*
 * What the sources have in common whose sockets are bound here, to an address: udp:// and tcp://.
 * For these two alone.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_BOUND_SOURCE_H
#define SLUICE_COLLECTOR_RECEIVE_BOUND_SOURCE_H

#include <stdbool.h>

#include "collector/contract/source.h"
#include "collector/ledger/ledger.h"

/* An operation of struct source_ops. */
bool bound_source_conflict(const struct listener_config *a, const struct listener_config *b);

/*
 * Where the system chose the port, the listener's name has it. Returns 0, or -1 where memory is
 * short.
 */
int bound_source_name_by_port(struct source *source, struct ledger *ledger);

#endif
