/* How a connection of a stream server ends. For the stream server's files. */
#ifndef SLUICE_COLLECTOR_RECEIVE_STREAM_END_H
#define SLUICE_COLLECTOR_RECEIVE_STREAM_END_H

#include "collector/base/address.h"

struct stream_slot;
struct worker;

/* Logs about a connection, not more often than the thread's limit allows. */
void stream_server_log_about(struct worker *worker, const struct address *peer, const char *what);

/* The owner's connection has ended: it is counted, and the reason logged. */
void stream_server_close_connection(struct worker *worker, struct stream_slot *slot);

/* The same, not counted. The socket is closed last but the slot: until then nobody else gets its
 * number. */
void stream_server_release(struct worker *worker, struct stream_slot *slot);

#endif
