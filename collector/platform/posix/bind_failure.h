/* Describes why a socket cannot be bound, with advice. Only for platform/. */
#ifndef SLUICE_COLLECTOR_PLATFORM_POSIX_BIND_FAILURE_H
#define SLUICE_COLLECTOR_PLATFORM_POSIX_BIND_FAILURE_H

#include <stdbool.h>

#include "collector/base/address.h"
#include "collector/base/error.h"

/*
 * Fills `error` with EXIT_CODE_CANNOT_BIND and a text: "cannot bind udp://127.0.0.1:5555: ", the
 * reason (errno `number`), and what to do. `is_stream`: for a TCP socket. Any thread.
 */
void bind_failure(struct error *error, bool is_stream, const struct address *address, int number);

#endif
