/*
 * The writer of a relay (collector/contract/destination_relay.h): it collects datagrams and has the
 * relay send them, many with one call. Each has its fate alone: what was not sent is not sent
 * again.
 */
#ifndef SLUICE_COLLECTOR_OUTPUT_RELAY_WRITER_H
#define SLUICE_COLLECTOR_OUTPUT_RELAY_WRITER_H

#include "collector/output/sink_writer.h"

/* Returns NULL where memory is short. */
struct sink_writer *relay_writer_create(void);

/* Bytes that it allocates. */
size_t relay_writer_memory(void);

#endif
