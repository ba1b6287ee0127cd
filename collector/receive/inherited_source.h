/*
 * Code that sources with inherited sockets share: those for datagrams (source_inherited.c) and for
 * connections (source_tcp.c).
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_INHERITED_SOURCE_H
#define SLUICE_COLLECTOR_RECEIVE_INHERITED_SOURCE_H

#include <stdbool.h>

#include "collector/contract/listener_config.h"

/* Operations of struct source_ops. */
const char *inherited_source_refuse(const struct listener_config *listener);
bool inherited_source_conflict(const struct listener_config *a, const struct listener_config *b);

#endif
