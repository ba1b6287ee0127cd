/*
 * A notifier for datagram sockets that uses Winsock's socket state notifications
 * (ProcessSocketNotifications), for any number of threads on one I/O completion port.
 *
 * ProcessSocketNotifications registers and removes sockets. Packets are taken from the port by
 * GetQueuedCompletionStatusEx. ProcessSocketNotifications could take them, too, but a wait has no
 * sockets to register, and only a wait by GetQueuedCompletionStatusEx can be interrupted for one
 * thread (see below). With several threads a wait takes one packet, because otherwise it would take
 * all queued packets and leave the other threads idle.
 *
 * Removal. It is requested as psn_removal.h says. A REMOVE packet is the last one that the system
 * posts for a socket. Packets come in order, so all earlier ones have been taken from the port by
 * then. But another thread may still handle one, or may not have returned from the wait that took
 * it. The thread that gets REMOVE therefore begins a new round, and the token's REMOVED event is
 * reported after each thread has begun a wait in that round or a later one, or has left. A thread
 * that sleeps in its wait is interrupted by an APC: a packet would go to whichever thread the port
 * wakes first, the one that slept last. A registration that is given up is reported in the same
 * way, but its memory is kept until the notifier is destroyed, because late packets may have its
 * address as their key.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <winsock2.h>

#include "collector/platform/clock.h"
#include "collector/platform/windows/notifier_backends.h"
#include "collector/platform/windows/port_key.h"
#include "collector/platform/windows/psn_probe.h"
#include "collector/platform/windows/psn_removal.h"
#include "collector/platform/windows/psn_request.h"
#include "collector/platform/windows/system_error.h"

#define LEFT UINT64_MAX

/*
 * The registration of a socket; its address in memory is the completion key. It is freed when its
 * REMOVED is reported, unless it was given up.
 */
struct registration {
    struct registration *next;
    SOCKET socket;
    void *token;
    _Atomic bool removing; /* removal was requested, so queued packets are ignored */
    struct psn_removal removal;
    _Atomic bool given_up; /* its removal was not confirmed in time; late packets are ignored */
    uint64_t round; /* the round that its REMOVE packet began; 0: that packet has not come yet */
    bool posted;
};

struct worker {
    DWORD id;
    HANDLE handle;
    _Atomic uint64_t round; /* the round in which its latest wait began; LEFT if it has left */
};

struct psn_notifier {
    struct notifier base;
    process_socket_notifications *notify;
    HANDLE port;
    _Atomic bool wake_posted;
    _Atomic uint64_t round;
    _Atomic size_t unposted; /* number of registrations that have begun a round and whose REMOVED
                                event was not posted yet */
    _Atomic size_t unremoved;
    _Atomic int64_t due_ns; /* monotonic time when removals must be checked; INT64_MAX: never */

    SRWLOCK lock; /* protects the members below, and registrations except their tokens */
    struct registration *registrations;
    size_t worker_count;
    struct worker workers[];
};

static struct psn_notifier *psn_of(struct notifier *notifier)
{
    return (struct psn_notifier *)notifier;
}

static int psn_fail(struct error *error, const char *what, DWORD code)
{
    error_set(error, EXIT_CODE_INTERNAL, "%s: %s", what, system_error(code).text);
    return -1;
}

/* --- creating and destroying ------------------------------------------------------------------ */

static int probe_datagrams(struct error *error)
{
    return psn_probe(SOCK_DGRAM, SOCKET_TRIGGER_EDGE | SOCKET_TRIGGER_PERSISTENT, error);
}

static int psn_create(struct notifier **out, size_t threads, struct error *error)
{
    struct psn_notifier *notifier =
        calloc(1, sizeof *notifier + threads * sizeof *notifier->workers);
    if (notifier == NULL)
        return psn_fail(error, "cannot create a notifier", ERROR_NOT_ENOUGH_MEMORY);
    notifier->notify = socket_lookup_notifications();
    notifier->port = CreateIoCompletionPort(INVALID_HANDLE_VALUE, NULL, 0, PORT_THREADS);
    if (notifier->notify == NULL || notifier->port == NULL) {
        psn_fail(error, "cannot create a notifier",
                 notifier->notify == NULL ? ERROR_PROC_NOT_FOUND : GetLastError());
        if (notifier->port != NULL)
            CloseHandle(notifier->port);
        free(notifier);
        return -1;
    }
    InitializeSRWLock(&notifier->lock);
    atomic_store(&notifier->due_ns, INT64_MAX);
    notifier->worker_count = threads;
    *out = &notifier->base;
    return 0;
}

/* Registered sockets keep the port alive after this, but its packets are never read. */
static void psn_destroy(struct notifier *base)
{
    struct psn_notifier *notifier = psn_of(base);
    CloseHandle(notifier->port);
    for (size_t i = 0; i < notifier->worker_count; i++)
        if (notifier->workers[i].handle != NULL)
            CloseHandle(notifier->workers[i].handle);
    while (notifier->registrations != NULL) {
        struct registration *registration = notifier->registrations;
        notifier->registrations = registration->next;
        free(registration);
    }
    free(notifier);
}

/* --- packets of our own ----------------------------------------------------------------------- */

/*
 * Posts a packet with the notifier's own key: a wake-up if `removed` is NULL, otherwise the REMOVED
 * event of this registration.
 */
static bool post(struct psn_notifier *notifier, struct registration *removed)
{
    return PostQueuedCompletionStatus(notifier->port, 0, (ULONG_PTR)notifier,
                                      (OVERLAPPED *)removed);
}

static uint64_t round_of_all(const struct psn_notifier *notifier)
{
    uint64_t least = LEFT;
    for (size_t i = 0; i < notifier->worker_count; i++) {
        uint64_t round = atomic_load(&notifier->workers[i].round);
        least = round < least ? round : least;
    }
    return least;
}

/*
 * Posts the REMOVED events of registrations of which no thread can have an event any more. If a
 * post fails, the next wait repeats it.
 */
static void post_removals(struct psn_notifier *notifier)
{
    uint64_t round = round_of_all(notifier);
    for (struct registration *gone = notifier->registrations; gone != NULL; gone = gone->next)
        if (gone->round != 0 && gone->round <= round && !gone->posted && post(notifier, gone)) {
            gone->posted = true;
            atomic_fetch_sub(&notifier->unposted, 1);
        }
}

/* --- adding and removing ---------------------------------------------------------------------- */

static DWORD operate(struct psn_notifier *notifier, struct registration *registration,
                     uint8_t operation)
{
    struct socket_registration row = {
        .socket = registration->socket,
        .key = registration,
        .filter = SOCKET_EVENT_IN, /* ERR and REMOVE are always reported */
        .operation = operation,
        .trigger = SOCKET_TRIGGER_EDGE | SOCKET_TRIGGER_PERSISTENT,
    };
    return psn_request(notifier->notify, notifier->port, row);
}

static void forget(struct psn_notifier *notifier, struct registration *registration)
{
    struct registration **place = &notifier->registrations;
    while (*place != registration)
        place = &(*place)->next;
    *place = registration->next;
    free(registration);
}

static int psn_add(struct notifier *base, wait_handle socket, void *token, struct error *error)
{
    struct psn_notifier *notifier = psn_of(base);
    struct registration *made = calloc(1, sizeof *made);
    if (made == NULL)
        return psn_fail(error, "no memory to watch a socket", ERROR_NOT_ENOUGH_MEMORY);
    made->socket = (SOCKET)socket;
    made->token = token;
    AcquireSRWLockExclusive(&notifier->lock);
    made->next = notifier->registrations;
    notifier->registrations = made;
    DWORD code = operate(notifier, made, SOCKET_OPERATION_ENABLE);
    if (code != 0)
        forget(notifier, made);
    ReleaseSRWLockExclusive(&notifier->lock);
    return code == 0 ? 0 : psn_fail(error, "cannot watch a socket", code);
}

static struct registration *find_watched(const struct psn_notifier *notifier, SOCKET socket,
                                         const void *token)
{
    struct registration *found = notifier->registrations;
    while (found != NULL &&
           (found->socket != socket || found->token != token || atomic_load(&found->removing)))
        found = found->next;
    return found;
}

/* Called with the lock held. */
static void note_due(struct psn_notifier *notifier, const struct psn_removal *removal)
{
    int64_t due_ns = psn_removal_due_ns(removal);
    if (due_ns < atomic_load(&notifier->due_ns))
        atomic_store(&notifier->due_ns, due_ns);
}

static int psn_remove_socket(struct notifier *base, wait_handle socket, void *token,
                             struct error *error)
{
    struct psn_notifier *notifier = psn_of(base);
    AcquireSRWLockExclusive(&notifier->lock);
    struct registration *found = find_watched(notifier, (SOCKET)socket, token);
    if (found != NULL) {
        atomic_store(&found->removing, true);
        bool asked = operate(notifier, found, SOCKET_OPERATION_REMOVE) == 0;
        psn_removal_begin(&found->removal, clock_monotonic_ns(), asked);
        note_due(notifier, &found->removal);
    }
    ReleaseSRWLockExclusive(&notifier->lock);
    return found != NULL ? 0 : psn_fail(error, "cannot stop watching a socket", ERROR_NOT_FOUND);
}

/* --- waiting ---------------------------------------------------------------------------------- */

/* The APC only interrupts a wait. */
static void CALLBACK come_round(ULONG_PTR unused)
{
    (void)unused;
}

/*
 * Called, with the lock held, when the system has posted the registration's last packet, or the
 * registration is given up. REMOVED is reported when every thread has begun a wait after this,
 * including the thread that took the packet.
 */
static void begin_round(struct psn_notifier *notifier, struct registration *removed)
{
    removed->removal.begun = false;
    if (removed->round != 0) /* its REMOVE packet came just before */
        return;
    removed->round = atomic_fetch_add(&notifier->round, 1) + 1;
    atomic_fetch_add(&notifier->unposted, 1);
    for (size_t i = 0; i < notifier->worker_count; i++) {
        struct worker *worker = &notifier->workers[i];
        if (worker->handle != NULL && worker->id != GetCurrentThreadId())
            QueueUserAPC(come_round, worker->handle, 0);
    }
}

/*
 * Repeats removal requests that failed, and gives up registrations that were not removed in time.
 */
static void look_at_removals(struct psn_notifier *notifier)
{
    int64_t now_ns = clock_monotonic_ns();
    AcquireSRWLockExclusive(&notifier->lock);
    atomic_store(&notifier->due_ns, INT64_MAX);
    for (struct registration *one = notifier->registrations; one != NULL; one = one->next) {
        struct psn_removal *removal = &one->removal;
        if (removal->begun && now_ns >= removal->end_ns) {
            atomic_store(&one->given_up, true);
            atomic_fetch_add(&notifier->unremoved, 1);
            begin_round(notifier, one);
        } else if (removal->begun && !removal->asked && now_ns >= removal->again_ns) {
            bool asked = operate(notifier, one, SOCKET_OPERATION_REMOVE) == 0;
            psn_removal_repeat(removal, now_ns, asked);
        }
        note_due(notifier, removal);
    }
    ReleaseSRWLockExclusive(&notifier->lock);
}

/*
 * Opens the thread's handle for its APC. If this fails, the thread reaches the round when its wait
 * ends by itself.
 */
static void psn_adopt(struct worker *worker)
{
    HANDLE process = GetCurrentProcess();
    if (worker->handle != NULL)
        CloseHandle(worker->handle);
    worker->handle = NULL;
    worker->id = GetCurrentThreadId();
    DuplicateHandle(process, GetCurrentThread(), process, &worker->handle, 0, FALSE,
                    DUPLICATE_SAME_ACCESS);
}

/* Records that the thread has finished with the events of its previous wait. */
static void begin_wait(struct psn_notifier *notifier, struct worker *worker)
{
    int64_t due_ns = atomic_load(&notifier->due_ns);
    if (due_ns != INT64_MAX && clock_monotonic_ns() >= due_ns)
        look_at_removals(notifier);
    if (worker->id == GetCurrentThreadId() &&
        atomic_load(&worker->round) == atomic_load(&notifier->round) &&
        atomic_load(&notifier->unposted) == 0)
        return;
    AcquireSRWLockExclusive(&notifier->lock);
    if (worker->id != GetCurrentThreadId())
        psn_adopt(worker);
    atomic_store(&worker->round, atomic_load(&notifier->round));
    post_removals(notifier);
    ReleaseSRWLockExclusive(&notifier->lock);
}

static struct notifier_event report_removed(struct psn_notifier *notifier,
                                            struct registration *removed)
{
    struct notifier_event event = {NOTIFIER_REMOVED, removed->token, 0};
    AcquireSRWLockExclusive(&notifier->lock);
    if (!atomic_load(&removed->given_up))
        forget(notifier, removed);
    ReleaseSRWLockExclusive(&notifier->lock);
    return event;
}

/*
 * Translates a packet into at most one event. Returns the number of events. Data, an error and an
 * end are all reported as READY; a receive finds out which.
 */
static size_t psn_translate(struct psn_notifier *notifier, const OVERLAPPED_ENTRY *packet,
                            struct notifier_event *event)
{
    if (packet->lpCompletionKey == (ULONG_PTR)notifier) {
        if (packet->lpOverlapped != NULL) {
            *event = report_removed(notifier, (struct registration *)packet->lpOverlapped);
            return 1;
        }
        atomic_exchange(&notifier->wake_posted, false);
        *event = (struct notifier_event){NOTIFIER_WOKEN, NULL, 0};
        return 1;
    }
    if (packet->lpCompletionKey == PORT_KEY_OTHER)
        return 0;
    struct registration *registration = (struct registration *)packet->lpCompletionKey;
    DWORD events = packet->dwNumberOfBytesTransferred;
    bool removed = (events & SOCKET_EVENT_REMOVE) != 0;
    bool ready = events != SOCKET_EVENT_REMOVE && !atomic_load(&registration->removing);
    if (atomic_load(&registration->given_up))
        return 0;
    if (removed && !ready && notifier->worker_count == 1) {
        *event = report_removed(notifier, registration);
        return 1;
    }
    if (ready)
        *event = (struct notifier_event){NOTIFIER_READY, registration->token, 0};
    if (removed) {
        AcquireSRWLockExclusive(&notifier->lock);
        begin_round(notifier, registration);
        ReleaseSRWLockExclusive(&notifier->lock);
    }
    return ready;
}

/* A wait ends when removals must be checked; the next wait checks them. */
static DWORD psn_timeout(const struct psn_notifier *notifier, int timeout_ms)
{
    int64_t due_ns = atomic_load(&notifier->due_ns);
    if (due_ns == INT64_MAX)
        return timeout_ms < 0 ? INFINITE : (DWORD)timeout_ms;
    int due_ms = milliseconds_until(due_ns, clock_monotonic_ns());
    return (DWORD)(timeout_ms < 0 || due_ms < timeout_ms ? due_ms : timeout_ms);
}

static size_t psn_wait_for_events(struct notifier *base, size_t thread,
                                  struct notifier_event *events, size_t capacity, int timeout_ms)
{
    struct psn_notifier *notifier = psn_of(base);
    bool alone = notifier->worker_count == 1;
    OVERLAPPED_ENTRY packets[NOTIFIER_WAIT_MOST];
    size_t room = !alone ? 1 : capacity < NOTIFIER_WAIT_MOST ? capacity : NOTIFIER_WAIT_MOST;
    ULONG found = 0;
    begin_wait(notifier, &notifier->workers[thread]);
    if (!GetQueuedCompletionStatusEx(notifier->port, packets, (ULONG)room, &found,
                                     psn_timeout(notifier, timeout_ms), !alone)) {
        DWORD why = GetLastError();
        if (why == WAIT_TIMEOUT || why == WAIT_IO_COMPLETION)
            return 0; /* the time is over, or an APC interrupted the wait */
        Sleep(1);
        return NOTIFIER_FAILED;
    }
    size_t count = 0;
    for (ULONG i = 0; i < found; i++)
        count += psn_translate(notifier, &packets[i], &events[count]);
    return count;
}

static void psn_leave(struct notifier *base, size_t thread)
{
    struct psn_notifier *notifier = psn_of(base);
    struct worker *worker = &notifier->workers[thread];
    AcquireSRWLockExclusive(&notifier->lock);
    if (worker->handle != NULL)
        CloseHandle(worker->handle);
    worker->handle = NULL;
    atomic_store(&worker->round, LEFT);
    post_removals(notifier);
    ReleaseSRWLockExclusive(&notifier->lock);
}

/* Posts at most one wake-up: the thread that takes it sees what this call announces, too. */
static void psn_wake(struct notifier *base)
{
    struct psn_notifier *notifier = psn_of(base);
    if (!atomic_exchange(&notifier->wake_posted, true) && !post(notifier, NULL))
        atomic_exchange(&notifier->wake_posted, false);
}

static size_t psn_unremoved(const struct notifier *base)
{
    return atomic_load(&((const struct psn_notifier *)base)->unremoved);
}

const struct notifier_backend notifier_psn = {
    .name = "psn",
    .shared = true,
    .is_available = psn_request_is_available,
    .probe = probe_datagrams,
    .create = psn_create,
    .destroy = psn_destroy,
    .add = psn_add,
    .remove = psn_remove_socket,
    .wait = psn_wait_for_events,
    .leave = psn_leave,
    .wake = psn_wake,
    .unremoved = psn_unremoved,
};
