/*
 * A pipe with a name, for one reader, of which the test is the writer. Any thread, one at a time:
 * what goes wrong is returned.
 *
 * Each operating system implements this header in a file of its own, chosen by CMake.
 */
#ifndef SLUICE_TESTS_SUPPORT_PLATFORM_WRITTEN_PIPE_H
#define SLUICE_TESTS_SUPPORT_PLATFORM_WRITTEN_PIPE_H

#include <stdbool.h>
#include <stddef.h>

struct written_pipe;

/* Makes it in the scratch directory, if there it can be; nobody writes it yet. NULL: it cannot. */
struct written_pipe *written_pipe_make(void);

/* The writer goes, and the pipe too. NULL is allowed. */
void written_pipe_remove(struct written_pipe *pipe);

const char *written_pipe_path(const struct written_pipe *pipe);

/* The writer comes, when the reader has: that is waited for, but not for ever. */
bool written_pipe_begin(struct written_pipe *pipe);

/* It writes, waiting where there is no room. */
bool written_pipe_write(struct written_pipe *pipe, const void *bytes, size_t size);

/* It goes. */
void written_pipe_end(struct written_pipe *pipe);

#endif
