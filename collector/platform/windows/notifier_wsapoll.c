/*
 * A notifier for persistent levels that uses WSAPoll, which every Windows has.
 *
 * WSAPoll has levels, but no registrations: each wait passes all sockets. The notifier wakes itself
 * with a datagram to its own socket. If the owner also waits for other things (notifier_handle), a
 * wait polls the sockets once; then another thread polls them until one is ready (level_thread.h).
 * When a registration changes, that thread is woken and its result is dropped, because a level that
 * still holds is found again.
 *
 * WSAPoll does not distinguish data from the end of a connection; a receive (MSG_PEEK) does. Some
 * systems report a hang-up only if reading is requested as well. So a socket that waits for a
 * hang-up, but not for data, is also checked at intervals.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <winsock2.h>

#include "collector/base/rule.h"
#include "collector/platform/clock.h"
#include "collector/platform/windows/level_thread.h"
#include "collector/platform/windows/notifier_backends.h"
#include "collector/platform/windows/socket_startup.h"
#include "collector/platform/windows/socket_state.h"
#include "collector/platform/windows/system_error.h"

/* Milliseconds between two checks for a hang-up. */
#define LOOK_MS 100

/* Milliseconds that the thread may need to return after it was woken. */
#define RETURN_MS 5000

struct wsapoll_level {
    SOCKET socket; /* INVALID_SOCKET if the slot is free */
    void *token;
    unsigned interests;
    bool listens;
    bool datagrams;
    bool removed;
};

struct wsapoll_notifier {
    struct notifier base;
    struct sockaddr_in own_address;
    _Atomic bool woken; /* a WOKEN event is due */
    struct wsapoll_level levels[NOTIFIER_LEVELS_MOST];
    size_t next;  /* index in `levels` where the next wait begins, so that all are served */
    bool changed; /* levels have changed since `polled` was filled */

    /*
     * The list to poll, beginning with the notifier's own socket, and the slots of its other
     * sockets. The thread uses them while it polls.
     */
    WSAPOLLFD polled[1 + NOTIFIER_LEVELS_MOST];
    struct wsapoll_level *slots[1 + NOTIFIER_LEVELS_MOST];
    ULONG count;
    int found;

    SOCKET own;
    struct level_thread *thread; /* NULL until the handle is requested */
};

static struct wsapoll_notifier *wsapoll_of(struct notifier *notifier)
{
    return (struct wsapoll_notifier *)notifier;
}

static int wsapoll_fail(struct error *error, const char *what, DWORD code)
{
    error_set(error, EXIT_CODE_INTERNAL, "%s: %s", what, system_error(code).text);
    return -1;
}

/* --- creating and destroying ------------------------------------------------------------------ */

static bool open_own(struct wsapoll_notifier *notifier)
{
    u_long on = 1;
    int size = sizeof notifier->own_address;
    struct sockaddr *name = (struct sockaddr *)&notifier->own_address;
    notifier->own_address.sin_family = AF_INET;
    notifier->own_address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    notifier->own = socket(AF_INET, SOCK_DGRAM, IPPROTO_UDP);
    return notifier->own != INVALID_SOCKET && ioctlsocket(notifier->own, FIONBIO, &on) == 0 &&
           bind(notifier->own, name, size) == 0 && getsockname(notifier->own, name, &size) == 0 &&
           connect(notifier->own, name, size) == 0; /* so that it only receives its own datagrams */
}

static void signal_own(struct wsapoll_notifier *notifier)
{
    send(notifier->own, "", 1, 0); /* fails only if many datagrams are queued, which wake it, too */
}

static void clear_own(struct wsapoll_notifier *notifier)
{
    char bytes[16];
    while (recv(notifier->own, bytes, sizeof bytes, 0) > 0)
        ;
}

static void wsapoll_destroy(struct notifier *base)
{
    struct wsapoll_notifier *notifier = wsapoll_of(base);
    if (notifier->thread != NULL)
        signal_own(notifier);
    level_thread_destroy(notifier->thread);
    if (notifier->own != INVALID_SOCKET)
        closesocket(notifier->own);
    free(notifier);
}

static int wsapoll_create(struct notifier **out, size_t threads, struct error *error)
{
    RULE(threads == 1, "one thread waits for levels that stay");
    struct wsapoll_notifier *notifier = calloc(1, sizeof *notifier);
    if (notifier == NULL)
        return wsapoll_fail(error, "cannot create a notifier", ERROR_NOT_ENOUGH_MEMORY);
    for (size_t i = 0; i < NOTIFIER_LEVELS_MOST; i++)
        notifier->levels[i].socket = INVALID_SOCKET;
    notifier->own = INVALID_SOCKET;
    int code = socket_startup();
    if (code == 0 && !open_own(notifier))
        code = WSAGetLastError();
    if (code != 0) {
        wsapoll_fail(error, "cannot create a notifier", (DWORD)code);
        wsapoll_destroy(&notifier->base);
        return -1;
    }
    *out = &notifier->base;
    return 0;
}

/* --- registrations ---------------------------------------------------------------------------- */

static struct wsapoll_level *level_find(struct wsapoll_notifier *notifier, SOCKET socket,
                                        const void *token)
{
    for (size_t i = 0; i < NOTIFIER_LEVELS_MOST; i++) {
        struct wsapoll_level *level = &notifier->levels[i];
        if (level->socket == socket && !level->removed &&
            (socket == INVALID_SOCKET || level->token == token))
            return level;
    }
    return NULL;
}

static int type_of(SOCKET socket)
{
    int type = 0;
    int size = sizeof type;
    return getsockopt(socket, SOL_SOCKET, SO_TYPE, (char *)&type, &size) == 0 ? type : -1;
}

static int wsapoll_add(struct notifier *base, wait_handle socket, void *token, unsigned interests,
                       struct error *error)
{
    struct wsapoll_notifier *notifier = wsapoll_of(base);
    struct wsapoll_level *level = level_find(notifier, INVALID_SOCKET, NULL);
    int type = type_of((SOCKET)socket);
    if (level == NULL)
        return wsapoll_fail(error, "cannot watch a socket", ERROR_NOT_ENOUGH_QUOTA);
    if (type < 0)
        return wsapoll_fail(error, "cannot watch a socket", (DWORD)WSAGetLastError());
    *level = (struct wsapoll_level){.socket = (SOCKET)socket,
                                    .token = token,
                                    .interests = interests,
                                    .listens = socket_state_listens((SOCKET)socket),
                                    .datagrams = type == SOCK_DGRAM};
    notifier->changed = true;
    return 0;
}

static void wsapoll_change(struct notifier *base, wait_handle socket, void *token,
                           unsigned interests)
{
    struct wsapoll_notifier *notifier = wsapoll_of(base);
    struct wsapoll_level *level = level_find(notifier, (SOCKET)socket, token);
    if (level == NULL || level->interests == interests)
        return;
    level->interests = interests;
    notifier->changed = true;
}

static int wsapoll_remove(struct notifier *base, wait_handle socket, void *token,
                          struct error *error)
{
    struct wsapoll_notifier *notifier = wsapoll_of(base);
    struct wsapoll_level *level = level_find(notifier, (SOCKET)socket, token);
    (void)error;
    if (level != NULL)
        level->removed = true;
    notifier->changed = true;
    return 0;
}

/* --- polling ---------------------------------------------------------------------------------- */

static void list_polled(struct wsapoll_notifier *notifier)
{
    notifier->polled[0] = (WSAPOLLFD){.fd = notifier->own, .events = POLLRDNORM};
    notifier->count = 1;
    for (size_t i = 0; i < NOTIFIER_LEVELS_MOST; i++) {
        struct wsapoll_level *level =
            &notifier->levels[(notifier->next + i) % NOTIFIER_LEVELS_MOST];
        if (level->socket == INVALID_SOCKET || level->removed || level->interests == 0)
            continue;
        SHORT events = (SHORT)(((level->interests & NOTIFIER_IN) != 0 ? POLLRDNORM : 0) |
                               ((level->interests & NOTIFIER_OUT) != 0 ? POLLWRNORM : 0));
        notifier->slots[notifier->count] = level;
        notifier->polled[notifier->count++] = (WSAPOLLFD){.fd = level->socket, .events = events};
    }
    notifier->changed = false;
}

static bool waits_for_hang_up_only(const struct wsapoll_level *level)
{
    return (level->interests & (NOTIFIER_IN | NOTIFIER_HANGUP)) == NOTIFIER_HANGUP &&
           !level->listens && !level->datagrams;
}

/* Marks the sockets that wait only for a hang-up and have one. Returns their number. */
static int mark_hang_ups(struct wsapoll_notifier *notifier)
{
    int count = 0;
    for (ULONG i = 1; i < notifier->count; i++) {
        if (!waits_for_hang_up_only(notifier->slots[i]) || notifier->polled[i].revents != 0 ||
            (socket_state_to_read(notifier->polled[i].fd) & NOTIFIER_HANGUP) == 0)
            continue;
        notifier->polled[i].revents = POLLHUP;
        count++;
    }
    return count;
}

static bool has_hang_ups_only(const struct wsapoll_notifier *notifier)
{
    for (ULONG i = 1; i < notifier->count; i++)
        if (waits_for_hang_up_only(notifier->slots[i]))
            return true;
    return false;
}

/*
 * Polls for at most `timeout_ms` milliseconds (negative: for ever). Sets `found`; it is -1 if
 * WSAPoll failed.
 */
static void poll_sockets(struct wsapoll_notifier *notifier, int timeout_ms)
{
    int64_t end_ns = clock_monotonic_ns() + (int64_t)timeout_ms * 1000000;
    bool look = has_hang_ups_only(notifier);
    for (;;) {
        int left_ms = timeout_ms < 0 ? -1 : milliseconds_until(end_ns, clock_monotonic_ns());
        bool last = !look || (left_ms >= 0 && left_ms <= LOOK_MS);
        notifier->found = WSAPoll(notifier->polled, notifier->count, last ? left_ms : LOOK_MS);
        if (notifier->found >= 0 && look)
            notifier->found += mark_hang_ups(notifier);
        if (notifier->found != 0 || last)
            return;
    }
}

/* Runs on the thread. */
static void thread_poll(void *context)
{
    poll_sockets(context, -1);
}

/*
 * Ends the thread's poll and drops its result. Returns false if the thread does not return in time.
 */
static bool stop_thread_poll(struct wsapoll_notifier *notifier)
{
    signal_own(notifier);
    return level_thread_ended(notifier->thread, RETURN_MS);
}

/* --- events ----------------------------------------------------------------------------------- */

/* Returns the requested conditions that hold, or all if the connection is broken. */
static unsigned wsapoll_ready(const struct wsapoll_level *level, SHORT found)
{
    unsigned ready = (found & POLLWRNORM) != 0 ? NOTIFIER_OUT : 0;
    if ((found & (POLLERR | POLLNVAL)) != 0)
        return NOTIFIER_ALL;
    if ((found & (POLLRDNORM | POLLHUP)) != 0) {
        unsigned readable =
            level->listens || level->datagrams ? NOTIFIER_IN : socket_state_to_read(level->socket);
        if (readable == NOTIFIER_ALL)
            return NOTIFIER_ALL;
        ready |= readable;
    }
    return ready & level->interests;
}

/* The next wait begins with the slots for which there was no room. */
static size_t report_ready(struct wsapoll_notifier *notifier, struct notifier_event *events,
                           size_t count, size_t capacity)
{
    if (notifier->polled[0].revents != 0) {
        clear_own(notifier);
        if (atomic_exchange(&notifier->woken, false))
            events[count++] = (struct notifier_event){NOTIFIER_WOKEN, NULL, 0};
    }
    for (ULONG i = 1; i < notifier->count && count < capacity; i++) {
        const struct wsapoll_level *level = notifier->slots[i];
        if (notifier->polled[i].revents == 0 || level->removed)
            continue;
        unsigned ready = wsapoll_ready(level, notifier->polled[i].revents);
        if (ready != 0)
            events[count++] = (struct notifier_event){NOTIFIER_READY, level->token, ready};
        notifier->next = (size_t)(level - notifier->levels) + 1;
    }
    return count;
}

static size_t report_removed(struct wsapoll_notifier *notifier, struct notifier_event *events,
                             size_t capacity)
{
    size_t count = 0;
    for (size_t i = 0; i < NOTIFIER_LEVELS_MOST && count < capacity; i++) {
        struct wsapoll_level *level = &notifier->levels[i];
        if (!level->removed)
            continue;
        events[count++] = (struct notifier_event){NOTIFIER_REMOVED, level->token, 0};
        *level = (struct wsapoll_level){.socket = INVALID_SOCKET};
    }
    return count;
}

/*
 * Called while the thread does not poll. Reports removals and ready sockets. If there is a thread
 * and nothing to report, the thread begins to poll.
 */
static size_t wsapoll_look(struct wsapoll_notifier *notifier, struct notifier_event *events,
                           size_t capacity, int timeout_ms)
{
    size_t count = report_removed(notifier, events, capacity);
    list_polled(notifier);
    poll_sockets(notifier, count != 0 || notifier->thread != NULL ? 0 : timeout_ms);
    if (notifier->found < 0 && count == 0) {
        Sleep(1);
        return NOTIFIER_FAILED;
    }
    if (notifier->found > 0 && count < capacity)
        count = report_ready(notifier, events, count, capacity);
    if (notifier->found == 0 && count == 0 && notifier->thread != NULL)
        level_thread_begin(notifier->thread);
    return count;
}

/* Reports the result of the thread's poll, or returns NOTIFIER_FAILED if it failed. */
static size_t take_thread_poll(struct wsapoll_notifier *notifier, struct notifier_event *events,
                               size_t capacity)
{
    if (notifier->found < 0) {
        Sleep(1);
        return NOTIFIER_FAILED;
    }
    return report_ready(notifier, events, 0, capacity);
}

/* If there is a thread, it keeps polling after a wait without events. */
static size_t wsapoll_wait(struct notifier *base, size_t thread, struct notifier_event *events,
                           size_t capacity, int timeout_ms)
{
    struct wsapoll_notifier *notifier = wsapoll_of(base);
    int64_t end_ns = clock_monotonic_ns() + (int64_t)timeout_ms * 1000000;
    size_t count = 0;
    (void)thread;
    do {
        int left_ms = timeout_ms < 0 ? -1 : milliseconds_until(end_ns, clock_monotonic_ns());
        bool theirs = notifier->thread != NULL && level_thread_is_running(notifier->thread);
        if (theirs && notifier->changed) {
            if (!stop_thread_poll(notifier))
                return 0;
        } else if (theirs) {
            if (!level_thread_ended(notifier->thread, left_ms))
                return 0;
            count = take_thread_poll(notifier, events, capacity);
        } else {
            count = wsapoll_look(notifier, events, capacity, left_ms);
        }
    } while (count == 0 && notifier->thread != NULL);
    return count;
}

static void wsapoll_wake(struct notifier *base)
{
    struct wsapoll_notifier *notifier = wsapoll_of(base);
    atomic_store(&notifier->woken, true);
    signal_own(notifier);
}

static wait_handle wsapoll_handle(struct notifier *base, struct error *error)
{
    struct wsapoll_notifier *notifier = wsapoll_of(base);
    if (notifier->thread == NULL &&
        level_thread_start(&notifier->thread, thread_poll, notifier, error) != 0)
        return NO_HANDLE;
    return level_thread_handle(notifier->thread);
}

const struct notifier_backend notifier_wsapoll = {
    .name = "wsapoll",
    .create = wsapoll_create,
    .destroy = wsapoll_destroy,
    .remove = wsapoll_remove,
    .wait = wsapoll_wait,
    .wake = wsapoll_wake,
    .add_level = wsapoll_add,
    .change_level = wsapoll_change,
    .handle = wsapoll_handle,
};
