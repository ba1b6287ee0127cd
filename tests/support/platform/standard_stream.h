/*
 * Redirects the standard streams of a test and restores them. Opens pipes and files as targets.
 * CMake chooses the implementation of the operating system. An error fails the running cmocka test.
 */
#ifndef SLUICE_TESTS_SUPPORT_PLATFORM_STANDARD_STREAM_H
#define SLUICE_TESTS_SUPPORT_PLATFORM_STANDARD_STREAM_H

#include <stddef.h>
#include <stdint.h>

/* The system's handle of an open file or of one end of a pipe. */
typedef intptr_t test_stream;
#define NO_STREAM ((test_stream)-1)

/* Closes the handle and sets it to NO_STREAM; it may be NO_STREAM already. */
void test_stream_close(test_stream *handle);

/* Open a file by its path: for writing (created or emptied), for appending, or for reading. */
test_stream test_stream_open(const char *path);
test_stream test_stream_open_to_append(const char *path);
test_stream test_stream_open_to_read(const char *path);

/*
 * test_stream_write writes all bytes. test_stream_read reads between 1 and `size` bytes; it returns
 * 0 at the end.
 */
void test_stream_write(test_stream handle, const void *bytes, size_t size);
size_t test_stream_read(test_stream handle, void *bytes, size_t size);

/* Sets the offset of the next write to a file. */
void test_stream_seek(test_stream handle, uint64_t offset);

/* A pipe. The test closes its ends separately or together. */
struct test_pipe {
    test_stream reader;
    test_stream writer;
};

struct test_pipe test_pipe_open(void);

/* Fills the pipe. Returns the number of unread bytes. */
size_t test_pipe_fill(const struct test_pipe *pipe);

void test_pipe_close(struct test_pipe *pipe);

/* --- standard output and standard error ------------------------------------------------------- */

enum standard_stream { STREAM_OUTPUT, STREAM_ERROR };

/*
 * standard_stream_lead redirects a standard stream to a handle, which the test still owns;
 * NO_STREAM closes the stream. standard_stream_lead_back restores the stream.
 */
void standard_stream_lead(enum standard_stream stream, test_stream handle);
void standard_stream_lead_back(enum standard_stream stream);

/*
 * standard_stream_take redirects a standard stream to a temporary file. standard_stream_end_taking
 * restores the stream and returns the written text, which the caller frees.
 */
void standard_stream_take(enum standard_stream stream);
char *standard_stream_end_taking(enum standard_stream stream);

#endif
