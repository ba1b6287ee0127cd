/* Ends connections of a stream server. Internal to the server. */
#ifndef SLUICE_COLLECTOR_RECEIVE_STREAM_END_H
#define SLUICE_COLLECTOR_RECEIVE_STREAM_END_H

#include "collector/base/address.h"

struct log_limit;
struct stream_slot;
struct worker;

/* Logs a line about a connection, if the limit allows it. */
void stream_server_log_about(struct worker *worker, struct log_limit *limit,
                             const struct address *peer, const char *what);

/* Owner: releases an ended connection, counts it, and logs the reason. */
void stream_server_close_connection(struct worker *worker, struct stream_slot *slot);

/*
 * Owner: releases a connection without counting it. Its channel ends first, then its registration;
 * the notifier closes the socket.
 */
void stream_server_release(struct worker *worker, struct stream_slot *slot);

#endif
