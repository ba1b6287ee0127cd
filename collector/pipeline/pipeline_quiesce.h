/*
 * Pauses the threads that fill batches, so that a reload can change their data. Main thread.
 *
 * Between pipeline_quiesce and pipeline_resume the main thread owns what otherwise those threads
 * own: sockets, fan-outs, listeners and the producers' side of the queues. Sinks continue.
 */
#ifndef SLUICE_COLLECTOR_PIPELINE_PIPELINE_QUIESCE_H
#define SLUICE_COLLECTOR_PIPELINE_PIPELINE_QUIESCE_H

#include <stdbool.h>
#include <stdint.h>

struct pipeline;

/* Longest wait for producers to pause, and for removed sockets to be closed. */
#define QUIESCE_WAIT_NS INT64_C(2000000000)

/*
 * Waits until all producers are awake from the previous pause, then pauses all that can pause.
 * Returns false if one did not pause in time, with all resumed.
 */
bool pipeline_quiesce(struct pipeline *pipeline);
void pipeline_resume(struct pipeline *pipeline);

/*
 * Waits until a part reports a change (pipeline_changed); the caller then checks its condition
 * again. Returns false, without waiting, once `give_up_ns` (monotonic) has passed.
 */
bool pipeline_wait_for_change(struct pipeline *pipeline, int64_t give_up_ns);

#endif
