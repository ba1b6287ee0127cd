/*
 * One end of a connection, as a handle to wait for, and what the test has its other end do.
 *
 * Each operating system implements this header in a file of its own, chosen by CMake. What goes
 * wrong fails the running cmocka test.
 */
#ifndef SLUICE_TESTS_SUPPORT_PLATFORM_WAIT_END_H
#define SLUICE_TESTS_SUPPORT_PLATFORM_WAIT_END_H

#include "collector/platform/wakeup.h"

struct wait_end;

/* The two report differently that the other end has gone. */
enum wait_end_kind {
    END_OF_PIPE,   /* data goes to the other end alone */
    END_OF_STREAM, /* data goes both ways */
};

/* Takes data, and has none to read. */
struct wait_end *wait_end_open(enum wait_end_kind kind);
/* NULL is allowed. */
void wait_end_close(struct wait_end *end);

wait_handle wait_end_handle(const struct wait_end *end);

/* The other end of a stream sends something. */
void wait_end_is_sent(struct wait_end *end);

/* Takes no more data, until the other end reads. */
void wait_end_fill(struct wait_end *end);
void wait_end_is_read(struct wait_end *end);

/* The other end goes. */
void wait_end_is_left(struct wait_end *end);

#endif
