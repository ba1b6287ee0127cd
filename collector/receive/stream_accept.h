/* Accepts connections for a stream server. Internal to the server. */
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
 * Accepts the connections that wait at a listening socket, and re-arms the socket. The thread must
 * have taken the socket's event.
 */
void stream_server_accept(struct worker *worker, struct listening *listening);

/*
 * Re-arms each listening socket whose pause after an accept error is over at `now_ns` (monotonic).
 * Returns the time at which the next of these pauses ends, or INT64_MAX.
 */
int64_t stream_server_accept_again(struct worker *worker, int64_t now_ns);

/*
 * Closes all listening sockets, and removes the file of a local one. The sockets are unwatched
 * first: if another process has a copy of an inherited socket, the notifier would otherwise report
 * the socket even after it is closed here.
 */
void stream_server_stop_listening(struct stream_server *server);

#endif
