/*
 * A notifier for persistent levels that uses Winsock's socket state notifications
 * (ProcessSocketNotifications, "simple replacement for polling"): LEVEL and PERSISTENT, one thread.
 *
 * A socket is registered at once. Changes and removals are delayed until the next wait, which makes
 * all of them and retrieves events with one call. A wait without changes retrieves events with
 * GetQueuedCompletionStatusEx. If the owner also waits for other things (notifier_handle), a wait
 * retrieves the queued events, and then another thread waits for more (level_thread.h).
 *
 * Each registration has a key of its own, which is never used again, so a late packet is ignored.
 * Packets that were queued before a change report only conditions that are still requested.
 *
 * A removal that the system refuses is requested again. If REMOVE has not come when
 * NOTIFIER_REMOVAL_MS are over, REMOVED is reported without it.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <winsock2.h>

#include "collector/base/rule.h"
#include "collector/platform/clock.h"
#include "collector/platform/windows/level_thread.h"
#include "collector/platform/windows/notifier_backends.h"
#include "collector/platform/windows/port_key.h"
#include "collector/platform/windows/psn_request.h"
#include "collector/platform/windows/socket_state.h"
#include "collector/platform/windows/system_error.h"

#define WAKE_KEY 0

/* Milliseconds until a removal that the system has refused is requested again. */
#define REMOVE_AGAIN_MS 10

enum level_state {
    LEVEL_FREE,
    LEVEL_KEPT,
    LEVEL_CHANGED, /* its new interests are not registered yet */
    LEVEL_LEAVING, /* its removal is not requested yet */
    LEVEL_LEFT,    /* its removal was requested, and its REMOVE packet has not come yet */
};

struct psn_level {
    enum level_state state;
    SOCKET socket;
    ULONG_PTR key;
    void *token;
    unsigned interests;
    bool listens;
    bool refused;
    int64_t over_ns; /* monotonic time when REMOVED is reported in any case */
};

struct psn_levels {
    struct notifier base;
    process_socket_notifications *notify;
    HANDLE port;
    ULONG_PTR last_key;
    _Atomic bool wake_posted;
    struct psn_level levels[NOTIFIER_LEVELS_MOST];

    /* Packets that were retrieved and not handled yet. */
    OVERLAPPED_ENTRY packets[NOTIFIER_WAIT_MOST];
    size_t first, count;

    struct level_thread *thread; /* NULL until the handle is requested */
    DWORD thread_ms;             /* milliseconds of the thread's wait */
    DWORD failure; /* error of the thread's wait; 0 if it has packets or its time is over */
};

static struct psn_levels *psn_levels_of(struct notifier *notifier)
{
    return (struct psn_levels *)notifier;
}

static int levels_fail(struct error *error, const char *what, DWORD code)
{
    error_set(error, EXIT_CODE_INTERNAL, "%s: %s", what, system_error(code).text);
    return -1;
}

/* --- creating and destroying ------------------------------------------------------------------ */

static int levels_create(struct notifier **out, size_t threads, struct error *error)
{
    RULE(threads == 1, "one thread waits for levels that stay");
    struct psn_levels *notifier = calloc(1, sizeof *notifier);
    if (notifier == NULL)
        return levels_fail(error, "cannot create a notifier", ERROR_NOT_ENOUGH_MEMORY);
    notifier->notify = socket_lookup_notifications();
    notifier->port = CreateIoCompletionPort(INVALID_HANDLE_VALUE, NULL, 0, 1);
    if (notifier->notify == NULL || notifier->port == NULL) {
        levels_fail(error, "cannot create a notifier",
                    notifier->notify == NULL ? ERROR_PROC_NOT_FOUND : GetLastError());
        if (notifier->port != NULL)
            CloseHandle(notifier->port);
        free(notifier);
        return -1;
    }
    *out = &notifier->base;
    return 0;
}

static bool post_wake_up(struct psn_levels *notifier)
{
    return PostQueuedCompletionStatus(notifier->port, 0, WAKE_KEY, NULL);
}

/* Registered sockets keep the port alive after this, but its packets are never read. */
static void levels_destroy(struct notifier *base)
{
    struct psn_levels *notifier = psn_levels_of(base);
    if (notifier->thread != NULL)
        post_wake_up(notifier);
    level_thread_destroy(notifier->thread);
    CloseHandle(notifier->port);
    free(notifier);
}

/* --- registrations ---------------------------------------------------------------------------- */

static struct socket_registration row_of(const struct psn_level *level)
{
    uint8_t operation = level->state == LEVEL_LEAVING ? SOCKET_OPERATION_REMOVE
                        : level->interests == 0       ? SOCKET_OPERATION_DISABLE
                                                      : SOCKET_OPERATION_ENABLE;
    return (struct socket_registration){
        .socket = level->socket,
        .key = (void *)level->key,
        .filter = psn_request_filter(level->interests, level->listens),
        .operation = operation,
        .trigger = SOCKET_TRIGGER_LEVEL | SOCKET_TRIGGER_PERSISTENT,
    };
}

static struct psn_level *free_level(struct psn_levels *notifier)
{
    for (size_t i = 0; i < NOTIFIER_LEVELS_MOST; i++)
        if (notifier->levels[i].state == LEVEL_FREE)
            return &notifier->levels[i];
    return NULL;
}

static int levels_add(struct notifier *base, wait_handle socket, void *token, unsigned interests,
                      struct error *error)
{
    struct psn_levels *notifier = psn_levels_of(base);
    struct psn_level *level = free_level(notifier);
    if (level == NULL)
        return levels_fail(error, "cannot watch a socket", ERROR_NOT_ENOUGH_QUOTA);
    *level = (struct psn_level){.state = LEVEL_CHANGED,
                                .socket = (SOCKET)socket,
                                .key = ++notifier->last_key,
                                .token = token,
                                .interests = interests,
                                .listens = socket_state_listens((SOCKET)socket)};
    DWORD code = psn_request(notifier->notify, notifier->port, row_of(level));
    level->state = code == 0 ? LEVEL_KEPT : LEVEL_FREE;
    return code == 0 ? 0 : levels_fail(error, "cannot watch a socket", code);
}

static struct psn_level *find_level(struct psn_levels *notifier, SOCKET socket, const void *token)
{
    for (size_t i = 0; i < NOTIFIER_LEVELS_MOST; i++) {
        struct psn_level *level = &notifier->levels[i];
        if (level->socket == socket && level->token == token &&
            (level->state == LEVEL_KEPT || level->state == LEVEL_CHANGED))
            return level;
    }
    return NULL;
}

static void levels_change(struct notifier *base, wait_handle socket, void *token,
                          unsigned interests)
{
    struct psn_level *level = find_level(psn_levels_of(base), (SOCKET)socket, token);
    if (level == NULL || level->interests == interests)
        return;
    level->interests = interests;
    level->state = LEVEL_CHANGED;
}

static void level_leave(struct psn_level *level)
{
    level->state = LEVEL_LEAVING;
    level->over_ns = clock_monotonic_ns() + (int64_t)NOTIFIER_REMOVAL_MS * 1000000;
}

static int levels_remove(struct notifier *base, wait_handle socket, void *token,
                         struct error *error)
{
    struct psn_level *level = find_level(psn_levels_of(base), (SOCKET)socket, token);
    (void)error;
    if (level != NULL) /* NULL if the removal has begun already */
        level_leave(level);
    return 0;
}

/* --- requests --------------------------------------------------------------------------------- */

struct requests {
    struct socket_registration rows[NOTIFIER_LEVELS_MOST];
    struct psn_level *levels[NOTIFIER_LEVELS_MOST];
    uint32_t count;
};

static void collect_requests(struct psn_levels *notifier, struct requests *requests)
{
    requests->count = 0;
    for (size_t i = 0; i < NOTIFIER_LEVELS_MOST; i++) {
        struct psn_level *level = &notifier->levels[i];
        if (level->state != LEVEL_CHANGED && level->state != LEVEL_LEAVING)
            continue;
        requests->levels[requests->count] = level;
        requests->rows[requests->count++] = row_of(level);
    }
}

/* `code` is the result of the call. If the call failed as a whole, no request was made. */
static void note_results(const struct requests *requests, DWORD code)
{
    bool called = code == ERROR_SUCCESS || code == WAIT_TIMEOUT;
    for (uint32_t i = 0; i < requests->count; i++) {
        struct psn_level *level = requests->levels[i];
        bool done = called && requests->rows[i].result == ERROR_SUCCESS;
        if (level->state == LEVEL_CHANGED && done)
            level->state = LEVEL_KEPT;
        else if (level->state == LEVEL_CHANGED)
            level_leave(level);
        else if (done)
            level->state = LEVEL_LEFT;
        level->refused = level->state == LEVEL_LEAVING;
    }
}

/*
 * Returns the longest wait in milliseconds, at most `timeout_ms`, after which a removal must be
 * repeated or reported.
 */
static DWORD wait_limit(const struct psn_levels *notifier, DWORD timeout_ms)
{
    int64_t now_ns = clock_monotonic_ns();
    for (size_t i = 0; i < NOTIFIER_LEVELS_MOST; i++) {
        const struct psn_level *level = &notifier->levels[i];
        if (level->state != LEVEL_LEAVING && level->state != LEVEL_LEFT)
            continue;
        int64_t left_ms = (level->over_ns - now_ns) / 1000000 + 1;
        if (level->refused && left_ms > REMOVE_AGAIN_MS)
            left_ms = REMOVE_AGAIN_MS;
        if (left_ms < timeout_ms)
            timeout_ms = left_ms < 0 ? 0 : (DWORD)left_ms;
    }
    return timeout_ms;
}

/* --- retrieving ------------------------------------------------------------------------------- */

/* Returns 0, also after a timeout, or the system's error. */
static DWORD retrieve_queued(struct psn_levels *notifier, DWORD timeout_ms)
{
    ULONG found = 0;
    notifier->first = notifier->count = 0;
    if (!GetQueuedCompletionStatusEx(notifier->port, notifier->packets, NOTIFIER_WAIT_MOST, &found,
                                     timeout_ms, FALSE))
        return GetLastError() == WAIT_TIMEOUT ? 0 : GetLastError();
    notifier->count = found;
    return 0;
}

static DWORD request_and_retrieve(struct psn_levels *notifier, DWORD timeout_ms)
{
    struct requests requests;
    uint32_t found = 0;
    collect_requests(notifier, &requests);
    if (requests.count == 0)
        return retrieve_queued(notifier, wait_limit(notifier, timeout_ms));
    notifier->first = notifier->count = 0;
    DWORD code = notifier->notify(notifier->port, requests.count, requests.rows,
                                  wait_limit(notifier, timeout_ms), NOTIFIER_WAIT_MOST,
                                  notifier->packets, &found);
    note_results(&requests, code);
    if (code == ERROR_SUCCESS)
        notifier->count = found;
    else if (code != WAIT_TIMEOUT)
        return retrieve_queued(notifier, wait_limit(notifier, timeout_ms));
    return 0;
}

static void request_only(struct psn_levels *notifier)
{
    struct requests requests;
    collect_requests(notifier, &requests);
    if (requests.count == 0)
        return;
    DWORD code = notifier->notify(notifier->port, requests.count, requests.rows, 0, 0, NULL, NULL);
    note_results(&requests, code);
    if (wait_limit(notifier, INFINITE) < notifier->thread_ms)
        post_wake_up(notifier); /* the thread would wait too long */
}

/* Runs on the thread. */
static void thread_wait(void *context)
{
    struct psn_levels *notifier = context;
    notifier->failure = retrieve_queued(notifier, notifier->thread_ms);
}

static DWORD retrieve_by_thread(struct psn_levels *notifier, int timeout_ms)
{
    if (level_thread_is_running(notifier->thread)) {
        request_only(notifier);
    } else {
        DWORD code = request_and_retrieve(notifier, 0);
        if (code != 0 || notifier->count != 0)
            return code;
        notifier->thread_ms = wait_limit(notifier, INFINITE);
        level_thread_begin(notifier->thread);
    }
    return level_thread_ended(notifier->thread, timeout_ms) ? notifier->failure : 0;
}

/* --- events ----------------------------------------------------------------------------------- */

static struct notifier_event report_removed(struct psn_level *level)
{
    struct notifier_event event = {NOTIFIER_REMOVED, level->token, 0};
    level->state = LEVEL_FREE;
    return event;
}

/* Returns the requested conditions that a packet reports, or all if the connection is broken. */
static unsigned ready_of(const struct psn_level *level, DWORD events)
{
    if (level->state != LEVEL_KEPT && level->state != LEVEL_CHANGED)
        return 0;
    if ((events & SOCKET_EVENT_ERR) != 0)
        return NOTIFIER_ALL;
    return psn_request_ready(events) & level->interests;
}

static struct psn_level *level_of_key(struct psn_levels *notifier, ULONG_PTR key)
{
    for (size_t i = 0; i < NOTIFIER_LEVELS_MOST; i++)
        if (notifier->levels[i].state != LEVEL_FREE && notifier->levels[i].key == key)
            return &notifier->levels[i];
    return NULL;
}

/*
 * Adds the conditions to an event of this wait for the same token. Returns false if there is none.
 */
static bool join_events(struct notifier_event *events, size_t count, const void *token,
                        unsigned ready)
{
    for (size_t i = 0; i < count; i++) {
        if (events[i].type != NOTIFIER_READY || events[i].token != token)
            continue;
        events[i].ready |= ready;
        return true;
    }
    return false;
}

/* Appends the event that a packet reports, if any. Returns the new number of events. */
static size_t translate(struct psn_levels *notifier, const OVERLAPPED_ENTRY *packet,
                        struct notifier_event *events, size_t count)
{
    if (packet->lpCompletionKey == WAKE_KEY) {
        if (atomic_exchange(&notifier->wake_posted, false))
            events[count++] = (struct notifier_event){NOTIFIER_WOKEN, NULL, 0};
        return count;
    }
    if (packet->lpCompletionKey == PORT_KEY_OTHER)
        return count;
    struct psn_level *level = level_of_key(notifier, packet->lpCompletionKey);
    if (level == NULL)
        return count;
    if ((packet->dwNumberOfBytesTransferred & SOCKET_EVENT_REMOVE) != 0) {
        events[count++] = report_removed(level);
        return count;
    }
    unsigned ready = ready_of(level, packet->dwNumberOfBytesTransferred);
    if (ready != 0 && !join_events(events, count, level->token, ready))
        events[count++] = (struct notifier_event){NOTIFIER_READY, level->token, ready};
    return count;
}

static size_t take_packets(struct psn_levels *notifier, struct notifier_event *events,
                           size_t capacity)
{
    size_t count = 0;
    while (notifier->first < notifier->count && count < capacity)
        count = translate(notifier, &notifier->packets[notifier->first++], events, count);
    return count;
}

static size_t take_overdue(struct psn_levels *notifier, struct notifier_event *events, size_t count,
                           size_t capacity)
{
    int64_t now_ns = clock_monotonic_ns();
    for (size_t i = 0; i < NOTIFIER_LEVELS_MOST && count < capacity; i++) {
        struct psn_level *level = &notifier->levels[i];
        if ((level->state == LEVEL_LEAVING || level->state == LEVEL_LEFT) &&
            now_ns >= level->over_ns)
            events[count++] = report_removed(level);
    }
    return count;
}

static bool is_with_thread(const struct psn_levels *notifier)
{
    return notifier->thread != NULL && level_thread_is_running(notifier->thread);
}

static DWORD levels_retrieve(struct psn_levels *notifier, int timeout_ms)
{
    if (!is_with_thread(notifier) && notifier->first < notifier->count)
        return 0;
    if (notifier->thread != NULL)
        return retrieve_by_thread(notifier, timeout_ms);
    return request_and_retrieve(notifier, timeout_ms < 0 ? INFINITE : (DWORD)timeout_ms);
}

/* If there is a thread, it keeps waiting after a wait without events. */
static size_t levels_wait(struct notifier *base, size_t thread, struct notifier_event *events,
                          size_t capacity, int timeout_ms)
{
    struct psn_levels *notifier = psn_levels_of(base);
    size_t count;
    (void)thread;
    do {
        if (levels_retrieve(notifier, timeout_ms) != 0) {
            Sleep(1);
            return NOTIFIER_FAILED;
        }
        count = is_with_thread(notifier) ? 0 : take_packets(notifier, events, capacity);
        count = take_overdue(notifier, events, count, capacity);
    } while (count == 0 && notifier->thread != NULL && !is_with_thread(notifier));
    return count;
}

/* Posts at most one wake-up: the wait that takes it sees what this call announces, too. */
static void levels_wake(struct notifier *base)
{
    struct psn_levels *notifier = psn_levels_of(base);
    if (!atomic_exchange(&notifier->wake_posted, true) && !post_wake_up(notifier))
        atomic_store(&notifier->wake_posted, false);
}

static wait_handle levels_handle(struct notifier *base, struct error *error)
{
    struct psn_levels *notifier = psn_levels_of(base);
    if (notifier->thread == NULL &&
        level_thread_start(&notifier->thread, thread_wait, notifier, error) != 0)
        return NO_HANDLE;
    return level_thread_handle(notifier->thread);
}

const struct notifier_backend notifier_psn_levels = {
    .name = "psn",
    .is_available = psn_request_is_available,
    .create = levels_create,
    .destroy = levels_destroy,
    .remove = levels_remove,
    .wait = levels_wait,
    .wake = levels_wake,
    .add_level = levels_add,
    .change_level = levels_change,
    .handle = levels_handle,
};
