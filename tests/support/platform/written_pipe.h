/*
 * A named pipe with one reader; the test is the writer. One thread at a time: errors are returned.
 * Each operating system implements this header in a file of its own, chosen by CMake.
 */
#ifndef SLUICE_TESTS_SUPPORT_PLATFORM_WRITTEN_PIPE_H
#define SLUICE_TESTS_SUPPORT_PLATFORM_WRITTEN_PIPE_H

#include <stdbool.h>
#include <stddef.h>

struct written_pipe;

/*
 * Creates a pipe, in the scratch directory if the system has pipes in folders; it has no writer
 * yet. NULL on failure.
 */
struct written_pipe *written_pipe_make(void);

/* Closes and removes the pipe. NULL is allowed. */
void written_pipe_remove(struct written_pipe *pipe);

const char *written_pipe_path(const struct written_pipe *pipe);

/* The writer opens it after the reader, which is waited for within a limit. */
bool written_pipe_begin(struct written_pipe *pipe);

/* Writes, and waits for room. */
bool written_pipe_write(struct written_pipe *pipe, const void *bytes, size_t size);

/* The writer closes it. */
void written_pipe_end(struct written_pipe *pipe);

#endif
