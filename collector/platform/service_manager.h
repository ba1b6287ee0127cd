/*
 * Who has started this program and watches over it, where that one wants to know how it is:
 * systemd, by sd_notify(3).
 *
 * Lifecycle: find, before the first child is started; report; destroy. Main thread. What is
 * reported may wait for a second where the manager does not take it. CMake picks the implementation
 * under platform/; on Windows there is nobody here, for what its services report is asked for by
 * other means, on a thread of theirs (platform/windows/service_status.h).
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_SERVICE_MANAGER_H
#define SLUICE_COLLECTOR_PLATFORM_SERVICE_MANAGER_H

#include <stdint.h>

#include "collector/base/error.h"

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

#endif
