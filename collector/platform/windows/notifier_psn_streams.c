/*
 * The notifier for streams on Winsock's socket state notifications (ProcessSocketNotifications),
 * for any number of threads on one I/O completion port.
 *
 * A registration is for a level, and for one notification: the system disables it when it posts the
 * packet, and arming enables it again. Each call has one operation.
 *
 * At a hang-up, IN may not be reported although the end of the connection can be read. So a
 * registration that is armed for IN is also registered for HANGUP.
 *
 * After a removal was requested, the registration's memory is reused when its REMOVE packet has
 * come.
 */
#include <winsock2.h>

#include "collector/platform/windows/notifier_backends.h"
#include "collector/platform/windows/socket_lookup.h"
#include "collector/platform/windows/stream_port.h"

#define EVERYTHING (NOTIFIER_IN | NOTIFIER_OUT | NOTIFIER_HANGUP)

struct psn_stream {
    struct stream_registration common;
    unsigned interests; /* the armed conditions; 0: not armed */
    bool removing;      /* its REMOVE packet has not come yet */
};

struct psn_streams {
    struct stream_port common;
    process_socket_notifications *notify;
};

static struct psn_stream *psn_stream_of(struct stream_registration *registration)
{
    return (struct psn_stream *)registration;
}

/* --- watching --------------------------------------------------------------------------------- */

static uint16_t filter_of(const struct psn_stream *stream)
{
    unsigned interests = stream->interests;
    unsigned filter = 0;
    if (stream->common.listens)
        return SOCKET_EVENT_IN;
    if ((interests & NOTIFIER_IN) != 0)
        filter |= SOCKET_EVENT_IN | SOCKET_EVENT_HANGUP;
    if ((interests & NOTIFIER_OUT) != 0)
        filter |= SOCKET_EVENT_OUT;
    if ((interests & NOTIFIER_HANGUP) != 0)
        filter |= SOCKET_EVENT_HANGUP;
    return (uint16_t)filter;
}

/* Returns 0, or the error of the call, which has no effect then, or the error of its one row. */
static DWORD operate(struct stream_port *port, const struct psn_stream *stream, uint8_t operation)
{
    struct socket_registration row = {
        .socket = stream->common.socket,
        .key = (void *)stream->common.key,
        .filter = filter_of(stream),
        .operation = operation,
        .trigger = SOCKET_TRIGGER_LEVEL | SOCKET_TRIGGER_ONESHOT,
    };
    DWORD result = ((struct psn_streams *)port)->notify(port->port, 1, &row, 0, 0, NULL, NULL);
    return result == ERROR_SUCCESS || result == WAIT_TIMEOUT ? row.result : result;
}

/* The packet may come before the call returns. */
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

/*
 * The registration is forgotten first, because another thread may get its REMOVE packet at once. If
 * it cannot be removed, no such packet comes; its key then distinguishes late packets from packets
 * of the next registration.
 */
static void psn_stream_unwatch(struct notifier *base, wait_handle socket)
{
    struct stream_port *port = (struct stream_port *)base;
    struct stream_registration *found = stream_port_find(port, (SOCKET)socket);
    if (found == NULL)
        return;
    struct psn_stream *stream = psn_stream_of(found);
    stream_port_forget(port, found);
    AcquireSRWLockExclusive(&found->lock);
    stream->interests = 0;
    stream->removing = operate(port, stream, SOCKET_OPERATION_REMOVE) == 0;
    bool lost = !stream->removing;
    ReleaseSRWLockExclusive(&found->lock);
    if (lost)
        stream_port_release(port, found);
}

/* --- waiting ---------------------------------------------------------------------------------- */

/* The armed conditions that a packet reports. The end of a connection is readable. */
static unsigned ready_of(const struct psn_stream *stream, DWORD events)
{
    unsigned ready = 0;
    if ((events & SOCKET_EVENT_ERR) != 0)
        return EVERYTHING;
    if ((events & SOCKET_EVENT_IN) != 0)
        ready |= NOTIFIER_IN;
    if ((events & SOCKET_EVENT_OUT) != 0)
        ready |= NOTIFIER_OUT;
    if ((events & SOCKET_EVENT_HANGUP) != 0)
        ready |= NOTIFIER_IN | NOTIFIER_HANGUP;
    return ready & stream->interests;
}

/*
 * If it was armed again before this packet was taken, another packet is still to come, which is
 * ignored.
 */
static bool psn_stream_translate(struct stream_port *port, struct stream_registration *registration,
                                 DWORD events, struct notifier_event *event)
{
    struct psn_stream *stream = psn_stream_of(registration);
    unsigned ready = stream->interests == 0 ? 0 : ready_of(stream, events);
    if ((events & SOCKET_EVENT_REMOVE) != 0 && stream->removing) {
        stream->removing = false;
        stream_port_release(port, registration);
        return false;
    }
    if (ready == 0)
        return false;
    stream->interests = 0;
    *event = (struct notifier_event){NOTIFIER_READY, registration->token, ready};
    return true;
}

/* --- creating --------------------------------------------------------------------------------- */

static bool is_available(void)
{
    return socket_lookup_notifications() != NULL;
}

/* At the end, registered sockets keep the port itself alive; their packets are never read. */
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
    ((struct psn_streams *)*out)->notify = notify;
    return 0;
}

const struct notifier_backend notifier_psn_streams = {
    .name = "psn",
    .is_available = is_available,
    .create = psn_stream_create,
    .destroy = stream_port_destroy,
    .wait = stream_port_wait,
    .wake = stream_port_wake,
    .watch = stream_port_watch,
    .arm = stream_port_arm,
    .unwatch = psn_stream_unwatch,
};
