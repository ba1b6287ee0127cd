/* Standard output in the simulated world: a pipe, and who reads it. */
#ifndef SLUICE_TESTS_SIMULATION_STREAMS_H
#define SLUICE_TESTS_SIMULATION_STREAMS_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/platform/wakeup.h"

/* The pipe's handle. */
#define STREAM_STDOUT ((wait_handle)1)

/* Bytes that it takes before it is full. */
#define STREAM_CAPACITY ((size_t)64 * 1024)

/* Of any handle: false of one that is none. */
bool stream_is_broken(wait_handle handle);
bool stream_has_room(wait_handle handle);

/* Writes a first part of the bytes; returns how many, 0: it is full. */
size_t stream_write(const void *bytes, size_t size);

/* The reader takes up to `size` bytes. Returns how many. */
size_t stream_read(void *bytes, size_t size);
bool stream_is_empty(void);

/* The reader goes. */
void stream_break(void);

#endif
