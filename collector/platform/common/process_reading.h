/*
 * What is read of a program that runs (collector/platform/child.h), and what its end comes to:
 * the part of process_run that is the same on every system. One thread.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_COMMON_PROCESS_READING_H
#define SLUICE_COLLECTOR_PLATFORM_COMMON_PROCESS_READING_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/platform/child.h"

/* Bytes of what it writes to standard error that are looked at. */
#define PROCESS_ERRORS_MAX ((size_t)64 * 1024)

/* One of its streams being read to its end; what is past the limit is thrown away. */
struct process_reading {
    struct process_output bytes;
    size_t capacity;
    size_t most; /* bytes that are kept */
    bool too_much;
    bool ended;     /* set by who reads; or there was no memory */
    bool no_memory; /* for what comes next */
};

/* Room for what comes next: *size bytes. NULL: there is no memory, and the reading has ended. */
unsigned char *process_reading_room(struct process_reading *reading, size_t *size);

/* Keeps what was read into that room. */
void process_reading_add(struct process_reading *reading, size_t size);

/*
 * What process_run returns and gives, of both streams. `how` a program has ended that did not end
 * well ("ended with exit code 3"); NULL: it ended well. `exceeded`: the time that it did not end
 * in; NULL: it ended by itself. Takes what was read of both.
 */
enum process_result process_outcome(const struct process_reading *output,
                                    const struct process_reading *errors,
                                    const struct process_limits *exceeded, const char *how,
                                    struct process_output *out, struct error *error);

#endif
