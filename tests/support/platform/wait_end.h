/*
 * One end of a connection, as a handle to wait for, and actions of its other end. Each operating
 * system implements this header in a file of its own, chosen by CMake. An error fails the running
 * cmocka test.
 */
#ifndef SLUICE_TESTS_SUPPORT_PLATFORM_WAIT_END_H
#define SLUICE_TESTS_SUPPORT_PLATFORM_WAIT_END_H

#include "collector/platform/wakeup.h"

struct wait_end;

/* The two kinds report a closed other end differently. */
enum wait_end_kind {
    END_OF_PIPE,   /* one direction: to the other end */
    END_OF_STREAM, /* both directions */
};

/* Opens an end that is writable and has no data to read. */
struct wait_end *wait_end_open(enum wait_end_kind kind);
/* NULL is allowed. */
void wait_end_close(struct wait_end *end);

wait_handle wait_end_handle(const struct wait_end *end);

/* The other end of a stream sends data. */
void wait_end_is_sent(struct wait_end *end);

/* Fills the connection: the end is not writable until the other end reads. */
void wait_end_fill(struct wait_end *end);
void wait_end_is_read(struct wait_end *end);

/* The other end closes. */
void wait_end_is_left(struct wait_end *end);

#endif
