/* Code that the sources udp://, dtls:// and tcp:// share. This process binds their sockets. */
#ifndef SLUICE_COLLECTOR_RECEIVE_BOUND_SOURCE_H
#define SLUICE_COLLECTOR_RECEIVE_BOUND_SOURCE_H

#include <stdbool.h>

#include "collector/contract/source.h"
#include "collector/ledger/ledger.h"

/* An operation of struct source_ops. */
bool bound_source_conflict(const struct listener_config *a, const struct listener_config *b);

/*
 * Puts the port chosen by the system into the listener's name. Returns 0, or -1 if out of memory.
 */
int bound_source_name_by_port(struct source *source, struct ledger *ledger);

#endif
