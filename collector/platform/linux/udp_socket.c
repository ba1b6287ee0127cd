/* collector/udp_socket.h on Linux: recvmmsg(2), udp(7), socket(7), and sock_diag's memory info. */
#include "collector/udp_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/filter.h>
#include <linux/sock_diag.h>
#include <linux/udp.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "collector/platform/linux/inherited_drops.h"
#include "collector/platform/linux/source_filter.h"
#include "collector/platform/posix/socket_address.h"
#include "collector/thread.h"

const bool udp_socket_can_share_port = true;
const bool udp_socket_counts_drops = true;
const bool udp_socket_tells_arrival = true;
const bool udp_socket_can_gro = true;
const bool udp_socket_can_busy_poll = true;
const char *const udp_socket_buffer_advice = "raise net.core.rmem_max or run with CAP_NET_ADMIN";

struct udp_socket {
    int fd;
    struct udp_socket_options options;
    struct address address;
    size_t receive_buffer;
    uint64_t errors;
    uint64_t drops;
    uint32_t drops_seen;  /* the kernel's 32-bit count when it was last read */
    uint32_t *drops_kept; /* the same for the next one that serves it; NULL: nobody will */
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

#define REST_SIZE   (DATAGRAM_MAX_SIZE - DATAGRAM_FRONT_SIZE)
#define REST_STRIDE (REST_SIZE + 4096 + 64)
#define CONTROL_SIZE                                                                               \
    (CMSG_SPACE(sizeof(struct timespec)) + CMSG_SPACE(sizeof(struct in6_pktinfo)) +                \
     CMSG_SPACE(sizeof(int)))

/* With UDP_GRO a buffer is received whole into one overflow part. */
_Static_assert(REST_STRIDE >= DATAGRAM_MAX_SIZE, "an overflow part holds any buffer");

/*
 * Buffers of many datagrams each that are received at once: the more, the less of them is still in
 * the cache when they are looked at.
 */
#define GRO_BUFFERS 8

struct linux_group {
    struct datagram_group group; /* first: what callers hold */
    size_t limit;                /* bytes a datagram may have, as the vectors are set now; ... */
    bool gro;                    /* ... the same for whole buffers */
    struct mmsghdr headers[DATAGRAM_GROUP_SIZE];
    unsigned used; /* headers that the last receive has changed */
    bool all;      /* it took all there was */
    struct iovec vectors[DATAGRAM_GROUP_SIZE][2];
    struct sockaddr_in6 names[DATAGRAM_GROUP_SIZE];
    struct address destinations[DATAGRAM_GROUP_SIZE]; /* of sockets that are asked to tell them */
    _Alignas(struct cmsghdr) uint8_t controls[DATAGRAM_GROUP_SIZE][CONTROL_SIZE];
    uint8_t *fronts;
    uint8_t *rests;

    /* Of whole buffers: how many were received, and how far they were handed on. */
    size_t received;
    size_t next;
    size_t offset;               /* bytes of that buffer */
    struct datagram_slot common; /* what its datagrams have in common */
    size_t segment;              /* bytes of each but the last one */
    bool aggregated;             /* lately the kernel has put several into one */
};

size_t datagram_group_memory(void)
{
    return sizeof(struct linux_group) +
           (size_t)DATAGRAM_GROUP_SIZE * (DATAGRAM_FRONT_SIZE + REST_STRIDE);
}

/* For a name and control messages: a receive says there how long they are. */
static void set_room(struct linux_group *group, unsigned index)
{
    group->headers[index].msg_hdr.msg_namelen = sizeof group->names[index];
    group->headers[index].msg_hdr.msg_controllen = CONTROL_SIZE;
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
        made->headers[i].msg_hdr.msg_iov = made->vectors[i];
        made->headers[i].msg_hdr.msg_name = &made->names[i];
        made->headers[i].msg_hdr.msg_control = made->controls[i];
        set_room(made, (unsigned)i);
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

static void set_vectors(struct linux_group *group, size_t limit, bool gro)
{
    if (group->limit == limit && group->gro == gro)
        return;
    group->limit = limit;
    group->gro = gro;
    size_t front = limit < DATAGRAM_FRONT_SIZE ? limit : DATAGRAM_FRONT_SIZE;
    for (size_t i = 0; i < DATAGRAM_GROUP_SIZE; i++) {
        struct iovec *vector = group->vectors[i];
        uint8_t *rest = group->rests + i * REST_STRIDE;
        vector[0] = gro ? (struct iovec){rest, DATAGRAM_MAX_SIZE}
                        : (struct iovec){group->fronts + i * DATAGRAM_FRONT_SIZE, front};
        vector[1] = (struct iovec){rest, limit - front};
        group->headers[i].msg_hdr.msg_iovlen = gro || limit == front ? 1 : 2;
        group->group.slots[i].front = vector[0].iov_base;
        group->group.slots[i].rest = rest;
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
 * What the kernel would grant a socket of ours. It makes a buffer smaller without a word where less
 * is allowed than it has, and who bound an inherited socket may have been allowed more than we are.
 */
static size_t buffer_to_be_had(bool ipv6, size_t wanted)
{
    int probe = socket(ipv6 ? AF_INET6 : AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
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

static int get_number(int fd, int name)
{
    int value = -1;
    socklen_t size = sizeof value;
    return getsockopt(fd, SOL_SOCKET, name, &value, &size) == 0 ? value : -1;
}

/*
 * A start may have been allowed more than this process is by now: what nobody asks to change stays,
 * and who asks for more gets no less than there is.
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

/* What may be set again and again, before and after the socket is bound. */
static int set_up(struct udp_socket *socket, const struct udp_socket_options *options,
                  struct error *error)
{
    bool ipv6 = get_number(socket->fd, SO_DOMAIN) == AF_INET6;
    int fd = socket->fd;
    if (!set_flag(fd, SOL_SOCKET, SO_TIMESTAMPNS, 1) ||
        !set_flag(fd, ipv6 ? IPPROTO_IPV6 : IPPROTO_IP, ipv6 ? IPV6_RECVPKTINFO : IP_PKTINFO,
                  options->tell_destination))
        return fail(error, "cannot set up a UDP socket");
    if (options->gro && !set_flag(fd, IPPROTO_UDP, UDP_GRO, 1))
        return fail(error, "gro=on: this kernel does not put datagrams together (Linux 5.0 does)");
    if (options->busy_poll_us != socket->options.busy_poll_us &&
        !set_flag(fd, SOL_SOCKET, SO_BUSY_POLL, (int)options->busy_poll_us))
        return fail(error, "busy_poll: more than net.core.busy_read takes CAP_NET_ADMIN");
    if (options->only_from != NULL && source_filter_attach(fd, options->only_from, error) != 0)
        return -1;
    if (options->only_from == NULL && socket->options.only_from != NULL)
        set_flag(fd, SOL_SOCKET, SO_DETACH_FILTER, 0);
    set_buffer(socket, ipv6, options);
    socket->options = *options;
    if (options->max_datagram > DATAGRAM_MAX_SIZE)
        socket->options.max_datagram = DATAGRAM_MAX_SIZE;
    return 0;
}

static int open_own(struct udp_socket *made, const struct udp_socket_options *options,
                    struct error *error)
{
    bool ipv6 = options->address.family == ADDRESS_IPV6;
    made->fd = socket(ipv6 ? AF_INET6 : AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (made->fd < 0)
        return fail(error, "cannot open a UDP socket");
    if ((ipv6 && !set_flag(made->fd, IPPROTO_IPV6, IPV6_V6ONLY, options->ipv6_only)) ||
        (options->share_port && !set_flag(made->fd, SOL_SOCKET, SO_REUSEPORT, 1)))
        return fail(error, "cannot set up a UDP socket");
    return 0;
}

static int check_bound_udp(int fd, struct error *error)
{
    const char *why = NULL;
    int family = get_number(fd, SO_DOMAIN);
    struct sockaddr_in6 name = {0};
    socklen_t size = sizeof name;
    if (family < 0)
        why = "is no socket";
    else if ((family != AF_INET && family != AF_INET6) || get_number(fd, SO_TYPE) != SOCK_DGRAM ||
             get_number(fd, SO_PROTOCOL) != IPPROTO_UDP)
        why = "is no UDP socket; with systemd that is ListenDatagram=ADDR:PORT";
    else if (getsockname(fd, (struct sockaddr *)&name, &size) != 0 || name.sin6_port == 0)
        why = "is bound to no port";
    if (why == NULL)
        return 0;
    error_set(error, EXIT_CODE_CANNOT_BIND, "descriptor %d %s", fd, why);
    return -1;
}

/* What it was told by whoever served it before is taken back. */
static int adopt(struct udp_socket *made, const struct udp_socket_options *options,
                 struct error *error)
{
    int given = (int)options->handle;
    if (check_bound_udp(given, error) != 0)
        return -1;
    made->fd = fcntl(given, F_DUPFD_CLOEXEC, 0);
    int flags = made->fd < 0 ? -1 : fcntl(made->fd, F_GETFL);
    if (flags < 0 || fcntl(made->fd, F_SETFL, flags | O_NONBLOCK) != 0)
        return fail(error, "cannot take over a UDP socket");
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
    if (made == NULL)
        return fail(error, "no memory for a socket");
    made->fd = -1;
    if ((options->inherited ? adopt : open_own)(made, options, error) != 0 ||
        set_up(made, options, error) != 0) {
        udp_socket_close(made);
        return -1;
    }
    *out = made;
    return 0;
}

int udp_socket_change(struct udp_socket *socket, const struct udp_socket_options *options,
                      struct error *error)
{
    struct udp_socket_options before = socket->options;
    struct udp_socket_options after = *options;
    struct error ignored;
    after.inherited = before.inherited;
    after.handle = before.handle;
    if (set_up(socket, &after, error) == 0)
        return 0;
    set_up(socket, &before, &ignored);
    return -1;
}

int udp_socket_bind(struct udp_socket *socket, struct error *error)
{
    struct sockaddr_storage name;
    socklen_t size = socket_address_to_system(&socket->options.address, &name);
    if (!socket->options.inherited && bind(socket->fd, (struct sockaddr *)&name, size) != 0) {
        char text[ADDRESS_TEXT_SIZE];
        address_format(&socket->options.address, text);
        error_set(error, EXIT_CODE_CANNOT_BIND, "cannot bind udp://%s: %s", text, strerror(errno));
        return -1;
    }
    struct sockaddr_in6 bound = {0};
    socklen_t bound_size = sizeof bound;
    if (getsockname(socket->fd, (struct sockaddr *)&bound, &bound_size) != 0)
        return fail(error, "cannot tell where a socket is bound");
    socket->address = socket_address_from_system(&bound);
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

/* What all datagrams of a buffer have in common, into `slot`. */
static void fill_common(const struct udp_socket *socket, struct linux_group *group, size_t buffer,
                        struct datagram_slot *slot)
{
    const struct msghdr *header = &group->headers[buffer].msg_hdr;
    slot->source = socket_address_from_system(&group->names[buffer]);
    slot->destination = &socket->address;
    if (socket->options.tell_destination) {
        group->destinations[buffer] = destination_of(socket, header);
        slot->destination = &group->destinations[buffer];
    }
    slot->received_ns = arrival_time(header);
}

static void fill_slots(const struct udp_socket *socket, struct linux_group *group, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct mmsghdr *received = &group->headers[i];
        struct datagram_slot *slot = &group->group.slots[i];
        slot->truncated = (received->msg_hdr.msg_flags & MSG_TRUNC) != 0;
        slot->sent_size = received->msg_len; /* with MSG_TRUNC asked for: the real length */
        slot->size = slot->truncated ? (uint32_t)group->limit : received->msg_len;
        fill_common(socket, group, i, slot);
    }
    group->group.count = count;
}

/* --- whole buffers, of one or many datagrams (udp(7), UDP_GRO) -------------------------------- */

/* All datagrams of a buffer have one size, but for the last one, which may be shorter. */
static void begin_buffer(const struct udp_socket *socket, struct linux_group *group)
{
    const struct mmsghdr *received = &group->headers[group->next];
    const void *found = find_control(&received->msg_hdr, IPPROTO_UDP, UDP_GRO);
    int segment = 0;
    if (found != NULL)
        memcpy(&segment, found, sizeof segment);
    group->segment = segment > 0 ? (size_t)segment : received->msg_len;
    group->aggregated = group->segment < received->msg_len;
    fill_common(socket, group, group->next, &group->common);
}

/* Cuts as many datagrams from the buffers as there are slots. */
static void cut_slots(const struct udp_socket *socket, struct linux_group *group)
{
    size_t count = 0;
    while (count < DATAGRAM_GROUP_SIZE && group->next < group->received) {
        if (group->offset == 0)
            begin_buffer(socket, group);
        size_t left = group->headers[group->next].msg_len - group->offset;
        size_t size = left < group->segment ? left : group->segment;
        struct datagram_slot *slot = &group->group.slots[count++];
        *slot = group->common;
        slot->front = group->rests + group->next * REST_STRIDE + group->offset;
        slot->rest = slot->front + DATAGRAM_FRONT_SIZE;
        slot->truncated = size > group->limit;
        slot->sent_size = (uint32_t)size;
        slot->size = (uint32_t)(slot->truncated ? group->limit : size);
        group->offset += size;
        if (size == left) {
            group->next++;
            group->offset = 0;
        }
    }
    group->group.count = count;
    group->group.more = group->next < group->received;
    group->group.emptied = group->all && !group->group.more;
}

/* --- asking the kernel ------------------------------------------------------------------------ */

static unsigned ask_for(const struct linux_group *group)
{
    return group->gro && group->aggregated ? GRO_BUFFERS : DATAGRAM_GROUP_SIZE;
}

/*
 * Fewer than it asked for end recvmmsg(2) where the next one would block, or met an error that is
 * then told by the call after. There are none for a socket that is not connected and has not asked
 * for them (IP_RECVERR of ip(7)) but those that make it useless; so what came short was all.
 */
static int receive(struct udp_socket *socket, struct linux_group *group)
{
    unsigned most = ask_for(group);
    for (unsigned i = 0; i < group->used; i++)
        set_room(group, i);
    /* The C library's function would first see to it that the thread can be cancelled meanwhile. */
    int count = (int)syscall(SYS_recvmmsg, socket->fd, group->headers, most,
                             MSG_DONTWAIT | MSG_TRUNC, NULL);
    /* The one that found nothing is perhaps changed, too. */
    group->used = count < 0 ? 1 : (unsigned)count < most ? (unsigned)count + 1 : most;
    group->all = count > 0 && (unsigned)count < most;
    return count;
}

static void hand_on(const struct udp_socket *socket, struct linux_group *group, size_t count)
{
    if (!group->gro) {
        fill_slots(socket, group, count);
        group->group.emptied = group->all;
        return;
    }
    group->received = count;
    group->next = 0;
    group->offset = 0;
    cut_slots(socket, group);
}

enum receive_result udp_socket_receive(struct udp_socket *socket, struct datagram_group *to,
                                       struct error *error)
{
    struct linux_group *group = (struct linux_group *)to;
    if (to->more) {
        cut_slots(socket, group);
        return RECEIVE_OK;
    }
    set_vectors(group, socket->options.max_datagram, socket->options.gro);
    int passing = 0;
    to->count = 0;
    for (;;) {
        int count = receive(socket, group);
        if (count > 0) {
            hand_on(socket, group, (size_t)count);
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
        if (socket->drops_kept != NULL)
            *socket->drops_kept = socket->drops_seen;
    }
    return socket->drops;
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
