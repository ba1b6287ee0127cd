#include "collector/platform/posix/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "collector/platform/posix/lending.h"
#include "collector/platform/posix/retry.h"

struct stream stream_borrow(int number, const struct stat *status)
{
    struct stream stream = {.fd = number, .manner = STREAM_PLAIN};
    if (S_ISREG(status->st_mode) || S_ISBLK(status->st_mode))
        return stream;
    if (S_ISSOCK(status->st_mode)) {
        stream.manner = STREAM_SEND;
        return stream;
    }
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", number);
    int fd = lending_open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY, 0);
    if (fd >= 0)
        return (struct stream){.fd = fd, .owned = true, .manner = STREAM_PLAIN};
    /*
     * No /proc exists, the pipe or terminal belongs to another user, or the pipe's reader has
     * closed.
     */
    stream.manner = STREAM_ASK_FIRST;
    return stream;
}

ssize_t stream_write(const struct stream *stream, const void *bytes, size_t size)
{
    ssize_t result;
    unsigned times = 0;
    if (stream->manner == STREAM_ASK_FIRST) {
        struct pollfd asked = {.fd = stream->fd, .events = POLLOUT};
        /* A pipe without a reader reports POLLERR; the write then returns the error. */
        int ready = poll(&asked, 1, 0);
        if (ready <= 0) {
            errno = ready == 0 || errno == EINTR ? EAGAIN : errno;
            return -1;
        }
        if (size > PIPE_BUF)
            size = PIPE_BUF;
    }
    do
        result = stream->manner == STREAM_SEND
                     ? send(stream->fd, bytes, size, MSG_DONTWAIT | MSG_NOSIGNAL)
                     : write(stream->fd, bytes, size);
    while (result < 0 && retry_interrupted(&times));
    return result;
}

void stream_return(const struct stream *stream)
{
    if (stream->owned)
        close(stream->fd);
}
