/* collector/output_file.h on POSIX files, pipes, terminals and sockets. */
#include "collector/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/platform/posix/torn_line.h"

/* How a write is kept from waiting for a reader. */
enum manner {
    PLAIN_WRITE, /* the description does not block, or there is nothing to wait for */
    SEND,        /* a socket whose description is not ours alone */
    ASK_FIRST,   /* it would block: ask, then write what a pipe takes at once */
};

struct output_file {
    int fd;
    bool owned; /* closed at the end */
    bool regular;
    bool terminal;
    enum manner manner;
    off_t end;        /* of a regular file: where our last write ended */
    uint64_t unmixed; /* bytes before that which are all ours */
};

static int cannot_create(struct error *error, const char *what, const char *why)
{
    error_set(error, EXIT_CODE_CANNOT_CREATE, "cannot write to %s: %s", what, why);
    return -1;
}

/* Takes over `fd`, whatever comes of it, if `owned`. */
static int make(int fd, bool owned, enum manner manner, const struct stat *status,
                struct output_file **out, struct error *error)
{
    struct output_file *file = calloc(1, sizeof *file);
    if (file == NULL) {
        if (owned)
            close(fd);
        error_set(error, EXIT_CODE_INTERNAL, "no memory for an output file");
        return -1;
    }
    file->fd = fd;
    file->owned = owned;
    file->manner = manner;
    file->regular = S_ISREG(status->st_mode);
    file->terminal = isatty(fd) != 0;
    *out = file;
    return 0;
}

/* --- by name ---------------------------------------------------------------------------------- */

static const char *why_not_opened(int number, bool pipe)
{
    if (number == ENXIO)
        return pipe ? "nobody reads this pipe" : "it is a socket or a device without a driver";
    return strerror(number);
}

/* Opens for appending and tells what it is. Returns the descriptor or -1. */
static int open_to_append(const char *path, struct stat *status, struct error *error)
{
    int flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY;
    bool there = stat(path, status) == 0;
    bool pipe = there && S_ISFIFO(status->st_mode);
    if (there && !S_ISREG(status->st_mode))
        flags |= O_NONBLOCK;
    int fd = open(path, flags, 0644);
    if (fd < 0)
        return cannot_create(error, path, why_not_opened(errno, pipe));
    if (fstat(fd, status) != 0) {
        cannot_create(error, path, strerror(errno));
        close(fd);
        return -1;
    }
    return fd;
}

int output_file_open_append(const char *path, struct output_file **out,
                            struct output_file_start *start, struct error *error)
{
    *start = (struct output_file_start){.torn = TORN_LINE_NONE};
    struct torn_line_look look;
    torn_line_look(&look, path);
    struct stat status;
    int fd = open_to_append(path, &status, error);
    int result = fd < 0 ? -1 : 0;
    if (fd >= 0 && S_ISREG(status.st_mode) && torn_line_mend(&look, fd, start) != 0) {
        result = cannot_create(error, path, strerror(errno));
        close(fd);
    }
    torn_line_look_end(&look);
    return result != 0 ? result : make(fd, true, PLAIN_WRITE, &status, out, error);
}

/* --- standard output -------------------------------------------------------------------------- */

int output_file_open_stdout(struct output_file **out, struct error *error)
{
    struct stat status;
    int flags = fcntl(STDOUT_FILENO, F_GETFL);
    if (flags < 0 || fstat(STDOUT_FILENO, &status) != 0)
        return cannot_create(error, "standard output", strerror(errno));
    if ((flags & O_ACCMODE) == O_RDONLY)
        return cannot_create(error, "standard output", "it is closed, or open for reading only");
    /* The description itself, so that its offset and O_APPEND stay what its owners made them. */
    if (S_ISREG(status.st_mode) || S_ISBLK(status.st_mode))
        return make(STDOUT_FILENO, false, PLAIN_WRITE, &status, out, error);
    if (S_ISSOCK(status.st_mode))
        return make(STDOUT_FILENO, false, SEND, &status, out, error);
    int fd = open("/proc/self/fd/1", O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (fd >= 0)
        return make(fd, true, PLAIN_WRITE, &status, out, error);
    /* No /proc, a pipe or terminal of another user's, or a pipe whose reader has gone already. */
    return make(STDOUT_FILENO, false, ASK_FIRST, &status, out, error);
}

void output_file_hold_standard_streams(void)
{
    /* open() takes the lowest free number. Standard output is held so that writing to it fails. */
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
            open("/dev/null", fd == STDERR_FILENO ? O_WRONLY : O_RDONLY) != fd)
            return;
}

/* --- writing ---------------------------------------------------------------------------------- */

static ssize_t write_once(const struct output_file *file, const void *bytes, size_t size)
{
    ssize_t result;
    if (file->manner == ASK_FIRST) {
        struct pollfd asked = {.fd = file->fd, .events = POLLOUT};
        /* A pipe without a reader says POLLERR: the write tells the rest. */
        if (poll(&asked, 1, 0) <= 0) {
            errno = EAGAIN;
            return -1;
        }
        if (size > PIPE_BUF)
            size = PIPE_BUF;
    }
    do
        result = file->manner == SEND ? send(file->fd, bytes, size, MSG_DONTWAIT | MSG_NOSIGNAL)
                                      : write(file->fd, bytes, size);
    while (result < 0 && errno == EINTR);
    return result;
}

/* Keeps what take_back must know: which bytes before the file's offset are ours alone. */
static void note_written(struct output_file *file, size_t size)
{
    off_t end = lseek(file->fd, 0, SEEK_CUR);
    if (end - (off_t)size != file->end)
        file->unmixed = 0;
    file->unmixed += size;
    file->end = end;
}

enum write_result output_file_write(struct output_file *file, const void *bytes, size_t size,
                                    size_t *written, struct error *error)
{
    ssize_t result = write_once(file, bytes, size);
    if (result > 0) {
        *written = (size_t)result;
        if (file->regular)
            note_written(file, *written);
        return WRITE_OK;
    }
    if (result == 0) {
        error_set(error, EXIT_CODE_IO, "cannot write: nothing was taken");
        return WRITE_FAILED;
    }
    if (errno == EAGAIN || errno == EWOULDBLOCK)
        return WRITE_WOULD_BLOCK;
    /* A terminal that was hung up says EIO, from now on. */
    if (errno == EPIPE || errno == ECONNRESET || (errno == EIO && file->terminal))
        return WRITE_CLOSED;
    error_set(error, EXIT_CODE_IO, "cannot write: %s", strerror(errno));
    return WRITE_FAILED;
}

wait_handle output_file_handle(const struct output_file *file)
{
    return file->regular ? NO_HANDLE : (wait_handle)file->fd;
}

bool output_file_take_back(struct output_file *file, size_t size)
{
    struct stat status;
    if (!file->regular || size > file->unmixed || fstat(file->fd, &status) != 0 ||
        status.st_size != file->end || lseek(file->fd, 0, SEEK_CUR) != file->end)
        return false;
    off_t end = file->end - (off_t)size;
    if (ftruncate(file->fd, end) != 0)
        return false;
    /* Without O_APPEND the next write would leave a hole. */
    lseek(file->fd, end, SEEK_SET);
    file->end = end;
    file->unmixed -= size;
    return true;
}

bool output_file_is_at(const struct output_file *file, const char *path)
{
    struct stat ours, named;
    return fstat(file->fd, &ours) == 0 && stat(path, &named) == 0 && ours.st_dev == named.st_dev &&
           ours.st_ino == named.st_ino;
}

void output_file_close(struct output_file *file)
{
    if (file == NULL)
        return;
    if (file->owned)
        close(file->fd);
    free(file);
}
