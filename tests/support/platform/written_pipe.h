/*
 * A named pipe with one reader. The test is the writer. Functions return errors instead of failing
 * the test. One thread at a time. CMake chooses the implementation of the operating system.
 */
#ifndef SLUICE_TESTS_SUPPORT_PLATFORM_WRITTEN_PIPE_H
#define SLUICE_TESTS_SUPPORT_PLATFORM_WRITTEN_PIPE_H

#include <stdbool.h>
#include <stddef.h>

struct written_pipe;

/*
 * Creates a pipe without a writer; it is in the scratch directory if the system has pipes in
 * folders. Returns NULL on failure.
 */
struct written_pipe *written_pipe_make(void);

/* Closes and removes the pipe, which may be NULL. */
void written_pipe_remove(struct written_pipe *pipe);

const char *written_pipe_path(const struct written_pipe *pipe);

/* Waits until the reader has opened the pipe, up to a limit, and opens it for writing. */
bool written_pipe_begin(struct written_pipe *pipe);

/* Writes all bytes, and waits while the pipe is full. */
bool written_pipe_write(struct written_pipe *pipe, const void *bytes, size_t size);

/* Closes the writing end. */
void written_pipe_end(struct written_pipe *pipe);

#endif
