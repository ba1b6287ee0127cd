/* Gives time to sinks that are behind. Internal to the receiver. */
#ifndef SLUICE_COLLECTOR_RECEIVE_RECEIVER_YIELD_H
#define SLUICE_COLLECTOR_RECEIVE_RECEIVER_YIELD_H

#include <stdbool.h>

struct worker;

/*
 * Returns true if the fullest queue is at least half full and the thread may still wait for sinks.
 * The sum of all waits until the sinks have caught up is limited to the time by which records may
 * be late, so that a sink that stays behind does not delay the thread again and again.
 */
bool receiver_is_ahead(struct worker *worker);

/*
 * If receiver_is_ahead returns true and no ready socket's buffer is half full, waits a moment
 * without receiving, so that the sinks catch up. Returns true if it waited.
 */
bool receiver_yield(struct worker *worker);

#endif
