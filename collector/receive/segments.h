/*
 * Handles datagrams that are segments of a message. They are buffered until the message is complete
 * (assembly.h), then decoded together. Segments of an incomplete message are refused one by one.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_SEGMENTS_H
#define SLUICE_COLLECTOR_RECEIVE_SEGMENTS_H

#include "collector/receive/open_datagram.h"

/* Creates the ingest's assembly if the listener needs one. Returns false if out of memory. */
bool segments_create(struct ingest *ingest);

/*
 * Handles an admitted datagram completely if it is a segment. Otherwise returns false and changes
 * nothing.
 */
bool segments_take(struct open_datagram *open);

/*
 * Gives up overdue messages. Returns when the next message is due, or INT64_MAX; both times are
 * monotonic.
 */
int64_t segments_expire(struct ingest *ingest, int64_t now_ns);

/* Gives up all incomplete messages. */
void segments_finish(struct ingest *ingest);

#endif
