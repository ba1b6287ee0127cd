#include "collector/platform/posix/guarded_open.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/platform/posix/lending.h"

#define LINKS_MAX 40 /* the kernel's limit (path_resolution(7)) */

static bool guarding;

void guarded_open_set(bool guards)
{
    guarding = guards;
}

const char *guarded_open_why(int number)
{
    if (number != EXDEV)
        return strerror(number);
    return guarding
               ? "it is reached by a link that is not root's, in a folder that others may write "
                 "to, and root does not follow that for --user"
               : "another user has put this file, or a link on its path, into a folder that all "
                 "may write to; use a folder that only this user may write to";
}

/* The part of a path that is still to be followed, and the folder that it begins in. */
struct way {
    int folder; /* descriptor, or AT_FDCWD */
    char path[PATH_MAX];
    size_t at; /* index of its first byte in `path` */
    unsigned links;
    bool movable; /* another user may exchange a part of the path at any time */
};

static void step(struct way *way, int folder)
{
    if (way->folder != AT_FDCWD)
        close(way->folder);
    way->folder = folder;
}

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
    int root = lending_openat(AT_FDCWD, "/", O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
    if (root < 0)
        return -1;
    step(way, root);
    return 0;
}

/* --- trust ------------------------------------------------------------------------------------ */

static bool status_of_folder(int folder, struct stat *status)
{
    return folder == AT_FDCWD ? stat(".", status) == 0 : fstat(folder, status) == 0;
}

/*
 * Returns true if a user that is not trusted may have put this file into the folder. In a folder
 * that all users may write to, only this user, root and the folder's owner are trusted, as with the
 * kernel's fs.protected_symlinks (proc(5)).
 */
static bool is_planted(int folder, const struct stat *status)
{
    struct stat around;
    if (status->st_uid == geteuid() || status->st_uid == 0)
        return false;
    return !status_of_folder(folder, &around) ||
           ((around.st_mode & S_IWOTH) != 0 && status->st_uid != around.st_uid);
}

static bool is_movable(int folder, const struct stat *status)
{
    struct stat around;
    return !status_of_folder(folder, &around) ||
           ((around.st_mode & S_IWOTH) != 0 &&
            ((around.st_mode & S_ISVTX) == 0 || is_planted(folder, status)));
}

static bool is_trusted(int folder, const struct stat *link)
{
    return guarding ? link->st_uid == geteuid() : !is_planted(folder, link);
}

/*
 * Returns true if the folder is in /proc. Links there, such as /proc/self/fd/1, belong to root and
 * do not lead to a path.
 */
static bool has_no_targets(int folder)
{
    struct stat status, processes;
    return folder != AT_FDCWD && fstat(folder, &status) == 0 && stat("/proc", &processes) == 0 &&
           status.st_dev == processes.st_dev;
}

/*
 * Returns true for a file with several names that another user may have linked into this folder.
 */
static bool is_hard_link(int folder, const struct stat *status)
{
    struct stat around;
    if (!S_ISREG(status->st_mode) || status->st_nlink < 2)
        return false;
    bool seen = status_of_folder(folder, &around);
    bool open_to_others =
        !seen || around.st_uid != geteuid() || (around.st_mode & (S_IWGRP | S_IWOTH)) != 0;
    return open_to_others && (!seen || status->st_uid != around.st_uid);
}

/* Returns the opened file. If it is not trusted, closes it and returns -1 with EXDEV. */
static int trusted_file(int folder, int file)
{
    struct stat status;
    if (fstat(file, &status) != 0)
        return file;
    bool refused = guarding ? is_hard_link(folder, &status)
                            : !S_ISDIR(status.st_mode) && !S_ISCHR(status.st_mode) &&
                                  is_planted(folder, &status);
    return refused ? guarded_fail(file, EXDEV) : file;
}

/* --- the way ---------------------------------------------------------------------------------- */

/*
 * Continues at the target of a symbolic link, followed by the rest of the path. Closes `link`.
 * Returns 0, or -1 with errno.
 */
static int follow(struct way *way, int link)
{
    char target[sizeof way->path];
    ssize_t size = readlinkat(link, "", target, sizeof target);
    if (size < 0)
        return guarded_fail(link, errno);
    close(link);
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
 * Removes the next name from the path and stores it in `name`, or "." if no name is left. Returns
 * 0, or -1 with errno.
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
    *last = way->path[way->at] == '\0'; /* in "a/" the name "." follows "a" */
    return 0;
}

/*
 * Opens a name in the present folder. `through` is O_NOFOLLOW, which refuses a link, even one that
 * was just made, or 0, which opens through a link.
 */
static int open_name(const struct way *way, const char *name, int flags, mode_t mode, int through)
{
    int fd = lending_openat(way->folder, name, flags | through, mode);
    return fd >= 0 ? fd : guarded_fail(-1, errno == ELOOP ? EXDEV : errno);
}

struct entry {
    char name[NAME_MAX + 1];
    bool last;
    int found; /* descriptor opened with O_PATH, or -1 */
    bool seen;
    struct stat status;
    int through; /* the argument of open_name */
};

static void look_at_entry(const struct way *way, struct entry *entry)
{
    entry->through = O_NOFOLLOW;
    entry->found = lending_openat(way->folder, entry->name, O_PATH | O_NOFOLLOW | O_CLOEXEC, 0);
    entry->seen = entry->found >= 0 && fstat(entry->found, &entry->status) == 0;
}

/*
 * Follows the link or, in /proc, sets entry->through so that open_name opens through it. Returns 0,
 * or -1 with errno. Closes entry->found, unless it returns 0 with *followed false.
 */
static int pass_link(struct way *way, struct entry *entry, int flags, bool *followed)
{
    *followed = false;
    if (has_no_targets(way->folder)) {
        entry->through = 0;
        return 0;
    }
    if (entry->last && (flags & (O_NOFOLLOW | O_EXCL)) != 0)
        return guarded_fail(entry->found, (flags & O_EXCL) != 0 ? EEXIST : ELOOP);
    if (!is_trusted(way->folder, &entry->status))
        return guarded_fail(entry->found, EXDEV);
    *followed = true;
    return follow(way, entry->found);
}

/*
 * Opens the last name. If no other user can exchange a part of the path, opens the whole path,
 * otherwise the name in its folder.
 */
static int open_last(struct way *way, const struct entry *entry, const char *path, int flags,
                     mode_t mode)
{
    struct stat around;
    bool movable = way->movable || entry->through == 0 || way->links != 0;
    if (entry->seen)
        movable = movable || is_movable(way->folder, &entry->status);
    else
        movable =
            movable || !status_of_folder(way->folder, &around) || (around.st_mode & S_IWOTH) != 0;
    if (entry->found >= 0)
        close(entry->found);
    if (!guarding && !movable)
        return lending_open(path, flags, mode);
    int fd = open_name(way, entry->name, flags, mode, entry->through);
    return fd < 0 ? fd : trusted_file(way->folder, fd);
}

static int enter(struct way *way, struct entry *entry)
{
    int fd = entry->found;
    way->movable = way->movable || !entry->seen || is_movable(way->folder, &entry->status);
    if (!entry->seen || !S_ISDIR(entry->status.st_mode)) {
        if (fd >= 0)
            close(fd);
        fd = open_name(way, entry->name, O_PATH | O_DIRECTORY | O_CLOEXEC, 0, entry->through);
        if (fd < 0)
            return -1;
    }
    step(way, fd);
    return 0;
}

static int walk(struct way *way, const char *path, int flags, mode_t mode)
{
    struct entry entry;
    for (;;) {
        bool followed = false;
        if (take_name(way, entry.name, &entry.last) != 0)
            return -1;
        look_at_entry(way, &entry);
        if (entry.seen && S_ISLNK(entry.status.st_mode) &&
            pass_link(way, &entry, flags, &followed) != 0)
            return -1;
        if (followed)
            continue;
        if (entry.last)
            return open_last(way, &entry, path, flags, mode);
        if (enter(way, &entry) != 0)
            return -1;
    }
}

int guarded_open(const char *path, int flags, mode_t mode)
{
    if (!guarding && (flags & O_ACCMODE) == O_RDONLY && (flags & O_PATH) == 0)
        return lending_open(path, flags, mode);
    struct way way = {.folder = AT_FDCWD};
    size_t size = strlen(path) + 1;
    if (size == 1 || size > sizeof way.path)
        return guarded_fail(-1, size == 1 ? ENOENT : ENAMETOOLONG);
    memcpy(way.path, path, size);
    int fd = guarded_begin(&way) == 0 ? walk(&way, path, flags, mode) : -1;
    int number = errno;
    step(&way, AT_FDCWD);
    errno = number;
    return fd;
}
