/*
 * Makes the writer of a relay (collector/contract/destination_relay.h). The writer collects
 * datagrams, and the relay sends many of them with one call. Each datagram has its own outcome.
 * Unsent datagrams are not sent again.
 */
#ifndef SLUICE_COLLECTOR_OUTPUT_RELAY_WRITER_H
#define SLUICE_COLLECTOR_OUTPUT_RELAY_WRITER_H

#include "collector/output/sink_writer.h"

/* Returns NULL if memory is short. */
struct sink_writer *relay_writer_create(void);

/* Returns the number of bytes that the writer allocates. */
size_t relay_writer_memory(void);

#endif
