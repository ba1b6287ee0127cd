#include "collector/receiver.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "collector/deadline.h"
#include "collector/log.h"
#include "collector/notifier.h"
#include "collector/thread.h"

#define WAIT_EVENTS   32
/* How often the kernel's drops are looked at for the log while there is traffic. */
#define DROP_CHECK_NS INT64_C(1000000000)

/* A socket of this thread. Its address in memory is its token: it is never moved. */
struct port {
    struct port *next;       /* of all */
    struct port *next_ready; /* of those on the ready list */
    const struct listener *listener;
    struct udp_socket *socket;
    struct intake *intake;
    bool ready;
    bool failed;   /* served no more; open until the end for its counters' sake */
    bool removing; /* its REMOVED event is awaited */
    int64_t drops_checked_ns;
    uint64_t drops_told; /* when the log last spoke of them */
};

struct receiver {
    struct receiver_options options;
    struct notifier *notifier;
    struct datagram_group *group;
    struct thread *thread;
    struct port *ports;
    struct port *ready_first;
    struct port *ready_last;
    bool pressed;  /* the kernel was short of memory: rest before the next try */
    bool refusing; /* drops are now the reject-all filter's, and read where the socket is closed */

    _Atomic uint64_t refresh_wanted;
    _Atomic uint64_t refresh_done;
    _Atomic bool stopping;
    struct deadline deadline;
    _Atomic bool finished;
};

int receiver_create(struct receiver **out, const struct receiver_options *options,
                    struct error *error)
{
    struct receiver *receiver = calloc(1, sizeof *receiver);
    if (receiver == NULL) {
        error_set(error, EXIT_CODE_INTERNAL, "no memory for a receiver");
        return -1;
    }
    receiver->options = *options;
    deadline_init(&receiver->deadline);
    if (notifier_create(&receiver->notifier, options->notifier, 1, error) != 0) {
        receiver_destroy(receiver);
        return -1;
    }
    receiver->group = datagram_group_create();
    if (receiver->group == NULL) {
        error_set(error, EXIT_CODE_INTERNAL, "no memory to receive into");
        receiver_destroy(receiver);
        return -1;
    }
    *out = receiver;
    return 0;
}

int receiver_add_listener(struct receiver *receiver, const struct listener *listener,
                          const struct udp_socket_options *options, struct address *bound,
                          size_t *granted, struct error *error)
{
    struct port *port = calloc(1, sizeof *port);
    if (port != NULL)
        port->intake = intake_create(receiver->options.thread, listener);
    if (port == NULL || port->intake == NULL) {
        free(port);
        error_set(error, EXIT_CODE_INTERNAL, "no memory for a listener");
        return -1;
    }
    port->listener = listener;
    port->next = receiver->ports;
    receiver->ports = port;
    if (udp_socket_open(&port->socket, options, error) != 0 ||
        notifier_add(receiver->notifier, udp_socket_handle(port->socket), port, error) != 0 ||
        udp_socket_bind(port->socket, error) != 0)
        return -1;
    if (bound != NULL)
        *bound = udp_socket_address(port->socket);
    if (granted != NULL)
        *granted = udp_socket_receive_buffer(port->socket);
    return 0;
}

/* --- the ready list: first in, first served --------------------------------------------------- */

static void make_ready(struct receiver *receiver, struct port *port)
{
    if (port->ready || port->failed || port->socket == NULL)
        return;
    port->ready = true;
    port->next_ready = NULL;
    if (receiver->ready_last == NULL)
        receiver->ready_first = port;
    else
        receiver->ready_last->next_ready = port;
    receiver->ready_last = port;
}

static struct port *take_ready(struct receiver *receiver)
{
    struct port *port = receiver->ready_first;
    if (port == NULL)
        return NULL;
    receiver->ready_first = port->next_ready;
    if (receiver->ready_first == NULL)
        receiver->ready_last = NULL;
    port->ready = false;
    return port;
}

/* --- the kernel's drops ----------------------------------------------------------------------- */

static void read_drops(struct port *port)
{
    struct intake_counters *counters = intake_counters(port->intake);
    counter_set(&counters->kernel_drops, udp_socket_drops(port->socket));
    counter_set(&counters->receive_errors, udp_socket_errors(port->socket));
}

static void tell_drops(struct port *port, int64_t now)
{
    if (now - port->drops_checked_ns < DROP_CHECK_NS)
        return;
    port->drops_checked_ns = now;
    read_drops(port);
    uint64_t drops = counter_read(&intake_counters(port->intake)->kernel_drops);
    if (drops == port->drops_told)
        return;
    log_line(LOG_WARNING,
             "%s: the kernel dropped %" PRIu64 " datagrams: the receive buffer was full",
             port->listener->name, drops - port->drops_told);
    port->drops_told = drops;
}

/* --- draining --------------------------------------------------------------------------------- */

enum drain_result { DRAIN_DONE, DRAIN_AGAIN, DRAIN_FAILED };

/* Receives until would-block, or until the budget is spent, but at least one group. */
static enum drain_result drain(struct receiver *receiver, struct port *port)
{
    const struct receiver_options *options = &receiver->options;
    struct datagram_group *group = receiver->group;
    int64_t turn_ends = clock_monotonic_ns() + RECEIVER_BUDGET_NS;
    size_t taken = 0;
    while (taken == 0 || (taken < RECEIVER_BUDGET && clock_monotonic_ns() < turn_ends)) {
        struct error error;
        if (options->before_receive != NULL)
            options->before_receive(options->hook_context);
        switch (udp_socket_receive(port->socket, group, &error)) {
        case RECEIVE_OK:
            break;
        case RECEIVE_WOULD_BLOCK:
            intake_drained(port->intake);
            return DRAIN_DONE;
        case RECEIVE_LATER:
            receiver->pressed = true;
            return DRAIN_AGAIN;
        case RECEIVE_FATAL:
            log_line(LOG_ERROR, "%s: %s", port->listener->name, error.text);
            port->failed = true;
            return DRAIN_FAILED;
        }
        for (size_t i = 0; i < group->count; i++)
            intake_take(port->intake, &group->slots[i]);
        taken += group->count;
        if (options->received != NULL)
            options->received(options->context, group->count);
    }
    return DRAIN_AGAIN;
}

static void serve(struct receiver *receiver, struct port *port)
{
    switch (drain(receiver, port)) {
    case DRAIN_DONE:
        break;
    case DRAIN_AGAIN:
        make_ready(receiver, port);
        break;
    case DRAIN_FAILED:
        receiver->options.failed(receiver->options.context);
        break;
    }
}

/* --- the loop --------------------------------------------------------------------------------- */

static void refresh(struct receiver *receiver)
{
    uint64_t wanted = atomic_load(&receiver->refresh_wanted);
    if (wanted == atomic_load_explicit(&receiver->refresh_done, memory_order_relaxed))
        return;
    for (struct port *port = receiver->ports; port != NULL && !receiver->refusing;
         port = port->next)
        read_drops(port);
    atomic_store(&receiver->refresh_done, wanted);
    receiver->options.refreshed(receiver->options.context);
}

/* Seals what has been open for too long. Returns milliseconds until the next is due, or -1. */
static int seal_overdue(struct receiver *receiver)
{
    int64_t now = clock_monotonic_ns();
    int64_t first = INT64_MAX;
    for (struct port *port = receiver->ports; port != NULL; port = port->next) {
        tell_drops(port, now);
        int64_t due = intake_due(port->intake, now);
        if (due <= now)
            intake_seal(port->intake);
        else if (due < first)
            first = due;
    }
    return milliseconds_until(first, now);
}

static void wait_for_events(struct receiver *receiver, int timeout_ms)
{
    struct notifier_event events[WAIT_EVENTS];
    size_t count = notifier_wait(receiver->notifier, 0, events, WAIT_EVENTS, timeout_ms);
    for (size_t i = 0; i < count; i++) {
        struct port *port = events[i].token;
        switch (events[i].type) {
        case NOTIFIER_READY:
            make_ready(receiver, port);
            break;
        case NOTIFIER_REMOVED:
            port->removing = false;
            break;
        case NOTIFIER_WOKEN:
            refresh(receiver);
            break;
        }
    }
}

/* Every socket on the ready list has one turn; one that is put back waits for the next round. */
static void serve_ready(struct receiver *receiver)
{
    struct port *last = receiver->ready_last;
    for (struct port *port; (port = take_ready(receiver)) != NULL;) {
        serve(receiver, port);
        if (port == last)
            break;
    }
}

/* --- stopping --------------------------------------------------------------------------------- */

/*
 * The drops read before the filter are the full buffer's, those after it the filter's. Every socket
 * gets its filter before the first one is drained, so that all stop listening at the same moment.
 */
static void last_drain(struct receiver *receiver)
{
    receiver->refusing = true;
    for (struct port *port = receiver->ports; port != NULL; port = port->next) {
        read_drops(port);
        if (!udp_socket_refuse_all(port->socket))
            log_line(LOG_INFO, "%s: cannot refuse datagrams while stopping", port->listener->name);
    }
    for (struct port *port = receiver->ports; port != NULL; port = port->next) {
        while (!port->failed && !deadline_is_over(&receiver->deadline) &&
               drain(receiver, port) == DRAIN_AGAIN) {
            if (receiver->pressed)
                wait_for_events(receiver, 1);
            receiver->pressed = false;
        }
    }
}

static void close_port(struct port *port)
{
    struct intake_counters *counters = intake_counters(port->intake);
    uint64_t before = counter_read(&counters->kernel_drops);
    counter_set(&counters->refused_while_stopping, udp_socket_drops(port->socket) - before);
    counter_set(&counters->receive_errors, udp_socket_errors(port->socket));
    udp_socket_close(port->socket);
    port->socket = NULL;
}

static void close_ports(struct receiver *receiver)
{
    for (struct port *port = receiver->ports; port != NULL; port = port->next) {
        struct error error;
        if (notifier_remove(receiver->notifier, udp_socket_handle(port->socket), port, &error) == 0)
            port->removing = true;
        else
            log_line(LOG_ERROR, "%s: %s", port->listener->name, error.text);
    }
    for (struct port *port = receiver->ports; port != NULL; port = port->next) {
        while (port->removing)
            wait_for_events(receiver, -1);
        close_port(port);
    }
}

static void run(void *argument)
{
    struct receiver *receiver = argument;
    int timeout_ms = -1;
    while (!atomic_load(&receiver->stopping)) {
        if (receiver->pressed)
            timeout_ms = 1;
        else if (receiver->ready_first != NULL)
            timeout_ms = 0;
        receiver->pressed = false;
        wait_for_events(receiver, timeout_ms);
        serve_ready(receiver);
        timeout_ms = seal_overdue(receiver);
    }
    last_drain(receiver);
    close_ports(receiver);
    for (struct port *port = receiver->ports; port != NULL; port = port->next)
        intake_seal(port->intake);
    intake_thread_close(receiver->options.thread);
    atomic_store(&receiver->finished, true);
    receiver->options.finished(receiver->options.context);
}

/* --- from other threads ----------------------------------------------------------------------- */

int receiver_start(struct receiver *receiver, struct error *error)
{
    return thread_start(&receiver->thread, "receiver", run, receiver, error);
}

uint64_t receiver_refresh(struct receiver *receiver)
{
    uint64_t request = atomic_fetch_add(&receiver->refresh_wanted, 1) + 1;
    notifier_wake(receiver->notifier);
    return request;
}

bool receiver_has_refreshed(const struct receiver *receiver, uint64_t request)
{
    return atomic_load(&receiver->refresh_done) >= request || receiver_has_finished(receiver);
}

void receiver_stop(struct receiver *receiver, int64_t deadline_ns)
{
    deadline_bring_forward(&receiver->deadline, deadline_ns);
    atomic_store(&receiver->stopping, true);
    notifier_wake(receiver->notifier);
}

bool receiver_has_finished(const struct receiver *receiver)
{
    return atomic_load(&receiver->finished);
}

void receiver_join(struct receiver *receiver)
{
    thread_join(receiver->thread);
    receiver->thread = NULL;
}

void receiver_destroy(struct receiver *receiver)
{
    if (receiver == NULL)
        return;
    while (receiver->ports != NULL) {
        struct port *port = receiver->ports;
        receiver->ports = port->next;
        udp_socket_close(port->socket);
        intake_destroy(port->intake);
        free(port);
    }
    datagram_group_destroy(receiver->group);
    notifier_destroy(receiver->notifier);
    free(receiver);
}
