#include "collector/platform/tcp.h"

#include <winsock2.h>
#include <ws2tcpip.h>

#include "collector/platform/windows/socket_address.h"
#include "collector/platform/windows/socket_startup.h"
#include "collector/platform/windows/system_error.h"

/* SO_EXCLUSIVEADDRUSE prevents other processes from binding the same port. */
static bool listener_set_up(SOCKET opened, const struct address *address, bool ipv6_only)
{
    const BOOL yes = TRUE;
    const DWORD only = ipv6_only;
    u_long on = 1;
    SOCKADDR_STORAGE name;
    int size = socket_address_to_system(address, &name);
    if (address->family == ADDRESS_IPV6 &&
        setsockopt(opened, IPPROTO_IPV6, IPV6_V6ONLY, (const char *)&only, sizeof only) != 0)
        return false;
    return ioctlsocket(opened, FIONBIO, &on) == 0 &&
           setsockopt(opened, SOL_SOCKET, SO_EXCLUSIVEADDRUSE, (const char *)&yes, sizeof yes) ==
               0 &&
           bind(opened, (const struct sockaddr *)&name, size) == 0 &&
           listen(opened, SOMAXCONN) == 0;
}

/*
 * For a port that another socket uses exclusively, the system reports WSAEADDRINUSE or WSAEACCES.
 */
static const char *reason(int code)
{
    return code == WSAEADDRINUSE ? "in use (netstat -ano -p tcp shows by which process): "
           : code == WSAEACCES   ? "in use, or reserved: "
                                 : "";
}

wait_handle tcp_listener_open(const struct address *address, bool ipv6_only, struct address *bound,
                              struct error *error)
{
    SOCKADDR_STORAGE name;
    int size = sizeof name;
    SOCKET opened = INVALID_SOCKET;
    int code = socket_startup();
    if (code == 0) {
        opened =
            socket(address->family == ADDRESS_IPV6 ? AF_INET6 : AF_INET, SOCK_STREAM, IPPROTO_TCP);
        if (opened != INVALID_SOCKET && listener_set_up(opened, address, ipv6_only) &&
            getsockname(opened, (struct sockaddr *)&name, &size) == 0) {
            *bound = socket_address_from_system(&name);
            return (wait_handle)opened;
        }
        code = WSAGetLastError();
    }
    char text[ADDRESS_TEXT_SIZE];
    address_format(address, text);
    error_set(error, EXIT_CODE_CANNOT_BIND, "cannot listen on tcp://%s: %s%s", text, reason(code),
              system_error((DWORD)code).text);
    if (opened != INVALID_SOCKET)
        closesocket(opened);
    return NO_HANDLE;
}

/* Windows does not start processes with sockets. */
wait_handle tcp_listener_adopt(wait_handle other, struct address *bound, struct error *error)
{
    (void)other;
    (void)bound;
    error_set(error, EXIT_CODE_CANNOT_BIND, "no process is started with sockets on this system");
    return NO_HANDLE;
}

void tcp_listener_limit_sending(wait_handle listener, size_t bytes)
{
    const int size = (int)bytes;
    setsockopt((SOCKET)listener, SOL_SOCKET, SO_SNDBUF, (const char *)&size, sizeof size);
}

void tcp_listener_close(wait_handle listener)
{
    closesocket((SOCKET)listener);
}
