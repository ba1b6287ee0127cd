/* Implements struct output_file for POSIX files, pipes, terminals and sockets. */
#include "collector/platform/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/platform/common/torn_end.h"
#include "collector/platform/file_system.h"
#include "collector/platform/posix/file_mode.h"
#include "collector/platform/posix/guarded_open.h"
#include "collector/platform/posix/stream.h"
#include "collector/platform/posix/sync_failure.h"
#include "collector/platform/posix/torn_line.h"

struct output_file {
    struct stream stream;
    bool regular;
    bool terminal;
    bool filled;
    bool begun;
    off_t end; /* for a regular file: where this program's last write ended, less what was rolled
                  back */
    uint64_t unmixed; /* bytes just before `end` that only this program wrote */
};

static int cannot_create(struct error *error, const char *what, const char *why)
{
    error_set(error, EXIT_CODE_CANNOT_CREATE, "cannot write to %s: %s", what, why);
    return -1;
}

/* Takes over the stream, even if it fails. */
static int output_make(const struct stream *stream, const struct stat *status,
                       struct output_file **out, struct error *error)
{
    struct output_file *file = calloc(1, sizeof *file);
    if (file == NULL) {
        stream_return(stream);
        error_set(error, EXIT_CODE_INTERNAL, "no memory for an output file");
        return -1;
    }
    file->stream = *stream;
    file->regular = S_ISREG(status->st_mode);
    file->filled = status->st_size != 0;
    file->terminal = isatty(stream->fd) != 0;
    *out = file;
    return 0;
}

/* --- opening files by name -------------------------------------------------------------------- */

static const char *why_not_opened(int number, const char *path)
{
    struct stat status;
    if (number != ENXIO)
        return guarded_open_why(number);
    return stat(path, &status) == 0 && S_ISFIFO(status.st_mode)
               ? "this pipe has no reader"
               : "it is a socket or a device without a driver";
}

/*
 * Gives a new file exactly this mode. The umask is applied only if another program creates the file
 * at the same moment, or if the path is a symbolic link to a missing file.
 */
static int open_or_create(const char *path, int flags, unsigned mode)
{
    if (mode != 0) {
        int fd = guarded_open(path, flags, 0);
        if (fd < 0 && errno == ENOENT)
            fd = file_mode_create(path, flags, mode);
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }
    return guarded_open(path, flags | O_CREAT, file_mode_of(mode));
}

/*
 * Opens the file for appending and stores its status. Returns the descriptor or -1. Without
 * O_NONBLOCK the open of a FIFO would wait for its reader; a check before the open would not help,
 * because the path may be replaced in between. The flag is removed again for a regular file.
 */
static int open_to_append(const char *path, unsigned mode, struct stat *status, struct error *error)
{
    int flags = O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
    int fd = open_or_create(path, flags, mode);
    if (fd < 0) {
        int number = errno;
        cannot_create(error, path, why_not_opened(number, path));
        if (number == ENOENT || number == EISDIR)
            folder_advise_missing_of(path, error);
        return -1;
    }
    if (fstat(fd, status) != 0) {
        cannot_create(error, path, strerror(errno));
        close(fd);
        return -1;
    }
    if (S_ISREG(status->st_mode))
        fcntl(fd, F_SETFL, O_APPEND);
    return fd;
}

int output_file_open_append(const char *path, unsigned mode,
                            const struct output_file_format *format, struct output_file **out,
                            struct output_file_start *start, struct error *error)
{
    *start = (struct output_file_start){.torn = TORN_LINE_NONE};
    struct torn_line_look look;
    torn_line_look(&look, path);
    struct stat status;
    int fd = open_to_append(path, mode, &status, error);
    int result = fd < 0 ? -1 : 0;
    const char *why = NULL;
    if (fd >= 0 && S_ISREG(status.st_mode))
        why = torn_line_mend(&look, fd, format, start);
    if (why != NULL) {
        result = torn_end_not_mended(path, format, why, error);
        close(fd);
    }
    torn_line_look_end(&look);
    if (result != 0)
        return result;
    return output_make(&(struct stream){.fd = fd, .owned = true}, &status, out, error);
}

int output_file_check_content(const char *path, const struct output_file_format *format,
                              struct output_file_start *start, struct error *error)
{
    struct torn_line_look look;
    torn_line_look_again(&look, path);
    const char *why = torn_line_judge(&look, format, start);
    torn_line_look_end(&look);
    return why == NULL ? 0 : torn_end_not_mended(path, format, why, error);
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
    struct stream stream = stream_borrow(STDOUT_FILENO, &status);
    return output_make(&stream, &status, out, error);
}

void output_file_hold_standard_streams(void)
{
    /*
     * open() returns the lowest free number. In place of standard output it opens for reading, so
     * that a write fails.
     */
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
            open("/dev/null", fd == STDERR_FILENO ? O_WRONLY : O_RDONLY) != fd)
            return;
}

/* --- writing ---------------------------------------------------------------------------------- */

/*
 * Checks whether the file was cut before this write: then the new bytes, which end at `end`, begin
 * before the end of the previous write. If so, removes the new bytes again. Returns false if the
 * file was not cut, or if that fails.
 */
static bool came_after_a_cut(struct output_file *file, off_t end, size_t size)
{
    struct stat status;
    off_t start = end - (off_t)size;
    if (!file->stream.owned || start >= file->end || fstat(file->stream.fd, &status) != 0 ||
        status.st_size != end || ftruncate(file->stream.fd, start) != 0)
        return false;
    lseek(file->stream.fd, file->end, SEEK_SET);
    return true;
}

static void note_written(struct output_file *file, off_t end, size_t size)
{
    if (end - (off_t)size != file->end)
        file->unmixed = 0;
    file->unmixed += size;
    file->end = end;
}

static enum write_result after_write(struct output_file *file, size_t size, struct error *error)
{
    off_t end = lseek(file->stream.fd, 0, SEEK_CUR);
    if (came_after_a_cut(file, end, size)) {
        error_set(error, EXIT_CODE_IO, "cannot write: the file was emptied or cut from outside");
        return WRITE_FAILED;
    }
    note_written(file, end, size);
    return WRITE_OK;
}

enum write_result output_file_write(struct output_file *file, const void *bytes, size_t size,
                                    size_t *written, struct error *error)
{
    ssize_t result = stream_write(&file->stream, bytes, size);
    if (result > 0) {
        *written = (size_t)result;
        file->begun = true;
        return file->regular ? after_write(file, *written, error) : WRITE_OK;
    }
    if (result == 0) {
        error_set(error, EXIT_CODE_IO, "cannot write: the system accepted no byte");
        return WRITE_FAILED;
    }
    /* The system cannot wait for a regular file, so the caller tries again later. */
    if (!file->regular && (errno == EAGAIN || errno == EWOULDBLOCK))
        return WRITE_WOULD_BLOCK;
    /* A terminal that was hung up returns EIO for every write. */
    if (errno == EPIPE || errno == ECONNRESET || (errno == EIO && file->terminal))
        return WRITE_CLOSED;
    error_set(error, EXIT_CODE_IO, "cannot write: %s", strerror(errno));
    return WRITE_FAILED;
}

/* POSIX writes are never in progress after the call. */
size_t output_file_cancel(struct output_file *file)
{
    (void)file;
    return 0;
}

wait_handle output_file_handle(const struct output_file *file)
{
    return file->regular ? NO_HANDLE : (wait_handle)file->stream.fd;
}

bool output_file_roll_back(struct output_file *file, size_t size)
{
    struct stat status;
    if (!file->regular || size > file->unmixed || fstat(file->stream.fd, &status) != 0 ||
        status.st_size > file->end || lseek(file->stream.fd, 0, SEEK_CUR) != file->end)
        return false;
    off_t end = file->end - (off_t)size;
    if (status.st_size > end && ftruncate(file->stream.fd, end) != 0)
        return false;
    /* Without O_APPEND the next write would otherwise leave a hole. */
    lseek(file->stream.fd, status.st_size < end ? status.st_size : end, SEEK_SET);
    file->end = end;
    file->unmixed -= size;
    return true;
}

bool output_file_at_beginning(const struct output_file *file)
{
    struct stat status;
    if (!file->regular)
        return !file->begun;
    if (fstat(file->stream.fd, &status) != 0) /* assume that its size has not changed */
        return !file->filled && !file->begun;
    return status.st_size == 0;
}

/* The descriptor is open for writing only, so the file is opened again to read the byte. */
bool output_file_is_in_line(const struct output_file *file)
{
    struct stat status;
    char path[32];
    char last = '\n';
    int flags = fcntl(file->stream.fd, F_GETFL);
    if (!file->regular || flags < 0 || fstat(file->stream.fd, &status) != 0)
        return false;
    off_t end = (flags & O_APPEND) != 0 ? status.st_size : lseek(file->stream.fd, 0, SEEK_CUR);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file->stream.fd);
    int fd = end > 0 ? open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY) : -1;
    if (fd < 0)
        return false;
    bool read = pread(fd, &last, 1, end - 1) == 1;
    close(fd);
    return read && last != '\n';
}

bool output_file_is_regular(const struct output_file *file)
{
    return file->regular;
}

bool output_file_sync(struct output_file *file, struct error *error)
{
    if (!file->regular || fsync(file->stream.fd) == 0)
        return true;
    error_set(error, EXIT_CODE_IO, SYNC_FAILURE ": %s", strerror(errno));
    return false;
}

uint64_t output_file_size(const struct output_file *file)
{
    struct stat status;
    bool known = file->regular && fstat(file->stream.fd, &status) == 0;
    return known ? (uint64_t)status.st_size : 0;
}

bool output_file_is_terminal(const struct output_file *file)
{
    return file->terminal;
}

bool output_file_is_removed(const struct output_file *file)
{
    struct stat status;
    return fstat(file->stream.fd, &status) == 0 && status.st_nlink == 0;
}

/* Does nothing: POSIX frees the name of a removed file at once. */
bool output_file_let_name_go(struct output_file *file)
{
    (void)file;
    return false;
}

static bool ends_early(const struct output_file *file, const struct stat *status)
{
    return file->regular && status->st_size < file->end;
}

bool output_file_is_cut(const struct output_file *file)
{
    struct stat status;
    return fstat(file->stream.fd, &status) == 0 && ends_early(file, &status);
}

static enum output_file_state unseen(const char *path, struct error *error)
{
    error_set(error, EXIT_CODE_IO, "cannot look at %s: %s", path, strerror(errno));
    return OUTPUT_FILE_UNSEEN;
}

/*
 * If the path cannot be looked up, the file counts as moved if the path does not exist or the file
 * has no name.
 */
enum output_file_state output_file_look(const struct output_file *file, const char *path,
                                        struct error *error)
{
    struct stat ours, named;
    if (fstat(file->stream.fd, &ours) != 0)
        return unseen(path, error);
    if (stat(path, &named) != 0)
        return errno == ENOENT || errno == ENOTDIR || ours.st_nlink == 0 ? OUTPUT_FILE_MOVED
                                                                         : unseen(path, error);
    if (ours.st_dev != named.st_dev || ours.st_ino != named.st_ino)
        return OUTPUT_FILE_MOVED;
    return ends_early(file, &ours) ? OUTPUT_FILE_CUT : OUTPUT_FILE_IN_PLACE;
}

int output_file_mend(struct output_file *file, const char *path,
                     const struct output_file_format *format, struct output_file_start *start,
                     struct error *error)
{
    struct torn_line_look look;
    torn_line_look_again(&look, path);
    const char *why = torn_line_mend(&look, file->stream.fd, format, start);
    torn_line_look_end(&look);
    file->end = (off_t)output_file_size(file);
    file->unmixed = 0;
    return why == NULL ? 0 : torn_end_not_mended(path, format, why, error);
}

void output_file_close(struct output_file *file)
{
    if (file == NULL)
        return;
    stream_return(&file->stream);
    free(file);
}
