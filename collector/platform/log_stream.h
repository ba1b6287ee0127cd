/*
 * Where the log's lines and the ledger go: the standard error stream, which may be a pipe that
 * nobody reads.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_LOG_STREAM_H
#define SLUICE_COLLECTOR_PLATFORM_LOG_STREAM_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Writes `size` bytes of whole lines, for at most `wait_ms` milliseconds where the stream is full.
 * Returns whether all were written; of up to 4096 bytes either all are or none. Any thread; up to
 * that size what several threads write does not mix.
 *
 * Where a system cannot say whether a stream is full, so many may be on their way by then: they
 * count as written and come when the reader reads, or are lost where the program ends before.
 */
bool log_stream_write(const char *lines, size_t size, int wait_ms);

/*
 * Whether the stream is the system's journal, which takes a line's level from the "<N>" that it
 * begins with (sd-daemon(3)). Never where the system has none. Any thread.
 */
bool log_stream_is_journal(void);

#endif
