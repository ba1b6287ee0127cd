/* Implements struct control_socket with local sockets (unix(7)). */
#include "collector/platform/control.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/platform/output_file.h"
#include "collector/platform/posix/lending.h"
#include "collector/platform/posix/local_bind.h"
#include "collector/platform/posix/retry.h"
#include "collector/platform/process.h"

#define BACKLOG 8

const char control_socket_syntax[] = "unix:PATH";

struct control_socket {
    struct local_bind bound;
};

struct control_connection {
    int fd;
};

static int control_socket_cannot(struct error *error, const char *address, const char *why)
{
    error_set(error, EXIT_CODE_CANNOT_CREATE, "--control %s: %s", address, why);
    return -1;
}

int control_socket_open(struct control_socket **out, const char *address, struct error *error)
{
    const char *path = strchr(address, ':') + 1;
    const struct local_permissions private = {S_IRUSR | S_IWUSR, (uid_t)-1, (gid_t)-1};
    struct control_socket *made = calloc(1, sizeof *made);
    struct error why;
    if (made == NULL) {
        error_set(error, EXIT_CODE_INTERNAL, "--control %s: out of memory", address);
        return -1;
    }
    if (local_bind_open(&made->bound, path, &private, BACKLOG, &why) != 0) {
        control_socket_cannot(error, address, why.text);
        control_socket_close(made);
        return -1;
    }
    *out = made;
    return 0;
}

/*
 * In a folder that others may write to, the file may have been replaced. So only a socket of this
 * user without a second name is given away.
 */
int control_socket_give(const struct control_socket *given, const char *user, struct error *error)
{
    int fd = local_bind_open_file(&given->bound, geteuid());
    int result = fd >= 0 ? user_give(user, fd, error) : -1;
    if (fd >= 0)
        close(fd);
    else
        error_set(error, EXIT_CODE_CANNOT_CREATE, "--control unix:%s: it was replaced",
                  given->bound.address.sun_path);
    return result;
}

int control_socket_check(const char *address, struct error *error)
{
    struct error why;
    const char *path = strchr(address, ':') + 1;
    if (local_bind_is_foreign(path))
        return control_socket_cannot(error, address, local_bind_not_a_socket);
    if (output_check_beside(path, &why) == 0)
        return 0;
    error_set(error, why.code, "--control %s: %s", address, why.text);
    return -1;
}

void control_socket_close(struct control_socket *socket)
{
    if (socket == NULL)
        return;
    local_bind_close(&socket->bound);
    free(socket);
}

wait_handle control_socket_handle(const struct control_socket *socket)
{
    return socket->bound.fd;
}

enum control_result control_socket_accept(struct control_socket *socket,
                                          struct control_connection **out)
{
    int fd;
    unsigned times = 0;
    do
        fd = lending_accept(DESCRIPTOR_OF_CLIENT, socket->bound.fd, NULL, NULL);
    while (fd < 0 && (retry_interrupted(&times) || retry_aborted(&times)));
    if (fd < 0)
        return errno == EAGAIN || errno == EWOULDBLOCK ? CONTROL_WOULD_BLOCK : CONTROL_OVER;
    struct control_connection *connection = malloc(sizeof *connection);
    if (connection == NULL) {
        close(fd);
        return CONTROL_OVER;
    }
    connection->fd = fd;
    *out = connection;
    return CONTROL_DONE;
}

bool control_connection_may_order(const struct control_connection *connection)
{
    struct ucred peer;
    socklen_t size = sizeof peer;
    return getsockopt(connection->fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
           (peer.uid == 0 || peer.uid == geteuid());
}

static enum control_result result_of(ssize_t count, size_t *moved)
{
    if (count < 0)
        return errno == EAGAIN || errno == EWOULDBLOCK ? CONTROL_WOULD_BLOCK : CONTROL_OVER;
    *moved = (size_t)count;
    return count == 0 ? CONTROL_OVER : CONTROL_DONE;
}

enum control_result control_connection_read(struct control_connection *connection, void *bytes,
                                            size_t size, size_t *moved)
{
    ssize_t count;
    unsigned times = 0;
    do
        count = recv(connection->fd, bytes, size, 0);
    while (count < 0 && retry_interrupted(&times));
    return result_of(count, moved);
}

enum control_result control_connection_write(struct control_connection *connection,
                                             const void *bytes, size_t size, size_t *moved)
{
    ssize_t count;
    unsigned times = 0;
    do
        count = send(connection->fd, bytes, size, MSG_NOSIGNAL);
    while (count < 0 && retry_interrupted(&times));
    return result_of(count, moved);
}

wait_handle control_connection_handle(const struct control_connection *connection)
{
    return connection->fd;
}

void control_connection_close(struct control_connection *connection)
{
    if (connection == NULL)
        return;
    close(connection->fd);
    free(connection);
}
