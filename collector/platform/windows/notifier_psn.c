/*
 * collector/platform/notifier.h on Winsock's socket state notifications
 * (ProcessSocketNotifications), for any number of threads on one I/O completion port.
 *
 * Sockets are registered and removed by ProcessSocketNotifications. Packets are taken from the port
 * by GetQueuedCompletionStatusEx, not by the same function: nothing is to be registered with a
 * wait, and only the former can be interrupted for one thread (below). With several threads a wait
 * takes one packet, because it would take all that are queued and leave the others idle.
 *
 * Removing. The system says with REMOVE that it will post nothing more for a socket. Packets come
 * in their order, so everything earlier has been taken from the port by then, but another thread
 * may hold it: it handles it still, or has taken it and not yet returned. Who sees REMOVE therefore
 * begins a new round, and the token's REMOVED is reported once each thread has begun a wait in that
 * round or a later one, or has left. A thread that sleeps in its wait is interrupted by an APC: a
 * packet would go to whichever thread the port wakes first, which is the one that slept last.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <winsock2.h>

#include "collector/platform/windows/notifier_backends.h"
#include "collector/platform/windows/socket_lookup.h"
#include "collector/platform/windows/system_error.h"

#define LEFT UINT64_MAX

/* A socket; its address in memory is the completion key. Freed when its REMOVED is reported. */
struct registration {
    struct registration *next;
    SOCKET socket;
    void *token;
    _Atomic bool removing; /* asked for: what is queued of it is of no interest any more */
    uint64_t round;        /* the one that its REMOVE began; 0: it has not come yet */
    bool posted;           /* its REMOVED is on the port */
};

/* One of the threads that wait. */
struct worker {
    DWORD id; /* 0: it has not waited yet */
    HANDLE handle;
    _Atomic uint64_t round; /* in which its last wait began; LEFT */
};

struct psn_notifier {
    struct notifier base;
    process_socket_notifications *notify;
    HANDLE port;
    _Atomic bool wake_posted;
    _Atomic uint64_t round;
    _Atomic size_t unposted; /* registrations whose REMOVE has begun a round */

    SRWLOCK lock; /* of what follows, and of registrations but for their tokens */
    struct registration *registrations;
    size_t worker_count;
    struct worker workers[];
};

static struct psn_notifier *of(struct notifier *notifier)
{
    return (struct psn_notifier *)notifier;
}

static int fail(struct error *error, const char *what, DWORD code)
{
    error_set(error, EXIT_CODE_INTERNAL, "%s: %s", what, system_error(code).text);
    return -1;
}

/* --- creating and destroying ------------------------------------------------------------------ */

static bool is_available(void)
{
    return socket_lookup_notifications() != NULL;
}

static int create(struct notifier **out, size_t threads, struct error *error)
{
    struct psn_notifier *notifier =
        calloc(1, sizeof *notifier + threads * sizeof *notifier->workers);
    if (notifier == NULL)
        return fail(error, "cannot create a notifier", ERROR_NOT_ENOUGH_MEMORY);
    notifier->notify = socket_lookup_notifications();
    /* As many threads may run at a time as wait: none is held back. */
    notifier->port = CreateIoCompletionPort(INVALID_HANDLE_VALUE, NULL, 0, (DWORD)threads);
    if (notifier->notify == NULL || notifier->port == NULL) {
        fail(error, "cannot create a notifier",
             notifier->notify == NULL ? ERROR_PROC_NOT_FOUND : GetLastError());
        free(notifier);
        return -1;
    }
    InitializeSRWLock(&notifier->lock);
    notifier->worker_count = threads;
    *out = &notifier->base;
    return 0;
}

/* Sockets that are still registered keep the port itself alive; nobody sees what they post. */
static void destroy(struct notifier *base)
{
    struct psn_notifier *notifier = of(base);
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

/* Under the notifier's own key: NULL is a wake-up, anything else has been removed. */
static bool post(struct psn_notifier *notifier, struct registration *removed)
{
    return PostQueuedCompletionStatus(notifier->port, 0, (ULONG_PTR)notifier,
                                      (OVERLAPPED *)removed);
}

/* The round that every thread has come to. */
static uint64_t round_of_all(const struct psn_notifier *notifier)
{
    uint64_t least = LEFT;
    for (size_t i = 0; i < notifier->worker_count; i++) {
        uint64_t round = atomic_load(&notifier->workers[i].round);
        least = round < least ? round : least;
    }
    return least;
}

/* Posts what no thread can hold any more. What cannot be posted now is tried at the next wait. */
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

/* Returns 0, or the error of the call, after which nothing has changed, or else of its one row. */
static DWORD operate(struct psn_notifier *notifier, struct registration *registration,
                     uint8_t operation)
{
    struct socket_registration row = {
        .socket = registration->socket,
        .key = registration,
        .filter = SOCKET_EVENT_IN, /* ERR and REMOVE are reported in any case */
        .operation = operation,
        .trigger = SOCKET_TRIGGER_EDGE | SOCKET_TRIGGER_PERSISTENT,
    };
    DWORD result = notifier->notify(notifier->port, 1, &row, 0, 0, NULL, NULL);
    return result == ERROR_SUCCESS || result == WAIT_TIMEOUT ? row.result : result;
}

/* Unlinks and frees it. */
static void forget(struct psn_notifier *notifier, struct registration *registration)
{
    struct registration **place = &notifier->registrations;
    while (*place != registration)
        place = &(*place)->next;
    *place = registration->next;
    free(registration);
}

static int add(struct notifier *base, wait_handle socket, void *token, struct error *error)
{
    struct psn_notifier *notifier = of(base);
    struct registration *made = calloc(1, sizeof *made);
    if (made == NULL)
        return fail(error, "no memory to watch a socket", ERROR_NOT_ENOUGH_MEMORY);
    made->socket = (SOCKET)socket;
    made->token = token;
    AcquireSRWLockExclusive(&notifier->lock);
    made->next = notifier->registrations;
    notifier->registrations = made;
    DWORD code = operate(notifier, made, SOCKET_OPERATION_ENABLE);
    if (code != 0)
        forget(notifier, made);
    ReleaseSRWLockExclusive(&notifier->lock);
    return code == 0 ? 0 : fail(error, "cannot watch a socket", code);
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

static int remove_socket(struct notifier *base, wait_handle socket, void *token,
                         struct error *error)
{
    struct psn_notifier *notifier = of(base);
    DWORD code = ERROR_NOT_FOUND;
    AcquireSRWLockExclusive(&notifier->lock);
    struct registration *found = find_watched(notifier, (SOCKET)socket, token);
    if (found != NULL) {
        code = operate(notifier, found, SOCKET_OPERATION_REMOVE);
        atomic_store(&found->removing, code == 0);
    }
    ReleaseSRWLockExclusive(&notifier->lock);
    return code == 0 ? 0 : fail(error, "cannot stop watching a socket", code);
}

/* --- waiting ---------------------------------------------------------------------------------- */

/* What interrupts a wait: that it does is all it is for. */
static void CALLBACK come_round(ULONG_PTR unused)
{
    (void)unused;
}

/* The system has posted its last packet. Each thread has to begin a wait, the one that saw it too.
 */
static void begin_round(struct psn_notifier *notifier, struct registration *removed)
{
    AcquireSRWLockExclusive(&notifier->lock);
    removed->round = atomic_fetch_add(&notifier->round, 1) + 1;
    atomic_fetch_add(&notifier->unposted, 1);
    for (size_t i = 0; i < notifier->worker_count; i++) {
        struct worker *worker = &notifier->workers[i];
        if (worker->handle != NULL && worker->id != GetCurrentThreadId())
            QueueUserAPC(come_round, worker->handle, 0);
    }
    ReleaseSRWLockExclusive(&notifier->lock);
}

/* The thread's handle is what an APC is sent to. Without it, the thread comes round by itself. */
static void adopt(struct worker *worker)
{
    HANDLE process = GetCurrentProcess();
    if (worker->handle != NULL)
        CloseHandle(worker->handle);
    worker->handle = NULL;
    worker->id = GetCurrentThreadId();
    DuplicateHandle(process, GetCurrentThread(), process, &worker->handle, 0, FALSE,
                    DUPLICATE_SAME_ACCESS);
}

/* The thread has done with the events of its wait before. */
static void begin_wait(struct psn_notifier *notifier, struct worker *worker)
{
    if (worker->id == GetCurrentThreadId() &&
        atomic_load(&worker->round) == atomic_load(&notifier->round) &&
        atomic_load(&notifier->unposted) == 0)
        return;
    AcquireSRWLockExclusive(&notifier->lock);
    if (worker->id != GetCurrentThreadId())
        adopt(worker);
    atomic_store(&worker->round, atomic_load(&notifier->round));
    post_removals(notifier);
    ReleaseSRWLockExclusive(&notifier->lock);
}

static struct notifier_event report_removed(struct psn_notifier *notifier,
                                            struct registration *removed)
{
    struct notifier_event event = {NOTIFIER_REMOVED, removed->token, 0};
    AcquireSRWLockExclusive(&notifier->lock);
    forget(notifier, removed);
    ReleaseSRWLockExclusive(&notifier->lock);
    return event;
}

/* Makes one event of a packet, or none. Whatever the system reports of a socket is for a receive to
 * look at: input, an error, or the end of something. */
static size_t translate(struct psn_notifier *notifier, const OVERLAPPED_ENTRY *packet,
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
    struct registration *registration = (struct registration *)packet->lpCompletionKey;
    DWORD events = packet->dwNumberOfBytesTransferred;
    bool removed = (events & SOCKET_EVENT_REMOVE) != 0;
    bool ready = events != SOCKET_EVENT_REMOVE && !atomic_load(&registration->removing);
    if (removed && !ready && notifier->worker_count == 1) {
        *event = report_removed(notifier, registration);
        return 1;
    }
    if (ready)
        *event = (struct notifier_event){NOTIFIER_READY, registration->token, 0};
    if (removed)
        begin_round(notifier, registration);
    return ready;
}

static size_t wait_for_events(struct notifier *base, size_t thread, struct notifier_event *events,
                              size_t capacity, int timeout_ms)
{
    struct psn_notifier *notifier = of(base);
    bool alone = notifier->worker_count == 1;
    OVERLAPPED_ENTRY packets[NOTIFIER_WAIT_MOST];
    size_t room = !alone ? 1 : capacity < NOTIFIER_WAIT_MOST ? capacity : NOTIFIER_WAIT_MOST;
    ULONG found = 0;
    begin_wait(notifier, &notifier->workers[thread]);
    if (!GetQueuedCompletionStatusEx(notifier->port, packets, (ULONG)room, &found,
                                     timeout_ms < 0 ? INFINITE : (DWORD)timeout_ms, !alone)) {
        DWORD why = GetLastError();
        if (why == WAIT_TIMEOUT || why == WAIT_IO_COMPLETION)
            return 0; /* too late, or interrupted to come round */
        Sleep(1);
        return NOTIFIER_FAILED;
    }
    size_t count = 0;
    for (ULONG i = 0; i < found; i++)
        count += translate(notifier, &packets[i], &events[count]);
    return count;
}

static void leave(struct notifier *base, size_t thread)
{
    struct psn_notifier *notifier = of(base);
    struct worker *worker = &notifier->workers[thread];
    AcquireSRWLockExclusive(&notifier->lock);
    if (worker->handle != NULL)
        CloseHandle(worker->handle);
    worker->handle = NULL;
    atomic_store(&worker->round, LEFT);
    post_removals(notifier);
    ReleaseSRWLockExclusive(&notifier->lock);
}

/* A wake-up that is on its way is enough: who sets out for it later sees what this one reported. */
static void wake(struct notifier *base)
{
    struct psn_notifier *notifier = of(base);
    if (!atomic_exchange(&notifier->wake_posted, true) && !post(notifier, NULL))
        atomic_exchange(&notifier->wake_posted, false);
}

const struct notifier_backend notifier_psn = {
    .name = "psn",
    .shared = true,
    .is_available = is_available,
    .create = create,
    .destroy = destroy,
    .add = add,
    .remove = remove_socket,
    .wait = wait_for_events,
    .leave = leave,
    .wake = wake,
};
