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
 * If the admitted datagram is a segment, handles it completely and returns true. Otherwise returns
 * false and changes nothing.
 */
bool segments_take(struct open_datagram *open);

/*
 * Gives up overdue messages. Returns the time at which the next message is due, or INT64_MAX. Both
 * times are monotonic.
 */
int64_t segments_expire(struct ingest *ingest, int64_t now_ns);

/* Gives up all incomplete messages. */
void segments_finish(struct ingest *ingest);

#endif
