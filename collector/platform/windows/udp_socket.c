/*
 * Implements struct udp_socket with Winsock: WSARecvMsg, one datagram per call.
 *
 * Windows does not report the length of a truncated datagram. So each datagram is received into the
 * whole room of its slot, which even the largest does not fill, and then cut to max_datagram.
 */
#include "collector/platform/udp.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <winsock2.h>
#include <ws2tcpip.h>

#include "collector/platform/clock.h"
#include "collector/platform/common/datagram_buffers.h"
#include "collector/platform/windows/socket_address.h"
#include "collector/platform/windows/socket_lookup.h"
#include "collector/platform/windows/socket_startup.h"
#include "collector/platform/windows/system_error.h"
#include "collector/text/compiler.h"

const bool udp_socket_can_share_port = false; /* with SO_REUSEADDR one socket gets all datagrams */
const bool udp_socket_reports_arrival = false;
const bool udp_socket_can_gro = false;
const bool udp_socket_can_busy_poll = false;
const bool udp_socket_can_join = false;
const char *const udp_socket_buffer_advice = "Windows has no limit to raise: ask for less";

struct udp_socket {
    SOCKET handle;
    LPFN_WSARECVMSG receive;
    struct udp_socket_options options;
    struct address address;
    size_t receive_buffer;
    uint64_t errors;
};

/* After this many errors in a row (is_passing) the thread serves its other sockets. */
#define MAX_PASSING 64

/*
 * Returns true for errors that leave the queue as it is: an ICMP answer, or a temporary state of
 * the network.
 */
static bool is_passing(int code)
{
    switch (code) {
    case WSAECONNRESET:
    case WSAENETRESET:
    case WSAECONNREFUSED:
    case WSAEHOSTUNREACH:
    case WSAEHOSTDOWN:
    case WSAENETUNREACH:
    case WSAENETDOWN:
    case WSAETIMEDOUT:
    case WSAEACCES:
    case WSAEINTR:
        return true;
    default:
        return false;
    }
}

/* --- the group -------------------------------------------------------------------------------- */

#define CONTROL_SIZE (WSA_CMSG_SPACE(sizeof(IN_PKTINFO)) + WSA_CMSG_SPACE(sizeof(IN6_PKTINFO)))

struct windows_group {
    struct datagram_group group;                      /* must be the first: callers point to it */
    struct address destinations[DATAGRAM_GROUP_SIZE]; /* for sockets with wants_destination */
    struct datagram_buffers buffers;
};

size_t datagram_group_memory(void)
{
    return sizeof(struct windows_group) + datagram_buffers_memory();
}

struct datagram_group *datagram_group_create(void)
{
    struct windows_group *made = calloc(1, sizeof *made);
    if (made == NULL)
        return NULL;
    if (!datagram_buffers_create(&made->buffers)) {
        datagram_group_destroy(&made->group);
        return NULL;
    }
    for (size_t i = 0; i < DATAGRAM_GROUP_SIZE; i++) {
        made->group.slots[i].front = datagram_front(&made->buffers, i);
        made->group.slots[i].rest = datagram_rest(&made->buffers, i);
    }
    return &made->group;
}

void datagram_group_destroy(struct datagram_group *group)
{
    if (group == NULL)
        return;
    struct windows_group *made = (struct windows_group *)group;
    datagram_buffers_destroy(&made->buffers);
    free(made);
}

/* --- opening ---------------------------------------------------------------------------------- */

static int udp_fail(struct error *error, const char *what, int code)
{
    error_set(error, EXIT_CODE_CANNOT_BIND, "%s: %s", what, system_error((unsigned)code).text);
    return -1;
}

static bool set_flag(SOCKET handle, int level, int name, int value)
{
    return setsockopt(handle, level, name, (const char *)&value, sizeof value) == 0;
}

/* SIO_UDP_CONNRESET and SIO_UDP_NETRESET; not all of Winsock's headers have both. */
#define REPORT_PORT_UNREACHABLE _WSAIOW(IOC_VENDOR, 12)
#define REPORT_TIME_EXCEEDED    _WSAIOW(IOC_VENDOR, 15)

/*
 * Turns off the reports of ICMP answers to datagrams that another socket of this port may have
 * sent. If the system does not allow that, a receive ignores the reports.
 */
static void ignore_answers(SOCKET handle)
{
    static const DWORD reports[] = {REPORT_PORT_UNREACHABLE, REPORT_TIME_EXCEEDED};
    for (size_t i = 0; i < sizeof reports / sizeof reports[0]; i++) {
        BOOL on = FALSE;
        DWORD size = 0;
        WSAIoctl(handle, reports[i], &on, sizeof on, NULL, 0, &size, NULL, NULL);
    }
}

static size_t set_receive_buffer(SOCKET handle, size_t wanted)
{
    set_flag(handle, SOL_SOCKET, SO_RCVBUF, wanted > INT_MAX ? INT_MAX : (int)wanted);
    int granted = 0;
    int size = sizeof granted;
    getsockopt(handle, SOL_SOCKET, SO_RCVBUF, (char *)&granted, &size);
    return granted > 0 ? (size_t)granted : 0;
}

/*
 * A socket for both families reports the destination of an IPv4 datagram in an IPv4 control
 * message, so both are requested.
 */
static bool ask_for_destinations(SOCKET handle, const struct udp_socket_options *options)
{
    bool ipv6 = options->address.family == ADDRESS_IPV6;
    int wanted = options->wants_destination;
    return (!ipv6 || set_flag(handle, IPPROTO_IPV6, IPV6_PKTINFO, wanted)) &&
           ((ipv6 && options->ipv6_only) || set_flag(handle, IPPROTO_IP, IP_PKTINFO, wanted));
}

static bool udp_set_up(struct udp_socket *made)
{
    const struct udp_socket_options *options = &made->options;
    bool ipv6 = options->address.family == ADDRESS_IPV6;
    u_long non_blocking = 1;
    if (ioctlsocket(made->handle, FIONBIO, &non_blocking) != 0 ||
        !set_flag(made->handle, SOL_SOCKET, SO_EXCLUSIVEADDRUSE, 1) ||
        (ipv6 && !set_flag(made->handle, IPPROTO_IPV6, IPV6_V6ONLY, options->ipv6_only)) ||
        (options->wants_destination && !ask_for_destinations(made->handle, options)))
        return false;
    ignore_answers(made->handle);
    made->receive = socket_lookup_receive(made->handle);
    return made->receive != NULL;
}

int udp_socket_check_filter(const struct networks *only_from, struct error *error)
{
    (void)only_from;
    error_set(error, EXIT_CODE_CONFIG,
              "kernel_filter=on: this system has no socket filters; without it allow= and deny= "
              "work too");
    return -1;
}

int udp_socket_check_spread(struct error *error)
{
    error_set(error, EXIT_CODE_CONFIG,
              "spread=datagram: on this system only one socket of a port gets datagrams");
    return -1;
}

uint64_t udp_socket_most_held(uint64_t receive_buffer, bool gro)
{
    (void)receive_buffer;
    (void)gro;
    return 0;
}

int udp_socket_open(struct udp_socket **out, const struct udp_socket_options *options,
                    struct error *error)
{
    int code = socket_startup();
    if (code != 0)
        return udp_fail(error, "cannot start Winsock", code);
    if (options->share_port) {
        error_set(error, EXIT_CODE_CANNOT_BIND,
                  "cannot share a port among sockets: Windows has no SO_REUSEPORT");
        return -1;
    }
    if (options->only_from != NULL && udp_socket_check_filter(options->only_from, error) != 0)
        return -1;
    struct udp_socket *made = calloc(1, sizeof *made);
    if (made == NULL) {
        error_set(error, EXIT_CODE_INTERNAL, "no memory for a socket");
        return -1;
    }
    made->options = *options;
    if (made->options.max_datagram > DATAGRAM_MAX_SIZE)
        made->options.max_datagram = DATAGRAM_MAX_SIZE;
    made->handle =
        WSASocketW(options->address.family == ADDRESS_IPV6 ? AF_INET6 : AF_INET, SOCK_DGRAM,
                   IPPROTO_UDP, NULL, 0, WSA_FLAG_OVERLAPPED | WSA_FLAG_NO_HANDLE_INHERIT);
    if (made->handle == INVALID_SOCKET) {
        udp_fail(error, "cannot open a UDP socket", WSAGetLastError());
        free(made);
        return -1;
    }
    if (!udp_set_up(made)) {
        udp_fail(error, "cannot set up a UDP socket", WSAGetLastError());
        udp_socket_close(made);
        return -1;
    }
    made->receive_buffer = set_receive_buffer(made->handle, options->receive_buffer);
    *out = made;
    return 0;
}

/*
 * Explains a failed bind. For an address that another socket uses exclusively the system reports
 * WSAEADDRINUSE or WSAEACCES. WSAEACCES is also the error of a reserved port, which few users know.
 */
static const char *reason(int code)
{
    switch (code) {
    case WSAEADDRINUSE:
        return "in use (netstat -ano -p udp shows by which process): ";
    case WSAEACCES:
        return "in use, or reserved (netsh interface ipv4 show excludedportrange udp): ";
    default:
        return "";
    }
}

int udp_socket_change(struct udp_socket *socket, const struct udp_socket_options *options,
                      struct error *error)
{
    if (options->only_from != NULL && udp_socket_check_filter(options->only_from, error) != 0)
        return -1;
    if (options->wants_destination != socket->options.wants_destination &&
        !ask_for_destinations(socket->handle, options))
        return udp_fail(error, "cannot set up a UDP socket", WSAGetLastError());
    if (options->receive_buffer != socket->options.receive_buffer)
        socket->receive_buffer = set_receive_buffer(socket->handle, options->receive_buffer);
    socket->options = *options;
    if (options->max_datagram > DATAGRAM_MAX_SIZE)
        socket->options.max_datagram = DATAGRAM_MAX_SIZE;
    return 0;
}

int udp_socket_bind(struct udp_socket *socket, struct error *error)
{
    SOCKADDR_STORAGE name;
    int size = socket_address_to_system(&socket->options.address, &name);
    if (bind(socket->handle, (const struct sockaddr *)&name, size) != 0) {
        int code = WSAGetLastError();
        char text[ADDRESS_TEXT_SIZE];
        address_format(&socket->options.address, text);
        error_set(error, EXIT_CODE_CANNOT_BIND, "cannot bind udp://%s: %s%s", text, reason(code),
                  system_error((unsigned)code).text);
        return -1;
    }
    size = sizeof name;
    if (getsockname(socket->handle, (struct sockaddr *)&name, &size) != 0)
        return udp_fail(error, "cannot find where a socket is bound", WSAGetLastError());
    socket->address = socket_address_from_system(&name);
    return 0;
}

wait_handle udp_socket_handle(const struct udp_socket *socket)
{
    return (wait_handle)socket->handle;
}

/* A socket on Windows never joins a group (udp_socket_can_join). */
enum udp_socket_group udp_socket_keep_group(struct udp_socket *socket, struct error *error)
{
    (void)socket;
    (void)error;
    return GROUP_JOINED;
}

struct address udp_socket_address(const struct udp_socket *socket)
{
    return socket->address;
}

void udp_socket_prefetch(const struct udp_socket *socket)
{
    prefetch_all(socket, offsetof(struct udp_socket, address));
}

size_t udp_socket_receive_buffer(const struct udp_socket *socket)
{
    return socket->receive_buffer;
}

/* --- receiving -------------------------------------------------------------------------------- */

/* Returns the destination address in the packet's own header, with the socket's port. */
static struct address destination_of(const struct udp_socket *socket, WSAMSG *message)
{
    for (WSACMSGHDR *control = WSA_CMSG_FIRSTHDR(message); control != NULL;
         control = WSA_CMSG_NXTHDR(message, control)) {
        if (control->cmsg_level == IPPROTO_IPV6 && control->cmsg_type == IPV6_PKTINFO) {
            IN6_PKTINFO info;
            memcpy(&info, WSA_CMSG_DATA(control), sizeof info);
            return address_from_ipv6((const uint8_t *)&info.ipi6_addr, 0, socket->address.port);
        }
        if (control->cmsg_level == IPPROTO_IP && control->cmsg_type == IP_PKTINFO) {
            IN_PKTINFO info;
            memcpy(&info, WSA_CMSG_DATA(control), sizeof info);
            return address_from_ipv4((const uint8_t *)&info.ipi_addr, socket->address.port);
        }
    }
    return socket->address;
}

static void fill_slot(const struct udp_socket *socket, struct windows_group *group, size_t sent,
                      WSAMSG *message)
{
    size_t index = group->group.count++;
    struct datagram_slot *slot = &group->group.slots[index];
    slot->truncated = sent > socket->options.max_datagram;
    slot->sent_size = (uint32_t)sent;
    slot->size = (uint32_t)(slot->truncated ? socket->options.max_datagram : sent);
    slot->source = socket_address_from_system((const SOCKADDR_STORAGE *)message->name);
    slot->destination = &socket->address;
    if (socket->options.wants_destination) {
        group->destinations[index] = destination_of(socket, message);
        slot->destination = &group->destinations[index];
    }
    slot->received_ns = clock_wall_ns();
}

static int receive_one(struct udp_socket *socket, struct windows_group *group)
{
    size_t index = group->group.count;
    WSABUF parts[2] = {
        {.buf = (char *)datagram_front(&group->buffers, index), .len = DATAGRAM_FRONT_SIZE},
        {.buf = (char *)datagram_rest(&group->buffers, index), .len = DATAGRAM_REST_SIZE},
    };
    SOCKADDR_STORAGE source;
    union {
        WSACMSGHDR align;
        char bytes[CONTROL_SIZE];
    } control;
    WSAMSG message = {
        .name = (struct sockaddr *)&source,
        .namelen = sizeof source,
        .lpBuffers = parts,
        .dwBufferCount = 2,
    };
    if (socket->options.wants_destination) {
        message.Control.buf = control.bytes;
        message.Control.len = sizeof control.bytes;
    }
    DWORD size = 0;
    if (socket->receive(socket->handle, &message, &size, NULL, NULL) != 0) {
        int code = WSAGetLastError();
        if (code != WSAEMSGSIZE)
            return code;
        size = DATAGRAM_MAX_SIZE + 1; /* at least this size; the length is not reported */
    }
    fill_slot(socket, group, size, &message);
    return 0;
}

/*
 * Returns true if the queue is empty. Uses WSARecvFrom because it makes the system report FD_READ
 * again. WSARecvMsg is not among the calls that WSAEventSelect's documentation names for this, so
 * after its would-block there might be no further event.
 */
static bool is_empty(const struct udp_socket *socket)
{
    char first;
    WSABUF part = {.buf = &first, .len = sizeof first};
    DWORD size = 0;
    DWORD flags = MSG_PEEK;
    return WSARecvFrom(socket->handle, &part, 1, &size, &flags, NULL, NULL, NULL, NULL) != 0 &&
           WSAGetLastError() == WSAEWOULDBLOCK;
}

enum receive_result udp_socket_receive(struct udp_socket *socket, struct datagram_group *to,
                                       struct error *error)
{
    struct windows_group *group = (struct windows_group *)to;
    int passing = 0;
    to->count = 0;
    while (to->count < DATAGRAM_GROUP_SIZE) {
        int code = receive_one(socket, group);
        if (code == 0) {
            passing = 0;
            continue;
        }
        if (code != WSAEWOULDBLOCK)
            socket->errors++;
        if (is_passing(code) && ++passing < MAX_PASSING)
            continue;
        /* If the group has datagrams, the next call gets the error again from the system. */
        if (to->count != 0)
            break;
        if (code == WSAEWOULDBLOCK) {
            if (is_empty(socket))
                return RECEIVE_WOULD_BLOCK;
            continue;
        }
        if (code == WSAENOBUFS || code == WSA_NOT_ENOUGH_MEMORY || passing == MAX_PASSING)
            return RECEIVE_LATER;
        error_set(error, EXIT_CODE_IO, "cannot receive: %s", system_error((unsigned)code).text);
        return RECEIVE_FATAL;
    }
    return RECEIVE_OK;
}

uint64_t udp_socket_errors(const struct udp_socket *socket)
{
    return socket->errors;
}

bool udp_socket_is_half_full(const struct udp_socket *socket)
{
    (void)socket;
    return true;
}

/* Windows counts the drops of all sockets together. */
bool udp_socket_counts_drops(void)
{
    return false;
}

uint64_t udp_socket_drops(struct udp_socket *socket)
{
    (void)socket;
    return 0;
}

bool udp_socket_refuse_all(struct udp_socket *socket)
{
    (void)socket;
    return false;
}

/* Ignores `from`: the system chooses the local address by its routes. */
bool udp_socket_answer(struct udp_socket *socket, const struct address *from,
                       const struct address *to, const void *bytes, size_t size)
{
    SOCKADDR_STORAGE name;
    int name_size = socket_address_to_system(to, &name);
    (void)from;
    return size <= INT_MAX && sendto(socket->handle, bytes, (int)size, 0, (const SOCKADDR *)&name,
                                     name_size) == (int)size;
}

void udp_socket_close(struct udp_socket *socket)
{
    if (socket == NULL)
        return;
    closesocket(socket->handle);
    free(socket);
}

uint32_t udp_interface_index(const char *name)
{
    (void)name;
    return 0;
}
