#include "collector/platform/tcp.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <string.h>
#include <unistd.h>

#include "collector/platform/posix/lending.h"
#include "collector/platform/posix/retry.h"
#include "collector/platform/posix/socket_address.h"

/*
 * Whether descriptors or memory are short. accept(2) also returns network errors of a lost
 * connection; the caller skips these.
 */
static bool is_short(int number)
{
    return number == EMFILE || number == ENFILE || number == ENOBUFS || number == ENOMEM;
}

enum accept_result tcp_connection_accept(wait_handle listener, enum descriptor_use use,
                                         wait_handle *connection, struct address *peer,
                                         struct error *error)
{
    const int yes = 1;
    struct sockaddr_in6 name = {0};
    unsigned times = 0;
    for (;;) {
        socklen_t size = sizeof name;
        int fd = lending_accept(use, (int)listener, (struct sockaddr *)&name, &size);
        if (fd >= 0 && setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes) == 0) {
            *connection = fd;
            *peer = socket_address_from_system(&name);
            return ACCEPT_OK;
        }
        int number = errno;
        if (fd >= 0)
            close(fd);
        if (number == EAGAIN || number == EWOULDBLOCK)
            return ACCEPT_WOULD_BLOCK;
        if (is_short(number) || times++ == RETRY_MOST) {
            error_set(error, EXIT_CODE_IO, "cannot accept a connection: %s", strerror(number));
            return ACCEPT_NO_MEANS;
        }
    }
}

static enum tcp_result tcp_map_error(ssize_t result, size_t *done)
{
    *done = result < 0 ? 0 : (size_t)result;
    if (result > 0)
        return TCP_OK;
    if (result == 0)
        return TCP_END;
    bool later = errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR || errno == ENOBUFS ||
                 errno == ENOMEM;
    return later ? TCP_WOULD_BLOCK : TCP_BROKEN;
}

enum tcp_result tcp_connection_receive(wait_handle connection, void *to, size_t size, size_t *done)
{
    unsigned times = 0;
    ssize_t result;
    do {
        result = recv((int)connection, to, size, 0);
    } while (result < 0 && retry_interrupted(&times));
    return tcp_map_error(result, done);
}

enum tcp_result tcp_connection_send(wait_handle connection, const void *bytes, size_t size,
                                    size_t *done)
{
    unsigned times = 0;
    ssize_t result;
    do {
        result = send((int)connection, bytes, size, MSG_NOSIGNAL);
    } while (result < 0 && retry_interrupted(&times));
    /*
     * Linux returns EPIPE if the end came before a reset, ECONNRESET for other resets (tcp_reset).
     */
    bool closed = result < 0 && errno == EPIPE;
    return closed ? tcp_map_error(0, done) : tcp_map_error(result, done);
}

void tcp_connection_finish(wait_handle connection)
{
    shutdown((int)connection, SHUT_WR);
}

void tcp_connection_close(wait_handle connection)
{
    close((int)connection);
}
