/* Implements tools/top/connection.h with local sockets (unix(7)). */
#include "tools/top/connection.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "collector/platform/posix/retry.h"
#include "tools/top/line_buffer.h"

struct connection {
    int fd;
    struct line_buffer lines;
};

static const char scheme[] = "unix:";

static int make_address(const char *text, struct sockaddr_un *address, struct error *error)
{
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    if (strncmp(text, scheme, strlen(scheme)) != 0 || text[strlen(scheme)] == '\0') {
        error_set(error, EXIT_CODE_USAGE, "'%s' is not unix:PATH", text);
        return -1;
    }
    const char *path = text + strlen(scheme);
    if (strlen(path) >= sizeof address->sun_path) {
        error_set(error, EXIT_CODE_USAGE, "'%s': the path is too long", text);
        return -1;
    }
    memcpy(address->sun_path, path, strlen(path));
    return 0;
}

int connection_open(struct connection **out, const char *address, struct error *error)
{
    struct sockaddr_un to;
    if (make_address(address, &to, error) != 0)
        return -1;
    struct connection *made = malloc(sizeof *made);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (made == NULL || fd < 0 || connect(fd, (const struct sockaddr *)&to, sizeof to) != 0) {
        error_set(error, EXIT_CODE_CANNOT_BIND, "%s: %s", address, strerror(errno));
        if (fd >= 0)
            close(fd);
        free(made);
        return -1;
    }
    made->fd = fd;
    made->lines.begin = 0;
    made->lines.end = 0;
    *out = made;
    return 0;
}

bool connection_is_own(const struct connection *connection)
{
    struct ucred peer;
    socklen_t size = sizeof peer;
    return getsockopt(connection->fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
           (peer.uid == 0 || peer.uid == geteuid());
}

void connection_close(struct connection *connection)
{
    if (connection == NULL)
        return;
    close(connection->fd);
    free(connection);
}

static int send_all(int fd, const char *bytes, size_t size)
{
    unsigned times = 0;
    while (size != 0) {
        ssize_t sent = send(fd, bytes, size, MSG_NOSIGNAL);
        if (sent < 0 && retry_interrupted(&times))
            continue;
        if (sent < 0)
            return -1;
        bytes += sent;
        size -= (size_t)sent;
    }
    return 0;
}

int connection_send(struct connection *connection, const char *request, struct error *error)
{
    if (send_all(connection->fd, request, strlen(request)) == 0 &&
        send_all(connection->fd, "\n", 1) == 0)
        return 0;
    error_set(error, EXIT_CODE_IO, "the collector has closed the connection: %s", strerror(errno));
    return -1;
}

enum connection_result connection_read(struct connection *connection, int timeout_ms,
                                       const char **line, size_t *size)
{
    unsigned times = 0;
    struct line_buffer *lines = &connection->lines;
    while ((*size = line_buffer_next(lines, line)) == 0) {
        struct pollfd polled[2] = {
            {.fd = connection->fd, .events = POLLIN},
            {.fd = STDOUT_FILENO, .events = 0},
        };
        size_t room = line_buffer_room(lines);
        if (room == 0)
            return CONNECTION_GONE;
        int ready = poll(polled, 2, timeout_ms);
        if (ready < 0 && errno != EINTR)
            return CONNECTION_GONE;
        if (ready <= 0)
            return CONNECTION_TIMEOUT;
        if ((polled[1].revents & (POLLERR | POLLHUP)) != 0)
            return CONNECTION_READER_GONE;
        ssize_t count = recv(connection->fd, lines->bytes + lines->end, room, MSG_DONTWAIT);
        if (count < 0 && (retry_interrupted(&times) || errno == EAGAIN))
            continue;
        if (count <= 0)
            return CONNECTION_GONE;
        lines->end += (size_t)count;
    }
    return CONNECTION_LINE;
}
