/* Gives time to sinks that are behind. Private to the receiver's files. */
#ifndef SLUICE_COLLECTOR_RECEIVE_RECEIVER_YIELD_H
#define SLUICE_COLLECTOR_RECEIVE_RECEIVER_YIELD_H

#include <stdbool.h>

struct worker;

/*
 * Returns whether the fullest queue is at least half full and the thread may still wait for sinks.
 * All waits until the sinks have caught up are together limited to the time by which records may be
 * late, so that the thread does not wait again and again for a sink that stays behind.
 */
bool receiver_is_ahead(struct worker *worker);

/*
 * If receiver_is_ahead, and unless a ready socket's buffer is half full, leaves datagrams in the
 * receive buffers for a moment so that the sinks catch up. Returns whether it did so.
 */
bool receiver_yield(struct worker *worker);

#endif
