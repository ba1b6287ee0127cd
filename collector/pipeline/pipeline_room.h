/*
 * The memory of sinks that reloads have removed and that have not ended. They keep their batches,
 * so the queues of the present sinks are shorter until they end: otherwise the removed sinks would
 * use up the pool, and datagrams would be lost for every sink. Main thread.
 */
#ifndef SLUICE_COLLECTOR_PIPELINE_PIPELINE_ROOM_H
#define SLUICE_COLLECTOR_PIPELINE_PIPELINE_ROOM_H

#include <stddef.h>
#include <stdint.h>

struct pipeline;
struct sink_slot;

/* Memory that sinks hold. */
struct held_memory {
    size_t sinks;
    size_t large;   /* large batches */
    uint64_t slots; /* all memory, in small batches */
};

/* Adds the sink's present batches and its own memory. */
void pipeline_add_held(const struct pipeline *pipeline, const struct sink_slot *slot,
                       struct held_memory *held);

/* Returns what the removed sinks hold. */
struct held_memory pipeline_held(const struct pipeline *pipeline);

/*
 * If the removed sinks hold so much that the queues of the present sinks have less than half of
 * their planned capacity, returns the name of the sink that was removed first, else NULL. Sinks
 * cannot be changed again until it has ended.
 */
const char *pipeline_crowding_sink(const struct pipeline *pipeline);

/* Sets the capacities of the present sinks' queues to what the removed sinks leave. */
void pipeline_share_room(const struct pipeline *pipeline);

#endif
