/* Implements udp_socket_receive() on Linux: recvmmsg(2), udp(7) and socket(7). */
#include <errno.h>
#include <linux/udp.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collector/base/rule.h"
#include "collector/platform/clock.h"
#include "collector/platform/linux/udp_socket_parts.h"
#include "collector/platform/posix/retry.h"
#include "collector/platform/posix/socket_address.h"

/* After this many errors in a row (is_passing) the thread serves its other sockets. */
#define MAX_PASSING 64

/*
 * Returns true for errors that leave the queue as it is: an ICMP answer, or a temporary state of
 * the network.
 */
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
/*
 * The most UDP_GRO buffers, of many datagrams each, that one receive fills. More buffers would
 * leave the cache before they are read.
 */
#define GRO_BUFFERS 8

/* --- facts of received datagrams -------------------------------------------------------------- */

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
    return clock_wall_ns_of(stamp.tv_sec, stamp.tv_nsec);
}

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

static void fill_common(const struct udp_socket *socket, struct linux_group *group, size_t buffer,
                        struct datagram_slot *slot)
{
    const struct msghdr *header = &group->headers[buffer].msg_hdr;
    slot->source = socket_address_from_system(header->msg_name);
    slot->destination = &socket->address;
    if (socket->options.wants_destination) {
        group->destinations[buffer] = destination_of(socket, header);
        slot->destination = &group->destinations[buffer];
    }
    slot->received_ns = arrival_time(header);
}

/* --- buffers of one datagram ------------------------------------------------------------------ */

static void lay_out_single(struct linux_group *group, unsigned buffer, size_t limit)
{
    size_t front = limit < DATAGRAM_FRONT_SIZE ? limit : DATAGRAM_FRONT_SIZE;
    struct iovec *vector = group->vectors[buffer];
    struct datagram_slot *slot = &group->group.slots[buffer];
    uint8_t *rest = datagram_rest(&group->buffers, buffer);
    vector[0] = (struct iovec){datagram_front(&group->buffers, buffer), front};
    vector[1] = (struct iovec){rest, limit - front};
    group->headers[buffer].msg_hdr.msg_iovlen = limit == front ? 1 : 2;
    slot->front = vector[0].iov_base;
    slot->rest = rest;
}

static unsigned most_single(const struct linux_group *group)
{
    (void)group;
    return DATAGRAM_GROUP_SIZE;
}

static void fill_slots(const struct udp_socket *socket, struct linux_group *group)
{
    for (size_t i = 0; i < group->received; i++) {
        const struct mmsghdr *received = &group->headers[i];
        struct datagram_slot *slot = &group->group.slots[i];
        slot->sent_size = received->msg_len; /* the real length, because of MSG_TRUNC */
        slot->truncated = received->msg_len > group->limit;
        slot->size = slot->truncated ? (uint32_t)group->limit : received->msg_len;
        fill_common(socket, group, i, slot);
    }
    group->group.count = group->received;
    group->group.emptied = group->all;
}

const struct receive_ops receive_ops_single = {
    .lay_out = lay_out_single,
    .most = most_single,
    .cut = fill_slots,
};

/* --- whole buffers, of one or many datagrams (udp(7), UDP_GRO) -------------------------------- */

static void lay_out_gro(struct linux_group *group, unsigned buffer, size_t limit)
{
    uint8_t *rest = datagram_rest(&group->buffers, buffer);
    (void)limit; /* cut_slots applies it */
    group->vectors[buffer][0] = (struct iovec){rest, DATAGRAM_MAX_SIZE};
    group->headers[buffer].msg_hdr.msg_iovlen = 1;
}

static unsigned most_gro(const struct linux_group *group)
{
    return group->aggregated ? GRO_BUFFERS : DATAGRAM_GROUP_SIZE;
}

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
        slot->front = (uint8_t *)group->vectors[group->next][0].iov_base + group->offset;
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

const struct receive_ops receive_ops_gro = {
    .lay_out = lay_out_gro,
    .most = most_gro,
    .cut = cut_slots,
};

/* --- the system call -------------------------------------------------------------------------- */

/*
 * recvmmsg(2) returns fewer datagrams than requested if the next one would block, or met an error
 * that the next call reports. This socket is not connected and has not set IP_RECVERR (ip(7)), so
 * its only errors make it unusable. Fewer datagrams therefore mean that the queue is empty.
 */
static int receive_recvmmsg(struct udp_socket *socket, struct linux_group *group)
{
    RULE(!group->group.more, "buffers are lent to the kernel when all that was in them is read");
    datagram_group_prepare(group, socket->options.max_datagram, socket->ops);
    unsigned most = group->ops->most(group);
    for (unsigned i = 0; i < group->used; i++)
        datagram_group_set_room(group, i);
    /* recvmmsg() of the C library is a cancellation point, which costs time. */
    int count = (int)syscall(SYS_recvmmsg, socket->fd, group->headers, most,
                             MSG_DONTWAIT | MSG_TRUNC, NULL);
    /* Includes the header after the received ones, which the call may have changed. */
    group->used = count < 0 ? 1 : (unsigned)count < most ? (unsigned)count + 1 : most;
    group->all = count > 0 && (unsigned)count < most;
    return count;
}

/* --- receiving -------------------------------------------------------------------------------- */

static void hand_on(const struct udp_socket *socket, struct linux_group *group, size_t count)
{
    RULE(count <= DATAGRAM_GROUP_SIZE, "the kernel fills no more buffers than were lent to it");
    group->from = socket;
    group->received = count;
    group->next = 0;
    group->offset = 0;
    group->ops->cut(socket, group);
}

enum receive_result udp_socket_receive(struct udp_socket *socket, struct datagram_group *to,
                                       struct error *error)
{
    struct linux_group *group = (struct linux_group *)to;
    if (to->more) {
        RULE(group->from == socket, "the rest of a group is received from the same socket");
        RULE(group->next < group->received, "a group that has more has buffers left");
        group->ops->cut(socket, group);
        return RECEIVE_OK;
    }
    int passing = 0;
    unsigned times = 0;
    to->count = 0;
    for (;;) {
        int count = receive_recvmmsg(socket, group);
        if (count > 0) {
            hand_on(socket, group, (size_t)count);
            return RECEIVE_OK;
        }
        if (count == 0 || retry_interrupted(&times))
            continue;
        if (errno == EINTR)
            return RECEIVE_LATER;
        if (errno == EAGAIN) /* has the same number as EWOULDBLOCK on Linux */
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
