/*
 * The batches that removed sinks hold until they end. Until then the queues of the present sinks
 * are shorter: otherwise the removed sinks and their successors would use up the pool, and
 * datagrams would be lost for every sink. Main thread.
 */
#ifndef SLUICE_COLLECTOR_PIPELINE_PIPELINE_ROOM_H
#define SLUICE_COLLECTOR_PIPELINE_PIPELINE_ROOM_H

struct pipeline;

/*
 * Sets the limits of all queues and the size of the pool by memory_plan_share, so that the removed
 * sinks can keep their batches. Without removed sinks the plan applies. If memory for additional
 * batches is short, the pool stays as it is.
 */
void pipeline_share_room(struct pipeline *pipeline);

#endif
