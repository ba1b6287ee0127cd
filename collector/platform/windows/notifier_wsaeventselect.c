/*
 * A notifier for datagram sockets that uses WSAEventSelect, for one thread. That thread adds and
 * removes sockets between its waits; before the first wait another thread may do so.
 *
 * A wait takes at most 64 objects: one for notifier_wake and 63 for sockets. If there are more
 * sockets, several share an object, and all of them are checked when it is set. No event is lost by
 * sharing, because the wait resets the object before any of its sockets is checked, and an event
 * that a socket records later sets it again. (WSAEnumNetworkEvents can reset the object too, but
 * then the second socket's check would drop what the first one has recorded in between.)
 *
 * Any receive arms the socket again, and sets the object at once if data remains. After a
 * would-block, the next datagram sets it.
 */
#include <stdlib.h>
#include <winsock2.h>

#include "collector/platform/clock.h"
#include "collector/platform/windows/notifier_backends.h"
#include "collector/platform/windows/system_error.h"

#define WAKE 0 /* index of the object of notifier_wake */

struct watched {
    SOCKET socket;
    void *token;
    size_t object;
    struct watched *next; /* the next socket with the same object */
    bool ready;           /* it is in the queue `ready` */
    struct watched *next_queued;
};

struct queue {
    struct watched *first;
    struct watched **end;
};

struct eventselect_notifier {
    struct notifier base;
    size_t object_count;
    HANDLE objects[MAXIMUM_WAIT_OBJECTS];
    struct watched *sockets[MAXIMUM_WAIT_OBJECTS];
    size_t socket_counts[MAXIMUM_WAIT_OBJECTS];
    struct queue ready;   /* sockets with data that was not reported yet */
    struct queue removed; /* removed sockets, whose REMOVED events are due */
};

static struct eventselect_notifier *eventselect_of(struct notifier *notifier)
{
    return (struct eventselect_notifier *)notifier;
}

static void eventselect_fail(struct error *error, const char *what, int code)
{
    error_set(error, EXIT_CODE_INTERNAL, "%s: %s", what, system_error((unsigned)code).text);
}

/* --- queues ----------------------------------------------------------------------------------- */

static void queue_put(struct queue *queue, struct watched *watched)
{
    watched->next_queued = NULL;
    *queue->end = watched;
    queue->end = &watched->next_queued;
}

static struct watched *queue_take(struct queue *queue)
{
    struct watched *watched = queue->first;
    queue->first = watched->next_queued;
    if (queue->first == NULL)
        queue->end = &queue->first;
    return watched;
}

static void queue_drop(struct queue *queue, const struct watched *watched)
{
    struct watched **place = &queue->first;
    while (*place != watched)
        place = &(*place)->next_queued;
    *place = watched->next_queued;
    if (*place == NULL)
        queue->end = place;
}

static void queue_free(struct queue *queue)
{
    while (queue->first != NULL)
        free(queue_take(queue));
}

/* --- creating and destroying ------------------------------------------------------------------ */

/* Adds an auto-reset event object. Returns false with GetLastError(). */
static bool add_object(struct eventselect_notifier *notifier)
{
    HANDLE object = CreateEventW(NULL, FALSE, FALSE, NULL);
    if (object == NULL)
        return false;
    notifier->objects[notifier->object_count++] = object;
    return true;
}

static int eventselect_create(struct notifier **out, size_t threads, struct error *error)
{
    (void)threads; /* one */
    struct eventselect_notifier *notifier = calloc(1, sizeof *notifier);
    if (notifier == NULL || !add_object(notifier)) {
        eventselect_fail(error, "cannot create a notifier",
                         notifier == NULL ? ERROR_NOT_ENOUGH_MEMORY : (int)GetLastError());
        free(notifier);
        return -1;
    }
    notifier->ready.end = &notifier->ready.first;
    notifier->removed.end = &notifier->removed.first;
    *out = &notifier->base;
    return 0;
}

/* The sockets may be closed already. A socket that still uses an object keeps the object alive. */
static void eventselect_destroy(struct notifier *base)
{
    struct eventselect_notifier *notifier = eventselect_of(base);
    queue_free(&notifier->removed);
    for (size_t i = 0; i < notifier->object_count; i++) {
        CloseHandle(notifier->objects[i]);
        while (notifier->sockets[i] != NULL) {
            struct watched *watched = notifier->sockets[i];
            notifier->sockets[i] = watched->next;
            free(watched);
        }
    }
    free(notifier);
}

/* --- adding and removing ---------------------------------------------------------------------- */

/*
 * Returns the object with the fewest sockets, or a new one if there is room. Returns 0 if none can
 * be created.
 */
static size_t choose_object(struct eventselect_notifier *notifier)
{
    size_t best = 0;
    for (size_t i = WAKE + 1; i < notifier->object_count; i++)
        if (best == 0 || notifier->socket_counts[i] < notifier->socket_counts[best])
            best = i;
    if (best != 0 && notifier->socket_counts[best] == 0)
        return best;
    if (notifier->object_count < MAXIMUM_WAIT_OBJECTS && add_object(notifier))
        return notifier->object_count - 1;
    return best;
}

static int eventselect_add(struct notifier *base, wait_handle socket, void *token,
                           struct error *error)
{
    struct eventselect_notifier *notifier = eventselect_of(base);
    struct watched *watched = calloc(1, sizeof *watched);
    size_t object = watched == NULL ? 0 : choose_object(notifier);
    if (object == 0) {
        free(watched);
        eventselect_fail(error, "no memory to watch a socket", ERROR_NOT_ENOUGH_MEMORY);
        return -1;
    }
    *watched = (struct watched){.socket = (SOCKET)socket, .token = token, .object = object};
    if (WSAEventSelect(watched->socket, notifier->objects[object], FD_READ) != 0) {
        eventselect_fail(error, "cannot watch a socket", WSAGetLastError());
        free(watched);
        return -1;
    }
    watched->next = notifier->sockets[object];
    notifier->sockets[object] = watched;
    notifier->socket_counts[object]++;
    return 0;
}

/* Returns the pointer to the socket's entry in its list, or NULL. */
static struct watched **eventselect_find(struct eventselect_notifier *notifier, SOCKET socket)
{
    for (size_t i = WAKE + 1; i < notifier->object_count; i++)
        for (struct watched **place = &notifier->sockets[i]; *place != NULL;
             place = &(*place)->next)
            if ((*place)->socket == socket)
                return place;
    return NULL;
}

static int eventselect_remove_socket(struct notifier *base, wait_handle socket, void *token,
                                     struct error *error)
{
    struct eventselect_notifier *notifier = eventselect_of(base);
    struct watched **place = eventselect_find(notifier, (SOCKET)socket);
    (void)token; /* the entry has its token */
    if (place == NULL || WSAEventSelect((SOCKET)socket, NULL, 0) != 0) {
        eventselect_fail(error, "cannot stop watching a socket",
                         place == NULL ? ERROR_NOT_FOUND : WSAGetLastError());
        return -1;
    }
    struct watched *watched = *place;
    *place = watched->next;
    notifier->socket_counts[watched->object]--;
    if (watched->ready)
        queue_drop(&notifier->ready, watched);
    queue_put(&notifier->removed, watched);
    return 0;
}

/* --- waiting ---------------------------------------------------------------------------------- */

/*
 * Checks each socket of an object that was set. If a check fails, the socket counts as ready,
 * because a receive returns the error.
 */
static void ask_sockets(struct eventselect_notifier *notifier, size_t object)
{
    for (struct watched *watched = notifier->sockets[object]; watched != NULL;
         watched = watched->next) {
        WSANETWORKEVENTS recorded = {0};
        if (WSAEnumNetworkEvents(watched->socket, NULL, &recorded) == 0 &&
            (recorded.lNetworkEvents & FD_READ) == 0)
            continue;
        if (!watched->ready)
            queue_put(&notifier->ready, watched);
        watched->ready = true;
    }
}

/*
 * Waits, then checks every object once, because a wait reports only the first one that is set.
 * Returns true if notifier_wake was called. Sets *failed if the system's wait failed.
 */
static bool look_at_objects(struct eventselect_notifier *notifier, DWORD timeout_ms, bool *failed)
{
    bool woken = false;
    size_t next = 0;
    while (next < notifier->object_count) {
        DWORD count = (DWORD)(notifier->object_count - next);
        DWORD found = WaitForMultipleObjects(count, notifier->objects + next, FALSE,
                                             next == 0 ? timeout_ms : 0);
        *failed = found == WAIT_FAILED;
        if (*failed)
            Sleep(1);
        if (found >= WAIT_OBJECT_0 + count)
            break; /* no further object is set */
        size_t object = next + (found - WAIT_OBJECT_0);
        if (object == WAKE)
            woken = true;
        else
            ask_sockets(notifier, object);
        next = object + 1;
    }
    return woken;
}

static size_t eventselect_report(struct queue *queue, enum notifier_event_type type,
                                 struct notifier_event *events, size_t capacity)
{
    size_t count = 0;
    while (count < capacity && queue->first != NULL) {
        struct watched *watched = queue_take(queue);
        events[count++] = (struct notifier_event){type, watched->token, 0};
        watched->ready = false;
        if (type == NOTIFIER_REMOVED)
            free(watched);
    }
    return count;
}

static DWORD eventselect_time_left(int64_t end)
{
    int64_t left = end - clock_monotonic_ns();
    return left <= 0 ? 0 : (DWORD)((left + 999999) / 1000000);
}

static size_t eventselect_wait_for_events(struct notifier *base, size_t thread,
                                          struct notifier_event *events, size_t capacity,
                                          int timeout_ms)
{
    struct eventselect_notifier *notifier = eventselect_of(base);
    (void)thread;
    size_t count = eventselect_report(&notifier->removed, NOTIFIER_REMOVED, events, capacity);
    count += eventselect_report(&notifier->ready, NOTIFIER_READY, events + count, capacity - count);
    if (count == capacity)
        return count;

    int64_t end = clock_monotonic_ns() + (int64_t)timeout_ms * 1000000;
    DWORD left = timeout_ms < 0 ? INFINITE : (DWORD)timeout_ms;
    bool failed = false;
    for (;;) {
        if (look_at_objects(notifier, count != 0 ? 0 : left, &failed))
            events[count++] = (struct notifier_event){NOTIFIER_WOKEN, NULL, 0};
        count +=
            eventselect_report(&notifier->ready, NOTIFIER_READY, events + count, capacity - count);
        if (count != 0)
            return count;
        if (failed)
            return NOTIFIER_FAILED;
        if (timeout_ms >= 0 && (left = eventselect_time_left(end)) == 0)
            return 0;
    }
}

static void eventselect_wake(struct notifier *base)
{
    SetEvent(eventselect_of(base)->objects[WAKE]);
}

const struct notifier_backend notifier_wsaeventselect = {
    .name = "wsaeventselect",
    .create = eventselect_create,
    .destroy = eventselect_destroy,
    .add = eventselect_add,
    .remove = eventselect_remove_socket,
    .wait = eventselect_wait_for_events,
    .wake = eventselect_wake,
};
