/* When a delivery does something, and how long it leaves the far end alone. The sink's thread. */
#ifndef SLUICE_COLLECTOR_OUTPUT_DELIVERY_TIME_H
#define SLUICE_COLLECTOR_OUTPUT_DELIVERY_TIME_H

#include "collector/output/delivery_state.h"

/*
 * Nothing is sent for a time that grows, and at least for `retry_after_ns`. Of several blocks that
 * failed together the first one alone makes it longer.
 */
void delivery_pause(struct delivery_writer *delivery, int64_t retry_after_ns, int64_t now);

/*
 * Whether the block is not to be sent again, whatever its answer says. What has a spill is sent
 * until the far end answers: at a stop it stays on disk.
 */
bool delivery_is_over(const struct delivery_writer *delivery, const struct buffered_block *buffered,
                      int64_t now);

/*
 * With a spill a block that has waited for its answer longer than this is on disk, too, and so are
 * all others that are in flight then: what a kill loses in an outage is bounded. Where records are
 * collected without a limit of time it is that limit, too.
 */
#define DELIVERY_KEEP_NS INT64_C(1000000000)

/*
 * Whether a block is to be sent, or is with the destination, and is not on disk. A block that could
 * not be stored is not one of them: it comes after them, and is stored by itself.
 */
bool delivery_is_only_in_memory(const struct delivery_writer *delivery,
                                const struct buffered_block *buffered);

/*
 * When blocks that are only in memory are to be stored while they are sent; INT64_MAX: there are
 * none, or there is no spill. With fsync=always that is before they are sent.
 */
int64_t delivery_keep_due(const struct delivery_writer *delivery);

/* As `due` in struct sink_writer_ops. */
int64_t delivery_due(const struct sink_writer *writer);

#endif
