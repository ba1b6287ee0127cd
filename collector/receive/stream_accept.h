/* How connections come to a stream server. For the stream server's files. */
#ifndef SLUICE_COLLECTOR_RECEIVE_STREAM_ACCEPT_H
#define SLUICE_COLLECTOR_RECEIVE_STREAM_ACCEPT_H

#include <stdint.h>

#include "collector/base/error.h"

struct address;
struct listening;
struct stream_server;
struct worker;

/* Listens at its address, or at the sockets that it inherits. Returns 0, or -1 with `error` filled.
 */
int stream_server_listen(struct stream_server *server, struct address *bound, struct error *error);

/* Accepts those that wait at a socket whose event was taken, and has it watched again. */
void stream_server_accept(struct worker *worker, struct listening *listening);

/* Sockets whose accepting was put off, and whose time has come. */
void stream_server_accept_again(struct worker *worker, int64_t now_ns);

/*
 * Who wants to connect is refused by the system from now on, or waits for whoever else has the
 * socket: then the notifier would still report it, were it only closed.
 */
void stream_server_stop_listening(struct stream_server *server);

#endif
