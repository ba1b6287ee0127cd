/*
 * A client's end of the collector's control socket (collector/control/control_service.h): lines
 * out, lines in.
 *
 * One thread. CMake picks the implementation under tools/platform/.
 */
#ifndef SLUICE_TOOLS_TOP_CONNECTION_H
#define SLUICE_TOOLS_TOP_CONNECTION_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/base/error.h"

struct connection;

/*
 * Connects to "unix:PATH". Returns 0, or -1 with `error` filled: EXIT_CODE_USAGE for what is no
 * such address, EXIT_CODE_CANNOT_BIND where nobody answers there.
 */
int connection_open(struct connection **out, const char *address, struct error *error);
/* Whether who listens there is this user or root. */
bool connection_is_own(const struct connection *connection);

/* NULL is allowed. */
void connection_close(struct connection *connection);

/* Sends a request; its newline is added. Returns 0, or -1 with `error` filled (EXIT_CODE_IO). */
int connection_send(struct connection *connection, const char *request, struct error *error);

enum connection_result {
    CONNECTION_LINE,
    CONNECTION_TIMEOUT,     /* or the wait was interrupted by a signal */
    CONNECTION_GONE,        /* the collector has; or it sends what is no line */
    CONNECTION_READER_GONE, /* nobody reads our standard output any more */
};

/*
 * Waits for the next line, for at most `timeout_ms` milliseconds. It is *size bytes with its
 * newline, the connection's own until the next call, without other control characters: a collector
 * sends none, and what else listens there must not steer a terminal. Standard output is watched
 * meanwhile.
 */
enum connection_result connection_read(struct connection *connection, int timeout_ms,
                                       const char **line, size_t *size);

#endif
