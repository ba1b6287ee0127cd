#include "tools/platform/linux/bench_socket.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <netinet/udp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "tools/sending/udp_sender.h"

struct bench_socket {
    int fds[LOAD_PORTS_MOST];
    size_t fd_count;
    size_t next; /* whose turn it is */
    size_t size; /* of a datagram */
    size_t group;
    bool segmenting;
    bool many_sources;
    bool stream;
    uint8_t length[4]; /* of each message, as it stands before it in a stream */
    struct iovec pieces[2 * BENCH_GROUP_SIZE];
    struct mmsghdr headers[BENCH_GROUP_SIZE];
    struct iovec vectors[BENCH_GROUP_SIZE];
    _Alignas(
        struct cmsghdr) uint8_t controls[BENCH_GROUP_SIZE][CMSG_SPACE(sizeof(struct in_pktinfo))];
};

static int fail(struct error *error, const char *what)
{
    error_set(error, EXIT_CODE_IO, "%s: %s", what, strerror(errno));
    return -1;
}

/* --- opening ---------------------------------------------------------------------------------- */

static int open_one(struct bench_socket *sender, uint16_t port, struct error *error)
{
    struct sockaddr_in name = {.sin_family = AF_INET, .sin_port = htons(port)};
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return fail(error, "no socket to send from");
    sender->fds[sender->fd_count++] = fd;
    int segment = (int)sender->size;
    if (sender->segmenting && setsockopt(fd, SOL_UDP, UDP_SEGMENT, &segment, sizeof segment) != 0)
        return fail(error, "the system does not segment what is sent");
    if (connect(fd, (struct sockaddr *)&name, sizeof name) != 0)
        return fail(error, "cannot send to a port of 127.0.0.1");
    return 0;
}

/* Each message is sent when it is due, as it is by UDP: nothing waits for what comes next. */
static int open_connection(struct bench_socket *sender, uint16_t port, struct error *error)
{
    const int on = 1;
    struct sockaddr_in name = {.sin_family = AF_INET, .sin_port = htons(port)};
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return fail(error, "no socket to send from");
    sender->fds[sender->fd_count++] = fd;
    if (connect(fd, (struct sockaddr *)&name, sizeof name) != 0 ||
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) != 0)
        return fail(error, "cannot connect to a port of 127.0.0.1");
    return 0;
}

/* Room in each message for the address that it is sent from. */
static void set_up_headers(struct bench_socket *sender)
{
    for (size_t i = 0; i < BENCH_GROUP_SIZE; i++) {
        struct msghdr *header = &sender->headers[i].msg_hdr;
        header->msg_iov = &sender->vectors[i];
        header->msg_iovlen = 1;
        if (!sender->many_sources)
            continue;
        header->msg_control = sender->controls[i];
        header->msg_controllen = sizeof sender->controls[i];
        struct cmsghdr *control = CMSG_FIRSTHDR(header);
        control->cmsg_level = IPPROTO_IP;
        control->cmsg_type = IP_PKTINFO;
        control->cmsg_len = CMSG_LEN(sizeof(struct in_pktinfo));
    }
}

int bench_socket_open(struct bench_socket **out, const struct load_plan *plan, struct error *error)
{
    struct bench_socket *made = calloc(1, sizeof *made);
    if (made == NULL)
        return fail(error, "no memory for a sender");
    *out = made;
    made->size = plan->traffic->size;
    made->segmenting = plan->segmenting;
    made->many_sources = plan->sources != 0;
    made->group = BENCH_GROUP_SIZE;
    if (made->group * made->size > UDP_PAYLOAD_MAX)
        made->group = UDP_PAYLOAD_MAX / made->size;
    made->stream = plan->connections != 0;
    for (size_t i = 0; i < sizeof made->length; i++)
        made->length[i] = (uint8_t)(made->size >> (8 * (sizeof made->length - 1 - i)));
    set_up_headers(made);
    for (size_t i = 0; i < plan->connections && i < LOAD_PORTS_MOST; i++)
        if (open_connection(made, plan->ports[0], error) != 0)
            return -1;
    if (made->stream)
        return 0;
    for (size_t i = 0; i < plan->port_count && i < LOAD_PORTS_MOST; i++)
        if (open_one(made, plan->ports[i], error) != 0)
            return -1;
    return 0;
}

size_t bench_socket_group(const struct bench_socket *sender)
{
    return sender->group;
}

void bench_socket_close(struct bench_socket *sender)
{
    if (sender == NULL)
        return;
    for (size_t i = 0; i < sender->fd_count; i++)
        close(sender->fds[i]);
    free(sender);
}

/* --- sending ---------------------------------------------------------------------------------- */

/* What passes: a signal, or a system that is short of buffers for a moment. */
static bool is_passing(int code)
{
    return code == EINTR || code == ENOBUFS || code == EAGAIN || code == ENOMEM;
}

static int next_fd(struct bench_socket *sender)
{
    int fd = sender->fds[sender->next];
    sender->next = sender->next + 1 == sender->fd_count ? 0 : sender->next + 1;
    return fd;
}

/* 127.1.0.1 and following. */
static void set_source(struct bench_socket *sender, size_t index, uint32_t source)
{
    struct in_pktinfo info = {.ipi_ifindex = 0};
    info.ipi_spec_dst.s_addr = htonl(UINT32_C(0x7f010001) + source);
    memcpy(CMSG_DATA(CMSG_FIRSTHDR(&sender->headers[index].msg_hdr)), &info, sizeof info);
}

static int send_messages(struct bench_socket *sender, int fd, size_t first, size_t count,
                         struct error *error)
{
    while (count != 0) {
        int sent = sendmmsg(fd, sender->headers + first, (unsigned)count, 0);
        if (sent < 0 && !is_passing(errno))
            return fail(error, "sendmmsg");
        if (sent > 0) {
            first += (size_t)sent;
            count -= (size_t)sent;
        }
    }
    return 0;
}

static int send_segmented(struct bench_socket *sender, const uint8_t *bytes, size_t size,
                          struct error *error)
{
    int fd = next_fd(sender);
    while (send(fd, bytes, size, 0) < 0)
        if (!is_passing(errno))
            return fail(error, "cannot send a segmented buffer");
    return 0;
}

/* Passes over what was sent of the pieces from the first one on; returns the first that is left. */
static size_t pass_over(struct iovec *pieces, size_t first, size_t sent)
{
    while (sent != 0 && sent >= pieces[first].iov_len)
        sent -= pieces[first++].iov_len;
    if (sent != 0) {
        pieces[first].iov_base = (uint8_t *)pieces[first].iov_base + sent;
        pieces[first].iov_len -= sent;
    }
    return first;
}

/* Messages that follow each other on one connection. */
static int send_frames(struct bench_socket *sender, uint8_t *bytes, size_t count,
                       struct error *error)
{
    int fd = next_fd(sender);
    for (size_t i = 0; i < count; i++) {
        sender->pieces[2 * i] = (struct iovec){sender->length, sizeof sender->length};
        sender->pieces[2 * i + 1] = (struct iovec){bytes + i * sender->size, sender->size};
    }
    for (size_t first = 0; first < 2 * count;) {
        struct msghdr header = {.msg_iov = sender->pieces + first, .msg_iovlen = 2 * count - first};
        ssize_t sent = sendmsg(fd, &header, MSG_NOSIGNAL);
        if (sent < 0 && !is_passing(errno))
            return fail(error, "sendmsg");
        if (sent > 0)
            first = pass_over(sender->pieces, first, (size_t)sent);
    }
    return 0;
}

static int send_stream(struct bench_socket *sender, uint8_t *bytes, size_t count,
                       struct error *error)
{
    if (sender->fd_count == 1)
        return send_frames(sender, bytes, count, error);
    for (size_t i = 0; i < count; i++)
        if (send_frames(sender, bytes + i * sender->size, 1, error) != 0)
            return -1;
    return 0;
}

int bench_socket_send(struct bench_socket *sender, uint8_t *bytes, const uint32_t *from,
                      size_t count, struct error *error)
{
    if (sender->stream)
        return send_stream(sender, bytes, count, error);
    if (sender->segmenting)
        return send_segmented(sender, bytes, count * sender->size, error);
    for (size_t i = 0; i < count; i++) {
        sender->vectors[i] = (struct iovec){bytes + i * sender->size, sender->size};
        if (sender->many_sources)
            set_source(sender, i, from[i]);
    }
    if (sender->fd_count == 1)
        return send_messages(sender, sender->fds[0], 0, count, error);
    for (size_t i = 0; i < count; i++)
        if (send_messages(sender, next_fd(sender), i, 1, error) != 0)
            return -1;
    return 0;
}

int bench_socket_send_one(struct bench_socket *sender, uint8_t *bytes, size_t size,
                          struct error *error)
{
    sender->vectors[0] = (struct iovec){bytes, size};
    if (sender->many_sources)
        set_source(sender, 0, 0);
    return send_messages(sender, sender->fds[0], 0, 1, error);
}
