/* struct control_socket on local sockets (unix(7)). */
#include "collector/platform/control.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "collector/platform/file_system.h"
#include "collector/platform/output_file.h"
#include "collector/platform/posix/guarded_open.h"
#include "collector/platform/posix/lending.h"
#include "collector/platform/posix/retry.h"
#include "collector/platform/process.h"

#define BACKLOG 8

/* The time that another program may hold the lock, 5 s, is far longer than a start takes. */
#define LOCK_TRIES    500
#define LOCK_PAUSE_MS 10

const char control_socket_syntax[] = "unix:PATH";

/* The path of the lock file. */
struct lock_name {
    char path[sizeof((struct sockaddr_un *)NULL)->sun_path + sizeof ".lock"];
};

struct control_socket {
    int fd;
    struct sockaddr_un address;
    struct stat made; /* status of the bound socket, to recognise it */
};

struct control_connection {
    int fd;
};

static const char not_a_socket[] = "a file is there, and it is not a socket; use another path";

static int control_socket_cannot(struct error *error, const char *address, const char *why)
{
    error_set(error, EXIT_CODE_CANNOT_CREATE, "--control %s: %s", address, why);
    return -1;
}

static int local_socket(void)
{
    return lending_socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

/*
 * Binds so that only the socket's own user may connect, from the start. No other thread creates
 * files during this call.
 */
static int bind_privately(const struct control_socket *made)
{
    mode_t before = umask(S_IRWXG | S_IRWXO | S_IXUSR);
    int result = bind(made->fd, (const struct sockaddr *)&made->address, sizeof made->address);
    int reason = errno;
    umask(before);
    errno = reason;
    return result;
}

/* Whether the socket was left by an ended program: no program answers there. */
static bool is_left_over(const struct sockaddr_un *address)
{
    struct stat status;
    if (lstat(address->sun_path, &status) != 0 || !S_ISSOCK(status.st_mode))
        return false;
    int probe = local_socket();
    int result = connect(probe, (const struct sockaddr *)address, sizeof *address);
    bool refused = result != 0 && errno == ECONNREFUSED;
    if (probe >= 0)
        close(probe);
    return refused;
}

/* Why a name in use is not left over. */
static const char *why_taken(const struct sockaddr_un *address)
{
    struct stat status;
    return lstat(address->sun_path, &status) == 0 && !S_ISSOCK(status.st_mode)
               ? not_a_socket
               : "another program listens there; as root, ss -lxp shows which";
}

/*
 * Whether the lock file is a regular file of this user. A file of another user may be locked by
 * that user.
 */
static bool is_own_lock(int fd, struct stat *status)
{
    return fstat(fd, status) == 0 && S_ISREG(status->st_mode) && status->st_uid == geteuid();
}

/*
 * Between bind and listen a socket refuses connections, like one that a dead program left.
 * Therefore every program holds a lock on a file next to the socket while it binds, listens, or
 * replaces such a socket. The file belongs to this user, and only this user may open it, so that
 * another user cannot keep the lock; the folder may be /tmp. The file is removed while it is
 * locked, so a lock counts only on the file that has the name then.
 *
 * Returns the descriptor that holds the lock, or -1 with errno: EWOULDBLOCK if another program
 * keeps it.
 */
static int lock_place(const struct lock_name *name)
{
    for (int i = 0; i < LOCK_TRIES; i++) {
        struct stat locked, named;
        int fd = open(name->path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY,
                      S_IRUSR | S_IWUSR);
        if (fd < 0)
            return -1;
        if (!is_own_lock(fd, &locked)) {
            close(fd);
            errno = EACCES;
            return -1;
        }
        if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
            if (lstat(name->path, &named) == 0 && named.st_ino == locked.st_ino &&
                named.st_dev == locked.st_dev)
                return fd;
        } else if (errno == EWOULDBLOCK) {
            retry_pause_ms(LOCK_PAUSE_MS);
        } else {
            int reason = errno;
            close(fd);
            errno = reason;
            return -1;
        }
        close(fd);
    }
    errno = EWOULDBLOCK;
    return -1;
}

static void unlock_place(const struct lock_name *name, int lock)
{
    unlink(name->path);
    close(lock);
}

/* Without the lock a socket is not replaced: one that looks dead may be about to listen. */
static int replace(const struct control_socket *made, const char *address, bool locked,
                   struct error *error)
{
    if (!is_left_over(&made->address))
        return control_socket_cannot(error, address, why_taken(&made->address));
    if (!locked)
        return control_socket_cannot(
            error, address,
            "a dead program left a socket there, and the lock file for replacing it "
            "cannot be created");
    if (unlink(made->address.sun_path) != 0 || bind_privately(made) != 0)
        return control_socket_cannot(error, address, strerror(errno));
    return 0;
}

static int bind_and_listen(struct control_socket *made, const char *address, bool locked,
                           struct error *error)
{
    if (bind_privately(made) != 0) {
        if (errno != EADDRINUSE)
            return control_socket_cannot(error, address, strerror(errno));
        if (replace(made, address, locked, error) != 0)
            return -1;
    }
    if (lstat(made->address.sun_path, &made->made) != 0 || listen(made->fd, BACKLOG) != 0)
        return control_socket_cannot(error, address, strerror(errno));
    return 0;
}

/* As root, does not create files in a folder that a symbolic link of the --user leads to. */
static int look_at_folder(const struct control_socket *made, const char *address,
                          struct error *error)
{
    char folder[sizeof made->address.sun_path + 2];
    snprintf(folder, sizeof folder, "%s", made->address.sun_path);
    char *slash = strrchr(folder, '/');
    strcpy(slash == NULL ? folder : slash + 1, ".");
    int fd = guarded_open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
    if (fd < 0) {
        int number = errno;
        control_socket_cannot(error, address, guarded_open_why(number));
        if (number == ENOENT)
            folder_advise_missing_of(made->address.sun_path, error);
        return -1;
    }
    close(fd);
    return 0;
}

static int open_locked(struct control_socket *made, const char *address, struct error *error)
{
    if (look_at_folder(made, address, error) != 0)
        return -1;
    made->fd = local_socket();
    if (made->fd < 0)
        return control_socket_cannot(error, address, strerror(errno));
    struct lock_name name;
    snprintf(name.path, sizeof name.path, "%s.lock", made->address.sun_path);
    int lock = lock_place(&name);
    if (lock < 0 && errno == EWOULDBLOCK)
        return control_socket_cannot(error, address, "another program holds its lock file");
    int result = bind_and_listen(made, address, lock >= 0, error);
    if (lock >= 0)
        unlock_place(&name, lock);
    return result;
}

int control_socket_open(struct control_socket **out, const char *address, struct error *error)
{
    const char *path = strchr(address, ':') + 1;
    struct control_socket *made = calloc(1, sizeof *made);
    if (made == NULL) {
        error_set(error, EXIT_CODE_INTERNAL, "--control %s: out of memory", address);
        return -1;
    }
    made->address.sun_family = AF_UNIX;
    made->fd = -1;
    int result = -1;
    if (strlen(path) >= sizeof made->address.sun_path) {
        control_socket_cannot(error, address, "the path is too long");
    } else {
        strcpy(made->address.sun_path, path);
        result = open_locked(made, address, error);
    }
    if (result != 0) {
        control_socket_close(made);
        return -1;
    }
    *out = made;
    return 0;
}

/*
 * If others may write the folder, the name may have been replaced: only a socket of ours without a
 * second name is given away.
 */
int control_socket_give(const struct control_socket *given, const char *user, struct error *error)
{
    struct stat status;
    int fd = open(given->address.sun_path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    bool ours = fd >= 0 && fstat(fd, &status) == 0 && S_ISSOCK(status.st_mode) &&
                status.st_ino == given->made.st_ino && status.st_dev == given->made.st_dev &&
                status.st_uid == geteuid() && status.st_nlink == 1;
    int result = ours ? user_give(user, fd, error) : -1;
    if (!ours)
        error_set(error, EXIT_CODE_CANNOT_CREATE, "--control unix:%s: it was replaced",
                  given->address.sun_path);
    if (fd >= 0)
        close(fd);
    return result;
}

int control_socket_check(const char *address, struct error *error)
{
    struct error why;
    struct stat status;
    const char *path = strchr(address, ':') + 1;
    if (lstat(path, &status) == 0 && !S_ISSOCK(status.st_mode))
        return control_socket_cannot(error, address, not_a_socket);
    if (output_check_beside(path, &why) == 0)
        return 0;
    error_set(error, why.code, "--control %s: %s", address, why.text);
    return -1;
}

void control_socket_close(struct control_socket *socket)
{
    struct stat status;
    if (socket == NULL)
        return;
    if (socket->made.st_ino != 0 && lstat(socket->address.sun_path, &status) == 0 &&
        status.st_ino == socket->made.st_ino && status.st_dev == socket->made.st_dev)
        unlink(socket->address.sun_path);
    if (socket->fd >= 0)
        close(socket->fd);
    free(socket);
}

wait_handle control_socket_handle(const struct control_socket *socket)
{
    return socket->fd;
}

enum control_result control_socket_accept(struct control_socket *socket,
                                          struct control_connection **out)
{
    int fd;
    unsigned times = 0;
    do
        fd = lending_accept(DESCRIPTOR_OF_CLIENT, socket->fd, NULL, NULL);
    while (fd < 0 && (retry_interrupted(&times) || retry_aborted(&times)));
    if (fd < 0)
        return errno == EAGAIN || errno == EWOULDBLOCK ? CONTROL_WOULD_BLOCK : CONTROL_OVER;
    struct control_connection *connection = malloc(sizeof *connection);
    if (connection == NULL) {
        close(fd);
        return CONTROL_OVER;
    }
    connection->fd = fd;
    *out = connection;
    return CONTROL_DONE;
}

bool control_connection_may_order(const struct control_connection *connection)
{
    struct ucred peer;
    socklen_t size = sizeof peer;
    return getsockopt(connection->fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
           (peer.uid == 0 || peer.uid == geteuid());
}

static enum control_result result_of(ssize_t count, size_t *moved)
{
    if (count < 0)
        return errno == EAGAIN || errno == EWOULDBLOCK ? CONTROL_WOULD_BLOCK : CONTROL_OVER;
    *moved = (size_t)count;
    return count == 0 ? CONTROL_OVER : CONTROL_DONE;
}

enum control_result control_connection_read(struct control_connection *connection, void *bytes,
                                            size_t size, size_t *moved)
{
    ssize_t count;
    unsigned times = 0;
    do
        count = recv(connection->fd, bytes, size, 0);
    while (count < 0 && retry_interrupted(&times));
    return result_of(count, moved);
}

enum control_result control_connection_write(struct control_connection *connection,
                                             const void *bytes, size_t size, size_t *moved)
{
    ssize_t count;
    unsigned times = 0;
    do
        count = send(connection->fd, bytes, size, MSG_NOSIGNAL);
    while (count < 0 && retry_interrupted(&times));
    return result_of(count, moved);
}

wait_handle control_connection_handle(const struct control_connection *connection)
{
    return connection->fd;
}

void control_connection_close(struct control_connection *connection)
{
    if (connection == NULL)
        return;
    close(connection->fd);
    free(connection);
}
