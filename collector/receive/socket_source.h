/*
 * What the sources have in common whose datagrams come by UDP sockets: the sockets are bound by us
 * (source_udp.c), or were before we were started (source_inherited.c). For these two alone.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_SOCKET_SOURCE_H
#define SLUICE_COLLECTOR_RECEIVE_SOCKET_SOURCE_H

#include "collector/contract/source.h"
#include "collector/receive/receiver.h"

/* How its sockets are opened, by its present settings. */
struct receiver_socket socket_source_describe(struct source *source);

/*
 * Opens the socket of that number, registered before it is bound. Sets the source's address and
 * what was granted. Returns 0, or -1 with `error` filled.
 */
int socket_source_add(struct source *source, const struct source_host *host, size_t number,
                      struct receiver_socket *socket, struct error *error);

/* These are operations of struct source_ops. */
int socket_source_check(const struct listener_config *listener, struct error *error);
void socket_source_announce(const struct source *source, const struct source_host *host);
const char *socket_source_fixed_key(const struct listener_config *from,
                                    const struct listener_config *to);
int socket_source_change(struct source *source, const struct source_host *host,
                         const struct listener_config *to, bool keeps_packets, struct error *error);
void socket_source_remove(const struct source *source, const struct source_host *host, bool drains);

#endif
