#include "collector/platform/windows/stream_port.h"

#include <stdlib.h>

#include "collector/platform/clock.h"
#include "collector/platform/windows/port_key.h"
#include "collector/platform/windows/socket_state.h"
#include "collector/platform/windows/system_error.h"

/*
 * The lower bits of a key are the number of the registration's slot, from 1 on. The upper bits are
 * a number that differs between the registrations of a slot. Key 0 is a wake-up.
 */
#define PLACE_BITS 20
#define PLACE_MASK (((ULONG_PTR)1 << PLACE_BITS) - 1)
#define WAKE_KEY   0

static struct stream_port *port_of(struct notifier *notifier)
{
    return (struct stream_port *)notifier;
}

int stream_port_fail(struct error *error, const char *what, DWORD code)
{
    error_set(error, EXIT_CODE_INTERNAL, "%s: %s", what, system_error(code).text);
    return -1;
}

/* --- creating and destroying ------------------------------------------------------------------ */

int stream_port_create(struct notifier **out, size_t threads, const struct stream_port_ops *ops,
                       struct error *error)
{
    struct stream_port *port = calloc(1, ops->size);
    if (port == NULL)
        return stream_port_fail(error, "cannot create a notifier", ERROR_NOT_ENOUGH_MEMORY);
    port->port = CreateIoCompletionPort(INVALID_HANDLE_VALUE, NULL, 0, PORT_THREADS);
    if (port->port == NULL) {
        stream_port_fail(error, "cannot create a notifier", GetLastError());
        free(port);
        return -1;
    }
    InitializeSRWLock(&port->lock);
    port->ops = ops;
    port->threads = threads;
    *out = &port->base;
    return 0;
}

void stream_port_destroy(struct notifier *base)
{
    struct stream_port *port = port_of(base);
    for (size_t i = 0; i < port->count; i++) {
        if (port->ops->finish != NULL)
            port->ops->finish(port->registrations[i]);
        free(port->registrations[i]);
    }
    CloseHandle(port->port);
    free(port->registrations);
    free(port);
}

/* --- registrations ---------------------------------------------------------------------------- */

static struct stream_registration **port_place_of(struct stream_port *port, SOCKET socket)
{
    return &port->by_socket[(socket >> 2) % STREAM_PORT_HASHES]; /* handles are multiples of 4 */
}

/* Called with the port's lock held. */
static bool port_make_room(struct stream_port *port)
{
    if (port->count < port->capacity)
        return true;
    size_t capacity = port->capacity == 0 ? 64 : port->capacity * 2;
    struct stream_registration **grown =
        capacity > PLACE_MASK ? NULL : realloc(port->registrations, capacity * sizeof *grown);
    if (grown == NULL)
        return false;
    port->registrations = grown;
    port->capacity = capacity;
    return true;
}

static struct stream_registration *make_registration(struct stream_port *port)
{
    if (!port_make_room(port))
        return NULL;
    struct stream_registration *made = calloc(1, port->ops->registration_size);
    if (made == NULL)
        return NULL;
    InitializeSRWLock(&made->lock);
    port->registrations[port->count++] = made;
    made->key = port->count;
    return made;
}

void stream_port_new_key(struct stream_registration *registration)
{
    registration->key += PLACE_MASK + 1;
}

/*
 * Adds a registration with a new key, for a socket that has none. Returns NULL if memory is short.
 */
static struct stream_registration *port_add(struct stream_port *port, SOCKET socket, void *token)
{
    bool listens = socket_state_listens(socket);
    AcquireSRWLockExclusive(&port->lock);
    struct stream_registration *added = port->free;
    if (added != NULL)
        port->free = added->next;
    else
        added = make_registration(port);
    ReleaseSRWLockExclusive(&port->lock);
    if (added == NULL)
        return NULL;
    AcquireSRWLockExclusive(&added->lock); /* a thread with a late packet may read it */
    stream_port_new_key(added);
    added->socket = socket;
    added->token = token;
    added->listens = listens;
    ReleaseSRWLockExclusive(&added->lock);
    AcquireSRWLockExclusive(&port->lock);
    struct stream_registration **place = port_place_of(port, socket);
    added->next = *place;
    *place = added;
    ReleaseSRWLockExclusive(&port->lock);
    return added;
}

struct stream_registration *stream_port_find(struct stream_port *port, SOCKET socket)
{
    AcquireSRWLockShared(&port->lock);
    struct stream_registration *found = *port_place_of(port, socket);
    while (found != NULL && found->socket != socket)
        found = found->next;
    ReleaseSRWLockShared(&port->lock);
    return found;
}

void stream_port_forget(struct stream_port *port, struct stream_registration *registration)
{
    AcquireSRWLockExclusive(&port->lock);
    struct stream_registration **place = port_place_of(port, registration->socket);
    while (*place != registration)
        place = &(*place)->next;
    *place = registration->next;
    ReleaseSRWLockExclusive(&port->lock);
}

void stream_port_release(struct stream_port *port, struct stream_registration *registration)
{
    AcquireSRWLockExclusive(&port->lock);
    registration->next = port->free;
    port->free = registration;
    ReleaseSRWLockExclusive(&port->lock);
}

/* --- arming ----------------------------------------------------------------------------------- */

int stream_port_watch(struct notifier *base, wait_handle socket, void *token, unsigned interests,
                      struct error *error)
{
    struct stream_port *port = port_of(base);
    struct stream_registration *added = port_add(port, (SOCKET)socket, token);
    if (added == NULL)
        return stream_port_fail(error, "cannot watch a connection", ERROR_NOT_ENOUGH_MEMORY);
    AcquireSRWLockExclusive(&added->lock);
    DWORD code = port->ops->arm(port, added, interests);
    ReleaseSRWLockExclusive(&added->lock);
    if (code == 0)
        return 0;
    stream_port_forget(port, added);
    stream_port_release(port, added);
    return stream_port_fail(error, "cannot watch a connection", code);
}

int stream_port_arm(struct notifier *base, wait_handle socket, void *token, unsigned interests,
                    struct error *error)
{
    struct stream_port *port = port_of(base);
    struct stream_registration *found = stream_port_find(port, (SOCKET)socket);
    if (found == NULL)
        return stream_port_fail(error, "cannot watch a connection", ERROR_NOT_FOUND);
    AcquireSRWLockExclusive(&found->lock);
    found->token = token;
    DWORD code = port->ops->arm(port, found, interests);
    ReleaseSRWLockExclusive(&found->lock);
    return code == 0 ? 0 : stream_port_fail(error, "cannot watch a connection", code);
}

/* --- packets ---------------------------------------------------------------------------------- */

/*
 * Returns the registration in the key's slot. The caller checks under its lock that it still has
 * that key.
 */
static struct stream_registration *at_place_of(struct stream_port *port, ULONG_PTR key)
{
    size_t place = key & PLACE_MASK;
    AcquireSRWLockShared(&port->lock);
    struct stream_registration *found =
        place != 0 && place <= port->count ? port->registrations[place - 1] : NULL;
    ReleaseSRWLockShared(&port->lock);
    return found;
}

bool stream_port_post(struct stream_port *port, ULONG_PTR key, DWORD bits)
{
    return PostQueuedCompletionStatus(port->port, bits, key, NULL);
}

void stream_port_wake(struct notifier *base)
{
    struct stream_port *port = port_of(base);
    if (!atomic_exchange(&port->wake_posted, true) && !stream_port_post(port, WAKE_KEY, 0))
        atomic_exchange(&port->wake_posted, false);
}

static bool make_event(struct stream_port *port, const OVERLAPPED_ENTRY *packet,
                       struct notifier_event *event)
{
    if (packet->lpCompletionKey == WAKE_KEY) {
        atomic_exchange(&port->wake_posted, false);
        *event = (struct notifier_event){NOTIFIER_WOKEN, NULL, 0};
        return true;
    }
    if (packet->lpCompletionKey == PORT_KEY_OTHER)
        return false;
    struct stream_registration *named = at_place_of(port, packet->lpCompletionKey);
    if (named == NULL)
        return false;
    AcquireSRWLockExclusive(&named->lock);
    bool made = named->key == packet->lpCompletionKey &&
                port->ops->translate(port, named, packet->dwNumberOfBytesTransferred, event);
    ReleaseSRWLockExclusive(&named->lock);
    return made;
}

static DWORD port_time_left(int64_t end)
{
    int64_t left = end - clock_monotonic_ns();
    return left <= 0 ? 0 : (DWORD)((left + 999999) / 1000000);
}

ULONG stream_port_room(const struct stream_port *port, size_t capacity)
{
    if (port->threads > 1)
        return 1;
    return (ULONG)(capacity < NOTIFIER_WAIT_MOST ? capacity : NOTIFIER_WAIT_MOST);
}

size_t stream_port_translate(struct stream_port *port, const OVERLAPPED_ENTRY *packets, ULONG count,
                             struct notifier_event *events)
{
    size_t made = 0;
    for (ULONG i = 0; i < count; i++)
        made += make_event(port, &packets[i], &events[made]);
    return made;
}

size_t stream_port_take(struct stream_port *port, struct notifier_event *events, size_t capacity,
                        DWORD timeout_ms)
{
    OVERLAPPED_ENTRY packets[NOTIFIER_WAIT_MOST];
    ULONG found = 0;
    if (!GetQueuedCompletionStatusEx(port->port, packets, stream_port_room(port, capacity), &found,
                                     timeout_ms, FALSE)) {
        if (GetLastError() != WAIT_TIMEOUT) {
            Sleep(1);
            return NOTIFIER_FAILED;
        }
        found = 0;
    }
    return stream_port_translate(port, packets, found, events);
}

size_t stream_port_wait(struct notifier *base, size_t thread, struct notifier_event *events,
                        size_t capacity, int timeout_ms)
{
    struct stream_port *port = port_of(base);
    (void)thread;
    int64_t end = clock_monotonic_ns() + (int64_t)timeout_ms * 1000000;
    DWORD left = timeout_ms < 0 ? INFINITE : (DWORD)timeout_ms;
    for (;;) {
        size_t count = stream_port_take(port, events, capacity, left);
        if (count != 0)
            return count;
        if (timeout_ms >= 0 && (left = port_time_left(end)) == 0)
            return 0;
    }
}
