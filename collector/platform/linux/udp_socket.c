/* Implements struct udp_socket on Linux with udp(7), socket(7) and SO_MEMINFO. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/filter.h>
#include <linux/sock_diag.h>
#include <linux/udp.h>
#include <netinet/in.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "collector/base/rule.h"
#include "collector/platform/linux/datagram_spread.h"
#include "collector/platform/linux/inherited_drops.h"
#include "collector/platform/linux/multicast_group.h"
#include "collector/platform/linux/source_filter.h"
#include "collector/platform/linux/udp_socket_parts.h"
#include "collector/platform/posix/bind_failure.h"
#include "collector/platform/posix/lending.h"
#include "collector/platform/posix/socket_address.h"
#include "collector/text/compiler.h"

const bool udp_socket_can_share_port = true;
const bool udp_socket_reports_arrival = true;
const bool udp_socket_can_gro = true;
const bool udp_socket_can_busy_poll = true;
const bool udp_socket_can_join = true;
const char *const udp_socket_buffer_advice = "raise net.core.rmem_max or run with CAP_NET_ADMIN";

/* --- opening ---------------------------------------------------------------------------------- */

static int udp_fail(struct error *error, const char *what)
{
    error_set(error, EXIT_CODE_CANNOT_BIND, "%s: %s", what, strerror(errno));
    return -1;
}

static bool set_flag(int fd, int level, int name, int value)
{
    return setsockopt(fd, level, name, &value, sizeof value) == 0;
}

static atomic_bool lacks_drops;

bool udp_socket_counts_drops(void)
{
    return !atomic_load_explicit(&lacks_drops, memory_order_relaxed);
}

static bool read_memory(int fd, uint32_t info[SK_MEMINFO_VARS])
{
    socklen_t size = SK_MEMINFO_VARS * sizeof info[0];
    return getsockopt(fd, SOL_SOCKET, SO_MEMINFO, info, &size) == 0 &&
           size > SK_MEMINFO_DROPS * sizeof info[0];
}

static void look_for_drops(int fd)
{
    uint32_t info[SK_MEMINFO_VARS];
    if (!read_memory(fd, info))
        atomic_store_explicit(&lacks_drops, true, memory_order_relaxed);
}

/* The kernel doubles the requested size for its own data, and reports the doubled size. */
static size_t receive_buffer_of(int fd)
{
    int granted = 0;
    socklen_t size = sizeof granted;
    getsockopt(fd, SOL_SOCKET, SO_RCVBUF, &granted, &size);
    return (size_t)granted / 2;
}

static size_t set_receive_buffer(int fd, size_t wanted)
{
    int half = wanted > INT_MAX / 2 ? INT_MAX / 2 : (int)wanted;
    if (!set_flag(fd, SOL_SOCKET, SO_RCVBUFFORCE, half))
        set_flag(fd, SOL_SOCKET, SO_RCVBUF, half);
    return receive_buffer_of(fd);
}

/*
 * Returns the size that the kernel would grant a new socket of this process. It silently reduces an
 * existing buffer to the size that is now allowed, but the process that bound an inherited socket
 * may have been allowed more.
 */
static size_t buffer_to_be_had(bool ipv6, size_t wanted)
{
    int probe = lending_socket(ipv6 ? AF_INET6 : AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    size_t granted = probe < 0 ? 0 : set_receive_buffer(probe, wanted);
    if (probe >= 0)
        close(probe);
    return granted;
}

static size_t raise_receive_buffer(int fd, bool ipv6, size_t wanted)
{
    size_t before = receive_buffer_of(fd);
    if (wanted <= before || buffer_to_be_had(ipv6, wanted) <= before)
        return before;
    return set_receive_buffer(fd, wanted);
}

/*
 * The least number of bytes of a receive buffer that the kernel counts for a datagram. Its socket
 * buffer and its page already take more. With UDP_GRO up to 128 datagrams are counted together.
 */
#define LEAST_CHARGE     512
#define LEAST_CHARGE_GRO 32

uint64_t udp_socket_most_held(uint64_t receive_buffer, bool gro)
{
    uint64_t charge = gro ? LEAST_CHARGE_GRO : LEAST_CHARGE;
    return 2 * receive_buffer / charge + DATAGRAM_GROUP_SIZE;
}

static int get_number(int fd, int name)
{
    int value = -1;
    socklen_t size = sizeof value;
    return getsockopt(fd, SOL_SOCKET, name, &value, &size) == 0 ? value : -1;
}

/*
 * Sets the buffer when the socket is opened, and later only if the wanted size changes: at its
 * start the process may have been allowed more than now. Never reduces the buffer of an inherited
 * socket. A request for more never reduces the buffer either.
 */
static void set_buffer(struct udp_socket *socket, bool ipv6,
                       const struct udp_socket_options *options)
{
    size_t wanted = options->receive_buffer;
    bool opening = socket->receive_buffer == 0;
    if (!opening && wanted == socket->options.receive_buffer)
        return;
    bool raises = options->inherited || (!opening && wanted > socket->options.receive_buffer);
    socket->receive_buffer = raises ? raise_receive_buffer(socket->fd, ipv6, wanted)
                                    : set_receive_buffer(socket->fd, wanted);
}

static bool is_ipv6(int fd)
{
    return get_number(fd, SO_DOMAIN) == AF_INET6;
}

/*
 * Requests the arrival time of each datagram. qemu's user mode lacks the option; then the time of
 * the receive is used.
 */
static bool request_times(int fd)
{
    return set_flag(fd, SOL_SOCKET, SO_TIMESTAMPNS, 1) || errno == ENOPROTOOPT;
}

/* `busy_poll_us` is the socket's present value; 0 after the open. */
static int set_flags(int fd, bool ipv6, const struct udp_socket_options *options,
                     unsigned busy_poll_us, struct error *error)
{
    if (!request_times(fd) ||
        !set_flag(fd, ipv6 ? IPPROTO_IPV6 : IPPROTO_IP, ipv6 ? IPV6_RECVPKTINFO : IP_PKTINFO,
                  options->wants_destination))
        return udp_fail(error, "cannot set up a UDP socket");
    if (options->gro && !set_flag(fd, IPPROTO_UDP, UDP_GRO, 1))
        return udp_fail(error, "gro=on: this kernel does not support UDP_GRO (Linux 5.0 does)");
    if (options->busy_poll_us != busy_poll_us &&
        !set_flag(fd, SOL_SOCKET, SO_BUSY_POLL, (int)options->busy_poll_us))
        return udp_fail(error, "busy_poll: more than net.core.busy_read requires CAP_NET_ADMIN");
    return 0;
}

/*
 * Sets the options that can change after the bind. The filter is set last among those that can
 * fail; if it fails, the previous filter stays.
 */
static int udp_set_up(struct udp_socket *socket, bool ipv6,
                      const struct udp_socket_options *options, struct error *error)
{
    int fd = socket->fd;
    if (set_flags(fd, ipv6, options, socket->options.busy_poll_us, error) != 0 ||
        (options->only_from != NULL && source_filter_attach(fd, options->only_from, error) != 0))
        return -1;
    if (options->only_from == NULL && socket->filtered)
        set_flag(fd, SOL_SOCKET, SO_DETACH_FILTER, 0);
    set_buffer(socket, ipv6, options);
    socket->filtered = options->only_from != NULL;
    socket->options = *options;
    socket->options.only_from = NULL;
    socket->options.interface = socket->interface[0] != '\0' ? socket->interface : NULL;
    if (options->max_datagram > DATAGRAM_MAX_SIZE)
        socket->options.max_datagram = DATAGRAM_MAX_SIZE;
    return 0;
}

static int open_own(struct udp_socket *made, const struct udp_socket_options *options,
                    struct error *error)
{
    bool ipv6 = options->address.family == ADDRESS_IPV6;
    made->fd =
        lending_socket(ipv6 ? AF_INET6 : AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (made->fd < 0)
        return udp_fail(error, "cannot open a UDP socket");
    if ((ipv6 && !set_flag(made->fd, IPPROTO_IPV6, IPV6_V6ONLY, options->ipv6_only)) ||
        (options->share_group && !set_flag(made->fd, SOL_SOCKET, SO_REUSEADDR, 1)) ||
        (options->share_port && !set_flag(made->fd, SOL_SOCKET, SO_REUSEPORT, 1)))
        return udp_fail(error, "cannot set up a UDP socket");
    if (!options->share_port || options->spread_over == 0)
        return 0;
    return datagram_spread_attach(made->fd, options->spread_over, error);
}

/*
 * Returns true if a multicast socket must be bound to the interface on which it joins its group.
 * With IPv6 a socket receives the datagrams of its group from every interface on which any socket
 * has joined it (inet6_mc_check). So a socket that shares its group and names an interface must be
 * bound to that interface. With IPv4 the kernel compares the interface.
 */
static bool is_bound_to_interface(const struct udp_socket_options *options)
{
    return options->share_group && options->interface != NULL &&
           options->address.family == ADDRESS_IPV6;
}

/* Called before the bind, so that no datagram arrives by another interface. */
static int restrict_to_interface(struct udp_socket *made, const struct udp_socket_options *options,
                                 struct error *error)
{
    const char *name = options->interface;
    bool ipv6 = options->address.family == ADDRESS_IPV6;
    if (name != NULL && multicast_interface(name) == 0) {
        error_set(
            error, EXIT_CODE_CANNOT_BIND,
            "interface=%s: there is no network interface \"%s\"; ip link lists those there are",
            name, name);
        return -1;
    }
    if (name != NULL)
        snprintf(made->interface, sizeof made->interface, "%s", name);
    if (name != NULL && options->address.scope != 0 &&
        options->address.scope != multicast_interface(name)) {
        error_set(error, EXIT_CODE_CANNOT_BIND, "\"%s\" is not the interface %%%u of the address",
                  name, (unsigned)options->address.scope);
        return -1;
    }
    bool group = address_is_multicast(&options->address);
    if (group && !multicast_join_only_own(made->fd, ipv6))
        return udp_fail(error, "cannot set up a multicast socket");
    if (name == NULL || (group && !is_bound_to_interface(options)) ||
        setsockopt(made->fd, SOL_SOCKET, SO_BINDTODEVICE, name, (socklen_t)strlen(name)) == 0)
        return 0;
    return udp_fail(error, "cannot bind a socket to a network interface");
}

static int check_bound_udp(int fd, struct error *error)
{
    const char *why = NULL;
    int family = get_number(fd, SO_DOMAIN);
    struct sockaddr_in6 name = {0};
    socklen_t size = sizeof name;
    if (family < 0)
        why = "is not a socket";
    else if ((family != AF_INET && family != AF_INET6) || get_number(fd, SO_TYPE) != SOCK_DGRAM ||
             get_number(fd, SO_PROTOCOL) != IPPROTO_UDP)
        why = "is neither a UDP socket nor a listening TCP socket; with systemd use "
              "ListenDatagram=ADDR:PORT or ListenStream=ADDR:PORT";
    else if (getsockname(fd, (struct sockaddr *)&name, &size) != 0 || name.sin6_port == 0)
        why = "is not bound to a port";
    if (why == NULL)
        return 0;
    error_set(error, EXIT_CODE_CANNOT_BIND, "descriptor %d %s", fd, why);
    return -1;
}

/* Duplicates the handle and resets options that its previous user may have set. */
static int udp_adopt(struct udp_socket *made, const struct udp_socket_options *options,
                     struct error *error)
{
    int given = (int)options->handle;
    if (check_bound_udp(given, error) != 0)
        return -1;
    made->fd = lending_duplicate(given);
    int flags = made->fd < 0 ? -1 : fcntl(made->fd, F_GETFL);
    if (flags < 0 || fcntl(made->fd, F_SETFL, flags | O_NONBLOCK) != 0)
        return udp_fail(error, "cannot take over a UDP socket");
    made->drops_kept = inherited_socket_drops(given);
    made->drops_seen = made->drops_kept != NULL ? *made->drops_kept : 0;
    set_flag(made->fd, IPPROTO_UDP, UDP_GRO, 0);
    set_flag(made->fd, SOL_SOCKET, SO_BUSY_POLL, 0);
    set_flag(made->fd, SOL_SOCKET, SO_DETACH_FILTER, 0);
    return 0;
}

int udp_socket_open(struct udp_socket **out, const struct udp_socket_options *options,
                    struct error *error)
{
    struct udp_socket *made = calloc(1, sizeof *made);
    if (made == NULL) {
        error_set(error, EXIT_CODE_INTERNAL, "no memory for a socket");
        return -1;
    }
    RULE(options->max_datagram != 0, "a socket receives datagrams of at least one byte");
    made->fd = -1;
    made->ops = options->gro ? &receive_ops_gro : &receive_ops_single;
    if ((options->inherited ? udp_adopt : open_own)(made, options, error) != 0 ||
        (!options->inherited && restrict_to_interface(made, options, error) != 0) ||
        udp_set_up(made, is_ipv6(made->fd), options, error) != 0) {
        udp_socket_close(made);
        return -1;
    }
    look_for_drops(made->fd);
    *out = made;
    return 0;
}

int udp_socket_change(struct udp_socket *socket, const struct udp_socket_options *options,
                      struct error *error)
{
    RULE(options->gro == socket->options.gro, "a socket's way of receiving does not change");
    bool ipv6 = is_ipv6(socket->fd);
    struct udp_socket_options after = *options;
    struct error ignored;
    after.inherited = socket->options.inherited;
    after.handle = socket->options.handle;
    if (udp_set_up(socket, ipv6, &after, error) == 0)
        return 0;
    set_flags(socket->fd, ipv6, &socket->options, after.busy_poll_us, &ignored);
    return -1;
}

/*
 * Returns the interface to join on. Keeps its name, because an interface that is created again gets
 * another number.
 */
static unsigned choose_interface(struct udp_socket *socket)
{
    const struct udp_socket_options *options = &socket->options;
    unsigned index = options->address.scope;
    if (options->interface != NULL)
        index = multicast_interface(options->interface);
    else if (index == 0)
        index = multicast_interface_of_routes(&options->address);
    if (index == 0 || if_indextoname(index, socket->group_interface) == NULL)
        socket->group_interface[0] = '\0';
    return index;
}

static int join(struct udp_socket *socket, unsigned index, struct error *error)
{
    const struct udp_socket_options *options = &socket->options;
    if (multicast_join(socket->fd, &options->address, &options->group_source, index) == 0) {
        socket->group_index = index;
        return 0;
    }
    char text[ADDRESS_TEXT_SIZE];
    int number = errno;
    address_format_host(&options->address, text);
    error_set(error, EXIT_CODE_CANNOT_BIND, "cannot join the multicast group %s%s%s: %s", text,
              options->interface != NULL ? " on " : "",
              options->interface != NULL ? options->interface : "",
              number == ENODEV ? "no interface has a route to it; give interface="
                               : strerror(number));
    return -1;
}

/*
 * Binds the socket to its interface again if it was bound to the old interface number. The right to
 * do so may be missing.
 */
static bool bind_again(struct udp_socket *socket, struct error *error)
{
    const char *name = socket->group_interface;
    bool bound =
        multicast_is_of_link(&socket->options.address) || is_bound_to_interface(&socket->options);
    if (!bound ||
        setsockopt(socket->fd, SOL_SOCKET, SO_BINDTODEVICE, name, (socklen_t)strlen(name)) == 0)
        return true;
    error_set(error, EXIT_CODE_CANNOT_BIND, "cannot bind to the interface %s again: %s", name,
              strerror(errno));
    return false;
}

enum udp_socket_group udp_socket_keep_group(struct udp_socket *socket, struct error *error)
{
    const struct udp_socket_options *options = &socket->options;
    if (socket->group_interface[0] == '\0')
        return GROUP_JOINED;
    unsigned index = multicast_interface(socket->group_interface);
    if (index != 0 && index == socket->group_index)
        return GROUP_JOINED;
    if (socket->group_index != 0)
        multicast_leave(socket->fd, &options->address, socket->group_index);
    socket->group_index = 0;
    if (index == 0)
        return GROUP_NO_INTERFACE;
    return bind_again(socket, error) && join(socket, index, error) == 0 ? GROUP_JOINED
                                                                        : GROUP_REFUSED;
}

int udp_socket_bind(struct udp_socket *socket, struct error *error)
{
    RULE(socket->address.family == ADDRESS_NONE, "a socket is bound once");
    bool group = !socket->options.inherited && address_is_multicast(&socket->options.address);
    unsigned index = group ? choose_interface(socket) : 0;
    struct address to = socket->options.address;
    if (group && multicast_is_of_link(&to))
        to.scope = index;
    struct sockaddr_storage name;
    socklen_t size = socket_address_to_system(&to, &name);
    if (!socket->options.inherited && bind(socket->fd, (struct sockaddr *)&name, size) != 0) {
        bind_failure(error, false, &socket->options.address, errno);
        return -1;
    }
    struct sockaddr_in6 bound = {0};
    socklen_t bound_size = sizeof bound;
    if (getsockname(socket->fd, (struct sockaddr *)&bound, &bound_size) != 0)
        return udp_fail(error, "cannot find where a socket is bound");
    socket->address = socket_address_from_system(&bound);
    /*
     * From now on other sockets that share the group can bind it, so that a reload can add them. A
     * socket that does not share the group is still refused.
     */
    if (group && !set_flag(socket->fd, SOL_SOCKET, SO_REUSEADDR, 1))
        return udp_fail(error, "cannot set up a multicast socket");
    return group ? join(socket, index, error) : 0;
}

wait_handle udp_socket_handle(const struct udp_socket *socket)
{
    return socket->fd;
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

/* --- the kernel's counters, and closing ------------------------------------------------------- */

uint64_t udp_socket_errors(const struct udp_socket *socket)
{
    return socket->errors;
}

uint64_t udp_socket_drops(struct udp_socket *socket)
{
    uint32_t info[SK_MEMINFO_VARS] = {0};
    if (read_memory(socket->fd, info)) {
        socket->drops += (uint32_t)(info[SK_MEMINFO_DROPS] - socket->drops_seen);
        socket->drops_seen = info[SK_MEMINFO_DROPS];
        if (socket->drops_kept != NULL)
            *socket->drops_kept = socket->drops_seen;
    }
    return socket->drops;
}

bool udp_socket_is_half_full(const struct udp_socket *socket)
{
    uint32_t info[SK_MEMINFO_VARS] = {0};
    if (!read_memory(socket->fd, info))
        return true;
    return info[SK_MEMINFO_RMEM_ALLOC] >= info[SK_MEMINFO_RCVBUF] / 2;
}

bool udp_socket_refuse_all(struct udp_socket *socket)
{
    if (socket->options.inherited)
        return false;
    struct sock_filter refuse[] = {BPF_STMT(BPF_RET | BPF_K, 0)};
    struct sock_fprog program = {.len = 1, .filter = refuse};
    return setsockopt(socket->fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program) == 0;
}

void udp_socket_close(struct udp_socket *socket)
{
    if (socket == NULL)
        return;
    if (socket->fd >= 0)
        close(socket->fd);
    free(socket);
}
