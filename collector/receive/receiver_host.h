/* Gives sealed batches to the sinks between a thread's rounds. Private to the receiver's files. */
#ifndef SLUICE_COLLECTOR_RECEIVE_RECEIVER_HOST_H
#define SLUICE_COLLECTOR_RECEIVE_RECEIVER_HOST_H

#include <stdint.h>

struct worker;

/*
 * Wakes the sinks for sealed batches, or runs a quantum of the sink that this thread hosts. Sinks
 * may be left asleep for now (fan_out_hold) if more datagrams are expected at `next_ns`; INT64_MAX:
 * they are not expected. Returns when this function must be called again at the latest; INT64_MAX:
 * not before more batches are sealed. Times are monotonic.
 */
int64_t receiver_hand_over(struct worker *worker, int64_t now_ns, int64_t next_ns);

#endif
