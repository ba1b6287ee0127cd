/* How a thread of the receiver has sealed batches written. Private to the receiver's files. */
#ifndef SLUICE_COLLECTOR_RECEIVE_RECEIVER_HOST_H
#define SLUICE_COLLECTOR_RECEIVE_RECEIVER_HOST_H

#include <stdint.h>

struct worker;

/*
 * Wakes the sinks for sealed batches, or runs a quantum of the sink that this thread hosts. If more
 * arrives at `next_ns`, sinks may be left asleep for now (fan_out_hold); INT64_MAX: nothing is
 * expected. Times are monotonic. Returns when this must be called again at the latest; INT64_MAX:
 * when there is more.
 */
int64_t receiver_hand_over(struct worker *worker, int64_t now_ns, int64_t next_ns);

#endif
