/*
 * Opens one end of a connection, with a handle to wait for. The functions below also act as the
 * peer at the other end. CMake chooses the implementation of the operating system. An error fails
 * the running cmocka test.
 */
#ifndef SLUICE_TESTS_SUPPORT_PLATFORM_WAIT_END_H
#define SLUICE_TESTS_SUPPORT_PLATFORM_WAIT_END_H

#include "collector/platform/wakeup.h"

struct wait_end;

/*
 * The kind of a connection. The system reports a closed peer in different ways for the two kinds.
 */
enum wait_end_kind {
    END_OF_PIPE,   /* the writing end of a pipe */
    END_OF_STREAM, /* both directions */
};

/* Opens an end that is writable and has no data to read. */
struct wait_end *wait_end_open(enum wait_end_kind kind);
/* Closes the end, which may be NULL. */
void wait_end_close(struct wait_end *end);

wait_handle wait_end_handle(const struct wait_end *end);

/* Sends data from the other end. Only for END_OF_STREAM. */
void wait_end_is_sent(struct wait_end *end);

/*
 * wait_end_fill fills the connection, so that the end is not writable. wait_end_is_read reads that
 * data at the other end.
 */
void wait_end_fill(struct wait_end *end);
void wait_end_is_read(struct wait_end *end);

/* Closes the other end. */
void wait_end_is_left(struct wait_end *end);

#endif
