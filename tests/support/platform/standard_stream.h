/*
 * The standard streams of a test: led elsewhere while it runs, and back; and what they are led to,
 * pipes and files.
 *
 * Each operating system implements this header in a file of its own, chosen by CMake. What goes
 * wrong fails the running cmocka test.
 */
#ifndef SLUICE_TESTS_SUPPORT_PLATFORM_STANDARD_STREAM_H
#define SLUICE_TESTS_SUPPORT_PLATFORM_STANDARD_STREAM_H

#include <stddef.h>
#include <stdint.h>

/* The system's handle of an open file or of an end of a pipe. */
typedef intptr_t test_stream;
#define NO_STREAM ((test_stream)-1)

/* Closes it and makes it NO_STREAM, which is allowed. */
void test_stream_close(test_stream *handle);

/* A file of that path: empty, made where it is not there; or to append to, or to read. */
test_stream test_stream_open(const char *path);
test_stream test_stream_open_to_append(const char *path);
test_stream test_stream_open_to_read(const char *path);

/* Writes all of it; reads at least one byte and at most `size`, 0 at the end. */
void test_stream_write(test_stream handle, const void *bytes, size_t size);
size_t test_stream_read(test_stream handle, void *bytes, size_t size);

/* Where the next write to a file goes: bytes from its beginning. */
void test_stream_seek(test_stream handle, uint64_t offset);

/* A pipe of which the test closes the ends, one by one or both. */
struct test_pipe {
    test_stream reader;
    test_stream writer;
};

struct test_pipe test_pipe_open(void);

/* Writes into it until it takes nothing more. Returns the bytes that are now to be read. */
size_t test_pipe_fill(const struct test_pipe *pipe);

void test_pipe_close(struct test_pipe *pipe);

/* --- standard output and standard error ------------------------------------------------------- */

enum standard_stream { STREAM_OUTPUT, STREAM_ERROR };

/* Leads it to a handle, which stays the test's; NO_STREAM: there is none then. And back. */
void standard_stream_lead(enum standard_stream stream, test_stream handle);
void standard_stream_lead_back(enum standard_stream stream);

/* Leads it to a file of its own; and back, with what was written there: to be freed. */
void standard_stream_take(enum standard_stream stream);
char *standard_stream_end_taking(enum standard_stream stream);

#endif
