/* Implements struct part_file with POSIX files that flock(2) locks. */
#include "collector/platform/data_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/base/rule.h"
#include "collector/platform/linux/renameat2.h"
#include "collector/platform/posix/file_mode.h"
#include "collector/platform/posix/guarded_open.h"
#include "collector/platform/posix/lending.h"
#include "collector/platform/posix/retry.h"
#include "collector/platform/posix/sync_failure.h"

struct part_file {
    int fd;
    uint64_t size;
    bool torn; /* bytes of a failed append that could not be cut off follow */
    char path[];
};

static bool part_fail(struct error *error, const char *what)
{
    error_set(error, EXIT_CODE_IO, "%s: %s", what, strerror(errno));
    return false;
}

/*
 * Returns true for the errors of a Windows file server if another program has the file open there
 * without sharing it.
 */
static bool is_busy(int number)
{
    return number == EBUSY || number == ETXTBSY;
}

/* --- opening ---------------------------------------------------------------------------------- */

/*
 * Creates the folders that are named after the first `from` bytes of the path. Returns false with
 * errno.
 */
static bool make_folders(const char *path, size_t from, mode_t mode)
{
    char folder[4096];
    size_t length = strlen(path);
    errno = ENAMETOOLONG;
    if (length >= sizeof folder)
        return false;
    memcpy(folder, path, length + 1);
    for (size_t i = from; i < length; i++) {
        if (folder[i] != '/' || i == 0)
            continue;
        folder[i] = '\0';
        if (mkdir(folder, mode) != 0 && errno != EEXIST)
            return false;
        folder[i] = '/';
    }
    return true;
}

/* Takes over the descriptor unless memory is short. Returns PART_DONE or PART_FAILED. */
static enum part_result part_keep(const char *path, int fd, uint64_t size, struct part_file **out,
                                  struct error *error)
{
    size_t length = strlen(path) + 1;
    struct part_file *file = calloc(1, sizeof *file + length);
    if (file == NULL) {
        error_set(error, EXIT_CODE_INTERNAL, "no memory for a file");
        return PART_FAILED;
    }
    file->fd = fd;
    file->size = size;
    memcpy(file->path, path, length);
    *out = file;
    return PART_DONE;
}

static bool is_same(const struct stat *one, const struct stat *other)
{
    return one->st_dev == other->st_dev && one->st_ino == other->st_ino;
}

static bool names(const char *path, const struct stat *status)
{
    struct stat named;
    return lstat(path, &named) == 0 && is_same(&named, status);
}

/*
 * Locks the opened file; on a file system without locks it stays unlocked. Another program may have
 * renamed or removed the file between the open and the lock, so the name is checked after locking.
 */
static enum part_result part_lock(int fd, const char *path, struct stat *status)
{
    if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return PART_LOCKED;
    if (fstat(fd, status) != 0 || !S_ISREG(status->st_mode) || !names(path, status))
        return PART_MISSING;
    return PART_DONE;
}

static bool takes_files(const char *path, size_t length)
{
    char folder[4096];
    if (length + sizeof "." > sizeof folder)
        return false;
    memcpy(folder, path, length);
    memcpy(folder + length, ".", sizeof ".");
    return access(folder, W_OK | X_OK) == 0;
}

/* Returns true if the error concerns only this path, not every path below its base folder. */
static bool is_refusal(int number, const char *path, size_t base_length)
{
    if (number == ENAMETOOLONG)
        return true;
    bool of_folder = number == ENOTDIR || number == EACCES || number == ELOOP || number == EXDEV;
    return of_folder && strchr(path + base_length, '/') != NULL && takes_files(path, base_length);
}

enum part_result part_file_open_new(const char *path, size_t base_length, unsigned mode,
                                    struct part_file **out, struct error *error)
{
    const int flags = O_RDWR | O_APPEND | O_CLOEXEC | O_NOCTTY;
    int fd = file_mode_create(path, flags, mode);
    if (fd < 0 && errno == ENOENT && make_folders(path, base_length, file_mode_of_folder(mode)))
        fd = file_mode_create(path, flags, mode);
    if (fd < 0 && errno == EEXIST)
        return PART_TAKEN;
    if (fd < 0) {
        int number = errno;
        error_set(error, EXIT_CODE_CANNOT_CREATE, "cannot create %s: %s", path,
                  guarded_open_why(number));
        return is_refusal(number, path, base_length) ? PART_REFUSED : PART_FAILED;
    }
    struct stat status;
    if (part_lock(fd, path, &status) != PART_DONE) {
        /*
         * Another program took the file for one that an ended program left, and locked or removed
         * it.
         */
        close(fd);
        return PART_TAKEN;
    }
    enum part_result result = part_keep(path, fd, 0, out, error);
    if (result != PART_DONE) {
        unlink(path);
        close(fd);
    }
    return result;
}

enum part_result part_file_open_private(const char *path, size_t base_length,
                                        struct part_file **out, struct error *error)
{
    return part_file_open_new(path, base_length, 0600, out, error);
}

enum part_result part_file_open_left(const char *path, struct part_file **out, struct error *error)
{
    struct stat status;
    const int flags = O_RDWR | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW;
    int fd = guarded_open(path, flags, 0);
    if (fd < 0 && errno == ENOENT)
        return PART_MISSING;
    if (fd < 0) {
        bool busy = is_busy(errno);
        bool short_of = errno == EMFILE || errno == ENFILE || errno == ENOMEM;
        error_set(error, EXIT_CODE_CANNOT_CREATE, "cannot open %s: %s", path,
                  guarded_open_why(errno));
        return busy ? PART_BUSY : short_of ? PART_SHORT : PART_FAILED;
    }
    enum part_result result = part_lock(fd, path, &status);
    if (result == PART_DONE)
        result = part_keep(path, fd, (uint64_t)status.st_size, out, error);
    if (result != PART_DONE)
        close(fd);
    return result;
}

/* --- reading and writing ---------------------------------------------------------------------- */

uint64_t part_file_size(const struct part_file *file)
{
    return file->size;
}

/*
 * Notes the present size of the file, without a torn end. Other programs can cut the file or append
 * to it in spite of the lock, for example to free space on a full disk.
 */
static void note_size(struct part_file *file, const struct stat *status)
{
    uint64_t size = (uint64_t)status->st_size;
    if (!file->torn || size < file->size)
        file->size = size;
}

enum place {
    PLACE_OWN,
    PLACE_OTHER,   /* the path names no file, or another one */
    PLACE_UNKNOWN, /* the path cannot be looked up, as errno says */
};

static enum place look(struct part_file *file)
{
    struct stat status;
    struct stat named;
    if (fstat(file->fd, &status) != 0)
        return PLACE_UNKNOWN;
    note_size(file, &status);
    if (lstat(file->path, &named) != 0)
        return errno == ENOENT || errno == ENOTDIR ? PLACE_OTHER : PLACE_UNKNOWN;
    return is_same(&named, &status) ? PLACE_OWN : PLACE_OTHER;
}

bool part_file_is_there(struct part_file *file)
{
    return look(file) != PLACE_OTHER;
}

/* Cuts off what a failed append has left. Never extends a file that another program has cut. */
static bool part_mend(struct part_file *file)
{
    struct stat status;
    if (!file->torn)
        return true;
    if (fstat(file->fd, &status) != 0 ||
        ((uint64_t)status.st_size > file->size && ftruncate(file->fd, (off_t)file->size) != 0))
        return false;
    file->torn = false;
    return true;
}

bool part_file_append(struct part_file *file, const void *bytes, size_t size, struct error *error)
{
    struct stat status;
    if (!part_mend(file))
        return part_fail(error, "cannot cut off a torn end");
    if (fstat(file->fd, &status) != 0)
        return part_fail(error, "cannot look at it");
    note_size(file, &status);
    RULE(!file->torn, "an append begins after the whole part of its file");
    size_t sent = 0;
    unsigned times = 0;
    while (sent < size) {
        ssize_t written = write(file->fd, (const char *)bytes + sent, size - sent);
        if (written < 0 && retry_interrupted(&times))
            continue;
        if (written > 0) {
            sent += (size_t)written;
            continue;
        }
        int number = written == 0 ? ENOSPC : errno;
        file->torn = sent != 0;
        part_mend(file);
        errno = number;
        return part_fail(error, "cannot write");
    }
    file->size += size;
    return true;
}

size_t part_file_read(struct part_file *file, uint64_t offset, void *bytes, size_t size)
{
    size_t got = 0;
    unsigned times = 0;
    while (got < size) {
        ssize_t part = pread(file->fd, (char *)bytes + got, size - got, (off_t)(offset + got));
        if (part < 0 && retry_interrupted(&times))
            continue;
        if (part <= 0)
            break;
        got += (size_t)part;
    }
    return got;
}

bool part_file_is_torn(const struct part_file *file)
{
    return file->torn;
}

bool part_file_cut(struct part_file *file, uint64_t size, struct error *error)
{
    if (ftruncate(file->fd, (off_t)size) != 0)
        return part_fail(error, "cannot cut it off");
    file->size = size;
    file->torn = false;
    return true;
}

bool part_file_sync(struct part_file *file, struct error *error)
{
    if (!part_mend(file))
        return part_fail(error, "cannot cut off a torn end");
    return fsync(file->fd) == 0 || part_fail(error, SYNC_FAILURE);
}

/* --- the end ---------------------------------------------------------------------------------- */

/*
 * Renames a file on a file system that cannot rename without replacing: first reserves the new name
 * with an empty file.
 */
static int rename_over_own(const char *from, const char *to)
{
    int held = lending_open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (held < 0)
        return -1;
    close(held);
    if (rename(from, to) == 0)
        return 0;
    int number = errno;
    unlink(to);
    errno = number;
    return -1;
}

static int rename_without_replacing(const char *from, const char *to)
{
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
        return 0;
    if (errno != EINVAL && errno != ENOSYS)
        return -1;
    return rename_over_own(from, to);
}

enum part_result part_file_complete(struct part_file *file, const char *name, struct error *error)
{
    if (!part_mend(file)) {
        part_fail(error, "cannot cut off a torn end");
        return PART_FAILED;
    }
    enum place place = look(file);
    if (place == PLACE_OTHER)
        return PART_MISSING;
    if (place == PLACE_UNKNOWN) {
        part_fail(error, "cannot look at it");
        return PART_FAILED;
    }
    if (rename_without_replacing(file->path, name) == 0) {
        part_file_close(file);
        return PART_DONE;
    }
    if (errno == EEXIST)
        return PART_TAKEN;
    int number = errno;
    if (number == ENOENT && look(file) == PLACE_OTHER)
        return PART_MISSING;
    errno = number;
    bool busy = is_busy(errno);
    error_set(error, EXIT_CODE_IO, "cannot rename it to %s: %s", name, strerror(errno));
    return busy ? PART_BUSY : PART_FAILED;
}

bool part_file_remove(struct part_file *file, struct error *error)
{
    enum place place = look(file);
    bool gone = place == PLACE_OTHER || (place == PLACE_OWN && unlink(file->path) == 0) ||
                part_fail(error, "cannot remove it");
    part_file_close(file);
    return gone;
}

void part_file_close(struct part_file *file)
{
    if (file == NULL)
        return;
    part_mend(file);
    close(file->fd);
    free(file);
}
