/*
 * Makes a writer that collects records in blocks, and writes each block to its file as a whole. The
 * destination's shape determines how many blocks there are, and how large they are.
 */
#ifndef SLUICE_COLLECTOR_OUTPUT_FILE_SET_WRITER_H
#define SLUICE_COLLECTOR_OUTPUT_FILE_SET_WRITER_H

#include <stddef.h>

struct destination_shape;
struct sink_writer;

/* Returns a writer, which the caller completes by sink_writer_init, or NULL if memory is short. */
struct sink_writer *file_set_writer_create(const struct destination_shape *shape,
                                           size_t record_size);

/* Returns the number of bytes that the writer allocates. */
size_t file_set_writer_memory(const struct destination_shape *shape, size_t record_size);

#endif
