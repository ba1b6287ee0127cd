/*
 * Implements the null receivers: loops that receive datagrams with their addresses and arrival
 * times, as the collector does, and discard them. The receiving process counts datagrams in shared
 * memory. The bench opens the socket and keeps it open, so that it can read the kernel's count of
 * drops after it has killed that process.
 */
#include <errno.h>
#include <limits.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
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

/*
 * The distance between two buffers must not be a power of two. Otherwise all buffers would use the
 * same few sets of the cache.
 */
#define BUFFER_SIZE   2048
#define BUFFER_STRIDE (BUFFER_SIZE + 64)
#define CONTROL_SIZE  CMSG_SPACE(sizeof(struct timespec))

struct null_shared {
    _Atomic uint64_t datagrams;
};

struct null_receiver {
    struct bench_receiver receiver; /* first, because callers have a pointer to it */
    int fd;
    struct null_shared *shared;
};

/* --- code of the process that receives -------------------------------------------------------- */

struct group {
    struct mmsghdr headers[GROUP_SIZE];
    struct iovec vectors[GROUP_SIZE];
    struct sockaddr_in6 names[GROUP_SIZE];
    _Alignas(struct cmsghdr) uint8_t controls[GROUP_SIZE][CONTROL_SIZE];
    uint8_t bytes[GROUP_SIZE][BUFFER_STRIDE];
};

static struct group *make_group(void)
{
    struct group *group = calloc(1, sizeof *group);
    if (group == NULL)
        _exit(1);
    for (size_t i = 0; i < GROUP_SIZE; i++) {
        group->vectors[i] = (struct iovec){group->bytes[i], BUFFER_SIZE};
        group->headers[i].msg_hdr = (struct msghdr){
            .msg_name = &group->names[i],
            .msg_iov = &group->vectors[i],
            .msg_iovlen = 1,
            .msg_control = group->controls[i],
        };
    }
    return group;
}

static int take(int fd, struct group *group, int flags, struct null_shared *shared)
{
    for (size_t i = 0; i < GROUP_SIZE; i++) {
        group->headers[i].msg_hdr.msg_namelen = sizeof group->names[i];
        group->headers[i].msg_hdr.msg_controllen = CONTROL_SIZE;
    }
    int count = recvmmsg(fd, group->headers, GROUP_SIZE, flags, NULL);
    if (count <= 0)
        return 0;
    uint64_t before = atomic_load_explicit(&shared->datagrams, memory_order_relaxed);
    atomic_store_explicit(&shared->datagrams, before + (uint64_t)count, memory_order_relaxed);
    return count;
}

static void receive_blocking(int fd, struct null_shared *shared)
{
    struct group *group = make_group();
    for (;;)
        take(fd, group, MSG_WAITFORONE, shared);
}

static void receive_by_edge(int fd, struct null_shared *shared, bool pauses)
{
    struct group *group = make_group();
    struct epoll_event event = {.events = EPOLLIN | EPOLLET};
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    if (epoll < 0 || epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) != 0)
        _exit(1);
    for (;;) {
        if (epoll_wait(epoll, &event, 1, -1) != 1)
            continue;
        /*
         * A call that returns fewer datagrams than requested shows that the socket is empty. The
         * collector relies on that too.
         */
        while (take(fd, group, MSG_DONTWAIT, shared) == GROUP_SIZE) {
        }
        if (pauses)
            process_sleep(MACHINE_SLEEP_NS);
    }
}

static void receive(int fd, enum contender_kind kind, struct null_shared *shared)
{
    if (kind == CONTENDER_BLOCKING)
        receive_blocking(fd, shared);
    else
        receive_by_edge(fd, shared, kind == CONTENDER_PAUSE);
}

/* --- code of the bench ------------------------------------------------------------------------ */

static int count(struct bench_receiver *receiver, struct receiver_counts *counts,
                 struct error *error)
{
    (void)error;
    struct null_receiver *null = (struct null_receiver *)receiver;
    *counts = (struct receiver_counts){.received = atomic_load(&null->shared->datagrams)};
    uint32_t info[SK_MEMINFO_VARS] = {0};
    socklen_t size = sizeof info;
    getsockopt(null->fd, SOL_SOCKET, SO_MEMINFO, info, &size);
    counts->kernel_drops = info[SK_MEMINFO_DROPS];
    return 0;
}

static void abandon(struct bench_receiver *receiver)
{
    struct null_receiver *null = (struct null_receiver *)receiver;
    if (receiver->pid > 0)
        process_kill(receiver->pid);
    if (null->fd >= 0)
        close(null->fd);
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

static void set_buffer(int fd, size_t wanted)
{
    int half = wanted > INT_MAX / 2 ? INT_MAX / 2 : (int)wanted;
    if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &half, sizeof half) != 0)
        setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &half, sizeof half);
}

static bool open_socket(struct null_receiver *null, size_t receive_buffer)
{
    const int on = 1;
    struct sockaddr_in name = {.sin_family = AF_INET};
    socklen_t size = sizeof name;
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    null->fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (null->fd < 0)
        return false;
    set_buffer(null->fd, receive_buffer);
    if (setsockopt(null->fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on) != 0 ||
        bind(null->fd, (struct sockaddr *)&name, size) != 0 ||
        getsockname(null->fd, (struct sockaddr *)&name, &size) != 0)
        return false;
    null->receiver.port = ntohs(name.sin_port);
    return true;
}

int null_receiver_start(struct bench_receiver **out, const struct receiver_plan *plan,
                        struct error *error)
{
    struct null_receiver *made = calloc(1, sizeof *made);
    if (made == NULL)
        return error_no_memory(error);
    made->receiver.ops = &ops;
    made->fd = -1;
    made->shared = process_share(sizeof *made->shared);
    if (made->shared == NULL || !open_socket(made, plan->receive_buffer)) {
        error_set(error, EXIT_CODE_CANNOT_BIND, "a null receiver has no socket: %s",
                  strerror(errno));
        abandon(&made->receiver);
        return -1;
    }
    made->receiver.pid = process_fork(plan->cpu, error);
    if (made->receiver.pid == 0) {
        receive(made->fd, plan->who->kind, made->shared);
        _exit(1);
    }
    if (made->receiver.pid < 0) {
        abandon(&made->receiver);
        return -1;
    }
    *out = &made->receiver;
    return 0;
}
