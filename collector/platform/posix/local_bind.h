/*
 * Binds a local socket (unix(7)) to a path and removes the file again, for
 * collector/platform/local_listener.h and control.h. Only for platform/.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_POSIX_LOCAL_BIND_H
#define SLUICE_COLLECTOR_PLATFORM_POSIX_LOCAL_BIND_H

#include <stdbool.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/un.h>

#include "collector/base/error.h"

/* A bound socket and its file. When closed, `fd` is -1 and made.st_ino is 0. */
struct local_bind {
    int fd;
    struct sockaddr_un address;
    socklen_t size;   /* bytes of the address */
    struct stat made; /* status of the file, to recognise it; st_ino is 0 if there is no file */
};

/* The permissions of the file. An id of -1 is not changed. */
struct local_permissions {
    mode_t mode;
    uid_t user;
    gid_t group;
};

/*
 * Binds a new non-blocking socket to the path and listens. The file has these permissions before
 * the socket accepts connections. Replaces a socket that an ended program left. Returns 0, or -1
 * with the reason in `why`, without the path. The caller calls local_bind_close in both cases.
 */
int local_bind_open(struct local_bind *made, const char *path,
                    const struct local_permissions *permissions, int backlog, struct error *why);

/* Like local_bind_open, for an abstract name, which begins with '@' in `name` and has no file. */
int local_bind_open_abstract(struct local_bind *made, const char *name, int backlog,
                             struct error *why);

/*
 * Returns true if a file that is not a socket has the path. local_bind_not_a_socket is the text for
 * that case.
 */
bool local_bind_is_foreign(const char *path);
extern const char local_bind_not_a_socket[];

/*
 * Opens the file with O_PATH. Returns a descriptor, or -1 if the file is gone, is no longer the
 * socket's, has a second name, or belongs to another user than `user` (-1: any user).
 */
int local_bind_open_file(const struct local_bind *made, uid_t user);

/*
 * Sets the permissions of a file opened by local_bind_open_file. Returns 0, or -1 with errno.
 */
int local_bind_permit(int file, const struct local_permissions *permissions);

/*
 * Removes the file if it is still that of the socket, and closes the socket. Returns 0, or -1 with
 * errno.
 */
int local_bind_close(struct local_bind *made);

#endif
