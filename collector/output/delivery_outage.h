/* Notes the outages of a delivery's far end, for the log and for health. The sink's thread. */
#ifndef SLUICE_COLLECTOR_OUTPUT_DELIVERY_OUTAGE_H
#define SLUICE_COLLECTOR_OUTPUT_DELIVERY_OUTAGE_H

#include "collector/output/delivery_state.h"

/* Implements sink_writer_ops.describe_waiting. */
void delivery_outage_describe(const struct sink_writer *writer, char text[SINK_WAITING_SIZE]);

/*
 * Notes an outage that no failed block has reported: the destination has no connection, or has not
 * answered for --stall-timeout.
 */
void delivery_outage_look(struct delivery_writer *delivery, int64_t now);

/*
 * Returns when delivery_outage_look must be called (monotonic), or INT64_MAX if it need not be
 * called.
 */
int64_t delivery_outage_due(const struct delivery_writer *delivery);

#endif
