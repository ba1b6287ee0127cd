#include "collector/platform/tcp.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

#include "collector/platform/posix/lending.h"
#include "collector/platform/posix/retry.h"
#include "collector/platform/posix/socket_address.h"

/*
 * Returns true if descriptors or memory are short. accept(2) also returns network errors of a lost
 * connection; the caller ignores them.
 */
static bool is_short(int number)
{
    return number == EMFILE || number == ENFILE || number == ENOBUFS || number == ENOMEM;
}

/* An address that the system fills. The path of a local socket may be cut off. */
union peer_name {
    struct sockaddr any;
    struct sockaddr_in6 ip;
    struct sockaddr_un local;
};

/*
 * Returns the process that connected to a local socket. A process of another namespace has no
 * process id here (pid_namespaces(7)).
 */
static struct address peer_process(const struct ucred *peer)
{
    bool known = peer->pid > 0 && peer->pid >> ADDRESS_PROCESS_BITS == 0;
    return address_from_process(peer->uid, known ? (uint32_t)peer->pid : 0);
}

static bool connection_set_up(int fd, const union peer_name *name, struct address *peer)
{
    const int yes = 1;
    struct ucred process;
    socklen_t size = sizeof process;
    if (name->any.sa_family == AF_UNIX) {
        if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &process, &size) != 0)
            return false;
        *peer = peer_process(&process);
        return true;
    }
    *peer = socket_address_from_system(&name->ip);
    return setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes) == 0;
}

enum accept_result tcp_connection_accept(wait_handle listener, enum descriptor_use use,
                                         wait_handle *connection, struct address *peer,
                                         struct error *error)
{
    union peer_name name = {.any = {0}};
    unsigned times = 0;
    for (;;) {
        socklen_t size = sizeof name;
        int fd = lending_accept(use, (int)listener, &name.any, &size);
        if (fd >= 0 && connection_set_up(fd, &name, peer)) {
            *connection = fd;
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
     * Linux returns EPIPE if the peer had ended sending before its reset, otherwise ECONNRESET
     * (tcp_reset).
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
