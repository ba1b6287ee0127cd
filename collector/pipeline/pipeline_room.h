/*
 * Limits the queues of the present sinks while removed sinks still hold batches. Without these
 * limits, removed and new sinks together would use up the pool, and every sink would lose records.
 * Main thread.
 */
#ifndef SLUICE_COLLECTOR_PIPELINE_PIPELINE_ROOM_H
#define SLUICE_COLLECTOR_PIPELINE_PIPELINE_ROOM_H

struct pipeline;

/*
 * Sets the limits of all queues and the size of the pool by memory_plan_share. Without removed
 * sinks, the limits are those of the plan. If memory for additional batches is short, the pool
 * stays as it is.
 */
void pipeline_share_room(struct pipeline *pipeline);

#endif
