/*
 * Implements a client of the collector's control socket (collector/control/control_service.h),
 * which sends and reads lines. One thread. CMake selects the implementation in tools/platform/.
 */
#ifndef SLUICE_TOOLS_TOP_CONNECTION_H
#define SLUICE_TOOLS_TOP_CONNECTION_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/base/error.h"

struct connection;

/*
 * Connects to "unix:PATH", or on Windows "pipe:NAME". Returns 0, or -1 with `error` filled:
 * EXIT_CODE_USAGE if the address is malformed, EXIT_CODE_CANNOT_BIND if the connection fails.
 */
int connection_open(struct connection **out, const char *address, struct error *error);
/*
 * Returns true if the listening process belongs to this user or the system: root, services,
 * administrators.
 */
bool connection_is_own(const struct connection *connection);

/* Closes and frees the connection; NULL is allowed. */
void connection_close(struct connection *connection);

/* Sends a request and a newline. Returns 0, or -1 with `error` filled (EXIT_CODE_IO). */
int connection_send(struct connection *connection, const char *request, struct error *error);

enum connection_result {
    CONNECTION_LINE,
    CONNECTION_TIMEOUT,     /* no line in time, or a signal interrupted the wait */
    CONNECTION_GONE,        /* the collector has closed the connection, or its line is too long */
    CONNECTION_READER_GONE, /* the reader of standard output has closed its end */
};

/*
 * Waits at most `timeout_ms` milliseconds for the next line: *size bytes with its newline, valid
 * until the next call. Replaces other control characters. A collector sends none, but another
 * program at this address could otherwise control the terminal. Also returns when the reader of
 * standard output closes its end.
 */
enum connection_result connection_read(struct connection *connection, int timeout_ms,
                                       const char **line, size_t *size);

#endif
