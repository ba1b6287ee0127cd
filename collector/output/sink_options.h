/*
 * What follows from a sink's options, before there is a sink: what its destination is given, what
 * that needs, and whether it can be had (sink_thread_check and its neighbours in sink_thread.h).
 */
#ifndef SLUICE_COLLECTOR_OUTPUT_SINK_OPTIONS_H
#define SLUICE_COLLECTOR_OUTPUT_SINK_OPTIONS_H

#include <stdbool.h>

#include "collector/output/sink_thread.h"

/*
 * A block is written when it holds BLOCK_SIZE bytes, which is looked at between records; so the
 * next record always has record_size bytes of room, and one that needs more is too large. A byte of
 * a file costs a third less in blocks of this size than in a fourth of it: a block ends within a
 * page, and the file system has more pages at a time.
 */
#define BLOCK_SIZE ((size_t)256 * 1024)

/*
 * The most bytes of a delivery's block of such records: one passes BLOCK_SIZE, and what a file
 * begins with comes first.
 */
static inline size_t sink_options_block_room(size_t record_size)
{
    return BLOCK_SIZE + record_size + ENCODER_HEAD_SIZE;
}

/* Bytes that a record of such a sink may have when it is written. */
static inline size_t sink_options_record_size(const struct sink_thread_options *options)
{
    return options->record_size != 0 ? options->record_size : SINK_RECORD_SIZE;
}

/* Its texts are those of the sink's options. */
struct destination_options sink_options_of_destination(const struct sink_thread_options *options);

/*
 * How the destination is going to take records, which says what kind of writer it needs. Returns
 * false where memory is short.
 */
bool sink_options_shape(const struct sink_thread_options *options, struct destination_shape *shape);

/* Whether the lines of a batch are written as they are, so that sinks may share them. */
bool sink_options_keep_lines(const struct sink_thread_options *options);

/* Fills `error` for a destination that this program was built without. Returns -1. */
int sink_options_refuse_absent(const struct destination_ops *destination, struct error *error);

#endif
