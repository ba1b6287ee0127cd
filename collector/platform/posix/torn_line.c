#include "collector/platform/posix/torn_line.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/platform/common/torn_end.h"
#include "collector/platform/posix/guarded_open.h"
#include "collector/platform/posix/retry.h"

/*
 * Finds out whether a process has the file open for writing: the kernel grants a read lease only if
 * no process has (fcntl(2)). The lease is released at once. Only the file's owner may request a
 * lease, and not every file system supports leases.
 */
static enum file_writers writers_of(int reader)
{
#ifdef F_SETLEASE
    /*
     * If a process opens the file during the lease, the kernel sends a signal. SIGURG is ignored by
     * default.
     */
    if (fcntl(reader, F_SETSIG, SIGURG) == 0) {
        if (fcntl(reader, F_SETLEASE, F_RDLCK) == 0) {
            fcntl(reader, F_SETLEASE, F_UNLCK);
            return WRITERS_NONE;
        }
        if (errno == EAGAIN)
            return WRITERS_SOME;
    }
#else
    (void)reader;
#endif
    return WRITERS_UNKNOWN;
}

/*
 * Finds out whether other collectors have the file open for writing. Each of them holds a shared
 * lock as long as it has the file open, so an exclusive lock is granted only if there are no
 * others. The lock also prevents two collectors that start at the same time from repairing the same
 * line.
 */
static enum file_writers lock_against_writers(int fd)
{
    for (unsigned waited_ms = 0; flock(fd, LOCK_EX | LOCK_NB) != 0;
         waited_ms += TORN_END_PAUSE_MS) {
        if (errno != EWOULDBLOCK)
            return WRITERS_UNKNOWN; /* the file system has no locks */
        if (!torn_end_is_patient(waited_ms))
            return WRITERS_SOME;
        retry_pause_ms(TORN_END_PAUSE_MS);
    }
    return WRITERS_NONE;
}

/*
 * Returns true for errors that do not prevent an append: a missing file has no torn end, and a file
 * that may be written but not read is not checked.
 */
static bool is_no_reason(int number)
{
    return number == ENOENT || number == ENOTDIR || number == EACCES || number == EPERM;
}

void torn_line_look_again(struct torn_line_look *look, const char *path)
{
    *look = (struct torn_line_look){.reader = -1, .others = WRITERS_UNKNOWN};
    struct stat status;
    unsigned times = 0;
    if (stat(path, &status) != 0) {
        look->failed = is_no_reason(errno) ? 0 : errno;
        return;
    }
    /* Only a regular file is opened: opening a pipe would make this process its reader. */
    if (!S_ISREG(status.st_mode))
        return;
    do
        look->reader = guarded_open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0);
    while (look->reader < 0 && retry_interrupted(&times));
    if (look->reader < 0 && !is_no_reason(errno))
        look->failed = errno;
}

void torn_line_look(struct torn_line_look *look, const char *path)
{
    torn_line_look_again(look, path);
    if (look->reader < 0)
        return;
    look->others = writers_of(look->reader);
    for (unsigned waited_ms = 0; look->others == WRITERS_SOME && torn_end_is_patient(waited_ms);
         waited_ms += TORN_END_PAUSE_MS) {
        retry_pause_ms(TORN_END_PAUSE_MS);
        look->others = writers_of(look->reader);
    }
}

void torn_line_look_end(struct torn_line_look *look)
{
    if (look->reader >= 0)
        close(look->reader);
    look->reader = -1;
}

/*
 * Sets *same if both descriptors are of the same regular file. Returns false with errno if the
 * system does not report it.
 */
static bool is_same(int a, int b, bool *same)
{
    struct stat one, other;
    if (fstat(a, &one) != 0 || fstat(b, &other) != 0)
        return false;
    *same = one.st_dev == other.st_dev && one.st_ino == other.st_ino && S_ISREG(one.st_mode);
    return true;
}

/* Returns true if no other process writes to the file. May wait for a lock on it. */
static bool is_alone(const struct torn_line_look *look, int fd)
{
    enum file_writers locked =
        look->others == WRITERS_SOME ? WRITERS_SOME : lock_against_writers(fd);
    return locked == WRITERS_NONE || (locked == WRITERS_UNKNOWN && look->others == WRITERS_NONE);
}

/* Locks the file as long as it is open. Has no effect on file systems without locks. */
static void mark_as_ours(int fd)
{
    flock(fd, LOCK_SH | LOCK_NB);
}

/* --- mending ---------------------------------------------------------------------------------- */

struct mended {
    int reader;
    int writer;
};

static const char *torn_size_of(void *context, uint64_t *size)
{
    const struct mended *mended = context;
    struct stat status;
    if (fstat(mended->reader, &status) != 0)
        return strerror(errno);
    *size = (uint64_t)status.st_size;
    return NULL;
}

static const char *read_at(void *context, uint64_t offset, void *bytes, size_t size)
{
    const struct mended *mended = context;
    size_t got = 0;
    unsigned times = 0;
    while (got < size) {
        ssize_t part =
            pread(mended->reader, (char *)bytes + got, size - got, (off_t)(offset + got));
        if (part < 0 && retry_interrupted(&times))
            continue;
        if (part <= 0)
            return part < 0 ? strerror(errno) : torn_file_changes;
        got += (size_t)part;
    }
    return NULL;
}

static bool torn_cut(void *context, uint64_t size, uint64_t kept)
{
    const struct mended *mended = context;
    struct stat status;
    return fstat(mended->writer, &status) == 0 && status.st_size == (off_t)size &&
           ftruncate(mended->writer, (off_t)kept) == 0;
}

static const char *torn_end_line(void *context)
{
    const struct mended *mended = context;
    return write(mended->writer, "\n", 1) == 1 ? NULL : strerror(errno);
}

static const struct torn_file_ops ops = {
    .size = torn_size_of,
    .read = read_at,
    .cut = torn_cut,
    .end_line = torn_end_line,
};

const char *torn_line_judge(const struct torn_line_look *look,
                            const struct output_file_format *format,
                            struct output_file_start *start)
{
    struct mended mended = {.reader = look->reader, .writer = -1};
    *start = (struct output_file_start){.torn = TORN_LINE_NONE};
    if (look->failed != 0)
        return strerror(look->failed);
    return look->reader < 0 ? NULL : torn_end_judge(&ops, &mended, format, start);
}

static const char *torn_mend(const struct torn_line_look *look, int fd,
                             const struct output_file_format *format,
                             struct output_file_start *start)
{
    struct mended mended = {.reader = look->reader, .writer = fd};
    bool same;
    if (!is_same(look->reader, fd, &same))
        return strerror(errno);
    if (!same)
        return NULL;
    bool alone = is_alone(look, fd);
    return torn_end_mend(&ops, &mended, alone, format, start);
}

const char *torn_line_mend(const struct torn_line_look *look, int fd,
                           const struct output_file_format *format, struct output_file_start *start)
{
    *start = (struct output_file_start){.torn = TORN_LINE_NONE};
    const char *why = NULL;
    if (look->failed != 0)
        why = strerror(look->failed);
    else if (look->reader >= 0)
        why = torn_mend(look, fd, format, start);
    mark_as_ours(fd);
    return why;
}
