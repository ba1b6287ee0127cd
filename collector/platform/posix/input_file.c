/*
 * Implements struct input_file with POSIX files and poll(2). A pipe that belongs to the file
 * cancels a wait.
 */
#include "collector/platform/input_file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/base/rule.h"
#include "collector/platform/posix/guarded_open.h"
#include "collector/platform/posix/lending.h"
#include "collector/platform/posix/retry.h"

struct input_file {
    int fd;
    bool live;
    uint64_t size;
    struct timespec modified;
    int cancel_reader, cancel_writer; /* the pipe that cancels a wait for a live file; else -1 */
    _Atomic bool cancelled;           /* lock-free, because a signal handler may set it */
};

static int cannot_open(const char *path, int number, struct error *error)
{
    error_set(error, EXIT_CODE_BAD_INPUT, "%s: cannot be opened: %s", path,
              guarded_open_why(number));
    return -1;
}

/* A block device is read like a regular file. */
static bool is_live(const struct stat *status)
{
    return !S_ISREG(status->st_mode) && !S_ISBLK(status->st_mode);
}

/* --- opening ---------------------------------------------------------------------------------- */

int input_file_look(const char *path, bool *live, struct error *error)
{
    struct stat status;
    if (stat(path, &status) != 0 || faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) != 0)
        return cannot_open(path, errno, error);
    if (S_ISDIR(status.st_mode))
        return cannot_open(path, EISDIR, error);
    *live = is_live(&status);
    return 0;
}

static int make_cancellable(struct input_file *file, const char *path, struct error *error)
{
    int ends[2];
    if (lending_pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) {
        error_set(error, EXIT_CODE_INTERNAL, "%s: cannot create a pipe: %s", path, strerror(errno));
        return -1;
    }
    file->cancel_reader = ends[0];
    file->cancel_writer = ends[1];
    return 0;
}

int input_file_open(const char *path, struct input_file **out, struct error *error)
{
    struct input_file *file = calloc(1, sizeof *file);
    if (file == NULL) {
        error_set(error, EXIT_CODE_INTERNAL, "%s: out of memory", path);
        return -1;
    }
    file->cancel_reader = file->cancel_writer = -1;
    /* Otherwise the open of a FIFO would wait for a writer, and a read for data. */
    file->fd = guarded_open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY, 0);
    struct stat status;
    int result = 0;
    if (file->fd < 0 || fstat(file->fd, &status) != 0) {
        result = cannot_open(path, errno, error);
    } else if (S_ISDIR(status.st_mode)) {
        result = cannot_open(path, EISDIR, error);
    } else if (is_live(&status)) {
        file->live = true;
        result = make_cancellable(file, path, error);
    } else {
        file->size = (uint64_t)status.st_size;
        file->modified = status.st_mtim;
    }
    if (result != 0) {
        input_file_close(file);
        return -1;
    }
    *out = file;
    return 0;
}

bool input_file_is_live(const struct input_file *file)
{
    return file->live;
}

uint64_t input_file_size(const struct input_file *file)
{
    return file->size;
}

bool input_file_has_changed(const struct input_file *file)
{
    struct stat now;
    return !file->live && fstat(file->fd, &now) == 0 &&
           ((uint64_t)now.st_size != file->size || now.st_mtim.tv_sec != file->modified.tv_sec ||
            now.st_mtim.tv_nsec != file->modified.tv_nsec);
}

enum input_exposure input_file_exposure(const struct input_file *file)
{
    struct stat status;
    if (fstat(file->fd, &status) != 0 || (status.st_uid != geteuid() && status.st_uid != 0))
        return EXPOSURE_OWNER;
    if ((status.st_mode & S_IRWXO) != 0)
        return EXPOSURE_OTHERS;
    return (status.st_mode & S_IWGRP) != 0 ? EXPOSURE_GROUP : EXPOSURE_NONE;
}

/* --- reading ---------------------------------------------------------------------------------- */

static enum input_result input_failed(struct error *error)
{
    error_set(error, EXIT_CODE_BAD_INPUT, "%s", strerror(errno));
    return INPUT_FAILED;
}

/*
 * Returns 1 if a read would not wait, 0 if it would, or -1 with errno. Called before each read: the
 * read of a FIFO that was never opened for writing returns 0, as at its end. poll() reports POLLHUP
 * only after a writer existed.
 */
static int ask(const struct input_file *file, int timeout_ms)
{
    RULE(file->live, "only a live file is waited for");
    struct pollfd watched[2] = {{.fd = file->fd, .events = POLLIN},
                                {.fd = file->cancel_reader, .events = POLLIN}};
    int result = poll(watched, 2, timeout_ms);
    return result > 0 ? watched[0].revents != 0 : result;
}

enum input_result input_file_read(struct input_file *file, void *bytes, size_t size, size_t *got,
                                  struct error *error)
{
    unsigned times = 0;
    for (;;) {
        if (atomic_load_explicit(&file->cancelled, memory_order_relaxed))
            return INPUT_CANCELLED;
        int ready = file->live ? ask(file, 0) : 1;
        if (ready == 0)
            return INPUT_WOULD_WAIT;
        ssize_t result = ready < 0 ? -1 : read(file->fd, bytes, size);
        if (result > 0) {
            *got = (size_t)result;
            return INPUT_BYTES;
        }
        if (result == 0)
            return INPUT_END;
        /* Another reader of the same pipe may have taken the data. */
        if (file->live && (errno == EAGAIN || errno == EWOULDBLOCK))
            return INPUT_WOULD_WAIT;
        if (!retry_interrupted(&times))
            return input_failed(error);
    }
}

void input_file_wait(struct input_file *file)
{
    /* The next read finds out why the wait ended, even if the wait failed. */
    if (ask(file, -1) < 0)
        retry_pause();
}

void input_file_wait_for(struct input_file *file, unsigned milliseconds)
{
    if (ask(file, (int)milliseconds) < 0)
        retry_pause();
}

void input_file_cancel(struct input_file *file)
{
    if (atomic_exchange(&file->cancelled, true) || !file->live)
        return;
    /*
     * The byte is never read, so that all later waits end at once. An empty pipe has room for it.
     */
    int before = errno;
    ssize_t ignored = write(file->cancel_writer, "", 1);
    (void)ignored;
    errno = before;
}

void input_file_close(struct input_file *file)
{
    if (file == NULL)
        return;
    if (file->fd >= 0)
        close(file->fd);
    if (file->cancel_reader >= 0) {
        close(file->cancel_reader);
        close(file->cancel_writer);
    }
    free(file);
}
