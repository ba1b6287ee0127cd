/*
 * What the sources have in common whose sockets the process was started with, whether these take
 * datagrams (source_inherited.c) or connections (source_tcp.c). For these two alone.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_INHERITED_SOURCE_H
#define SLUICE_COLLECTOR_RECEIVE_INHERITED_SOURCE_H

#include <stdbool.h>

#include "collector/contract/listener_config.h"

/* These are operations of struct source_ops. */
const char *inherited_source_refuse(const struct listener_config *listener);
bool inherited_source_conflict(const struct listener_config *a, const struct listener_config *b);

#endif
