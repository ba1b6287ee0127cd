/* The writer of whole blocks into files, as many and as large ones as the shape says. */
#ifndef SLUICE_COLLECTOR_OUTPUT_FILE_SET_WRITER_H
#define SLUICE_COLLECTOR_OUTPUT_FILE_SET_WRITER_H

#include <stddef.h>

struct destination_shape;
struct sink_writer;

/* To be completed by sink_writer_init. Returns NULL where memory is short. */
struct sink_writer *file_set_writer_create(const struct destination_shape *shape,
                                           size_t record_size);

/* Bytes that it takes. */
size_t file_set_writer_memory(const struct destination_shape *shape, size_t record_size);

#endif
