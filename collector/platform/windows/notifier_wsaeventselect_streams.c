/*
 * A notifier for streams that uses WSAEventSelect, for any number of threads.
 *
 * Each socket has an event object of its own. The system's thread pool waits for the objects, in
 * groups, because one wait takes at most 64. A wait of the pool ends once and must be set again,
 * like an armed registration. When it ends, the pool's thread checks the present state of the
 * socket. If a condition that the registration is armed for holds, the thread posts it to a
 * completion port, where the notifier's threads wait. Otherwise it sets the wait again.
 *
 * Network events are not levels: FD_READ is recorded again only after a receive, FD_ACCEPT after an
 * accept, FD_CLOSE once. The check turns them into levels. It happens after the object was reset
 * and before the wait is set, so an event in between sets the object and ends the wait at once. If
 * FD_READ was recorded and there is no data, a receive (MSG_PEEK) makes the system record it the
 * next time. For FD_ACCEPT no such call exists: if it was recorded and no connection waits, the
 * check is repeated at intervals until one does. FD_CLOSE comes after all data was read, so a
 * hang-up is reported only then.
 */
#include <stdlib.h>
#include <winsock2.h>

#include "collector/platform/windows/notifier_backends.h"
#include "collector/platform/windows/socket_state.h"
#include "collector/platform/windows/stream_port.h"

/*
 * Milliseconds until the next check: after a post that failed because memory is short, and of a
 * listening socket.
 */
#define POST_AGAIN_MS 10
#define LOOK_AGAIN_MS 20

struct eventselect_stream {
    struct stream_registration common;
    struct stream_port *port;
    HANDLE object;
    PTP_WAIT wait;
    long network_events; /* the events that set the object */
    unsigned interests;  /* the armed conditions; 0 if it is not armed */
    bool look_again;     /* repeat the check, because the system may not record FD_ACCEPT again */
};

static struct eventselect_stream *eventselect_stream_of(struct stream_registration *registration)
{
    return (struct eventselect_stream *)registration;
}

/* --- conditions that hold now ----------------------------------------------------------------- */

/*
 * Returns the armed conditions that hold, given the network events that were recorded. All hold if
 * the connection is broken.
 */
static unsigned look(const struct eventselect_stream *stream, long recorded)
{
    SOCKET socket = stream->common.socket;
    bool write = (stream->interests & NOTIFIER_OUT) != 0;
    WSAPOLLFD entry = {.fd = socket, .events = (SHORT)(POLLRDNORM | (write ? POLLWRNORM : 0))};
    if (WSAPoll(&entry, 1, 0) < 0 || (entry.revents & (POLLERR | POLLNVAL)) != 0)
        return NOTIFIER_ALL;
    if (stream->common.listens)
        return (entry.revents & POLLRDNORM) != 0 ? NOTIFIER_IN : 0;
    unsigned ready = 0;
    if ((entry.revents & (POLLRDNORM | POLLHUP)) != 0 || (recorded & FD_READ) != 0)
        ready = socket_state_to_read(socket);
    if (ready == NOTIFIER_ALL)
        return ready;
    if ((entry.revents & POLLWRNORM) != 0)
        ready |= NOTIFIER_OUT;
    return ready & stream->interests;
}

static void wait_until_set(struct eventselect_stream *stream, int timeout_ms)
{
    ULARGE_INTEGER from_now = {.QuadPart = (ULONGLONG)(timeout_ms * INT64_C(-10000))};
    FILETIME time = {from_now.LowPart, from_now.HighPart};
    SetThreadpoolWait(stream->wait, stream->object, timeout_ms < 0 ? NULL : &time);
}

/*
 * Posts the conditions that hold, or makes the pool wait for them. Called with the registration's
 * lock held.
 */
static void report_or_wait(struct eventselect_stream *stream)
{
    WSANETWORKEVENTS recorded;
    if (WSAEnumNetworkEvents(stream->common.socket, stream->object, &recorded) != 0) {
        ResetEvent(stream->object);
        recorded.lNetworkEvents = 0;
    }
    unsigned ready = look(stream, recorded.lNetworkEvents);
    if (ready == 0) {
        stream->look_again = stream->look_again || (recorded.lNetworkEvents & FD_ACCEPT) != 0;
        wait_until_set(stream, stream->look_again ? LOOK_AGAIN_MS : -1);
    } else if (stream_port_post(stream->port, stream->common.key, ready)) {
        stream->interests = 0;
        stream->look_again = false;
    } else {
        wait_until_set(stream, POST_AGAIN_MS);
    }
}

/*
 * Called by the pool when the object was set or the time is over. The registration may have been
 * unwatched or armed again since.
 */
static void CALLBACK object_was_set(PTP_CALLBACK_INSTANCE instance, void *context, PTP_WAIT wait,
                                    TP_WAIT_RESULT result)
{
    struct eventselect_stream *stream = context;
    (void)instance;
    (void)wait;
    (void)result;
    AcquireSRWLockExclusive(&stream->common.lock);
    if (stream->interests != 0)
        report_or_wait(stream);
    ReleaseSRWLockExclusive(&stream->common.lock);
}

/* --- watching --------------------------------------------------------------------------------- */

static long network_events_of(const struct eventselect_stream *stream, unsigned interests)
{
    if (stream->common.listens)
        return FD_ACCEPT;
    return FD_CLOSE | ((interests & NOTIFIER_IN) != 0 ? FD_READ : 0) |
           ((interests & NOTIFIER_OUT) != 0 ? FD_WRITE : 0);
}

/* Disarms the registration, so that it posts no more events. Called with its lock held. */
static void silence(struct eventselect_stream *stream)
{
    stream->interests = 0;
    stream->network_events = 0;
    stream->look_again = false;
    stream_port_new_key(&stream->common);
    if (stream->wait != NULL)
        SetThreadpoolWait(stream->wait, NULL, NULL);
}

static bool make_parts(struct eventselect_stream *stream)
{
    if (stream->object == NULL)
        stream->object = CreateEventW(NULL, TRUE, FALSE, NULL);
    if (stream->object != NULL && stream->wait == NULL)
        stream->wait = CreateThreadpoolWait(object_was_set, stream, NULL);
    return stream->wait != NULL;
}

static DWORD set_stream(struct stream_port *port, struct stream_registration *registration,
                        unsigned interests)
{
    struct eventselect_stream *stream = eventselect_stream_of(registration);
    long wanted = network_events_of(stream, interests);
    stream->port = port;
    if (!make_parts(stream))
        return GetLastError();
    if (wanted != stream->network_events &&
        WSAEventSelect(stream->common.socket, stream->object, wanted) != 0)
        return (DWORD)WSAGetLastError();
    stream->network_events = wanted;
    stream->interests = interests;
    stream_port_new_key(&stream->common); /* earlier events that were not taken are ignored */
    report_or_wait(stream);
    return 0;
}

static void eventselect_stream_unwatch(struct notifier *base, wait_handle socket,
                                       notifier_close *close)
{
    struct stream_port *port = (struct stream_port *)base;
    struct stream_registration *found = stream_port_find(port, (SOCKET)socket);
    if (found != NULL) {
        AcquireSRWLockExclusive(&found->lock);
        silence(eventselect_stream_of(found));
        WSAEventSelect((SOCKET)socket, NULL, 0);
        ReleaseSRWLockExclusive(&found->lock);
        stream_port_forget(port, found);
        stream_port_release(port, found);
    }
    close(socket);
}

/* --- translating events, creating and destroying ---------------------------------------------- */

/* The pool may be about to run object_was_set, which then does nothing. */
static void eventselect_stream_finish(struct stream_registration *registration)
{
    struct eventselect_stream *stream = eventselect_stream_of(registration);
    AcquireSRWLockExclusive(&registration->lock);
    silence(stream);
    ReleaseSRWLockExclusive(&registration->lock);
    if (stream->wait != NULL) {
        WaitForThreadpoolWaitCallbacks(stream->wait, TRUE);
        CloseThreadpoolWait(stream->wait);
    }
    if (stream->object != NULL)
        CloseHandle(stream->object);
}

static bool eventselect_stream_translate(struct stream_port *port,
                                         struct stream_registration *registration, DWORD bits,
                                         struct notifier_event *event)
{
    (void)port;
    *event = (struct notifier_event){NOTIFIER_READY, registration->token, bits};
    return true;
}

static int eventselect_stream_create(struct notifier **out, size_t threads, struct error *error)
{
    static const struct stream_port_ops ops = {
        .size = sizeof(struct stream_port),
        .registration_size = sizeof(struct eventselect_stream),
        .arm = set_stream,
        .translate = eventselect_stream_translate,
        .finish = eventselect_stream_finish,
    };
    return stream_port_create(out, threads, &ops, error);
}

const struct notifier_backend notifier_wsaeventselect_streams = {
    .name = "wsaeventselect",
    .create = eventselect_stream_create,
    .destroy = stream_port_destroy,
    .wait = stream_port_wait,
    .wake = stream_port_wake,
    .watch = stream_port_watch,
    .arm = stream_port_arm,
    .unwatch = eventselect_stream_unwatch,
};
