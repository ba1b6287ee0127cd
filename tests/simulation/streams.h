/* Standard output in the simulated world: a pipe, and its reader. */
#ifndef SLUICE_TESTS_SIMULATION_STREAMS_H
#define SLUICE_TESTS_SIMULATION_STREAMS_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/platform/wakeup.h"

/* The pipe's handle. */
#define STREAM_STDOUT ((wait_handle)1)

/* Bytes that the pipe holds. */
#define STREAM_CAPACITY ((size_t)64 * 1024)

/* May be called with any handle: false if the handle is not the pipe's. */
bool stream_is_broken(wait_handle handle);
bool stream_has_room(wait_handle handle);

/* Writes a first part of the bytes, up to the room of the pipe. Returns the number written. */
size_t stream_write(const void *bytes, size_t size);

/* Reads up to `size` bytes, as the program at the pipe's other end. Returns their number. */
size_t stream_read(void *bytes, size_t size);
bool stream_is_empty(void);

/* The reader closes its end. */
void stream_break(void);

#endif
