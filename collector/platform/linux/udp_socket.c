/* collector/udp_socket.h on Linux: recvmmsg(2), udp(7), socket(7), and sock_diag's memory info. */
#include "collector/udp_socket.h"

#include <errno.h>
#include <limits.h>
#include <linux/filter.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "collector/thread.h"

const bool udp_socket_can_share_port = true;
const bool udp_socket_counts_drops = true;
const bool udp_socket_tells_arrival = true;
const char *const udp_socket_buffer_advice = "raise net.core.rmem_max or run with CAP_NET_ADMIN";

struct udp_socket {
    int fd;
    struct udp_socket_options options;
    struct address address;
    size_t receive_buffer;
    uint64_t errors;
    uint64_t drops;
    uint32_t drops_seen; /* the kernel's 32-bit count when it was last read */
};

/* So many of these in a row are a state, not a notice: the thread has other sockets to serve. */
#define MAX_PASSING 64

/* Errors that say nothing about what is queued: an ICMP answer, or a network's mood. */
static bool is_passing(int code)
{
    switch (code) {
    case ECONNREFUSED:
    case ECONNRESET:
    case EHOSTUNREACH:
    case EHOSTDOWN:
    case ENETUNREACH:
    case ENETDOWN:
    case ENOPROTOOPT:
    case EPROTO:
    case EMSGSIZE:
    case EOPNOTSUPP:
    case EACCES:
    case EPERM:
    case ETIMEDOUT:
        return true;
    default:
        return false;
    }
}

/* --- the group --------------------------------------------------------------------------------
 * The overflow parts have a stride that is no power of two, so that they do not all fall on the
 * same few cache sets. */

#define REST_SIZE    (DATAGRAM_MAX_SIZE - DATAGRAM_FRONT_SIZE)
#define REST_STRIDE  (REST_SIZE + 4096 + 64)
#define CONTROL_SIZE (CMSG_SPACE(sizeof(struct timespec)) + CMSG_SPACE(sizeof(struct in6_pktinfo)))

struct linux_group {
    struct datagram_group group; /* first: what callers hold */
    size_t limit;                /* bytes a datagram may have, as the vectors are set now */
    struct mmsghdr headers[DATAGRAM_GROUP_SIZE];
    struct iovec vectors[DATAGRAM_GROUP_SIZE][2];
    struct sockaddr_in6 names[DATAGRAM_GROUP_SIZE];
    struct address destinations[DATAGRAM_GROUP_SIZE]; /* of sockets that are asked to tell them */
    _Alignas(struct cmsghdr) uint8_t controls[DATAGRAM_GROUP_SIZE][CONTROL_SIZE];
    uint8_t *fronts;
    uint8_t *rests;
};

size_t datagram_group_memory(void)
{
    return sizeof(struct linux_group) +
           (size_t)DATAGRAM_GROUP_SIZE * (DATAGRAM_FRONT_SIZE + REST_STRIDE);
}

struct datagram_group *datagram_group_create(void)
{
    struct linux_group *made = calloc(1, sizeof *made);
    if (made == NULL)
        return NULL;
    made->fronts = malloc((size_t)DATAGRAM_GROUP_SIZE * DATAGRAM_FRONT_SIZE);
    made->rests = malloc((size_t)DATAGRAM_GROUP_SIZE * REST_STRIDE);
    if (made->fronts == NULL || made->rests == NULL) {
        datagram_group_destroy(&made->group);
        return NULL;
    }
    for (size_t i = 0; i < DATAGRAM_GROUP_SIZE; i++) {
        struct iovec *vector = made->vectors[i];
        vector[0].iov_base = made->fronts + i * DATAGRAM_FRONT_SIZE;
        vector[1].iov_base = made->rests + i * REST_STRIDE;
        made->group.slots[i].front = vector[0].iov_base;
        made->group.slots[i].rest = vector[1].iov_base;
        made->headers[i].msg_hdr.msg_iov = vector;
        made->headers[i].msg_hdr.msg_name = &made->names[i];
        made->headers[i].msg_hdr.msg_control = made->controls[i];
    }
    return &made->group;
}

void datagram_group_destroy(struct datagram_group *group)
{
    if (group == NULL)
        return;
    struct linux_group *made = (struct linux_group *)group;
    free(made->fronts);
    free(made->rests);
    free(made);
}

static void set_limit(struct linux_group *group, size_t limit)
{
    if (group->limit == limit)
        return;
    group->limit = limit;
    size_t front = limit < DATAGRAM_FRONT_SIZE ? limit : DATAGRAM_FRONT_SIZE;
    for (size_t i = 0; i < DATAGRAM_GROUP_SIZE; i++) {
        group->vectors[i][0].iov_len = front;
        group->vectors[i][1].iov_len = limit - front;
        group->headers[i].msg_hdr.msg_iovlen = limit > front ? 2 : 1;
    }
}

/* --- opening ---------------------------------------------------------------------------------- */

static int fail(struct error *error, const char *what)
{
    error_set(error, EXIT_CODE_CANNOT_BIND, "%s: %s", what, strerror(errno));
    return -1;
}

static bool set_flag(int fd, int level, int name, int value)
{
    return setsockopt(fd, level, name, &value, sizeof value) == 0;
}

/* The kernel doubles what is asked, for its own bookkeeping, and tells the doubled size. */
static size_t set_receive_buffer(int fd, size_t wanted)
{
    int half = wanted > INT_MAX / 2 ? INT_MAX / 2 : (int)wanted;
    if (!set_flag(fd, SOL_SOCKET, SO_RCVBUFFORCE, half))
        set_flag(fd, SOL_SOCKET, SO_RCVBUF, half);
    int granted = 0;
    socklen_t size = sizeof granted;
    getsockopt(fd, SOL_SOCKET, SO_RCVBUF, &granted, &size);
    return (size_t)granted / 2;
}

int udp_socket_open(struct udp_socket **out, const struct udp_socket_options *options,
                    struct error *error)
{
    bool ipv6 = options->address.family == ADDRESS_IPV6;
    struct udp_socket *made = calloc(1, sizeof *made);
    if (made == NULL)
        return fail(error, "no memory for a socket");
    made->options = *options;
    if (made->options.max_datagram > DATAGRAM_MAX_SIZE)
        made->options.max_datagram = DATAGRAM_MAX_SIZE;
    made->fd = socket(ipv6 ? AF_INET6 : AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (made->fd < 0) {
        fail(error, "cannot open a UDP socket");
        free(made);
        return -1;
    }
    if ((ipv6 && !set_flag(made->fd, IPPROTO_IPV6, IPV6_V6ONLY, options->ipv6_only)) ||
        (options->share_port && !set_flag(made->fd, SOL_SOCKET, SO_REUSEPORT, 1)) ||
        (options->tell_destination && !set_flag(made->fd, ipv6 ? IPPROTO_IPV6 : IPPROTO_IP,
                                                ipv6 ? IPV6_RECVPKTINFO : IP_PKTINFO, 1)) ||
        !set_flag(made->fd, SOL_SOCKET, SO_TIMESTAMPNS, 1)) {
        fail(error, "cannot set up a UDP socket");
        udp_socket_close(made);
        return -1;
    }
    made->receive_buffer = set_receive_buffer(made->fd, options->receive_buffer);
    *out = made;
    return 0;
}

static socklen_t to_sockaddr(const struct address *address, struct sockaddr_storage *out)
{
    memset(out, 0, sizeof *out);
    if (address->family == ADDRESS_IPV6) {
        struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)out;
        in6->sin6_family = AF_INET6;
        in6->sin6_port = htons(address->port);
        in6->sin6_scope_id = address->scope;
        memcpy(&in6->sin6_addr, address->bytes, 16);
        return sizeof *in6;
    }
    struct sockaddr_in *in = (struct sockaddr_in *)out;
    in->sin_family = AF_INET;
    in->sin_port = htons(address->port);
    memcpy(&in->sin_addr, address->bytes, 4);
    return sizeof *in;
}

static struct address from_sockaddr(const struct sockaddr_in6 *name)
{
    if (name->sin6_family == AF_INET6)
        return address_from_ipv6(name->sin6_addr.s6_addr, name->sin6_scope_id,
                                 ntohs(name->sin6_port));
    const struct sockaddr_in *in = (const void *)name;
    uint8_t bytes[4];
    memcpy(bytes, &in->sin_addr, sizeof bytes);
    return address_from_ipv4(bytes, ntohs(in->sin_port));
}

int udp_socket_bind(struct udp_socket *socket, struct error *error)
{
    struct sockaddr_storage name;
    socklen_t size = to_sockaddr(&socket->options.address, &name);
    if (bind(socket->fd, (struct sockaddr *)&name, size) != 0) {
        char text[ADDRESS_TEXT_SIZE];
        address_format(&socket->options.address, text);
        error_set(error, EXIT_CODE_CANNOT_BIND, "cannot bind udp://%s: %s", text, strerror(errno));
        return -1;
    }
    struct sockaddr_in6 bound = {0};
    socklen_t bound_size = sizeof bound;
    if (getsockname(socket->fd, (struct sockaddr *)&bound, &bound_size) != 0)
        return fail(error, "cannot tell where a socket is bound");
    socket->address = from_sockaddr(&bound);
    return 0;
}

wait_handle udp_socket_handle(const struct udp_socket *socket)
{
    return socket->fd;
}

struct address udp_socket_address(const struct udp_socket *socket)
{
    return socket->address;
}

size_t udp_socket_receive_buffer(const struct udp_socket *socket)
{
    return socket->receive_buffer;
}

/* --- receiving -------------------------------------------------------------------------------- */

/* The data of the control message of that kind, or NULL. */
static const void *find_control(const struct msghdr *header, int level, int type)
{
    for (struct cmsghdr *control = CMSG_FIRSTHDR(header); control != NULL;
         control = CMSG_NXTHDR((struct msghdr *)(uintptr_t)header, control))
        if (control->cmsg_level == level && control->cmsg_type == type)
            return CMSG_DATA(control);
    return NULL;
}

static int64_t arrival_time(const struct msghdr *header)
{
    struct timespec stamp;
    const void *found = find_control(header, SOL_SOCKET, SCM_TIMESTAMPNS);
    if (found == NULL)
        return clock_wall_ns();
    memcpy(&stamp, found, sizeof stamp);
    return (int64_t)stamp.tv_sec * 1000000000 + stamp.tv_nsec;
}

/* The address in the packet's own header, with the socket's port. */
static struct address destination_of(const struct udp_socket *socket, const struct msghdr *header)
{
    const void *found = find_control(header, IPPROTO_IPV6, IPV6_PKTINFO);
    if (found != NULL) {
        struct in6_pktinfo info;
        memcpy(&info, found, sizeof info);
        return address_from_ipv6(info.ipi6_addr.s6_addr, 0, socket->address.port);
    }
    found = find_control(header, IPPROTO_IP, IP_PKTINFO);
    if (found == NULL)
        return socket->address;
    struct in_pktinfo info;
    uint8_t bytes[4];
    memcpy(&info, found, sizeof info);
    memcpy(bytes, &info.ipi_addr, sizeof bytes);
    return address_from_ipv4(bytes, socket->address.port);
}

static void fill_slots(const struct udp_socket *socket, struct linux_group *group, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct mmsghdr *received = &group->headers[i];
        struct datagram_slot *slot = &group->group.slots[i];
        slot->truncated = (received->msg_hdr.msg_flags & MSG_TRUNC) != 0;
        slot->sent_size = received->msg_len; /* with MSG_TRUNC asked for: the real length */
        slot->size = slot->truncated ? (uint32_t)group->limit : received->msg_len;
        slot->source = from_sockaddr(&group->names[i]);
        slot->destination = &socket->address;
        if (socket->options.tell_destination) {
            group->destinations[i] = destination_of(socket, &received->msg_hdr);
            slot->destination = &group->destinations[i];
        }
        slot->received_ns = arrival_time(&received->msg_hdr);
    }
    group->group.count = count;
}

enum receive_result udp_socket_receive(struct udp_socket *socket, struct datagram_group *to,
                                       struct error *error)
{
    struct linux_group *group = (struct linux_group *)to;
    set_limit(group, socket->options.max_datagram);
    int passing = 0;
    to->count = 0;
    for (;;) {
        for (size_t i = 0; i < DATAGRAM_GROUP_SIZE; i++) {
            group->headers[i].msg_hdr.msg_namelen = sizeof group->names[i];
            group->headers[i].msg_hdr.msg_controllen = CONTROL_SIZE;
        }
        int count = recvmmsg(socket->fd, group->headers, DATAGRAM_GROUP_SIZE,
                             MSG_DONTWAIT | MSG_TRUNC, NULL);
        if (count > 0) {
            fill_slots(socket, group, (size_t)count);
            return RECEIVE_OK;
        }
        if (count == 0 || errno == EINTR)
            continue;
        if (errno == EAGAIN || errno == EWOULDBLOCK)
            return RECEIVE_WOULD_BLOCK;
        socket->errors++;
        if (errno == ENOMEM || errno == ENOBUFS)
            return RECEIVE_LATER;
        if (!is_passing(errno)) {
            error_set(error, EXIT_CODE_IO, "cannot receive: %s", strerror(errno));
            return RECEIVE_FATAL;
        }
        if (++passing == MAX_PASSING)
            return RECEIVE_LATER;
    }
}

uint64_t udp_socket_errors(const struct udp_socket *socket)
{
    return socket->errors;
}

uint64_t udp_socket_drops(struct udp_socket *socket)
{
    uint32_t info[SK_MEMINFO_VARS] = {0};
    socklen_t size = sizeof info;
    if (getsockopt(socket->fd, SOL_SOCKET, SO_MEMINFO, info, &size) == 0 &&
        size > SK_MEMINFO_DROPS * sizeof info[0]) {
        socket->drops += (uint32_t)(info[SK_MEMINFO_DROPS] - socket->drops_seen);
        socket->drops_seen = info[SK_MEMINFO_DROPS];
    }
    return socket->drops;
}

bool udp_socket_refuse_all(struct udp_socket *socket)
{
    struct sock_filter refuse[] = {BPF_STMT(BPF_RET | BPF_K, 0)};
    struct sock_fprog program = {.len = 1, .filter = refuse};
    return setsockopt(socket->fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program) == 0;
}

void udp_socket_close(struct udp_socket *socket)
{
    if (socket == NULL)
        return;
    close(socket->fd);
    free(socket);
}
