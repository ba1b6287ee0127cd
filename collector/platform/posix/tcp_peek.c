#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

#include "collector/platform/posix/retry.h"
#include "collector/platform/tcp.h"

/*
 * Returns true if the peer sends no more. A peek does not show that, because it returns the queued
 * data each time.
 */
static bool is_over(int fd)
{
    struct pollfd polled = {.fd = fd, .events = POLLRDHUP};
    return poll(&polled, 1, 0) > 0 && polled.revents != 0;
}

enum tcp_result tcp_connection_peek(wait_handle connection, void *to, size_t size, size_t *done)
{
    unsigned times = 0;
    ssize_t result;
    do {
        result = recv((int)connection, to, size, MSG_PEEK);
    } while (result < 0 && retry_interrupted(&times));
    *done = result < 0 ? 0 : (size_t)result;
    if (result > 0)
        return is_over((int)connection) ? TCP_END : TCP_OK;
    if (result == 0)
        return TCP_END;
    bool later = errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR || errno == ENOBUFS ||
                 errno == ENOMEM;
    return later ? TCP_WOULD_BLOCK : TCP_BROKEN;
}
