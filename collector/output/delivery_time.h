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
bool delivery_is_over(const struct delivery_writer *delivery, const struct held_block *held,
                      int64_t now);

/* As `due` in struct sink_writer_ops. */
int64_t delivery_due(const struct sink_writer *writer);

#endif
