/*
 * Decides when a delivery does something, and how long it pauses after a failure. The sink's
 * thread.
 */
#ifndef SLUICE_COLLECTOR_OUTPUT_DELIVERY_TIME_H
#define SLUICE_COLLECTOR_OUTPUT_DELIVERY_TIME_H

#include "collector/output/delivery_state.h"

/*
 * Starts a pause in which no block is sent. The pause is longer each time, and at least
 * `retry_after_ns`. If several blocks fail together, only the first failure makes the pause longer.
 */
void delivery_pause(struct delivery_writer *delivery, int64_t retry_after_ns, int64_t now);

/*
 * Returns true if the block is not sent again, whatever its answer is. A sink with a spill sends a
 * block until the far end answers, and leaves it on disk at a stop.
 */
bool delivery_is_over(const struct delivery_writer *delivery, const struct buffered_block *buffered,
                      int64_t now);

/*
 * With a spill, a block that has waited for its answer for this time (nanoseconds) is stored on
 * disk, together with all other blocks in flight, so that a kill during an outage loses a bounded
 * number of records. If flush_interval= is not set, records are also collected for at most this
 * time.
 */
#define DELIVERY_KEEP_NS INT64_C(1000000000)

/*
 * Returns true if the block waits or is with the destination, and is not on disk. Returns false for
 * `unstored`, the block that could not be stored: it is newer than these blocks, and is stored
 * separately.
 */
bool delivery_is_only_in_memory(const struct delivery_writer *delivery,
                                const struct buffered_block *buffered);

/*
 * Returns when blocks that are only in memory must be stored while they are sent, or INT64_MAX if
 * there are no such blocks or there is no spill. With fsync=always blocks are stored before they
 * are sent.
 */
int64_t delivery_keep_due(const struct delivery_writer *delivery);

/* Implements `due` of struct sink_writer_ops. */
int64_t delivery_due(const struct sink_writer *writer);

#endif
