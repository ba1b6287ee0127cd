/*
 * Where the log's lines go: the standard error stream, which may be a pipe that nobody reads.
 */
#ifndef SLUICE_COLLECTOR_LOG_STREAM_H
#define SLUICE_COLLECTOR_LOG_STREAM_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Writes the `size` (at most 2048) bytes of one or more whole lines, or none of them: returns false
 * where they cannot be written without waiting, or at all. Any thread; lines do not mix.
 */
bool log_stream_write(const char *lines, size_t size);

#endif
