/* Implements control_ask() with local sockets (unix(7)). */
#include "collector/platform/control.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "collector/platform/clock.h"
#include "collector/platform/posix/retry.h"

#define CONNECT_PAUSE_MS 10

static int ask_cannot(struct error *error, const char *address, const char *why)
{
    error_set(error, EXIT_CODE_NOT_REACHED, "%s: %s", address, why);
    return -1;
}

static bool await(int fd, short events, int64_t end_ns)
{
    struct pollfd polled = {.fd = fd, .events = events};
    int result;
    unsigned times = 0;
    do
        result = poll(&polled, 1, milliseconds_until(end_ns, clock_monotonic_ns()));
    while (result < 0 && retry_interrupted(&times));
    if (result == 0)
        errno = ETIMEDOUT;
    return result > 0;
}

/* Repeats the call while the collector's queue of connections is full. */
static bool ask_connect(int fd, const struct sockaddr_un *to, int64_t end_ns)
{
    while (connect(fd, (const struct sockaddr *)to, sizeof *to) != 0) {
        if (errno != EAGAIN && errno != EINTR)
            return false;
        if (clock_monotonic_ns() >= end_ns) {
            errno = ETIMEDOUT;
            return false;
        }
        retry_pause_ms(CONNECT_PAUSE_MS);
    }
    return true;
}

/*
 * Returns true also after EPIPE: a collector that refuses the connection has already sent its
 * reason as the answer, which is read next.
 */
static bool send_bytes(int fd, const char *bytes, size_t size, int64_t end_ns)
{
    while (size != 0) {
        ssize_t sent = send(fd, bytes, size, MSG_NOSIGNAL);
        if (sent < 0 && errno == EPIPE)
            return true;
        if (sent < 0 && errno != EAGAIN && errno != EINTR)
            return false;
        if (sent < 0 && !await(fd, POLLOUT, end_ns))
            return false;
        bytes += sent < 0 ? 0 : sent;
        size -= sent < 0 ? 0 : (size_t)sent;
    }
    return true;
}

/* Returns 1 with the whole line, 0 if the answer ended early or is too long, or -1 with errno. */
static int receive_line(int fd, struct output *answer, int64_t end_ns)
{
    size_t begin = answer->used;
    while (answer->used < answer->capacity) {
        char *at = answer->data + answer->used;
        ssize_t count = recv(fd, at, answer->capacity - answer->used, 0);
        if (count == 0)
            return 0;
        if (count < 0 && errno != EAGAIN && errno != EINTR)
            return -1;
        if (count < 0 && !await(fd, POLLIN, end_ns))
            return -1;
        if (count < 0)
            continue;
        answer->used += (size_t)count;
        const char *newline = memchr(at, '\n', (size_t)count);
        if (newline == NULL)
            continue;
        answer->used = (size_t)(newline - answer->data);
        return 1;
    }
    answer->used = begin;
    return 0;
}

static int talk(int fd, const struct sockaddr_un *to, const char *address, const char *request,
                struct output *answer, struct error *error)
{
    int64_t end_ns = clock_monotonic_ns() + CONTROL_ASK_MS * INT64_C(1000000);
    if (!ask_connect(fd, to, end_ns) || !send_bytes(fd, request, strlen(request), end_ns) ||
        !send_bytes(fd, "\n", 1, end_ns))
        return ask_cannot(error, address, strerror(errno));
    int result = receive_line(fd, answer, end_ns);
    if (result == 0)
        return ask_cannot(error, address, "the answer was incomplete or too long");
    return result > 0 ? 0 : ask_cannot(error, address, strerror(errno));
}

int control_ask(const char *address, const char *request, struct output *answer,
                struct error *error)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    const char *path = strchr(address, ':') + 1;
    if (strlen(path) >= sizeof to.sun_path)
        return ask_cannot(error, address, "the path is too long");
    strcpy(to.sun_path, path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return ask_cannot(error, address, strerror(errno));
    int result = talk(fd, &to, address, request, answer, error);
    close(fd);
    return result;
}
