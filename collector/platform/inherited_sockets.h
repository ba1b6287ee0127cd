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
#ifndef SLUICE_COLLECTOR_PLATFORM_INHERITED_SOCKETS_H
#define SLUICE_COLLECTOR_PLATFORM_INHERITED_SOCKETS_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/base/error.h"
#include "collector/platform/wakeup.h"

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
