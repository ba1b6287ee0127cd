/*
 * Reads the output of a running program (process_run, collector/platform/child.h) and determines
 * the result: the part that is the same on every system. One thread.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_COMMON_PROCESS_READING_H
#define SLUICE_COLLECTOR_PLATFORM_COMMON_PROCESS_READING_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/platform/child.h"

/* The most bytes of standard error that are kept. */
#define PROCESS_ERRORS_MAX ((size_t)64 * 1024)

/* One of the program's output streams, read to its end. Bytes beyond the limit are dropped. */
struct process_reading {
    struct process_output bytes;
    size_t capacity;
    size_t most; /* the limit, in bytes */
    bool too_much;
    bool ended;     /* set by the reader at the end of the output, or if memory is short */
    bool no_memory; /* memory was short for more bytes */
};

/*
 * Returns room for more bytes, with its size in *size, or NULL if memory is short; then the reading
 * ends.
 */
unsigned char *process_reading_room(struct process_reading *reading, size_t *size);

/* Keeps the bytes that the caller has read into the room. */
void process_reading_add(struct process_reading *reading, size_t size);

/*
 * Returns the result of process_run from both output streams. `how` describes how a program that
 * failed has ended ("ended with exit code 3"), or is NULL if it succeeded. `exceeded` has the
 * limits if the program was killed for exceeding them; otherwise it is NULL. Takes over the memory
 * of both readings.
 */
enum process_result process_outcome(const struct process_reading *output,
                                    const struct process_reading *errors,
                                    const struct process_limits *exceeded, const char *how,
                                    struct process_output *out, struct error *error);

#endif
