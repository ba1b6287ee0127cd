/* Accepting connections for a stream server. Private to its files. */
#ifndef SLUICE_COLLECTOR_RECEIVE_STREAM_ACCEPT_H
#define SLUICE_COLLECTOR_RECEIVE_STREAM_ACCEPT_H

#include <stdint.h>

#include "collector/base/error.h"

struct address;
struct listening;
struct stream_server;
struct worker;

/*
 * Listens on the configured address, or on the inherited sockets if there are any. Returns 0, or -1
 * with `error` filled.
 */
int stream_server_listen(struct stream_server *server, struct address *bound, struct error *error);

/*
 * Accepts the connections that wait at a listening socket after the thread took the socket's event.
 * Then re-arms the socket.
 */
void stream_server_accept(struct worker *worker, struct listening *listening);

/*
 * Re-arms each listening socket whose pause after an accept error is over at `now_ns` (monotonic).
 * Returns when the next of these pauses ends; INT64_MAX: there is none.
 */
int64_t stream_server_accept_again(struct worker *worker, int64_t now_ns);

/*
 * Closes the listening sockets that are open, and removes the file of a local one. The sockets are
 * unwatched first, because another process may have a copy of an inherited socket: the notifier
 * would then report the socket even after it is closed here.
 */
void stream_server_stop_listening(struct stream_server *server);

#endif
