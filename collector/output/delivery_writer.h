/*
 * The writer of a delivery (collector/contract/delivery.h): it collects records in blocks, has
 * several of them in flight, and counts each record when its answer came.
 *
 * A block that is certainly not there is sent again, after pauses that grow, until its time is
 * over. One that may be there is sent again only where that does no harm, or was asked for. No
 * block is copied, and no memory is allocated once the writer is made.
 *
 * With a spill, blocks that would have to wait are stored on disk, and sent from there, older
 * before newer; what is sent is sent until the far end takes or refuses it. At a stop what has no
 * answer stays on disk.
 */
#ifndef SLUICE_COLLECTOR_OUTPUT_DELIVERY_WRITER_H
#define SLUICE_COLLECTOR_OUTPUT_DELIVERY_WRITER_H

#include "collector/output/sink_writer.h"

/* Returns NULL where memory is short. */
struct sink_writer *delivery_writer_create(const struct sink_thread_options *options,
                                           size_t record_size);

/* Bytes that it allocates. */
size_t delivery_writer_memory(const struct delivery_options *options, size_t record_size);

#endif
