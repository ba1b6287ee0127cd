/* The error of a socket that cannot be bound, with advice. Only for platform/. */
#ifndef SLUICE_COLLECTOR_PLATFORM_POSIX_BIND_FAILURE_H
#define SLUICE_COLLECTOR_PLATFORM_POSIX_BIND_FAILURE_H

#include <stdbool.h>

#include "collector/base/address.h"
#include "collector/base/error.h"

/*
 * Fills the error: EXIT_CODE_CANNOT_BIND, "cannot bind udp://127.0.0.1:5555: " with the reason for
 * the errno `number`, and what to do. `is_stream`: a TCP socket. Any thread.
 */
void bind_failure(struct error *error, bool is_stream, const struct address *address, int number);

#endif
