#include "collector/receiver.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "collector/claim.h"
#include "collector/coalescing.h"
#include "collector/deadline.h"
#include "collector/log.h"
#include "collector/notifier.h"
#include "collector/pause.h"
#include "collector/thread.h"

#define WAIT_EVENTS   32
/* How often the kernel's drops are looked at for the log while there is traffic. */
#define DROP_CHECK_NS INT64_C(1000000000)

/*
 * A socket. Its address in memory is its token: it is never moved. What is not atomic here belongs
 * to the thread that has the claim; a socket on a list of a thread's stays claimed by it, and one
 * that has failed for ever.
 */
struct port {
    struct port *next; /* of all */
    struct claim claim;
    struct port *next_listed; /* on the list where it is */
    const struct listener *listener;
    struct udp_socket *socket;
    struct intake *intake;
    bool filtered; /* the kernel refuses who may not send, and counts that as drops */
    bool failed;   /* served no more; open until the end for its counters' sake */
    bool removing; /* its REMOVED event is awaited */
    int64_t drops_checked_ns;
    uint64_t drops_told;        /* when the log last spoke of them */
    int64_t due;                /* while claimed and drained: when what is open must be sealed */
    _Atomic int64_t due_ns;     /* the same while unclaimed */
    _Atomic uint64_t refreshed; /* the last refresh that its drops were read for */
};

/* First in, first out. */
struct port_list {
    struct port *first;
    struct port *last;
};

/* One of the threads. */
struct member {
    struct receiver *receiver;
    size_t number;
    struct intake_thread *intakes;
    struct datagram_group *group;
    struct thread *thread;
    struct port_list ready;
    struct port_list drained;     /* in this round; their claims are still to be given up */
    bool told_all;                /* what the notifier had to tell; it tells a little at a time */
    struct coalescing coalescing; /* how long it may rest between two rounds */
    struct pause *pause;          /* NULL: it cannot */
    bool pressed; /* the kernel was short of memory: wait a little before the next try */
};

struct receiver {
    struct receiver_options options;
    struct notifier *notifier;
    struct port *ports;

    _Atomic size_t running; /* threads that have not left their loops */
    _Atomic uint64_t refresh_wanted;
    _Atomic uint64_t refresh_done;
    _Atomic bool stopping;
    struct deadline deadline;
    _Atomic bool finished;
    struct member members[];
};

int receiver_create(struct receiver **out, const struct receiver_options *options,
                    struct error *error)
{
    size_t count = options->thread_count;
    struct receiver *receiver = calloc(1, sizeof *receiver + count * sizeof *receiver->members);
    if (receiver == NULL) {
        error_set(error, EXIT_CODE_INTERNAL, "no memory for a receiver");
        return -1;
    }
    receiver->options = *options;
    deadline_init(&receiver->deadline);
    if (notifier_create(&receiver->notifier, options->notifier, count, error) != 0) {
        receiver_destroy(receiver);
        return -1;
    }
    for (size_t i = 0; i < count; i++) {
        struct member *member = &receiver->members[i];
        *member = (struct member){.receiver = receiver,
                                  .number = i,
                                  .intakes = &options->threads[i],
                                  .group = datagram_group_create(),
                                  .pause = pause_create()};
        coalescing_init(&member->coalescing, clock_monotonic_ns());
        if (member->group != NULL)
            continue;
        error_set(error, EXIT_CODE_INTERNAL, "no memory to receive into");
        receiver_destroy(receiver);
        return -1;
    }
    *out = receiver;
    return 0;
}

int receiver_add_socket(struct receiver *receiver, const struct receiver_socket *socket,
                        struct address *bound, size_t *granted, struct error *error)
{
    struct port *port = calloc(1, sizeof *port);
    if (port != NULL)
        port->intake =
            intake_create(receiver->members[0].intakes, socket->listener, socket->counters);
    if (port == NULL || port->intake == NULL) {
        free(port);
        error_set(error, EXIT_CODE_INTERNAL, "no memory for a listener");
        return -1;
    }
    claim_init(&port->claim);
    atomic_init(&port->due_ns, INT64_MAX);
    port->listener = socket->listener;
    port->filtered = socket->options.only_from != NULL;
    port->next = receiver->ports;
    receiver->ports = port;
    if (udp_socket_open(&port->socket, &socket->options, error) != 0 ||
        notifier_add(receiver->notifier, udp_socket_handle(port->socket), port, error) != 0 ||
        udp_socket_bind(port->socket, error) != 0)
        return -1;
    size_t buffer = udp_socket_receive_buffer(port->socket);
    for (size_t i = 0; i < receiver->options.thread_count; i++)
        coalescing_add_socket(&receiver->members[i].coalescing, socket->coalesce_ns, buffer);
    if (bound != NULL)
        *bound = udp_socket_address(port->socket);
    if (granted != NULL)
        *granted = buffer;
    return 0;
}

/* --- lists of sockets that a thread has claimed ----------------------------------------------- */

static void put_last(struct port_list *list, struct port *port)
{
    port->next_listed = NULL;
    if (list->last == NULL)
        list->first = port;
    else
        list->last->next_listed = port;
    list->last = port;
}

/* Returns NULL where there is none. */
static struct port *take_first(struct port_list *list)
{
    struct port *port = list->first;
    if (port == NULL)
        return NULL;
    list->first = port->next_listed;
    if (list->first == NULL)
        list->last = NULL;
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
    if (port->filtered)
        log_line(LOG_WARNING,
                 "%s: the kernel dropped or filtered %" PRIu64
                 " datagrams: the receive buffer was full, or their senders may not send",
                 port->listener->name, drops - port->drops_told);
    else
        log_line(LOG_WARNING,
                 "%s: the kernel dropped %" PRIu64 " datagrams: the receive buffer was full",
                 port->listener->name, drops - port->drops_told);
    port->drops_told = drops;
}

/* --- draining --------------------------------------------------------------------------------- */

enum drain_result { DRAIN_DONE, DRAIN_AGAIN, DRAIN_FAILED };

/* Receives until would-block, or until the budget is spent, but at least one group. */
static enum drain_result drain(struct member *member, struct port *port)
{
    const struct receiver_options *options = &member->receiver->options;
    struct datagram_group *group = member->group;
    int64_t turn_ends = clock_monotonic_ns() + RECEIVER_BUDGET_NS;
    size_t taken = 0;
    intake_hand_to(port->intake, member->intakes);
    while (taken == 0 || group->more ||
           (taken < RECEIVER_BUDGET && clock_monotonic_ns() < turn_ends)) {
        struct error error;
        if (options->before_receive != NULL)
            options->before_receive(options->hook_context);
        switch (udp_socket_receive(port->socket, group, &error)) {
        case RECEIVE_OK:
            break;
        case RECEIVE_WOULD_BLOCK:
            return DRAIN_DONE;
        case RECEIVE_LATER:
            member->pressed = true;
            return DRAIN_AGAIN;
        case RECEIVE_FATAL:
            log_line(LOG_ERROR, "%s: %s", port->listener->name, error.text);
            port->failed = true;
            return DRAIN_FAILED;
        }
        uint64_t bytes = 0;
        for (size_t i = 0; i < group->count; i++) {
            intake_take(port->intake, &group->slots[i]);
            bytes += group->slots[i].sent_size;
        }
        coalescing_note(&member->coalescing, group->count, bytes);
        taken += group->count;
        if (options->received != NULL)
            options->received(options->context, group->count);
    }
    return DRAIN_AGAIN;
}

/* Seals what has been open for too long. Returns when the rest must be. */
static int64_t seal_if_due(struct port *port, int64_t now)
{
    int64_t due = intake_due(port->intake, now);
    if (due > now)
        return due;
    intake_seal(port->intake);
    return INT64_MAX;
}

/* Of one that was drained; where another thread was told of more meanwhile it is served again. */
static void give_up(struct member *member, struct port *port, int64_t due_ns)
{
    atomic_store_explicit(&port->due_ns, due_ns, memory_order_relaxed);
    if (!claim_give_up(&port->claim))
        put_last(&member->ready, port);
}

static void serve(struct member *member, struct port *port)
{
    enum drain_result result = drain(member, port);
    int64_t now = clock_monotonic_ns();
    tell_drops(port, now);
    if (result != DRAIN_DONE)
        seal_if_due(port, now);
    if (result == DRAIN_DONE)
        put_last(&member->drained, port);
    else if (result == DRAIN_AGAIN)
        put_last(&member->ready, port);
    else
        member->receiver->options.failed(member->receiver->options.context);
}

/* --- the loop --------------------------------------------------------------------------------- */

/* Reads the drops of a socket that no other thread has, for the refresh of that number. */
static bool refresh_port(struct member *member, struct port *port, uint64_t wanted)
{
    if (atomic_load(&port->refreshed) >= wanted)
        return true;
    if (!claim_try(&port->claim))
        return false;
    read_drops(port);
    atomic_store(&port->refreshed, wanted);
    give_up(member, port, atomic_load_explicit(&port->due_ns, memory_order_relaxed));
    return true;
}

static bool is_to_refresh(const struct receiver *receiver)
{
    return atomic_load(&receiver->refresh_wanted) != atomic_load(&receiver->refresh_done);
}

/*
 * What other threads have on their ready lists they refresh themselves, in their next round; so
 * does this thread now.
 */
static void refresh(struct member *member)
{
    struct receiver *receiver = member->receiver;
    uint64_t wanted = atomic_load(&receiver->refresh_wanted);
    if (!is_to_refresh(receiver))
        return;
    for (struct port *port = member->ready.first; port != NULL; port = port->next_listed) {
        read_drops(port);
        atomic_store(&port->refreshed, wanted);
    }
    bool all = true;
    for (struct port *port = receiver->ports; port != NULL; port = port->next)
        all = refresh_port(member, port, wanted) && all;
    if (!all)
        return;
    uint64_t done = atomic_load(&receiver->refresh_done);
    while (done < wanted && !atomic_compare_exchange_weak(&receiver->refresh_done, &done, wanted)) {
    }
    receiver->options.refreshed(receiver->options.context);
}

/* Seals what has been open for too long. Returns milliseconds until the next is due, or -1. */
static int seal_overdue(struct member *member)
{
    int64_t now = clock_monotonic_ns();
    int64_t first = INT64_MAX;
    for (struct port *port = member->receiver->ports; port != NULL; port = port->next) {
        int64_t due = atomic_load_explicit(&port->due_ns, memory_order_relaxed);
        if (due <= now && claim_try(&port->claim)) {
            intake_hand_to(port->intake, member->intakes);
            due = seal_if_due(port, now);
            give_up(member, port, due);
        }
        if (due > now && due < first)
            first = due;
    }
    return milliseconds_until(first, now);
}

static void wait_for_events(struct member *member, int timeout_ms)
{
    struct notifier_event events[WAIT_EVENTS];
    struct receiver *receiver = member->receiver;
    feed_wake_sinks(member->intakes->feed);
    size_t count =
        notifier_wait(receiver->notifier, member->number, events, WAIT_EVENTS, timeout_ms);
    member->told_all = count < (receiver->options.thread_count > 1 ? 1 : WAIT_EVENTS);
    for (size_t i = 0; i < count; i++) {
        struct port *port = events[i].token;
        switch (events[i].type) {
        case NOTIFIER_READY:
            if (claim_take_or_mark(&port->claim))
                put_last(&member->ready, port);
            break;
        case NOTIFIER_REMOVED:
            port->removing = false;
            break;
        case NOTIFIER_WOKEN:
            break;
        }
    }
}

/* Every socket on the ready list has one turn; one that is put back waits for the next round. */
static void serve_ready(struct member *member)
{
    struct port *last = member->ready.last;
    for (struct port *port; (port = take_first(&member->ready)) != NULL;) {
        serve(member, port);
        if (port == last)
            break;
    }
}

/*
 * Where all are drained and much comes, the thread rests before it waits for the next edge, but not
 * before the others that have one were served. It has the claims of all meanwhile: another thread,
 * which would come at once, is not told of what arrives.
 */
static void let_drained_go(struct member *member)
{
    if (member->drained.first == NULL)
        return;
    int64_t now = clock_monotonic_ns();
    int64_t rest_ns = 0;
    if (member->ready.first == NULL && member->pause != NULL)
        rest_ns = coalescing_rest(&member->coalescing, now);
    if (rest_ns > 0 && !member->told_all)
        return;
    for (struct port *port = member->drained.first; port != NULL; port = port->next_listed) {
        intake_drained(port->intake, now, now + rest_ns);
        port->due = seal_if_due(port, now);
    }
    if (rest_ns > 0) {
        feed_wake_sinks(member->intakes->feed);
        pause_wait(member->pause, rest_ns);
    }
    for (struct port *port; (port = take_first(&member->drained)) != NULL;)
        give_up(member, port, port->due);
}

/* --- stopping: the last thread's, when the others have left ----------------------------------- */

/*
 * Where nothing can refuse what arrives, a flood would have no end: half of the time that is left
 * belongs to the sinks.
 */
static int64_t end_of_drain(const struct receiver *receiver, bool refusing)
{
    int64_t now = clock_monotonic_ns();
    int64_t deadline = atomic_load(&receiver->deadline.ns);
    return refusing || deadline <= now ? deadline : now + (deadline - now) / 2;
}

/*
 * The drops read before the filter are the full buffer's, those after it the filter's. Every socket
 * gets its filter before the first one is drained, so that all stop listening at the same moment.
 */
static void last_drain(struct member *member)
{
    struct receiver *receiver = member->receiver;
    bool refusing = true;
    for (struct port *port = receiver->ports; port != NULL; port = port->next) {
        read_drops(port);
        refusing = udp_socket_refuse_all(port->socket) && refusing;
    }
    int64_t end_ns = end_of_drain(receiver, refusing);
    for (struct port *port = receiver->ports; port != NULL; port = port->next) {
        while (!port->failed && !deadline_is_over(&receiver->deadline) &&
               clock_monotonic_ns() < end_ns && drain(member, port) == DRAIN_AGAIN) {
            if (member->pressed)
                wait_for_events(member, 1);
            member->pressed = false;
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

static void close_ports(struct member *member)
{
    struct receiver *receiver = member->receiver;
    for (struct port *port = receiver->ports; port != NULL; port = port->next) {
        struct error error;
        if (notifier_remove(receiver->notifier, udp_socket_handle(port->socket), port, &error) == 0)
            port->removing = true;
        else
            log_line(LOG_ERROR, "%s: %s", port->listener->name, error.text);
    }
    for (struct port *port = receiver->ports; port != NULL; port = port->next) {
        while (port->removing)
            wait_for_events(member, -1);
        close_port(port);
    }
}

static void finish(struct member *member)
{
    struct receiver *receiver = member->receiver;
    last_drain(member);
    close_ports(member);
    for (struct port *port = receiver->ports; port != NULL; port = port->next) {
        intake_hand_to(port->intake, member->intakes);
        intake_seal(port->intake);
    }
    for (size_t i = 0; i < receiver->options.thread_count; i++)
        intake_thread_close(receiver->members[i].intakes);
    feed_close(member->intakes->feed);
    atomic_store(&receiver->finished, true);
    receiver->options.finished(receiver->options.context);
}

static void stay_on_processor(const struct member *member)
{
    const struct receiver_options *options = &member->receiver->options;
    if (options->processors == NULL || options->processors->count == 0)
        return;
    size_t place = (options->first_processor + member->number) % options->processors->count;
    unsigned number = options->processors->numbers[place];
    if (!processor_stay_on(number))
        log_line(LOG_WARNING, "a receiving thread cannot stay on processor %u", number);
}

static void run(void *argument)
{
    struct member *member = argument;
    struct receiver *receiver = member->receiver;
    stay_on_processor(member);
    int timeout_ms = -1;
    while (!atomic_load(&receiver->stopping)) {
        if (member->pressed || is_to_refresh(receiver))
            timeout_ms = 1;
        else if (member->ready.first != NULL || member->drained.first != NULL)
            timeout_ms = 0;
        member->pressed = false;
        wait_for_events(member, timeout_ms);
        serve_ready(member);
        let_drained_go(member);
        refresh(member);
        timeout_ms = seal_overdue(member);
    }
    notifier_wake(receiver->notifier); /* for the next one, which may be asleep */
    if (atomic_fetch_sub(&receiver->running, 1) == 1)
        finish(member);
    else
        notifier_leave(receiver->notifier, member->number);
}

/* --- from other threads ----------------------------------------------------------------------- */

/* Where one of several threads cannot be started, those before it end as after a stop. */
int receiver_start(struct receiver *receiver, struct error *error)
{
    size_t count = receiver->options.thread_count;
    atomic_store(&receiver->running, count);
    for (size_t i = 0; i < count; i++) {
        struct member *member = &receiver->members[i];
        if (thread_start(&member->thread, "receiver", run, member, error) == 0)
            continue;
        for (size_t k = i; k < count; k++)
            notifier_leave(receiver->notifier, k);
        atomic_fetch_sub(&receiver->running, count - i);
        receiver_stop(receiver, clock_monotonic_ns());
        receiver_join(receiver);
        return -1;
    }
    return 0;
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
    for (size_t i = 0; i < receiver->options.thread_count; i++) {
        thread_join(receiver->members[i].thread);
        receiver->members[i].thread = NULL;
    }
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
    for (size_t i = 0; i < receiver->options.thread_count; i++) {
        datagram_group_destroy(receiver->members[i].group);
        pause_destroy(receiver->members[i].pause);
    }
    notifier_destroy(receiver->notifier);
    free(receiver);
}
