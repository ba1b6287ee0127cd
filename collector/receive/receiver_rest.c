/*
 * A receiver that stands still, so that the main thread can change what its threads work on: it
 * does then what only they may do otherwise. What arrives meanwhile is kept by the kernel, so
 * nothing that takes time is done then.
 */
#include <stdlib.h>

#include "collector/platform/notifier.h"
#include "collector/receive/receiver_parts.h"

/* How long a socket that leaves is drained where the system goes on queueing for it. */
#define LEAVE_NS INT64_C(100000000)

/* --- standing still --------------------------------------------------------------------------- */

void receiver_rest_if_asked(struct worker *worker)
{
    struct receiver *receiver = worker->receiver;
    if (!atomic_load(&receiver->rest_wanted))
        return;
    atomic_fetch_add(&receiver->resting, 1);
    if (receiver->options.thread_count > 1)
        notifier_wake(receiver->notifier); /* for the next one, which may be asleep */
    receiver->options.refreshed(receiver->options.context);
    while (atomic_load(&receiver->rest_wanted))
        wakeup_wait(worker->resumed, NO_HANDLE, false, -1);
    atomic_fetch_sub(&receiver->resting, 1);
    receiver->options.refreshed(receiver->options.context);
}

void receiver_ask_to_rest(struct receiver *receiver)
{
    atomic_store(&receiver->rest_wanted, true);
    notifier_wake(receiver->notifier);
}

bool receiver_is_resting(const struct receiver *receiver)
{
    return atomic_load(&receiver->resting) >= atomic_load(&receiver->running);
}

bool receiver_is_awake(const struct receiver *receiver)
{
    return atomic_load(&receiver->resting) == 0;
}

void receiver_resume(struct receiver *receiver)
{
    atomic_store(&receiver->rest_wanted, false);
    for (size_t i = 0; i < receiver->options.thread_count; i++)
        wakeup_signal(receiver->workers[i].resumed);
}

/* --- meanwhile -------------------------------------------------------------------------------- */

/* A thread has what has come to it in turn: the main thread goes on as the first of them. */
void receiver_seal_all(struct receiver *receiver)
{
    for (struct port *port = receiver->ports; port != NULL; port = port->next) {
        intake_hand_to(port->intake, receiver->workers[0].intakes);
        intake_seal(port->intake);
    }
    for (size_t i = 0; i < receiver->options.thread_count; i++)
        intake_thread_seal(receiver->workers[i].intakes);
    fan_out_wake_sinks(receiver->workers[0].intakes->fan_out);
}

static void set_coalescing(struct receiver *receiver)
{
    for (size_t i = 0; i < receiver->options.thread_count; i++) {
        struct coalescing *coalescing = &receiver->workers[i].coalescing;
        receiver->workers[i].rests = false;
        coalescing_forget_sockets(coalescing);
        for (struct port *port = receiver->ports; port != NULL; port = port->next)
            if (!port->leaving)
                coalescing_add_socket(coalescing, port->coalesce_ns, port->buffer);
    }
}

int receiver_change_sockets(struct receiver *receiver, const struct receiver_socket *to,
                            size_t *granted, struct error *error)
{
    for (struct port *port = receiver->ports; port != NULL; port = port->next) {
        if (port->leaving || port->listener != to->listener)
            continue;
        if (udp_socket_change(port->socket, &to->options, error) != 0)
            return -1;
        port->filtered = to->options.only_from != NULL;
        port->coalesce_ns = to->coalesce_ns;
        port->buffer = udp_socket_receive_buffer(port->socket);
        *granted = port->buffer;
    }
    set_coalescing(receiver);
    return 0;
}

/*
 * One that nobody serves at the moment is put on a ready list, to be drained, or is parted with at
 * once; one that somebody has is on one already, or has failed.
 */
static void dismiss(struct receiver *receiver, struct port *port, bool drains, int64_t now)
{
    struct worker *worker = &receiver->workers[0];
    receiver_read_drops(port);
    port->refusing = udp_socket_refuse_all(port->socket);
    port->leaving = true;
    port->leaves_ns = drains || port->refusing ? now + LEAVE_NS : LEAVE_AT_ONCE;
    if (!claim_take_or_mark(&port->claim) && !port->failed)
        return;
    if (port->leaves_ns == LEAVE_AT_ONCE)
        receiver_part_with(worker, port); /* before anything is received for it */
    else
        receiver_list_socket(&worker->ready, port);
}

void receiver_remove_sockets(struct receiver *receiver, const struct listener *listener,
                             bool drains)
{
    int64_t now = clock_monotonic_ns();
    for (struct port *port = receiver->ports; port != NULL; port = port->next)
        if (port->listener == listener && !port->leaving)
            dismiss(receiver, port, drains, now);
    set_coalescing(receiver);
}

bool receiver_has_leaving(const struct receiver *receiver)
{
    for (const struct port *port = receiver->ports; port != NULL; port = port->next)
        if (port->leaving && !atomic_load(&port->gone))
            return true;
    return false;
}

void receiver_forget_gone(struct receiver *receiver)
{
    for (struct port **link = &receiver->ports; *link != NULL;) {
        struct port *port = *link;
        if (!atomic_load(&port->gone)) {
            link = &port->next;
            continue;
        }
        *link = port->next;
        ledger_return_block(intake_counters(port->intake));
        intake_destroy(port->intake);
        free(port);
    }
}
