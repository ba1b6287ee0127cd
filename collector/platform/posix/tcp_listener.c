#include "collector/platform/tcp.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "collector/platform/posix/bind_failure.h"
#include "collector/platform/posix/lending.h"
#include "collector/platform/posix/socket_address.h"

/* Most connections that wait to be accepted; the system may have a lower limit (listen(2)). */
#define BACKLOG 1024

/* SO_REUSEADDR permits an address that an ended process used recently, but not one in use. */
static int listener_set_up(int fd, const struct address *address, bool ipv6_only)
{
    const int yes = 1;
    const int only = ipv6_only;
    struct sockaddr_storage name;
    socklen_t size = socket_address_to_system(address, &name);
    if (fcntl(fd, F_SETFD, FD_CLOEXEC) != 0 || fcntl(fd, F_SETFL, O_NONBLOCK) != 0 ||
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
        (address->family == ADDRESS_IPV6 &&
         setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &only, sizeof only) != 0) ||
        bind(fd, (struct sockaddr *)&name, size) != 0)
        return -1;
    return listen(fd, BACKLOG);
}

wait_handle tcp_listener_open(const struct address *address, bool ipv6_only, struct address *bound,
                              struct error *error)
{
    struct sockaddr_in6 name = {0};
    socklen_t size = sizeof name;
    int fd = lending_socket(address->family == ADDRESS_IPV6 ? AF_INET6 : AF_INET, SOCK_STREAM, 0);
    if (fd >= 0 && listener_set_up(fd, address, ipv6_only) == 0 &&
        getsockname(fd, (struct sockaddr *)&name, &size) == 0) {
        *bound = socket_address_from_system(&name);
        return fd;
    }
    bind_failure(error, true, address, errno);
    if (fd >= 0)
        close(fd);
    return NO_HANDLE;
}

static bool is_stream(int fd)
{
    int type = 0;
    socklen_t size = sizeof type;
    return getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_STREAM;
}

static bool can_adopt(int fd, const struct sockaddr_in6 *name)
{
    return (name->sin6_family == AF_INET || name->sin6_family == AF_INET6 ||
            name->sin6_family == AF_UNIX) &&
           is_stream(fd);
}

wait_handle tcp_listener_adopt(wait_handle other, struct address *bound, struct error *error)
{
    struct sockaddr_in6 name = {0};
    socklen_t size = sizeof name;
    int fd = -1;
    if (getsockname((int)other, (struct sockaddr *)&name, &size) == 0 &&
        !can_adopt((int)other, &name))
        errno = EAFNOSUPPORT;
    else
        fd = lending_duplicate((int)other);
    if (fd >= 0 && fcntl(fd, F_SETFL, O_NONBLOCK) == 0) {
        *bound = name.sin6_family == AF_UNIX ? (struct address){.family = ADDRESS_LOCAL}
                                             : socket_address_from_system(&name);
        return fd;
    }
    error_set(error, EXIT_CODE_CANNOT_BIND,
              "descriptor %d cannot be used as a TCP or local stream socket: %s", (int)other,
              strerror(errno));
    if (fd >= 0)
        close(fd);
    return NO_HANDLE;
}

void tcp_listener_limit_sending(wait_handle listener, size_t bytes)
{
    const int size = (int)bytes;
    setsockopt((int)listener, SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
}

void tcp_listener_close(wait_handle listener)
{
    close((int)listener);
}
