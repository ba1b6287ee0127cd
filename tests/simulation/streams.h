/* Simulates standard output: a pipe with a reader. */
#ifndef SLUICE_TESTS_SIMULATION_STREAMS_H
#define SLUICE_TESTS_SIMULATION_STREAMS_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/platform/wakeup.h"

/* The pipe's handle. */
#define STREAM_STDOUT ((wait_handle)1)

/* Capacity of the pipe in bytes. */
#define STREAM_CAPACITY ((size_t)64 * 1024)

/* Accept any handle. Handles other than STREAM_STDOUT are passed to children.h. */
bool stream_is_broken(wait_handle handle);
bool stream_has_room(wait_handle handle);

/* Writes the bytes that fit in the pipe. Returns their number. */
size_t stream_write(const void *bytes, size_t size);

/* Reads up to `size` bytes at the other end of the pipe. Returns their number. */
size_t stream_read(void *bytes, size_t size);
bool stream_is_empty(void);

/* Closes the reader's end. */
void stream_break(void);

#endif
