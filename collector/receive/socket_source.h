/*
 * Code that the sources with UDP sockets share, for sockets that are bound here or inherited
 * (source_inherited.c).
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_SOCKET_SOURCE_H
#define SLUICE_COLLECTOR_RECEIVE_SOCKET_SOURCE_H

#include "collector/contract/source.h"
#include "collector/receive/receiver.h"

/* Returns the options of the source's sockets according to its present configuration. */
struct receiver_socket socket_source_describe(struct source *source);

/*
 * Opens the socket with this number, and registers it before it is bound. Sets the source's address
 * and the bytes of its receive buffer. Returns 0, or -1 with `error` filled.
 */
int socket_source_add(struct source *source, const struct source_host *host, size_t number,
                      struct receiver_socket *socket, struct error *error);

/* Operations of struct source_ops. */
int socket_source_check(const struct listener_config *listener, struct error *error);
void socket_source_announce(const struct source *source, const struct source_host *host);
const char *socket_source_fixed_key(const struct listener_config *from,
                                    const struct listener_config *to);
int socket_source_change(struct source *source, const struct source_host *host,
                         const struct listener_config *to, bool keeps_packets, struct error *error);
void socket_source_undo(struct source *source, const struct source_host *host,
                        const struct listener_config *to, bool keeps_packets);
void socket_source_remove(const struct source *source, const struct source_host *host, bool drains);

#endif
