/*
 * The program that started this one and watches over it: reports to it, and sockets that it hands
 * over.
 *
 * A port whose system has none of this finds no manager and no sockets.
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
 * Who has started this program and watches over it, where that one wants to know how it is:
 * systemd, by sd_notify(3).
 *
 * Lifecycle: find, before the first child is started; report; destroy. Main thread. What is
 * reported may wait for a second where the manager does not take it. CMake picks the implementation
 * under platform/; on Windows there is nobody here, for what its services report is asked for by
 * other means, on a thread of theirs (platform/windows/service_status.h).
 */

struct service_manager;

/*
 * Finds it by the environment, from which it takes what says so: no child is to speak to it. *out
 * is NULL where there is none. Returns 0, or -1 with `error` filled, where there is one that cannot
 * know anything.
 */
int service_manager_find(struct service_manager **out, struct error *error);

/* NULL is allowed. */
void service_manager_destroy(struct service_manager *manager);

/* Nanoseconds after which it ends a program that has not said service_manager_alive; 0: it waits
 * for ever. */
int64_t service_manager_patience(const struct service_manager *manager);

/* Each returns 0, or -1 with `error` filled: it was not reported. */

/* All is open and runs; after `reloading`, all is as it should be again. */
int service_manager_ready(struct service_manager *manager, struct error *error);

/* The configuration is being read anew. */
int service_manager_reloading(struct service_manager *manager, struct error *error);

/* It stops, which may take so many nanoseconds. */
int service_manager_stopping(struct service_manager *manager, int64_t most_ns, struct error *error);

/* A line for people on how it goes. */
int service_manager_status(struct service_manager *manager, const char *line, struct error *error);

/* All threads come round. */
int service_manager_alive(struct service_manager *manager, struct error *error);

/* --- inherited sockets ------------------------------------------------------------------------ */

/*
 * Sockets that this process was started with, bound by whoever started it: systemd's socket
 * activation (sd_listen_fds(3)).
 *
 * They belong to the process, as its descriptors do, and are open until it ends: who serves one
 * works on a copy of its handle, and may give it back and take it again. What comes while nobody
 * serves them waits in their buffers, and what is left there at the end waits for the next process
 * that is given the same.
 *
 * Lifecycle: take before the first child is started; the others any time after that; forget.
 * Main thread. CMake picks the implementation under platform/; on Windows there are none.
 */

/* Whether a process can be given any on this system. */
extern const bool inherited_sockets_exist;

/*
 * Finds them by the environment, from which it takes what says so: they are for no child. Returns
 * 0, or -1 with `error` filled (EXIT_CODE_CANNOT_BIND where they are not there). Called again it
 * returns the same.
 */
int inherited_sockets_take(struct error *error);

/* Closes them. */
void inherited_sockets_forget(void);

struct inherited_socket {
    wait_handle handle;
    const char *name; /* that it was given, or "unknown"; several may have one name */
};

size_t inherited_socket_count(void);
struct inherited_socket inherited_socket_at(size_t index);

/*
 * Whether it is one of those that `name` stands for: one that is called so, or, where the name is a
 * plain number, the one that has this descriptor.
 */
bool inherited_socket_is(size_t index, const char *name);

/* How many of them are. */
size_t inherited_sockets_named(const char *name);

/* Whether it takes connections. */
bool inherited_socket_listens(size_t index);

#endif
