/*
 * The null receivers: loops that take datagrams from sockets, with their addresses and arrival
 * times as the collector asks for them, and throw them away.
 *
 * The bench opens the sockets and keeps them, so that it can ask for the kernel's drops when the
 * process that receives has been killed; that one reports what it received in memory that both
 * have.
 */
#include <errno.h>
#include <limits.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "tools/bench/machine.h"
#include "tools/platform/linux/bench_process.h"
#include "tools/platform/linux/bench_receiver.h"

#define GROUP_SIZE 64

/* A buffer of the kernel's, joined or not, is at most 64 KiB; the strides are no powers of two, so
 * that buffers do not all fall on the same few sets of the cache. */
#define PLAIN_SIZE    2048
#define PLAIN_STRIDE  (PLAIN_SIZE + 64)
#define JOINED_SIZE   65536
#define JOINED_STRIDE (JOINED_SIZE + 4096 + 64)
#define CONTROL_SIZE  (CMSG_SPACE(sizeof(struct timespec)) + CMSG_SPACE(sizeof(int)))

struct null_shared {
    _Atomic uint64_t datagrams;
};

/* One socket, or, where it does not block in one, several. */
struct sockets {
    int fds[LOAD_PORTS_MOST];
    size_t count;
};

struct null_receiver {
    struct bench_receiver receiver; /* first: what callers hold */
    struct sockets sockets;
    struct null_shared *shared;
};

/* --- in the process that receives ------------------------------------------------------------- */

struct group {
    struct mmsghdr headers[GROUP_SIZE];
    struct iovec vectors[GROUP_SIZE];
    struct sockaddr_in6 names[GROUP_SIZE];
    _Alignas(struct cmsghdr) uint8_t controls[GROUP_SIZE][CONTROL_SIZE];
};

static struct group *make_group(bool joined)
{
    size_t stride = joined ? JOINED_STRIDE : PLAIN_STRIDE;
    struct group *group = calloc(1, sizeof *group);
    uint8_t *bytes = malloc(GROUP_SIZE * stride);
    if (group == NULL || bytes == NULL)
        _exit(1);
    for (size_t i = 0; i < GROUP_SIZE; i++) {
        group->vectors[i] = (struct iovec){bytes + i * stride, joined ? JOINED_SIZE : PLAIN_SIZE};
        group->headers[i].msg_hdr = (struct msghdr){
            .msg_name = &group->names[i],
            .msg_iov = &group->vectors[i],
            .msg_iovlen = 1,
            .msg_control = group->controls[i],
        };
    }
    return group;
}

/* Datagrams in a buffer: as many as its segment size, where it has one, goes into it. */
static uint64_t datagrams_in(struct mmsghdr *received)
{
    struct msghdr *header = &received->msg_hdr;
    for (struct cmsghdr *at = CMSG_FIRSTHDR(header); at != NULL; at = CMSG_NXTHDR(header, at)) {
        int segment;
        if (at->cmsg_level != SOL_UDP || at->cmsg_type != UDP_GRO)
            continue;
        memcpy(&segment, CMSG_DATA(at), sizeof segment);
        if (segment > 0)
            return (received->msg_len + (unsigned)segment - 1) / (unsigned)segment;
    }
    return 1;
}

/* One call. Returns how many buffers came; 0: there were none. */
static unsigned take(int fd, struct group *group, int flags, bool joined,
                     struct null_shared *shared)
{
    for (size_t i = 0; i < GROUP_SIZE; i++) {
        group->headers[i].msg_hdr.msg_namelen = sizeof group->names[i];
        group->headers[i].msg_hdr.msg_controllen = CONTROL_SIZE;
    }
    int count = recvmmsg(fd, group->headers, GROUP_SIZE, flags, NULL);
    if (count <= 0)
        return 0;
    uint64_t datagrams = (uint64_t)count;
    if (joined) {
        datagrams = 0;
        for (int i = 0; i < count; i++)
            datagrams += datagrams_in(&group->headers[i]);
    }
    uint64_t before = atomic_load_explicit(&shared->datagrams, memory_order_relaxed);
    atomic_store_explicit(&shared->datagrams, before + datagrams, memory_order_relaxed);
    return (unsigned)count;
}

static void receive_blocking(int fd, struct null_shared *shared)
{
    struct group *group = make_group(false);
    for (;;)
        take(fd, group, MSG_WAITFORONE, false, shared);
}

static int watch(const struct sockets *sockets)
{
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    if (epoll < 0)
        _exit(1);
    for (size_t i = 0; i < sockets->count; i++) {
        struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.fd = sockets->fds[i]};
        if (epoll_ctl(epoll, EPOLL_CTL_ADD, sockets->fds[i], &event) != 0)
            _exit(1);
    }
    return epoll;
}

/* Where a call took less than it could have, the socket is empty: the collector knows that too. */
static void drain(int fd, struct group *group, bool joined, struct null_shared *shared)
{
    while (take(fd, group, MSG_DONTWAIT, joined, shared) == GROUP_SIZE) {
    }
}

static void receive_by_edge(const struct sockets *sockets, struct null_shared *shared, bool joined,
                            bool pauses)
{
    struct group *group = make_group(joined);
    struct epoll_event events[LOAD_PORTS_MOST];
    int epoll = watch(sockets);
    for (;;) {
        int count = epoll_wait(epoll, events, LOAD_PORTS_MOST, -1);
        for (int i = 0; i < count; i++)
            drain(events[i].data.fd, group, joined, shared);
        if (pauses)
            process_sleep(MACHINE_SLEEP_NS);
    }
}

static void receive(const struct sockets *sockets, enum contender_kind kind,
                    struct null_shared *shared)
{
    if (kind == CONTENDER_BLOCKING)
        receive_blocking(sockets->fds[0], shared);
    else
        receive_by_edge(sockets, shared, kind == CONTENDER_GRO, kind == CONTENDER_PAUSE);
}

/* --- in the bench ----------------------------------------------------------------------------- */

static int count(struct bench_receiver *receiver, struct receiver_counts *counts,
                 struct error *error)
{
    (void)error;
    struct null_receiver *null = (struct null_receiver *)receiver;
    *counts = (struct receiver_counts){.received = atomic_load(&null->shared->datagrams)};
    for (size_t i = 0; i < null->sockets.count; i++) {
        uint32_t info[SK_MEMINFO_VARS] = {0};
        socklen_t size = sizeof info;
        getsockopt(null->sockets.fds[i], SOL_SOCKET, SO_MEMINFO, info, &size);
        counts->kernel_drops += info[SK_MEMINFO_DROPS];
    }
    return 0;
}

static void abandon(struct bench_receiver *receiver)
{
    struct null_receiver *null = (struct null_receiver *)receiver;
    if (receiver->pid > 0)
        process_kill(receiver->pid);
    while (null->sockets.count != 0)
        close(null->sockets.fds[--null->sockets.count]);
    process_unshare(null->shared, sizeof *null->shared);
    free(null);
}

static int stop(struct bench_receiver *receiver, struct receiver_counts *counts,
                struct error *error)
{
    count(receiver, counts, error);
    int status = 0;
    bool ended = process_wait(receiver->pid, 0, &status);
    if (ended)
        receiver->pid = 0;
    abandon(receiver);
    if (ended)
        error_set(error, EXIT_CODE_INTERNAL, "a null receiver ended by itself");
    return ended ? -1 : 0;
}

static const struct receiver_ops ops = {.count = count, .stop = stop, .abandon = abandon};

/* As the collector does. */
static void set_buffer(int fd, size_t wanted)
{
    int half = wanted > INT_MAX / 2 ? INT_MAX / 2 : (int)wanted;
    if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &half, sizeof half) != 0)
        setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &half, sizeof half);
}

static bool open_socket(struct null_receiver *null, const struct receiver_plan *plan)
{
    size_t index = null->sockets.count;
    const int on = 1;
    struct sockaddr_in name = {.sin_family = AF_INET};
    socklen_t size = sizeof name;
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return false;
    null->sockets.fds[null->sockets.count++] = fd;
    set_buffer(fd, plan->receive_buffer);
    if (setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on) != 0 ||
        (plan->who->kind == CONTENDER_GRO &&
         setsockopt(fd, SOL_UDP, UDP_GRO, &on, sizeof on) != 0) ||
        bind(fd, (struct sockaddr *)&name, size) != 0 ||
        getsockname(fd, (struct sockaddr *)&name, &size) != 0)
        return false;
    null->receiver.ports[index] = ntohs(name.sin_port);
    null->receiver.port_count = index + 1;
    return true;
}

static bool open_sockets(struct null_receiver *null, const struct receiver_plan *plan)
{
    for (size_t i = 0; i < plan->listeners; i++)
        if (!open_socket(null, plan))
            return false;
    return true;
}

int null_receiver_start(struct bench_receiver **out, const struct receiver_plan *plan,
                        struct error *error)
{
    struct null_receiver *made = calloc(1, sizeof *made);
    if (made == NULL) {
        error_set(error, EXIT_CODE_INTERNAL, "no memory for a null receiver");
        return -1;
    }
    made->receiver.ops = &ops;
    made->shared = process_share(sizeof *made->shared);
    if (made->shared == NULL || !open_sockets(made, plan)) {
        error_set(error, EXIT_CODE_CANNOT_BIND, "a null receiver has no socket: %s",
                  strerror(errno));
        abandon(&made->receiver);
        return -1;
    }
    made->receiver.pid = process_fork(plan->cpu, error);
    if (made->receiver.pid == 0) {
        receive(&made->sockets, plan->who->kind, made->shared);
        _exit(1);
    }
    if (made->receiver.pid < 0) {
        abandon(&made->receiver);
        return -1;
    }
    *out = &made->receiver;
    return 0;
}
