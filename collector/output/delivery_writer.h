/*
 * The writer of a delivery (collector/contract/delivery.h): it collects records in blocks, has
 * several blocks in flight, and counts each record when its answer arrives.
 *
 * A block that is certainly not at the far end is sent again, after growing pauses, until its
 * timeout is over. A block that may be there is sent again only if repetition is harmless or was
 * configured. No block is copied, and no memory is allocated after the writer is made.
 *
 * With a spill, blocks that would have to wait are stored on disk and sent from there in their
 * order, each until the far end accepts or refuses it. Blocks without an answer at a stop stay on
 * disk.
 */
#ifndef SLUICE_COLLECTOR_OUTPUT_DELIVERY_WRITER_H
#define SLUICE_COLLECTOR_OUTPUT_DELIVERY_WRITER_H

#include "collector/output/sink_writer.h"

/* Returns NULL if memory is short. */
struct sink_writer *delivery_writer_create(const struct sink_thread_options *options,
                                           size_t record_size);

/* Returns the number of bytes that the writer allocates. */
size_t delivery_writer_memory(const struct delivery_options *options, size_t record_size);

#endif
