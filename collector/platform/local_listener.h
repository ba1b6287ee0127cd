/*
 * Listening sockets whose name is a path: local (Unix domain) sockets for streams, unix(7). Their
 * connections are accepted, read and written as those of tcp.h.
 *
 * The socket's file is made with its final mode and owner before the socket accepts connections. A
 * socket that an ended program left behind is replaced; a socket that a program listens on, and a
 * file that is not a socket, never are. A lock file next to the socket, PATH.lock, is held during
 * the opening, because between bind and listen a socket looks like one that was left behind. (With
 * a bind to a temporary name and a rename, two programs could replace each other's socket
 * unnoticed.)
 *
 * On Linux, a name that begins with '@' is abstract: it has no file, so no mode and no owner, and
 * ends with its last socket.
 *
 * Main thread, except local_listener_close. On Windows, no such sockets are supported.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_LOCAL_LISTENER_H
#define SLUICE_COLLECTOR_PLATFORM_LOCAL_LISTENER_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/base/error.h"
#include "collector/platform/wakeup.h"

/*
 * The most bytes of a path, or of an abstract name with its '@' (the size of sun_path less a NUL).
 */
#define LOCAL_NAME_MOST 107

/* The size of the text of local_listener_name, with a NUL. */
#define LOCAL_NAME_TEXT_SIZE (LOCAL_NAME_MOST + sizeof "unix:")

/* The mode of the file by default: only its owner may connect. */
#define LOCAL_MODE_DEFAULT 0600

/* True if this system has such sockets. */
extern const bool local_listeners_exist;

struct local_listener;

/* Specifies which processes may connect: those that may write the file. */
struct local_access {
    unsigned mode;     /* permissions of the file, at most 0777; 0: LOCAL_MODE_DEFAULT */
    const char *owner; /* "USER[:GROUP]", each a name or a number; NULL: its creator */
};

/* Returns true if the name is abstract, and has no file. */
bool local_name_is_abstract(const char *path);

/*
 * Checks whether a socket could be made at the path, without making one: the folder, what exists at
 * the path, the owner. Returns 0, or -1 with `error` filled (EXIT_CODE_CONFIG: the system has no
 * such sockets, or no such owner; otherwise EXIT_CODE_CANNOT_BIND).
 */
int local_listener_check(const char *path, const struct local_access *access, struct error *error);

/*
 * Opens a non-blocking socket, binds it to the path and listens. Returns 0, or -1 with `error`
 * filled (EXIT_CODE_CANNOT_BIND).
 */
int local_listener_open(struct local_listener **out, const char *path,
                        const struct local_access *access, struct error *error);

/* Returns the handle to accept connections from and to watch. */
wait_handle local_listener_handle(const struct local_listener *listener);

/*
 * Changes the mode and the owner of the file. Returns 0, or -1 with `error` filled: the file was
 * removed or replaced, or the system refuses. Makes no call if the access is the same as before.
 */
int local_listener_set_access(struct local_listener *listener, const struct local_access *access,
                              struct error *error);

/*
 * Removes the file, if it still is this socket's, closes the socket, and frees the listener.
 * Returns 0, or -1 with `error` filled if the file cannot be removed. Any thread.
 */
int local_listener_close(struct local_listener *listener, struct error *error);

/*
 * Writes "unix:PATH" of a bound local socket and a NUL to the LOCAL_NAME_TEXT_SIZE bytes of `text`.
 */
void local_listener_name(wait_handle socket, char *text);

#endif
