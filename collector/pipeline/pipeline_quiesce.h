/*
 * Stops the threads that fill batches for a moment, so that a reload can change what they work on.
 * Main thread.
 *
 * Between pipeline_quiesce and pipeline_resume the main thread owns what those threads own
 * otherwise: sockets, fan-outs, listeners and the producers' side of the queues. Sinks go on.
 */
#ifndef SLUICE_COLLECTOR_PIPELINE_PIPELINE_QUIESCE_H
#define SLUICE_COLLECTOR_PIPELINE_PIPELINE_QUIESCE_H

#include <stdbool.h>
#include <stdint.h>

struct pipeline;

/* How long receivers may take to pause, and sockets that leave to be closed. */
#define QUIESCE_WAIT_NS INT64_C(2000000000)

/*
 * Has every producer that can pause do so: first all of them are awake from the last time, then all
 * pause. Returns false where one did not in time; then all have resumed.
 */
bool pipeline_quiesce(struct pipeline *pipeline);
void pipeline_resume(struct pipeline *pipeline);

/*
 * Waits until a part reports a change (pipeline_changed), so that the caller checks again what it
 * waits for. Returns false, without a wait, once `give_up_ns` (monotonic) has passed.
 */
bool pipeline_wait_for_change(struct pipeline *pipeline, int64_t give_up_ns);

#endif
