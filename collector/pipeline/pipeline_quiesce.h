/*
 * Pauses the threads that fill batches, so that a reload can change their data. Main thread.
 *
 * Between pipeline_quiesce and pipeline_resume the main thread owns the data of the paused threads:
 * sockets, fan-outs, listeners and the producers' side of the queues. Sinks continue.
 */
#ifndef SLUICE_COLLECTOR_PIPELINE_PIPELINE_QUIESCE_H
#define SLUICE_COLLECTOR_PIPELINE_PIPELINE_QUIESCE_H

#include <stdbool.h>
#include <stdint.h>

struct pipeline;

/* Longest wait for producers to pause, and for removed sockets to be closed. */
#define QUIESCE_WAIT_NS INT64_C(2000000000)

/*
 * Waits until all producers have resumed after the previous pause, then pauses all that can pause.
 * If a producer does not pause in time, resumes all and returns false.
 */
bool pipeline_quiesce(struct pipeline *pipeline);
void pipeline_resume(struct pipeline *pipeline);

/*
 * Waits until a part of the pipeline calls pipeline_changed; the caller then checks its condition
 * again. Returns false, without waiting, once `give_up_ns` (monotonic) has passed.
 */
bool pipeline_wait_for_change(struct pipeline *pipeline, int64_t give_up_ns);

#endif
