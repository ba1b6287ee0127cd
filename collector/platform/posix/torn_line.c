#include "collector/platform/posix/torn_line.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* How long a predecessor may take to go, each time that we meet it. */
#define PATIENCE_TRIES 20
#define PATIENCE_NS    10000000

static void wait_a_little(void)
{
    struct timespec pause = {.tv_nsec = PATIENCE_NS};
    nanosleep(&pause, NULL);
}

/*
 * A read lease is granted exactly when nobody has the file open for writing (fcntl(2)); it is given
 * back at once. Only the file's owner may ask, and not every file system knows leases.
 */
static enum file_writers writers_of(int reader)
{
#ifdef F_SETLEASE
    /* Whoever opens the file in that moment makes the kernel signal us: by one without effect. */
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
 * The same, asked of other programs like this one only: each holds a shared lock while it has the
 * file open, so an exclusive one is granted where there is none. It also keeps two that start at
 * the same time from mending the same line.
 */
static enum file_writers lock_against_writers(int fd)
{
    for (int i = 0; flock(fd, LOCK_EX | LOCK_NB) != 0; i++) {
        if (errno != EWOULDBLOCK)
            return WRITERS_UNKNOWN; /* this file system has no locks */
        if (i == PATIENCE_TRIES)
            return WRITERS_SOME;
        wait_a_little();
    }
    return WRITERS_NONE;
}

void torn_line_look(struct torn_line_look *look, const char *path)
{
    *look = (struct torn_line_look){.reader = -1, .others = WRITERS_UNKNOWN};
    struct stat status;
    /* Nothing but a regular file is opened to look: a pipe would take us for a reader. */
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode))
        return;
    look->reader = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (look->reader < 0)
        return;
    look->others = writers_of(look->reader);
    for (int i = 0; look->others == WRITERS_SOME && i < PATIENCE_TRIES; i++) {
        wait_a_little();
        look->others = writers_of(look->reader);
    }
}

void torn_line_look_end(struct torn_line_look *look)
{
    if (look->reader >= 0)
        close(look->reader);
    look->reader = -1;
}

static bool same_file(int a, int b, off_t *size)
{
    struct stat one, other;
    if (fstat(a, &one) != 0 || fstat(b, &other) != 0)
        return false;
    *size = one.st_size;
    return one.st_dev == other.st_dev && one.st_ino == other.st_ino && S_ISREG(one.st_mode);
}

/* Bytes behind the last newline of the first `size`; more than OUTPUT_FILE_TORN_MAX: not found. */
static uint64_t unended_size(int reader, off_t size)
{
    char block[16384];
    uint64_t unended = 0;
    while (size > 0 && unended <= OUTPUT_FILE_TORN_MAX) {
        size_t want = size < (off_t)sizeof block ? (size_t)size : sizeof block;
        if (unended == 0 && want > 1)
            want = 1; /* as a rule the file ends in a newline */
        ssize_t got = pread(reader, block, want, size - (off_t)want);
        if (got != (ssize_t)want)
            return 0; /* it shrinks while we look: somebody else's business */
        for (size_t i = want; i > 0; i--)
            if (block[i - 1] == '\n')
                return unended + (want - i);
        unended += want;
        size -= (off_t)want;
    }
    return unended;
}

static bool cut(int fd, off_t size, uint64_t unended)
{
    struct stat status;
    return fstat(fd, &status) == 0 && status.st_size == size &&
           ftruncate(fd, size - (off_t)unended) == 0;
}

/* Whether nobody else writes the file; waits for a lock on it. */
static bool is_alone(const struct torn_line_look *look, int fd)
{
    enum file_writers locked =
        look->others == WRITERS_SOME ? WRITERS_SOME : lock_against_writers(fd);
    return locked == WRITERS_NONE || (locked == WRITERS_UNKNOWN && look->others == WRITERS_NONE);
}

/* As long as it is open; without locks, it does nothing. */
static void mark_as_ours(int fd)
{
    flock(fd, LOCK_SH | LOCK_NB);
}

const char *torn_line_mend(const struct torn_line_look *look, int fd,
                           struct output_file_start *start)
{
    *start = (struct output_file_start){.torn = TORN_LINE_NONE};
    const char *why = NULL;
    off_t size;
    if (look->reader >= 0 && same_file(look->reader, fd, &size)) {
        bool alone = is_alone(look, fd);
        /* The lock may have been waited for. */
        same_file(look->reader, fd, &size);
        start->torn_size = unended_size(look->reader, size);
        if (start->torn_size == 0)
            start->torn = TORN_LINE_NONE;
        else if (alone && start->torn_size <= OUTPUT_FILE_TORN_MAX &&
                 cut(fd, size, start->torn_size))
            start->torn = TORN_LINE_CUT;
        else if (write(fd, "\n", 1) == 1)
            start->torn = TORN_LINE_ENDED;
        else
            why = strerror(errno);
    }
    mark_as_ours(fd);
    return why;
}

/* --- records ---------------------------------------------------------------------------------- */

/* Bytes that are looked at together: more than a record of any format without lines has. */
#define WINDOW_SIZE ((size_t)256 * 1024)

/*
 * Walks over the first `size` bytes from record to record. Returns NULL with *end behind the last
 * whole one, or why that cannot be told.
 */
static const char *find_end(int reader, off_t size, output_whole *whole, uint8_t *window,
                            off_t *end)
{
    bool foreign = false;
    for (*end = 0; *end < size;) {
        off_t left = size - *end;
        size_t want = left < (off_t)WINDOW_SIZE ? (size_t)left : WINDOW_SIZE;
        ssize_t got = pread(reader, window, want, *end);
        if (got != (ssize_t)want)
            return got < 0 ? strerror(errno) : "it changes while it is read";
        size_t found = whole(window, want, *end == 0, &foreign);
        if (foreign || (found == 0 && want == WINDOW_SIZE))
            return "it holds something else; move it away, or write to another file";
        *end += (off_t)found;
        if (found == 0)
            break;
    }
    return NULL;
}

static const char *mend_records(const struct torn_line_look *look, int fd,
                                const struct output_file_format *format, bool alone,
                                struct output_file_start *start)
{
    off_t size, end;
    same_file(look->reader, fd, &size);
    uint8_t *window = malloc(WINDOW_SIZE);
    if (window == NULL)
        return "out of memory";
    const char *why = find_end(look->reader, size, format->whole, window, &end);
    free(window);
    if (why != NULL || end == size)
        return why;
    start->torn_size = (uint64_t)(size - end);
    if (!alone)
        return "its last record is not whole, and another program may be writing it";
    if (!cut(fd, size, start->torn_size))
        return "its last record is not whole and cannot be cut off";
    start->torn = TORN_LINE_CUT;
    return NULL;
}

const char *torn_line_mend_records(const struct torn_line_look *look, int fd,
                                   const struct output_file_format *format,
                                   struct output_file_start *start)
{
    *start = (struct output_file_start){.torn = TORN_LINE_NONE};
    const char *why = NULL;
    off_t size;
    if (look->reader >= 0 && same_file(look->reader, fd, &size))
        why = mend_records(look, fd, format, is_alone(look, fd), start);
    mark_as_ours(fd);
    return why;
}
