/*
 * Implements standard error (collector/platform/process.h). A pipe accepts up to PIPE_BUF (4096)
 * bytes whole or not at all (pipe(7)).
 */
#include "collector/platform/process.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/platform/clock.h"
#include "collector/platform/posix/retry.h"
#include "collector/platform/posix/stream.h"

static bool write_until(const struct stream *stream, const char *lines, size_t size,
                        int64_t deadline_ns)
{
    unsigned spurious = 0;
    while (size != 0) {
        ssize_t written = stream_write(stream, lines, size);
        if (written > 0) {
            lines += written;
            size -= (size_t)written;
            continue;
        }
        int64_t left_ms = (deadline_ns - clock_monotonic_ns()) / 1000000;
        if (written == 0 || (errno != EAGAIN && errno != EWOULDBLOCK) || left_ms <= 0)
            return false;
        struct pollfd full = {.fd = stream->fd, .events = POLLOUT};
        int ready = poll(&full, 1, (int)left_ms);
        if (ready < 0 || (ready > 0 && spurious++ >= RETRY_MOST))
            retry_pause();
    }
    return true;
}

/*
 * Checks what standard error is at each call, because it may have been redirected since the last
 * one. Log lines are rare enough for that.
 */
bool log_stream_write(const char *lines, size_t size, int wait_ms)
{
    struct stat status;
    if (fstat(STDERR_FILENO, &status) != 0)
        return false;
    struct stream stream = stream_borrow(STDERR_FILENO, &status);
    bool written =
        write_until(&stream, lines, size, clock_monotonic_ns() + (int64_t)wait_ms * 1000000);
    stream_return(&stream);
    return written;
}

/* JOURNAL_STREAM has the device and inode of the journal's stream (systemd.exec(5)). */
bool log_stream_is_journal(void)
{
    struct stat status;
    const char *named = getenv("JOURNAL_STREAM");
    char *end;
    if (named == NULL || fstat(STDERR_FILENO, &status) != 0)
        return false;
    uintmax_t device = strtoumax(named, &end, 10);
    if (end == named || *end != ':' || device != (uintmax_t)status.st_dev)
        return false;
    named = end + 1;
    uintmax_t inode = strtoumax(named, &end, 10);
    return end != named && *end == '\0' && inode == (uintmax_t)status.st_ino;
}
