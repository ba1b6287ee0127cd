/* What a thread of the receiver does with what it has sealed. For the receiver's files. */
#ifndef SLUICE_COLLECTOR_RECEIVE_RECEIVER_HOST_H
#define SLUICE_COLLECTOR_RECEIVE_RECEIVER_HOST_H

#include <stdint.h>

struct worker;

/*
 * Has what was sealed written: wakes the sinks, or gives the one that this thread runs a quantum.
 * Where more comes at `next_ns` sinks may be left asleep for now (fan_out_hold); INT64_MAX: nothing
 * is expected. Times are monotonic. Returns when this is needed again at the latest; INT64_MAX:
 * when there is more.
 */
int64_t receiver_hand_over(struct worker *worker, int64_t now_ns, int64_t next_ns);

#endif
