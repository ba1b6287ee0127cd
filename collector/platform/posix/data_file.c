#include "collector/platform/data_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "collector/base/rule.h"
#include "collector/platform/posix/guarded_open.h"
#include "collector/platform/posix/retry.h"
#include "collector/platform/posix/sync_failure.h"

static int descriptor(struct data_file file)
{
    return (int)file.handle;
}

static bool data_file_fail(struct error *error, const char *what)
{
    error_set(error, EXIT_CODE_IO, "%s: %s", what, guarded_open_why(errno));
    return false;
}

static enum data_file_result data_file_failed(struct error *error, const char *what)
{
    bool full = errno == ENOSPC || errno == EDQUOT || errno == EFBIG;
    data_file_fail(error, what);
    return full ? DATA_FILE_FULL : DATA_FILE_FAILED;
}

enum data_file_result data_file_make(const char *path, struct data_file *out, struct error *error)
{
    int fd = guarded_open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, 0600);
    if (fd < 0 && errno == EEXIST)
        return DATA_FILE_TAKEN;
    if (fd < 0)
        return data_file_failed(error, "cannot create it");
    out->handle = fd;
    return DATA_FILE_DONE;
}

/* Returns true for the errno of a missing file, a symbolic link, a folder, or a socket. */
static bool is_no_regular_file(int number)
{
    return number == ENOENT || number == ELOOP || number == EISDIR || number == ENXIO;
}

static enum data_file_result data_file_open_with(const char *path, int flags, struct data_file *out,
                                                 struct error *error)
{
    struct stat status;
    int fd = guarded_open(path, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | flags, 0);
    if (fd < 0 && is_no_regular_file(errno))
        return DATA_FILE_MISSING;
    if (fd < 0 || fstat(fd, &status) != 0) {
        data_file_fail(error, "cannot open it");
        if (fd >= 0)
            close(fd);
        return DATA_FILE_FAILED;
    }
    if (!S_ISREG(status.st_mode)) {
        close(fd);
        return DATA_FILE_MISSING;
    }
    out->handle = fd;
    return DATA_FILE_DONE;
}

enum data_file_result data_file_open(const char *path, struct data_file *out, struct error *error)
{
    return data_file_open_with(path, O_NOFOLLOW, out, error);
}

enum data_file_result data_file_open_linked(const char *path, struct data_file *out,
                                            struct error *error)
{
    return data_file_open_with(path, 0, out, error);
}

bool data_file_size(struct data_file file, uint64_t *size, struct error *error)
{
    struct stat status;
    if (fstat(descriptor(file), &status) != 0)
        return data_file_fail(error, "cannot look at it");
    *size = (uint64_t)status.st_size;
    return true;
}

bool data_file_read(struct data_file file, uint64_t offset, void *bytes, size_t size, size_t *got,
                    struct error *error)
{
    unsigned times = 0;
    *got = 0;
    while (*got < size) {
        ssize_t part =
            pread(descriptor(file), (char *)bytes + *got, size - *got, (off_t)(offset + *got));
        if (part < 0 && retry_interrupted(&times))
            continue;
        if (part < 0)
            return data_file_fail(error, "cannot read");
        if (part == 0)
            break;
        *got += (size_t)part;
    }
    return true;
}

static void advance(struct iovec **next, int *left, size_t written)
{
    while (*left > 0 && written >= (*next)->iov_len) {
        written -= (*next)->iov_len;
        ++*next;
        --*left;
    }
    if (*left == 0)
        return;
    (*next)->iov_base = (char *)(*next)->iov_base + written;
    (*next)->iov_len -= written;
}

enum data_file_result data_file_write(struct data_file file, uint64_t offset,
                                      const struct text *pieces, size_t count, struct error *error)
{
    RULE(count <= DATA_FILE_PIECES_MAX, "no more pieces are written at once than there is room");
    struct iovec parts[DATA_FILE_PIECES_MAX];
    struct iovec *next = parts;
    unsigned times = 0;
    int left = (int)count;
    for (size_t i = 0; i < count; i++) {
        union {
            const char *given;
            void *taken; /* iov_base is not const, but a write does not change the bytes */
        } bytes = {.given = pieces[i].data};
        parts[i] = (struct iovec){.iov_base = bytes.taken, .iov_len = pieces[i].size};
    }
    advance(&next, &left, 0);
    while (left > 0) {
        ssize_t written = pwritev(descriptor(file), next, left, (off_t)offset);
        if (written < 0 && retry_interrupted(&times))
            continue;
        if (written == 0)
            errno = ENOSPC;
        if (written <= 0)
            return data_file_failed(error, "cannot write");
        offset += (uint64_t)written;
        advance(&next, &left, (size_t)written);
    }
    return DATA_FILE_DONE;
}

bool data_file_cut(struct data_file file, uint64_t size, struct error *error)
{
    return ftruncate(descriptor(file), (off_t)size) == 0 ||
           data_file_fail(error, "cannot cut it off");
}

bool data_file_sync(struct data_file file, struct error *error)
{
    return fdatasync(descriptor(file)) == 0 || data_file_fail(error, SYNC_FAILURE);
}

void data_file_close(struct data_file file)
{
    close(descriptor(file));
}
