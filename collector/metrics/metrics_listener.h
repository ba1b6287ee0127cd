/*
 * Opens the listening socket of --metrics: a TCP port, or a local socket at a path. Only processes
 * of this user (or of --user) and of its group may connect to the local socket. Main thread.
 */
#ifndef SLUICE_COLLECTOR_METRICS_METRICS_LISTENER_H
#define SLUICE_COLLECTOR_METRICS_METRICS_LISTENER_H

#include "collector/base/error.h"
#include "collector/config/config.h"
#include "collector/platform/local_listener.h"
#include "collector/platform/wakeup.h"

/* Permissions of the socket's file. The group is allowed, for scrapers in the collector's group. */
#define METRICS_SOCKET_MODE 0660

struct metrics_listener {
    wait_handle socket;           /* its owner closes it with tcp_listener_close */
    struct local_listener *local; /* the local socket and its file; NULL means a TCP port */
};

/*
 * Checks that the socket could be opened, as far as possible without opening it. Returns 0, or -1
 * with `error` filled (EXIT_CODE_CONFIG, EXIT_CODE_CANNOT_BIND).
 */
int metrics_listener_check(const struct config *config, struct error *error);

/* Opens the socket, and logs its address. Returns as metrics_listener_check does. */
int metrics_listener_open(struct metrics_listener *out, const struct config *config,
                          struct error *error);

/* Removes the file. Called after the socket was closed. */
void metrics_listener_close(struct metrics_listener *listener);

#endif
