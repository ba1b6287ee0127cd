/*
 * Code that the sources udp:// and dtls:// share. This process binds their UDP sockets, all to the
 * same port.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_BOUND_SOCKETS_H
#define SLUICE_COLLECTOR_RECEIVE_BOUND_SOCKETS_H

#include "collector/contract/source.h"

/* Operations of struct source_ops. */
size_t bound_sockets_count(const struct listener_config *listener);
int bound_sockets_open(struct source *source, const struct source_host *host, struct error *error);
void bound_sockets_announce(const struct source *source, const struct source_host *host);

#endif
