/* Gives sinks that are behind some time. Private to the receiver's files. */
#ifndef SLUICE_COLLECTOR_RECEIVE_RECEIVER_YIELD_H
#define SLUICE_COLLECTOR_RECEIVE_RECEIVER_YIELD_H

#include <stdbool.h>

struct worker;

/*
 * Whether a queue is half full and the thread may still wait for its sink: for at most as long, in
 * total, as records may be late. So a sink that stays behind is not waited for again.
 */
bool receiver_is_ahead(struct worker *worker);

/*
 * If receiver_is_ahead, leaves arrived datagrams in the receive buffers for a moment so that the
 * sinks catch up, and returns true; unless a ready socket's buffer is half full.
 */
bool receiver_yield(struct worker *worker);

#endif
