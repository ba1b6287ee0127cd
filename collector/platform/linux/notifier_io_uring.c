/*
 * collector/platform/notifier.h on io_uring(7): the kernel is asked once for each socket, by a
 * recvmsg that goes on (IORING_RECV_MULTISHOT of io_uring_enter(2)), and receives by itself what
 * comes to any of them. A wait is then the only call for many sockets that little comes to, where
 * with epoll each of them takes a receive of its own.
 *
 * What such a request finds it hands on until the socket would block, and an edge wakes it again.
 * It does so within a wait only (IORING_SETUP_DEFER_TASKRUN, Linux 6.1), so that while a receiver
 * pauses nothing disturbs it, and what a receive asks a socket for meanwhile is in its order. It
 * ends where no buffer is left, and at an empty datagram; the socket is then drained by receives,
 * and asked for again.
 */
#include <errno.h>
#include <liburing.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "collector/platform/linux/event.h"
#include "collector/platform/linux/inbox.h"
#include "collector/platform/linux/notifier_backends.h"
#include "collector/platform/mutex.h"
#include "collector/platform/posix/retry.h"
#include "collector/platform/udp_socket.h"

#define REQUESTS 256 /* that are handed to the kernel at a time */

/*
 * Where a look at the ring has found so many, there may have been more to hand on than is done in
 * one (IO_LOCAL_TW_DEFAULT_MAX of the kernel's io_uring.c: 20 sockets; MULTISHOT_MAX_RETRY of its
 * net.c: 32 datagrams of one). Less than that is what has come since.
 */
#define MANY_AT_A_LOOK 16

#define BUFFER_GROUP 0

struct watched {
    struct watched *next; /* of all */
    struct watched *next_pending;
    int socket;
    void *token;
    struct inbox *inbox;
    bool fresh;    /* it was never asked for */
    bool asked;    /* the kernel receives for it */
    bool reported; /* on the list of those whose event is due */
    bool cancelled;
    _Atomic bool removing; /* no event but REMOVED is due */
};

struct ring_notifier {
    struct notifier base;
    struct io_uring ring;
    bool open;
    _Atomic bool enabled; /* by the thread that waits: nobody else may use the ring then */
    struct inbox_pool *pool;
    struct msghdr room; /* as each request has it */

    int wake;
    _Atomic bool woken;
    bool listens; /* the ring reports `wake` */

    struct mutex *lock; /* of what follows, which adding and removing change */
    struct watched *all;
    _Atomic bool changed; /* some are to be asked for, or removed */

    /* Whose READY event is due, in the order of their coming. */
    struct watched *first_pending;
    struct watched *last_pending;
};

/* What a request is known by that is no socket's. */
static char of_wake, of_cancel;

static struct ring_notifier *of(struct notifier *notifier)
{
    return (struct ring_notifier *)notifier;
}

/* --- making ----------------------------------------------------------------------------------- */

static int open_ring(struct io_uring *ring)
{
    struct io_uring_params params = {
        .flags = IORING_SETUP_R_DISABLED | IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN |
                 IORING_SETUP_TASKRUN_FLAG | IORING_SETUP_SUBMIT_ALL | IORING_SETUP_CQSIZE,
        .cq_entries = 4 * REQUESTS,
    };
    return io_uring_queue_init_params(REQUESTS, ring, &params);
}

static bool is_available(void)
{
    struct io_uring ring;
    if (open_ring(&ring) != 0)
        return false;
    io_uring_queue_exit(&ring);
    return true;
}

static void forget(struct watched *watched)
{
    inbox_let_go(watched->inbox);
    free(watched);
}

static void destroy(struct notifier *base)
{
    struct ring_notifier *notifier = of(base);
    if (notifier->open)
        io_uring_queue_exit(&notifier->ring);
    if (notifier->wake >= 0)
        close(notifier->wake);
    for (struct watched *watched; (watched = notifier->all) != NULL;) {
        notifier->all = watched->next;
        inbox_close(watched->inbox);
        forget(watched);
    }
    inbox_pool_let_go(notifier->pool);
    mutex_destroy(notifier->lock);
    free(notifier);
}

static int set_up(struct ring_notifier *notifier)
{
    notifier->lock = mutex_create();
    notifier->pool = inbox_pool_create();
    notifier->wake = event_open();
    if (notifier->lock == NULL || notifier->pool == NULL || notifier->wake < 0)
        return -ENOMEM;
    inbox_pool_set_room(&notifier->room);
    int code = open_ring(&notifier->ring);
    notifier->open = code == 0;
    if (code != 0)
        return code;
    struct io_uring_buf_reg buffers = {
        .ring_addr = (uint64_t)(uintptr_t)inbox_pool_ring(notifier->pool),
        .ring_entries = INBOX_BUFFERS,
        .bgid = BUFFER_GROUP,
    };
    return io_uring_register_buf_ring(&notifier->ring, &buffers, 0);
}

static int create(struct notifier **out, size_t threads, struct error *error)
{
    (void)threads; /* one */
    struct ring_notifier *notifier = calloc(1, sizeof *notifier);
    if (notifier == NULL) {
        error_set(error, EXIT_CODE_INTERNAL, "no memory for a notifier");
        return -1;
    }
    notifier->wake = -1;
    int code = set_up(notifier);
    if (code != 0) {
        error_set(error, EXIT_CODE_INTERNAL, "cannot create an io_uring: %s", strerror(-code));
        destroy(&notifier->base);
        return -1;
    }
    *out = &notifier->base;
    return 0;
}

/* --- sockets ---------------------------------------------------------------------------------- */

/* The first wait sees it anyway. */
static void note_change(struct ring_notifier *notifier)
{
    atomic_store(&notifier->changed, true);
    if (atomic_load(&notifier->enabled))
        event_signal(notifier->wake);
}

static int add(struct notifier *base, wait_handle socket, void *token, struct error *error)
{
    struct ring_notifier *notifier = of(base);
    struct watched *watched = calloc(1, sizeof *watched);
    if (watched != NULL)
        watched->inbox = inbox_create(notifier->pool);
    if (watched == NULL || watched->inbox == NULL) {
        free(watched);
        error_set(error, EXIT_CODE_INTERNAL, "no memory to watch a socket");
        return -1;
    }
    watched->socket = (int)socket;
    watched->token = token;
    watched->fresh = true;
    mutex_lock(notifier->lock);
    watched->next = notifier->all;
    notifier->all = watched;
    mutex_unlock(notifier->lock);
    note_change(notifier);
    return 0;
}

/* Of one that is watched; the lock is held. */
static struct watched *find(const struct ring_notifier *notifier, wait_handle socket)
{
    for (struct watched *watched = notifier->all; watched != NULL; watched = watched->next)
        if (watched->socket == (int)socket && !watched->removing)
            return watched;
    return NULL;
}

static void attach(struct notifier *base, struct udp_socket *socket)
{
    struct ring_notifier *notifier = of(base);
    mutex_lock(notifier->lock);
    const struct watched *watched = find(notifier, udp_socket_handle(socket));
    struct inbox *inbox = watched == NULL ? NULL : watched->inbox;
    mutex_unlock(notifier->lock);
    if (inbox != NULL)
        udp_socket_receive_from_inbox(socket, inbox);
}

static int remove_socket(struct notifier *base, wait_handle socket, void *token,
                         struct error *error)
{
    struct ring_notifier *notifier = of(base);
    (void)token;
    mutex_lock(notifier->lock);
    struct watched *watched = find(notifier, socket);
    if (watched != NULL)
        watched->removing = true;
    mutex_unlock(notifier->lock);
    if (watched == NULL) {
        error_set(error, EXIT_CODE_INTERNAL, "cannot stop watching a socket: nobody watches it");
        return -1;
    }
    note_change(notifier);
    return 0;
}

/* --- asking the kernel ------------------------------------------------------------------------ */

/* There is always room once those before were handed over. */
static struct io_uring_sqe *next_request(struct ring_notifier *notifier)
{
    struct io_uring_sqe *request = io_uring_get_sqe(&notifier->ring);
    while (request == NULL) {
        io_uring_submit(&notifier->ring);
        request = io_uring_get_sqe(&notifier->ring);
    }
    return request;
}

static void ask_for(struct ring_notifier *notifier, struct watched *watched)
{
    struct io_uring_sqe *request = next_request(notifier);
    io_uring_prep_recvmsg_multishot(request, watched->socket, &notifier->room, MSG_TRUNC);
    request->flags |= IOSQE_BUFFER_SELECT;
    request->buf_group = BUFFER_GROUP;
    io_uring_sqe_set_data(request, watched);
    watched->asked = true;
    watched->fresh = false;
}

static void cancel(struct ring_notifier *notifier, struct watched *watched)
{
    struct io_uring_sqe *request = next_request(notifier);
    io_uring_prep_cancel(request, watched, 0);
    io_uring_sqe_set_data(request, &of_cancel);
    watched->cancelled = true;
}

static void listen_for_wake(struct ring_notifier *notifier)
{
    struct io_uring_sqe *request = next_request(notifier);
    io_uring_prep_poll_multishot(request, notifier->wake, POLLIN);
    io_uring_sqe_set_data(request, &of_wake);
    notifier->listens = true;
}

/* Returns whether it is to be looked at again. */
static bool look_after(struct ring_notifier *notifier, struct watched *watched)
{
    if (watched->removing) {
        if (watched->asked && !watched->cancelled)
            cancel(notifier, watched);
        return true;
    }
    if (!watched->asked && (watched->fresh || inbox_is_drained(watched->inbox)))
        ask_for(notifier, watched);
    return !watched->asked;
}

/*
 * Asks for sockets that are new, and for those whose request has ended when they were drained by
 * receives: one that has failed is so left alone.
 */
static void look_after_all(struct ring_notifier *notifier)
{
    bool again = false;
    if (!notifier->listens)
        listen_for_wake(notifier);
    if (!atomic_exchange(&notifier->changed, false))
        return;
    mutex_lock(notifier->lock);
    for (struct watched *watched = notifier->all; watched != NULL; watched = watched->next)
        again = look_after(notifier, watched) || again;
    mutex_unlock(notifier->lock);
    if (again)
        atomic_store(&notifier->changed, true);
}

/* --- what comes ------------------------------------------------------------------------------- */

static void report(struct ring_notifier *notifier, struct watched *watched)
{
    if (watched->reported || watched->removing)
        return;
    watched->reported = true;
    watched->next_pending = NULL;
    if (notifier->first_pending == NULL)
        notifier->first_pending = watched;
    else
        notifier->last_pending->next_pending = watched;
    notifier->last_pending = watched;
}

static bool says_nothing(int code)
{
    return code == ENOBUFS || code == ECANCELED || code == EINTR || code == EAGAIN;
}

static void take_socket(struct ring_notifier *notifier, struct watched *watched,
                        const struct io_uring_cqe *completion)
{
    if (completion->res >= 0 && (completion->flags & IORING_CQE_F_BUFFER) != 0)
        inbox_put(watched->inbox, (uint16_t)(completion->flags >> IORING_CQE_BUFFER_SHIFT));
    if (completion->res < 0 && !says_nothing(-completion->res))
        inbox_put_error(watched->inbox, -completion->res);
    if ((completion->flags & IORING_CQE_F_MORE) == 0) {
        watched->asked = false;
        inbox_set_drained(watched->inbox, false);
        atomic_store(&notifier->changed, true);
    }
    report(notifier, watched);
}

/* Mostly the request had ended before; some kernels have not found one that had not. */
static void cancel_again(struct ring_notifier *notifier)
{
    mutex_lock(notifier->lock);
    for (struct watched *watched = notifier->all; watched != NULL; watched = watched->next)
        watched->cancelled = false;
    mutex_unlock(notifier->lock);
    atomic_store(&notifier->changed, true);
}

static void take_completion(struct ring_notifier *notifier, const struct io_uring_cqe *completion)
{
    void *whose = io_uring_cqe_get_data(completion);
    if (whose == &of_wake) {
        event_clear(notifier->wake);
        notifier->listens = (completion->flags & IORING_CQE_F_MORE) != 0;
    } else if (whose != &of_cancel) {
        take_socket(notifier, whose, completion);
    } else if (completion->res == -ENOENT) {
        cancel_again(notifier);
    }
}

/* Returns how much has come. */
static unsigned take_all(struct ring_notifier *notifier)
{
    unsigned head;
    unsigned count = 0;
    struct io_uring_cqe *completion;
    io_uring_for_each_cqe(&notifier->ring, head, completion)
    {
        take_completion(notifier, completion);
        count++;
    }
    io_uring_cq_advance(&notifier->ring, count);
    return count;
}

/* Whether the kernel would hand on more if it was asked. */
static bool is_more(const struct ring_notifier *notifier)
{
    unsigned flags = IO_URING_READ_ONCE(*notifier->ring.sq.kflags);
    return (flags & (IORING_SQ_TASKRUN | IORING_SQ_CQ_OVERFLOW)) != 0;
}

/* A wait that always fails does not keep a processor busy. Returns false where it failed. */
static bool enter(struct ring_notifier *notifier, int timeout_ms)
{
    struct io_uring *ring = &notifier->ring;
    struct __kernel_timespec timeout = {.tv_sec = timeout_ms / 1000,
                                        .tv_nsec = timeout_ms % 1000 * 1000000LL};
    struct io_uring_cqe *completion;
    int result = 0;
    if (timeout_ms == 0)
        io_uring_submit_and_get_events(ring);
    else if (timeout_ms < 0)
        result = io_uring_submit_and_wait(ring, 1);
    else
        result = io_uring_submit_and_wait_timeout(ring, &completion, 1, &timeout, NULL);
    unsigned taken = take_all(notifier);
    bool failed = result < 0 && result != -ETIME && taken == 0;
    if (failed)
        retry_pause();
    while (taken >= MANY_AT_A_LOOK && is_more(notifier)) {
        io_uring_get_events(ring);
        taken = take_all(notifier);
    }
    return !failed || result == -EINTR;
}

/* --- events ----------------------------------------------------------------------------------- */

static void report_ready(struct ring_notifier *notifier, struct notifier_event *events,
                         size_t capacity, size_t *count)
{
    while (*count < capacity && notifier->first_pending != NULL) {
        struct watched *watched = notifier->first_pending;
        notifier->first_pending = watched->next_pending;
        watched->reported = false;
        if (watched->removing)
            continue;
        inbox_set_drained(watched->inbox, watched->asked);
        events[(*count)++] = (struct notifier_event){NOTIFIER_READY, watched->token, 0};
    }
}

/* Those that the kernel has done with, and that are on no list. */
static void report_removed(struct ring_notifier *notifier, struct notifier_event *events,
                           size_t capacity, size_t *count)
{
    if (!atomic_load(&notifier->changed))
        return;
    mutex_lock(notifier->lock);
    for (struct watched **link = &notifier->all; *link != NULL && *count < capacity;) {
        struct watched *watched = *link;
        if (!watched->removing || watched->asked || watched->reported) {
            link = &watched->next;
            continue;
        }
        *link = watched->next;
        events[(*count)++] = (struct notifier_event){NOTIFIER_REMOVED, watched->token, 0};
        inbox_close(watched->inbox);
        forget(watched);
    }
    mutex_unlock(notifier->lock);
}

static size_t wait_for_events(struct notifier *base, size_t thread, struct notifier_event *events,
                              size_t capacity, int timeout_ms)
{
    struct ring_notifier *notifier = of(base);
    size_t count = 0;
    (void)thread;
    if (!notifier->enabled)
        notifier->enabled = io_uring_enable_rings(&notifier->ring) == 0;
    report_removed(notifier, events, capacity, &count);
    look_after_all(notifier);
    bool due = count != 0 || notifier->first_pending != NULL || atomic_load(&notifier->woken);
    bool waited = enter(notifier, due ? 0 : timeout_ms);
    report_ready(notifier, events, capacity, &count);
    if (count < capacity && atomic_exchange(&notifier->woken, false))
        events[count++] = (struct notifier_event){NOTIFIER_WOKEN, NULL, 0};
    return count != 0 || waited ? count : NOTIFIER_FAILED;
}

static void wake(struct notifier *base)
{
    struct ring_notifier *notifier = of(base);
    atomic_store(&notifier->woken, true);
    event_signal(notifier->wake);
}

const struct notifier_backend notifier_io_uring = {
    .name = "io_uring",
    .is_available = is_available,
    .create = create,
    .destroy = destroy,
    .add = add,
    .remove = remove_socket,
    .wait = wait_for_events,
    .wake = wake,
    .attach = attach,
    .memory = inbox_pool_memory,
};
