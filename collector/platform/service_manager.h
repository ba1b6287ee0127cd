/*
 * Reports to the program that started this one and supervises it (systemd), and takes the sockets
 * that it has opened for this process.
 *
 * On a system without such a manager, a port reports that there is no manager and that there are no
 * sockets.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_SERVICE_MANAGER_H
#define SLUICE_COLLECTOR_PLATFORM_SERVICE_MANAGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/error.h"
#include "collector/platform/wakeup.h"

/* --- reports ---------------------------------------------------------------------------------- */

/*
 * Reports to systemd by sd_notify(3).
 *
 * Lifecycle: find before the first child process is started, report, destroy. Main thread. A report
 * may wait for a second if the manager does not accept it. On Windows there is no manager here: the
 * state of a Windows service is reported by program/service.h.
 */

struct service_manager;

/*
 * Finds the manager by environment variables, which it removes, so that no child process reports to
 * it. *out is NULL if there is no manager. Returns 0, or -1 with `error` filled if there is one
 * that cannot be reached.
 */
int service_manager_find(struct service_manager **out, struct error *error);

/* NULL is allowed. */
void service_manager_destroy(struct service_manager *manager);

/*
 * Returns the nanoseconds without service_manager_alive after which the manager ends the program;
 * 0: never.
 */
int64_t service_manager_patience(const struct service_manager *manager);

/*
 * Each of the following functions makes one report. It returns 0, or -1 with `error` filled if the
 * report was not made.
 */

/* Reports that the program runs or, after service_manager_reloading, that the reload has ended. */
int service_manager_ready(struct service_manager *manager, struct error *error);

/* Reports that a reload has begun. */
int service_manager_reloading(struct service_manager *manager, struct error *error);

/* Reports that the program stops, which takes at most `most_ns` nanoseconds. */
int service_manager_stopping(struct service_manager *manager, int64_t most_ns, struct error *error);

/* Reports a status line for people. */
int service_manager_status(struct service_manager *manager, const char *line, struct error *error);

/* Reports that all threads make progress. */
int service_manager_alive(struct service_manager *manager, struct error *error);

/* --- inherited sockets ------------------------------------------------------------------------ */

/*
 * Sockets that this process was started with, bound by the program that started it: systemd's
 * socket activation (sd_listen_fds(3)).
 *
 * The sockets belong to the process and stay open until it ends. A listener works on a copy of the
 * handle; it may close that copy and make another one later. Datagrams and connections that arrive
 * while no listener serves a socket wait in the socket's buffer. At the end of the process, unread
 * data waits for the next process that is given the socket.
 *
 * Lifecycle: take before the first child process is started, use, forget. Main thread. On Windows
 * there are no inherited sockets.
 */

/* True if this system can pass open sockets to a new process. */
extern const bool inherited_sockets_exist;

/*
 * Finds the sockets by environment variables, which it removes because they are not for child
 * processes. Returns 0, or -1 with `error` filled (EXIT_CODE_CANNOT_BIND: a socket is not open). A
 * second call returns the same.
 */
int inherited_sockets_take(struct error *error);

/* Closes the sockets. */
void inherited_sockets_forget(void);

struct inherited_socket {
    wait_handle handle;
    const char *name; /* its name, or "unknown"; several sockets may share a name */
};

size_t inherited_socket_count(void);
struct inherited_socket inherited_socket_at(size_t index);

/*
 * Returns true if `name` is the socket's name or, if `name` is a plain number, the number of its
 * descriptor.
 */
bool inherited_socket_is(size_t index, const char *name);

/* Returns the number of sockets that have `name` as their name or number. */
size_t inherited_sockets_named(const char *name);

/* Returns true if the socket accepts connections. */
bool inherited_socket_listens(size_t index);

#endif
