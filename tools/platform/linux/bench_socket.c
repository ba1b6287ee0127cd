#include "tools/platform/linux/bench_socket.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "tools/sending/udp_sender.h"

#define GROUP_SIZE 64

struct bench_socket {
    int fd;
    size_t size; /* bytes of a datagram */
    size_t group;
    bool segmenting;
    struct mmsghdr headers[GROUP_SIZE];
    struct iovec vectors[GROUP_SIZE];
};

static int fail(struct error *error, const char *what)
{
    error_set(error, EXIT_CODE_IO, "%s: %s", what, strerror(errno));
    return -1;
}

int bench_socket_open(struct bench_socket **out, const struct load_plan *plan, struct error *error)
{
    struct sockaddr_in name = {.sin_family = AF_INET, .sin_port = htons(plan->port)};
    struct bench_socket *made = calloc(1, sizeof *made);
    *out = made;
    if (made == NULL)
        return error_no_memory(error);
    made->size = plan->traffic->size;
    made->segmenting = plan->segmenting;
    made->group = GROUP_SIZE;
    if (made->group * made->size > UDP_PAYLOAD_MAX)
        made->group = UDP_PAYLOAD_MAX / made->size;
    for (size_t i = 0; i < GROUP_SIZE; i++)
        made->headers[i].msg_hdr = (struct msghdr){.msg_iov = &made->vectors[i], .msg_iovlen = 1};
    made->fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (made->fd < 0)
        return fail(error, "no socket to send from");
    int segment = (int)made->size;
    if (made->segmenting &&
        setsockopt(made->fd, SOL_UDP, UDP_SEGMENT, &segment, sizeof segment) != 0)
        return fail(error, "the system does not segment sent data");
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(made->fd, (struct sockaddr *)&name, sizeof name) != 0)
        return fail(error, "cannot send to a port of 127.0.0.1");
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
    if (sender->fd >= 0)
        close(sender->fd);
    free(sender);
}

/* Returns true for a temporary error, such as a signal or a lack of buffers. */
static bool is_passing(int code)
{
    return code == EINTR || code == ENOBUFS || code == EAGAIN || code == ENOMEM;
}

static int send_segmented(struct bench_socket *sender, const uint8_t *bytes, size_t size,
                          struct error *error)
{
    while (send(sender->fd, bytes, size, 0) < 0)
        if (!is_passing(errno))
            return fail(error, "cannot send a segmented buffer");
    return 0;
}

int bench_socket_send(struct bench_socket *sender, uint8_t *bytes, size_t count,
                      struct error *error)
{
    if (sender->segmenting)
        return send_segmented(sender, bytes, count * sender->size, error);
    for (size_t i = 0; i < count; i++)
        sender->vectors[i] = (struct iovec){bytes + i * sender->size, sender->size};
    for (size_t first = 0; first < count;) {
        int sent = sendmmsg(sender->fd, sender->headers + first, (unsigned)(count - first), 0);
        if (sent < 0 && !is_passing(errno))
            return fail(error, "sendmmsg");
        if (sent > 0)
            first += (size_t)sent;
    }
    return 0;
}
