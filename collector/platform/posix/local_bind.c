#include "collector/platform/posix/local_bind.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "collector/platform/file_system.h"
#include "collector/platform/posix/guarded_open.h"
#include "collector/platform/posix/lending.h"
#include "collector/platform/posix/retry.h"

/* Wait up to 5 s for another program's lock. A start holds it for far less time. */
#define LOCK_TRIES    500
#define LOCK_PAUSE_MS 10

#define PERMISSIONS ((mode_t)(S_IRWXU | S_IRWXG | S_IRWXO))

const char local_bind_not_a_socket[] = "a file is there, and it is not a socket; use another path";

static const char in_use[] = "another program listens there; as root, ss -lxp shows which";

struct lock_name {
    char path[sizeof((struct sockaddr_un *)NULL)->sun_path + sizeof ".lock"];
};

static int bind_cannot(struct error *why, const char *text)
{
    error_set(why, EXIT_CODE_CANNOT_BIND, "%s", text);
    return -1;
}

static int local_socket(void)
{
    return lending_socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

static int bind_to_address(const struct local_bind *made)
{
    return bind(made->fd, (const struct sockaddr *)&made->address, made->size);
}

/* --- what has the path now -------------------------------------------------------------------- */

bool local_bind_is_foreign(const char *path)
{
    struct stat status;
    return lstat(path, &status) == 0 && !S_ISSOCK(status.st_mode);
}

/* Connects to the socket that has the path. Returns 0 or errno. */
static int probe_name(const struct local_bind *made)
{
    int probe = local_socket();
    int number =
        connect(probe, (const struct sockaddr *)&made->address, made->size) == 0 ? 0 : errno;
    if (probe >= 0)
        close(probe);
    return number;
}

/*
 * Returns why the path is in use, or NULL if it can be replaced: no program listens there any more.
 */
static const char *why_taken(const struct local_bind *made)
{
    if (local_bind_is_foreign(made->address.sun_path))
        return local_bind_not_a_socket;
    switch (probe_name(made)) {
    case ECONNREFUSED:
        return NULL;
    case EACCES:
    case EPERM:
        return "a socket is there that this user may not connect to; use another path, or remove "
               "it if no program uses it (as root, ss -lxp shows which)";
    default:
        return in_use;
    }
}

/* --- the lock --------------------------------------------------------------------------------- */

/*
 * Only a regular file of this user counts as the lock. Another user could keep a lock on their own
 * file.
 */
static bool is_own_lock(int fd, struct stat *status)
{
    return fstat(fd, status) == 0 && S_ISREG(status->st_mode) && status->st_uid == geteuid();
}

/*
 * Locks a file next to the socket. A socket that is bound but does not listen yet refuses
 * connections, exactly like one that an ended program left. So each program holds this lock while
 * it binds, listens, or replaces an old socket.
 *
 * Only this user may open the file, so no other user can keep the lock, even in /tmp. The holder
 * removes the file before it releases the lock, so a lock is valid only if the path still names the
 * locked file.
 *
 * Returns the descriptor that holds the lock, or -1 with errno, which is EWOULDBLOCK if another
 * program keeps the lock.
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

/* --- the file --------------------------------------------------------------------------------- */

/*
 * If other users may write the folder, they may have replaced the file, for example by a second
 * name of another socket. So only a socket with a single name is accepted.
 */
int local_bind_open_file(const struct local_bind *made, uid_t user)
{
    struct stat status;
    int fd = open(made->address.sun_path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return -1;
    if (fstat(fd, &status) == 0 && S_ISSOCK(status.st_mode) && status.st_nlink == 1 &&
        (user == (uid_t)-1 || status.st_uid == user) &&
        (made->made.st_ino == 0 ||
         (status.st_ino == made->made.st_ino && status.st_dev == made->made.st_dev)))
        return fd;
    close(fd);
    errno = ENOENT;
    return -1;
}

int local_bind_permit(int file, const struct local_permissions *permissions)
{
    struct stat status;
    char path[sizeof "/proc/self/fd/" + 20];
    if (fstat(file, &status) != 0)
        return -1;
    bool owned = (permissions->user == (uid_t)-1 || permissions->user == status.st_uid) &&
                 (permissions->group == (gid_t)-1 || permissions->group == status.st_gid);
    if (!owned && fchownat(file, "", permissions->user, permissions->group,
                           AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW) != 0)
        return -1;
    if ((status.st_mode & PERMISSIONS) == permissions->mode)
        return 0;
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    return chmod(path, permissions->mode);
}

/* Sets the permissions before the socket listens, so that no connection is accepted before that. */
static int permit_made(struct local_bind *made, const struct local_permissions *permissions)
{
    int fd = local_bind_open_file(made, geteuid());
    int result = fd < 0 || fstat(fd, &made->made) != 0 ? -1 : local_bind_permit(fd, permissions);
    int reason = errno;
    if (fd >= 0)
        close(fd);
    errno = reason;
    return result;
}

/* --- opening ---------------------------------------------------------------------------------- */

/*
 * Replaces a dead socket only under the lock: without it, the socket may belong to a program that
 * is about to listen.
 */
static int replace(const struct local_bind *made, bool locked, struct error *why)
{
    const char *taken = why_taken(made);
    if (taken != NULL)
        return bind_cannot(why, taken);
    if (!locked)
        return bind_cannot(why,
                           "a dead program left a socket there, and the lock file for replacing it "
                           "cannot be created");
    if (unlink(made->address.sun_path) != 0 || bind_to_address(made) != 0)
        return bind_cannot(why, strerror(errno));
    return 0;
}

static int bind_and_listen(struct local_bind *made, const struct local_permissions *permissions,
                           bool locked, int backlog, struct error *why)
{
    /* On Linux the file's mode is at most the mode that the socket has before bind(). */
    if (fchmod(made->fd, permissions->mode) != 0)
        return bind_cannot(why, strerror(errno));
    if (bind_to_address(made) != 0) {
        if (errno != EADDRINUSE)
            return bind_cannot(why, strerror(errno));
        if (replace(made, locked, why) != 0)
            return -1;
    }
    if (permit_made(made, permissions) == 0 && listen(made->fd, backlog) == 0)
        return 0;
    return bind_cannot(why, strerror(errno));
}

/* As root, refuses a path through a symbolic link that the user of --user could have made. */
static int look_at_folder(const struct local_bind *made, struct error *why)
{
    char folder[sizeof made->address.sun_path + 2];
    snprintf(folder, sizeof folder, "%s", made->address.sun_path);
    char *slash = strrchr(folder, '/');
    strcpy(slash == NULL ? folder : slash + 1, ".");
    int fd = guarded_open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
    if (fd < 0) {
        int number = errno;
        bind_cannot(why, guarded_open_why(number));
        if (number == ENOENT)
            folder_advise_missing_of(made->address.sun_path, why);
        return -1;
    }
    close(fd);
    return 0;
}

static int open_named(struct local_bind *made, const struct local_permissions *permissions,
                      int backlog, struct error *why)
{
    struct lock_name name;
    if (look_at_folder(made, why) != 0)
        return -1;
    snprintf(name.path, sizeof name.path, "%s.lock", made->address.sun_path);
    int lock = lock_place(&name);
    if (lock < 0 && errno == EWOULDBLOCK)
        return bind_cannot(why, "another program holds its lock file");
    int result = bind_and_listen(made, permissions, lock >= 0, backlog, why);
    if (lock >= 0)
        unlock_place(&name, lock);
    return result;
}

/* Makes the socket without binding it. */
static int begin(struct local_bind *made, const char *name, struct error *why)
{
    size_t length = strlen(name);
    *made = (struct local_bind){.fd = -1, .address = {.sun_family = AF_UNIX}};
    if (length >= sizeof made->address.sun_path) {
        error_set(why, EXIT_CODE_CANNOT_BIND,
                  "the path is too long: that of a socket has at most %zu bytes, this one has %zu",
                  sizeof made->address.sun_path - 1, length);
        return -1;
    }
    memcpy(made->address.sun_path, name, length);
    made->size = sizeof made->address;
    made->fd = local_socket();
    return made->fd >= 0 ? 0 : bind_cannot(why, strerror(errno));
}

int local_bind_open(struct local_bind *made, const char *path,
                    const struct local_permissions *permissions, int backlog, struct error *why)
{
    return begin(made, path, why) == 0 ? open_named(made, permissions, backlog, why) : -1;
}

/* The kernel allows only one socket for each abstract name, so no lock is needed. */
int local_bind_open_abstract(struct local_bind *made, const char *name, int backlog,
                             struct error *why)
{
    if (begin(made, name, why) != 0)
        return -1;
    made->address.sun_path[0] = '\0';
    made->size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(name));
    if (bind_to_address(made) == 0 && listen(made->fd, backlog) == 0)
        return 0;
    return bind_cannot(why, errno == EADDRINUSE ? in_use : strerror(errno));
}

/* Removes the file if it still belongs to this socket. Returns 0 or errno. */
static int remove_file(const struct local_bind *made)
{
    struct stat status;
    if (lstat(made->address.sun_path, &status) != 0)
        return errno == ENOENT ? 0 : errno;
    bool ours = status.st_ino == made->made.st_ino && status.st_dev == made->made.st_dev;
    return !ours || unlink(made->address.sun_path) == 0 ? 0 : errno;
}

int local_bind_close(struct local_bind *made)
{
    int reason = made->made.st_ino == 0 ? 0 : remove_file(made);
    if (made->fd >= 0)
        close(made->fd);
    made->fd = -1;
    made->made.st_ino = 0;
    errno = reason;
    return reason == 0 ? 0 : -1;
}
