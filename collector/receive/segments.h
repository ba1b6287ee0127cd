/*
 * Datagrams that are segments of a message: held until all are there (assembly.h), then decoded
 * together, or refused one by one.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_SEGMENTS_H
#define SLUICE_COLLECTOR_RECEIVE_SEGMENTS_H

#include "collector/receive/open_datagram.h"

/* Makes the assembly of an ingest, where its listener has one. Returns false where memory is short.
 */
bool segments_create(struct ingest *ingest);

/*
 * Takes a datagram that was admitted, whatever comes of it. Returns false where it is no segment,
 * but a message or none: then nothing was done.
 */
bool segments_take(struct open_datagram *open);

/* Gives up what is late at `now_ns` (monotonic). Returns when something will be, or INT64_MAX. */
int64_t segments_expire(struct ingest *ingest, int64_t now_ns);

/* Gives up all that is held. */
void segments_finish(struct ingest *ingest);

#endif
