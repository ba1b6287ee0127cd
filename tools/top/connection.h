/*
 * The client side of the collector's control socket (collector/control/control_service.h): sends
 * and reads lines.
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
 * Connects to "unix:PATH". Returns 0, or -1 with `error` filled: EXIT_CODE_USAGE for a malformed
 * address, EXIT_CODE_CANNOT_BIND if no process answers there.
 */
int connection_open(struct connection **out, const char *address, struct error *error);
/* Whether the listening process belongs to this user or root. */
bool connection_is_own(const struct connection *connection);

/* NULL is allowed. */
void connection_close(struct connection *connection);

/* Sends a request; its newline is added. Returns 0, or -1 with `error` filled (EXIT_CODE_IO). */
int connection_send(struct connection *connection, const char *request, struct error *error);

enum connection_result {
    CONNECTION_LINE,
    CONNECTION_TIMEOUT,     /* or a signal interrupted the wait */
    CONNECTION_GONE,        /* the collector has closed it, or sent an endless line */
    CONNECTION_READER_GONE, /* the reader of our standard output has closed it */
};

/*
 * Waits at most `timeout_ms` milliseconds for the next line: *size bytes with its newline, valid
 * until the next call. Other control characters are replaced: a collector sends none, and another
 * program at this address must not control our terminal. Also notices when the reader of standard
 * output closes it.
 */
enum connection_result connection_read(struct connection *connection, int timeout_ms,
                                       const char **line, size_t *size);

#endif
