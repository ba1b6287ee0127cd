#include "collector/platform/posix/guarded_open.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/platform/posix/lending.h"

#define LINKS_MAX 40 /* as in path_resolution(7) */

static bool guarding;

void guarded_open_set(bool guards)
{
    guarding = guards;
}

const char *guarded_open_why(int number)
{
    return guarding && number == EXDEV
               ? "it is reached by a link that is not root's, in a folder that others may write "
                 "to, and root does not follow that for --user"
               : strerror(number);
}

/* The rest of a path, relative to a folder. */
struct way {
    int folder; /* descriptor, or AT_FDCWD */
    char path[PATH_MAX];
    size_t at;      /* where the rest begins */
    unsigned links; /* followed so far */
};

static void step(struct way *way, int folder)
{
    if (way->folder != AT_FDCWD)
        close(way->folder);
    way->folder = folder;
}

/* Closes `fd` if it is open. Returns -1 with errno. */
static int guarded_fail(int fd, int number)
{
    if (fd >= 0)
        close(fd);
    errno = number;
    return -1;
}

static int guarded_begin(struct way *way)
{
    way->at = 0;
    if (way->path[0] != '/')
        return 0;
    int root = lending_open("/", O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
    if (root < 0)
        return -1;
    step(way, root);
    return 0;
}

/*
 * Continues at the target of a symbolic link that root owns, followed by the rest of the path.
 * Closes `link`.
 */
static int follow(struct way *way, int link, uid_t owner)
{
    char target[sizeof way->path];
    ssize_t size = readlinkat(link, "", target, sizeof target);
    if (size < 0)
        return guarded_fail(link, errno);
    close(link);
    if (owner != geteuid())
        return guarded_fail(-1, EXDEV);
    if (++way->links > LINKS_MAX)
        return guarded_fail(-1, ELOOP);
    const char *rest = way->path + way->at; /* begins with a slash, or is empty */
    size_t left = strlen(rest) + 1;
    if ((size_t)size + left > sizeof way->path)
        return guarded_fail(-1, ENAMETOOLONG);
    memmove(way->path + size, rest, left);
    memcpy(way->path, target, (size_t)size);
    return guarded_begin(way);
}

/*
 * Whether the folder is in /proc, where links such as /proc/self/fd/1 do not lead to a path. Root
 * owns these links.
 */
static bool has_no_targets(int folder)
{
    struct stat status, processes;
    return folder != AT_FDCWD && fstat(folder, &status) == 0 && stat("/proc", &processes) == 0 &&
           status.st_dev == processes.st_dev;
}

/* Whether the file may belong to another owner and have been linked here by a third user. */
static bool is_foreign(int folder, int file)
{
    struct stat status, around;
    if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode) || status.st_nlink < 2)
        return false;
    int result = folder == AT_FDCWD ? stat(".", &around) : fstat(folder, &around);
    bool open_to_others =
        result != 0 || around.st_uid != geteuid() || (around.st_mode & (S_IWGRP | S_IWOTH)) != 0;
    return open_to_others && (result != 0 || status.st_uid != around.st_uid);
}

/*
 * Removes the next name from the path, and stores it in `name`; "." if no name is left. Returns 0,
 * or -1.
 */
static int take_name(struct way *way, char name[NAME_MAX + 1], bool *last)
{
    way->at += strspn(way->path + way->at, "/");
    size_t length = strcspn(way->path + way->at, "/");
    if (length > NAME_MAX)
        return guarded_fail(-1, ENAMETOOLONG);
    memcpy(name, way->path + way->at, length);
    name[length] = '\0';
    if (length == 0)
        memcpy(name, ".", sizeof ".");
    way->at += length;
    *last = way->path[way->at] == '\0'; /* "a/" has a "." after its name */
    return 0;
}

static int walk(struct way *way, int flags, mode_t mode)
{
    char name[NAME_MAX + 1];
    struct stat status;
    bool last;
    for (;;) {
        if (take_name(way, name, &last) != 0)
            return -1;
        const int no_link = has_no_targets(way->folder) ? 0 : O_NOFOLLOW;
        int link = lending_openat(way->folder, name, O_PATH | O_NOFOLLOW | O_CLOEXEC, 0);
        if (link >= 0 && no_link != 0 && fstat(link, &status) == 0 && S_ISLNK(status.st_mode)) {
            if (last && (flags & (O_NOFOLLOW | O_EXCL)) != 0)
                return guarded_fail(link, (flags & O_EXCL) != 0 ? EEXIST : ELOOP);
            if (follow(way, link, status.st_uid) != 0)
                return -1;
            continue;
        }
        if (link >= 0)
            close(link);
        /* A link that was put there since is not followed. */
        int fd = lending_openat(way->folder, name,
                                (last ? flags : O_PATH | O_DIRECTORY | O_CLOEXEC) | no_link, mode);
        if (fd < 0)
            return guarded_fail(-1, errno == ELOOP ? EXDEV : errno);
        if (last)
            return is_foreign(way->folder, fd) ? guarded_fail(fd, EXDEV) : fd;
        step(way, fd);
    }
}

int guarded_open(const char *path, int flags, mode_t mode)
{
    if (!guarding)
        return lending_open(path, flags, mode);
    struct way way = {.folder = AT_FDCWD};
    size_t size = strlen(path) + 1;
    if (size == 1 || size > sizeof way.path)
        return guarded_fail(-1, size == 1 ? ENOENT : ENAMETOOLONG);
    memcpy(way.path, path, size);
    int fd = guarded_begin(&way) == 0 ? walk(&way, flags, mode) : -1;
    int number = errno;
    step(&way, AT_FDCWD);
    errno = number;
    return fd;
}
