/* Hands sealed batches to the sinks between a thread's rounds. Internal to the receiver. */
#ifndef SLUICE_COLLECTOR_RECEIVE_RECEIVER_HOST_H
#define SLUICE_COLLECTOR_RECEIVE_RECEIVER_HOST_H

#include <stdint.h>

struct worker;

/*
 * Wakes the sinks for sealed batches, or runs the sink that this thread hosts for a quantum. Sinks
 * may be left asleep for now (fan_out_hold) if more datagrams are expected at `next_ns`; INT64_MAX
 * means that none are expected. Returns the latest time of the next call, or INT64_MAX if none is
 * needed before more batches are sealed. Times are monotonic.
 */
int64_t receiver_hand_over(struct worker *worker, int64_t now_ns, int64_t next_ns);

#endif
