/* Makes the writer of a stream of bytes: a pipe, a terminal, or a file that is appended to. */
#ifndef SLUICE_COLLECTOR_OUTPUT_STREAM_WRITER_H
#define SLUICE_COLLECTOR_OUTPUT_STREAM_WRITER_H

#include <stddef.h>

struct sink_writer;

/* Returns a writer, which the caller completes by sink_writer_init, or NULL if memory is short. */
struct sink_writer *stream_writer_create(size_t record_size);

/* Returns the number of bytes that the writer allocates. */
size_t stream_writer_memory(size_t record_size);

#endif
