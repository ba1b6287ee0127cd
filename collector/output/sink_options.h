/*
 * Facts that follow from a sink's options before the sink is created: the options of its
 * destination and its memory. Also implements sink_thread_check, sink_thread_probe and
 * sink_thread_opens_later (sink_thread.h).
 */
#ifndef SLUICE_COLLECTOR_OUTPUT_SINK_OPTIONS_H
#define SLUICE_COLLECTOR_OUTPUT_SINK_OPTIONS_H

#include <stdbool.h>

#include "collector/output/sink_thread.h"

/*
 * A block is written when it has BLOCK_SIZE bytes. The size is checked between records, so a block
 * has room for record_size bytes beyond this size; a longer record is refused as too large. Writing
 * a file costs a third less per byte with this size than with a fourth of it: fewer blocks end
 * within a page, and the file system gets more pages at a time.
 */
#define BLOCK_SIZE ((size_t)256 * 1024)

/*
 * Returns the maximum size of a delivery's block in bytes. The block begins with the format's head,
 * and its last record may begin just below BLOCK_SIZE.
 */
static inline size_t sink_options_block_room(size_t record_size)
{
    return BLOCK_SIZE + record_size + ENCODER_HEAD_SIZE;
}

/* Returns the maximum number of bytes of an encoded record of a sink with these options. */
static inline size_t sink_options_record_size(const struct sink_thread_options *options)
{
    return options->record_size != 0 ? options->record_size : SINK_RECORD_SIZE;
}

/* Returns the options of the sink's destination. They refer to the texts of the sink's options. */
struct destination_options sink_options_of_destination(const struct sink_thread_options *options);

/*
 * Fills the shape of the destination, which determines the kind of the sink's writer. Returns false
 * if memory is short.
 */
bool sink_options_shape(const struct sink_thread_options *options, struct destination_shape *shape);

/* Fills `error` for a destination that this program was built without. Returns -1. */
int sink_options_refuse_absent(const struct destination_ops *destination, struct error *error);

#endif
