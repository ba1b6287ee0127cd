/*
 * A notifier for streams that uses Winsock's socket state notifications
 * (ProcessSocketNotifications), for any number of threads on one I/O completion port.
 *
 * A registration is for a level and one notification: the system disables it when it posts the
 * packet, and arming enables it again.
 *
 * A stream that was unwatched is closed, and its registration's memory reused, when its REMOVE
 * packet has come, or when it is given up (psn_removal.h). Threads that begin a wait repeat failed
 * requests and give up registrations.
 */
#include <winsock2.h>

#include "collector/platform/clock.h"
#include "collector/platform/windows/notifier_backends.h"
#include "collector/platform/windows/psn_probe.h"
#include "collector/platform/windows/psn_removal.h"
#include "collector/platform/windows/psn_request.h"
#include "collector/platform/windows/stream_port.h"

#define LOOK_MOST 32

/* Milliseconds between two checks of the removals in notifier_finish. */
#define FINISH_LOOK_MS 10

struct psn_stream {
    struct stream_registration common;
    unsigned interests; /* the armed conditions; 0 if it is not armed */
    struct psn_removal removal;
    notifier_close *close;
    struct psn_stream *older, *newer;
};

struct psn_streams {
    struct stream_port common;
    process_socket_notifications *notify;
    _Atomic size_t unremoved;
    _Atomic int64_t due_ns; /* monotonic time when removals must be checked; INT64_MAX: never */

    SRWLOCK lock; /* protects the list; taken after a registration's lock, or without one */
    struct psn_stream *oldest, *newest;
};

static struct psn_streams *psn_streams_of(struct stream_port *port)
{
    return (struct psn_streams *)port;
}

static struct psn_stream *psn_stream_of(struct stream_registration *registration)
{
    return (struct psn_stream *)registration;
}

/* --- watching --------------------------------------------------------------------------------- */

static struct socket_registration row_of(const struct psn_stream *stream, uint8_t operation)
{
    return (struct socket_registration){
        .socket = stream->common.socket,
        .key = (void *)stream->common.key,
        .filter = psn_request_filter(stream->interests, stream->common.listens),
        .operation = operation,
        .trigger = SOCKET_TRIGGER_LEVEL | SOCKET_TRIGGER_ONESHOT,
    };
}

static DWORD operate(struct stream_port *port, const struct psn_stream *stream, uint8_t operation)
{
    return psn_request(psn_streams_of(port)->notify, port->port, row_of(stream, operation));
}

/* The packet may come before the call returns, so `interests` is set first. */
static DWORD enable(struct stream_port *port, struct stream_registration *registration,
                    unsigned interests)
{
    struct psn_stream *stream = psn_stream_of(registration);
    stream->interests = interests;
    DWORD code = operate(port, stream, SOCKET_OPERATION_ENABLE);
    if (code != 0)
        stream->interests = 0;
    return code;
}

/* --- removing --------------------------------------------------------------------------------- */

/* Members of listed removals change only with both locks held. */
static void list_removal(struct psn_streams *streams, struct psn_stream *stream)
{
    AcquireSRWLockExclusive(&streams->lock);
    stream->older = streams->newest;
    stream->newer = NULL;
    if (streams->newest != NULL)
        streams->newest->newer = stream;
    else
        streams->oldest = stream;
    streams->newest = stream;
    int64_t due_ns = psn_removal_due_ns(&stream->removal);
    if (due_ns < atomic_load(&streams->due_ns))
        atomic_store(&streams->due_ns, due_ns);
    ReleaseSRWLockExclusive(&streams->lock);
}

static void unlist_removal(struct psn_streams *streams, struct psn_stream *stream)
{
    AcquireSRWLockExclusive(&streams->lock);
    if (stream->older != NULL)
        stream->older->newer = stream->newer;
    else
        streams->oldest = stream->newer;
    if (stream->newer != NULL)
        stream->newer->older = stream->older;
    else
        streams->newest = stream->older;
    if (streams->oldest == NULL)
        atomic_store(&streams->due_ns, INT64_MAX);
    ReleaseSRWLockExclusive(&streams->lock);
}

/*
 * Closes the socket and releases the registration, whose memory may be reused after this. Called
 * when its REMOVE packet has come, or when it is given up.
 */
static void end_removal(struct stream_port *port, struct psn_stream *stream)
{
    SOCKET socket = stream->common.socket;
    unlist_removal(psn_streams_of(port), stream);
    stream->removal.begun = false;
    stream->close((wait_handle)socket);
    stream_port_release(port, &stream->common);
}

/*
 * Forgets the registration first. Its socket stays open, so no other socket can get its number
 * before the REMOVE packet comes, perhaps at once, to another thread.
 */
static void psn_stream_unwatch(struct notifier *base, wait_handle socket, notifier_close *close)
{
    struct stream_port *port = (struct stream_port *)base;
    struct stream_registration *found = stream_port_find(port, (SOCKET)socket);
    if (found == NULL) {
        close(socket);
        return;
    }
    struct psn_stream *stream = psn_stream_of(found);
    stream_port_forget(port, found);
    AcquireSRWLockExclusive(&found->lock);
    stream->interests = 0;
    stream->close = close;
    bool asked = operate(port, stream, SOCKET_OPERATION_REMOVE) == 0;
    psn_removal_begin(&stream->removal, clock_monotonic_ns(), asked);
    list_removal(psn_streams_of(port), stream);
    ReleaseSRWLockExclusive(&found->lock);
}

/*
 * Checks a removal that was due. It may have ended since, and another may have begun in the same
 * memory.
 */
static void look_at_removal(struct stream_port *port, struct psn_stream *stream, int64_t now_ns,
                            bool give_up)
{
    AcquireSRWLockExclusive(&stream->common.lock);
    struct psn_removal *removal = &stream->removal;
    if (removal->begun && (give_up || now_ns >= removal->end_ns)) {
        atomic_fetch_add(&psn_streams_of(port)->unremoved, 1);
        end_removal(port, stream);
    } else if (removal->begun && !removal->asked && now_ns >= removal->again_ns) {
        bool asked = operate(port, stream, SOCKET_OPERATION_REMOVE) == 0;
        AcquireSRWLockExclusive(&psn_streams_of(port)->lock);
        psn_removal_repeat(removal, clock_monotonic_ns(), asked);
        ReleaseSRWLockExclusive(&psn_streams_of(port)->lock);
    }
    ReleaseSRWLockExclusive(&stream->common.lock);
}

/*
 * Stores up to LOOK_MOST removals that are due, or any if `give_up` is true, and sets due_ns for
 * the others. Returns their number. The memory of registrations is not freed while threads wait.
 */
static size_t list_due(struct psn_streams *streams, int64_t now_ns, bool give_up,
                       struct psn_stream **due)
{
    size_t count = 0;
    int64_t next_ns = INT64_MAX;
    AcquireSRWLockExclusive(&streams->lock);
    for (struct psn_stream *one = streams->oldest; one != NULL; one = one->newer) {
        int64_t its_ns = psn_removal_due_ns(&one->removal);
        if ((give_up || its_ns <= now_ns) && count < LOOK_MOST) {
            due[count++] = one;
            its_ns = now_ns + PSN_ASK_AGAIN_MS * INT64_C(1000000);
        }
        next_ns = its_ns < next_ns ? its_ns : next_ns;
    }
    atomic_store(&streams->due_ns, next_ns);
    ReleaseSRWLockExclusive(&streams->lock);
    return count;
}

/* Returns true if there may be more removals to check. */
static bool look_at_removals(struct psn_streams *streams, bool give_up)
{
    struct psn_stream *due[LOOK_MOST];
    int64_t now_ns = clock_monotonic_ns();
    size_t count = list_due(streams, now_ns, give_up, due);
    for (size_t i = 0; i < count; i++)
        look_at_removal(&streams->common, due[i], now_ns, give_up);
    return count == LOOK_MOST;
}

/* Drops the events that it takes: no thread waits for them any more. */
static void psn_stream_finish(struct notifier *base)
{
    struct psn_streams *streams = (struct psn_streams *)base;
    struct notifier_event dropped;
    int64_t end_ns = clock_monotonic_ns() + NOTIFIER_FINISH_MS * INT64_C(1000000);
    while (atomic_load(&streams->due_ns) != INT64_MAX && clock_monotonic_ns() < end_ns) {
        stream_port_take(&streams->common, &dropped, 1, FINISH_LOOK_MS);
        if (clock_monotonic_ns() >= atomic_load(&streams->due_ns))
            look_at_removals(streams, false);
    }
    while (look_at_removals(streams, true))
        ;
}

static size_t psn_stream_unremoved(const struct notifier *base)
{
    return atomic_load(&((const struct psn_streams *)base)->unremoved);
}

/* --- waiting ---------------------------------------------------------------------------------- */

/* Returns the armed conditions that a packet reports, or all if the connection is broken. */
static unsigned ready_of(const struct psn_stream *stream, DWORD events)
{
    if ((events & SOCKET_EVENT_ERR) != 0)
        return NOTIFIER_ALL;
    return psn_request_ready(events) & stream->interests;
}

/*
 * A stream may have been armed again before this completion packet is read. Then a second packet
 * follows for the same event, and is ignored.
 */
static bool psn_stream_translate(struct stream_port *port, struct stream_registration *registration,
                                 DWORD events, struct notifier_event *event)
{
    struct psn_stream *stream = psn_stream_of(registration);
    unsigned ready = stream->interests == 0 ? 0 : ready_of(stream, events);
    if ((events & SOCKET_EVENT_REMOVE) != 0 && stream->removal.begun)
        end_removal(port, stream);
    if (ready == 0)
        return false;
    stream->interests = 0;
    *event = (struct notifier_event){NOTIFIER_READY, registration->token, ready};
    return true;
}

/* Interrupts the wait when a removal must be checked. */
static size_t psn_stream_wait(struct notifier *base, size_t thread, struct notifier_event *events,
                              size_t capacity, int timeout_ms)
{
    struct psn_streams *streams = (struct psn_streams *)base;
    int64_t due_ns = atomic_load(&streams->due_ns);
    if (due_ns == INT64_MAX)
        return stream_port_wait(base, thread, events, capacity, timeout_ms);
    int64_t end_ns = clock_monotonic_ns() + timeout_ms * INT64_C(1000000);
    for (;;) {
        int64_t now_ns = clock_monotonic_ns();
        if (now_ns >= due_ns)
            look_at_removals(streams, false);
        due_ns = atomic_load(&streams->due_ns);
        int until_due_ms = due_ns == INT64_MAX ? -1 : milliseconds_until(due_ns, now_ns);
        int left_ms = timeout_ms < 0 ? -1 : milliseconds_until(end_ns, now_ns);
        bool short_wait = until_due_ms >= 0 && (left_ms < 0 || until_due_ms < left_ms);
        size_t count =
            stream_port_wait(base, thread, events, capacity, short_wait ? until_due_ms : left_ms);
        if (count != 0 || !short_wait)
            return count;
    }
}

/* --- arming and taking by one call ------------------------------------------------------------ */

/*
 * The registrations of a call. Their locks are held during the call, so that a later arming by
 * another thread does not overtake it. No two threads arm the same stream, and no other code locks
 * two registrations, so the locks may be taken in any order.
 */
struct armed_together {
    struct socket_registration rows[NOTIFIER_WAIT_MOST];
    struct psn_stream *streams[NOTIFIER_WAIT_MOST];
    struct notifier_arming *armings[NOTIFIER_WAIT_MOST];
    uint32_t count;
};

static void lock_together(struct stream_port *port, struct notifier_arming *armings, size_t count,
                          struct armed_together *all)
{
    all->count = 0;
    for (size_t i = 0; i < count; i++) {
        struct stream_registration *found = stream_port_find(port, (SOCKET)armings[i].socket);
        armings[i].failed = found == NULL;
        if (found == NULL)
            continue;
        struct psn_stream *stream = psn_stream_of(found);
        AcquireSRWLockExclusive(&found->lock);
        found->token = armings[i].token;
        stream->interests = armings[i].interests;
        all->streams[all->count] = stream;
        all->armings[all->count] = &armings[i];
        all->rows[all->count++] = row_of(stream, SOCKET_OPERATION_ENABLE);
    }
}

/* `called` means that the call has run, so each row has a result. */
static void unlock_together(struct armed_together *all, bool called)
{
    for (uint32_t i = 0; i < all->count; i++) {
        struct psn_stream *stream = all->streams[i];
        if (!called || all->rows[i].result != ERROR_SUCCESS) {
            stream->interests = 0;
            all->armings[i]->failed = true;
        }
        ReleaseSRWLockExclusive(&stream->common.lock);
    }
}

static size_t psn_stream_arm_all(struct notifier *base, size_t thread,
                                 struct notifier_arming *armings, size_t count,
                                 struct notifier_event *events, size_t capacity)
{
    struct stream_port *port = (struct stream_port *)base;
    struct armed_together all;
    OVERLAPPED_ENTRY packets[NOTIFIER_WAIT_MOST];
    uint32_t found = 0;
    (void)thread;
    int64_t due_ns = atomic_load(&psn_streams_of(port)->due_ns);
    if (due_ns != INT64_MAX && clock_monotonic_ns() >= due_ns)
        look_at_removals(psn_streams_of(port), false);
    lock_together(port, armings, count, &all);
    if (all.count == 0)
        return 0;
    DWORD code = psn_streams_of(port)->notify(port->port, all.count, all.rows, 0,
                                              stream_port_room(port, capacity), packets, &found);
    unlock_together(&all, code == ERROR_SUCCESS || code == WAIT_TIMEOUT);
    return code == ERROR_SUCCESS ? stream_port_translate(port, packets, found, events) : 0;
}

/* --- creating --------------------------------------------------------------------------------- */

static int probe_streams(struct error *error)
{
    return psn_probe(SOCK_STREAM, SOCKET_TRIGGER_LEVEL | SOCKET_TRIGGER_ONESHOT, error);
}

/*
 * When the notifier is destroyed, registered sockets keep the port alive, but its packets are never
 * read.
 */
static const struct stream_port_ops port_ops = {
    .size = sizeof(struct psn_streams),
    .registration_size = sizeof(struct psn_stream),
    .arm = enable,
    .translate = psn_stream_translate,
};

static int psn_stream_create(struct notifier **out, size_t threads, struct error *error)
{
    process_socket_notifications *notify = socket_lookup_notifications();
    if (notify == NULL)
        return stream_port_fail(error, "cannot create a notifier", ERROR_PROC_NOT_FOUND);
    if (stream_port_create(out, threads, &port_ops, error) != 0)
        return -1;
    struct psn_streams *streams = (struct psn_streams *)*out;
    streams->notify = notify;
    InitializeSRWLock(&streams->lock);
    atomic_store(&streams->due_ns, INT64_MAX);
    return 0;
}

static void psn_stream_destroy(struct notifier *base)
{
    psn_stream_finish(base);
    stream_port_destroy(base);
}

const struct notifier_backend notifier_psn_streams = {
    .name = "psn",
    .is_available = psn_request_is_available,
    .probe = probe_streams,
    .create = psn_stream_create,
    .destroy = psn_stream_destroy,
    .wait = psn_stream_wait,
    .wake = stream_port_wake,
    .watch = stream_port_watch,
    .arm = stream_port_arm,
    .unwatch = psn_stream_unwatch,
    .arm_all = psn_stream_arm_all,
    .finish = psn_stream_finish,
    .unremoved = psn_stream_unremoved,
};
