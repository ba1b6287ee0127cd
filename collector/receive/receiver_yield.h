/* Sinks that are behind get time from a thread of the receiver. For the receiver's files. */
#ifndef SLUICE_COLLECTOR_RECEIVE_RECEIVER_YIELD_H
#define SLUICE_COLLECTOR_RECEIVE_RECEIVER_YIELD_H

#include <stdbool.h>

struct worker;

/*
 * Whether a queue is half full and the thread may still wait for that: for as long in all as
 * records may be late, so that a sink that stays behind is not waited for again.
 */
bool receiver_is_ahead(struct worker *worker);

/*
 * Where it is ahead, leaves what arrived in the receive buffers for a moment, and returns true:
 * sinks that only need time catch up. Not where a socket that has more is half full.
 */
bool receiver_yield(struct worker *worker);

#endif
