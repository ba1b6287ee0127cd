/*
 * Pauses the threads of a receiver, so that the main thread can change their data. Datagrams that
 * arrive during the pause wait in the kernel's buffers, so the pause must be short.
 */
#include "collector/receive/receiver_quiesce.h"

#include <stdlib.h>

#include "collector/base/rule.h"
#include "collector/platform/clock.h"
#include "collector/platform/notifier.h"
#include "collector/platform/wakeup.h"
#include "collector/receive/receiver_parts.h"
#include "collector/receive/receiver_sockets.h"

/*
 * The upper limit in nanoseconds of the drain of a removed socket for which the system still queues
 * datagrams.
 */
#define LEAVE_NS INT64_C(100000000)

#define QUIESCENT "a receiver is quiescent while it is changed"

/* --- pausing ---------------------------------------------------------------------------------- */

void receiver_quiesce_if_asked(struct worker *worker)
{
    struct receiver *receiver = worker->receiver;
    if (!atomic_load(&receiver->quiesce_wanted))
        return;
    atomic_fetch_add(&receiver->quiescent, 1);
    if (receiver->options.thread_count > 1)
        notifier_wake(receiver->notifier); /* wakes the next thread, which may be asleep */
    receiver->options.refreshed(receiver->options.context);
    while (atomic_load(&receiver->quiesce_wanted))
        wakeup_wait(worker->resumed, NO_HANDLE, false, -1);
    atomic_fetch_sub(&receiver->quiescent, 1);
    receiver->options.refreshed(receiver->options.context);
}

void receiver_ask_to_quiesce(struct receiver *receiver)
{
    atomic_store(&receiver->quiesce_wanted, true);
    notifier_wake(receiver->notifier);
}

bool receiver_is_quiescent(const struct receiver *receiver)
{
    return atomic_load(&receiver->quiescent) >= atomic_load(&receiver->running);
}

bool receiver_is_awake(const struct receiver *receiver)
{
    return atomic_load(&receiver->quiescent) == 0;
}

void receiver_resume(struct receiver *receiver)
{
    atomic_store(&receiver->quiesce_wanted, false);
    for (size_t i = 0; i < receiver->options.thread_count; i++)
        wakeup_signal(receiver->workers[i].resumed);
}

/* --- while the receiver is quiescent ---------------------------------------------------------- */

/* The main thread acts as the first thread: it takes over all open batches and seals them. */
void receiver_seal_all(struct receiver *receiver)
{
    RULE(receiver_is_quiescent(receiver), QUIESCENT);
    for (struct endpoint *endpoint = receiver->endpoints; endpoint != NULL;
         endpoint = endpoint->next) {
        ingest_hand_to(endpoint->ingest, receiver->workers[0].ingests);
        ingest_seal(endpoint->ingest);
    }
    for (size_t i = 0; i < receiver->options.thread_count; i++)
        ingest_thread_seal(receiver->workers[i].ingests);
    fan_out_wake_sinks(receiver->workers[0].ingests->fan_out);
}

static void set_coalescing(struct receiver *receiver)
{
    for (size_t i = 0; i < receiver->options.thread_count; i++) {
        struct coalescing *coalescing = &receiver->workers[i].coalescing;
        receiver->workers[i].coalesces = false;
        coalescing_forget_sockets(coalescing);
        for (struct endpoint *endpoint = receiver->endpoints; endpoint != NULL;
             endpoint = endpoint->next)
            if (!endpoint->leaving)
                coalescing_add_socket(coalescing, endpoint->coalesce_ns, endpoint->buffer);
    }
}

int receiver_change_sockets(struct receiver *receiver, const struct receiver_socket *to,
                            size_t *granted, struct error *error)
{
    RULE(receiver_is_quiescent(receiver), QUIESCENT);
    for (struct endpoint *endpoint = receiver->endpoints; endpoint != NULL;
         endpoint = endpoint->next) {
        if (endpoint->leaving || endpoint->listener != to->listener)
            continue;
        if (udp_socket_change(endpoint->socket, &to->options, error) != 0)
            return -1;
        endpoint->filtered = to->options.only_from != NULL;
        endpoint->coalesce_ns = to->coalesce_ns;
        endpoint->buffer = udp_socket_receive_buffer(endpoint->socket);
        *granted = endpoint->buffer;
    }
    set_coalescing(receiver);
    return 0;
}

/*
 * Begins to remove a socket. If a thread has the socket on its ready list, only marks it.
 * Otherwise, and if the socket has failed, puts it on a ready list to be drained, or unwatches it
 * at once.
 */
static void remove_socket(struct receiver *receiver, struct endpoint *endpoint, bool drains,
                          int64_t now)
{
    struct worker *worker = &receiver->workers[0];
    receiver_read_drops(endpoint);
    endpoint->refusing = udp_socket_refuse_all(endpoint->socket);
    endpoint->leaving = true;
    endpoint->leaves_ns = drains || endpoint->refusing ? now + LEAVE_NS : LEAVE_AT_ONCE;
    if (!claim_take_or_mark(&endpoint->claim) && !endpoint->failed)
        return;
    if (endpoint->leaves_ns == LEAVE_AT_ONCE)
        receiver_unwatch_socket(worker, endpoint); /* at once, before another datagram is
                                                    * received */
    else
        receiver_list_socket(&worker->ready, endpoint);
}

void receiver_remove_sockets(struct receiver *receiver, const struct listener *listener,
                             bool drains)
{
    RULE(receiver_is_quiescent(receiver), QUIESCENT);
    int64_t now = clock_monotonic_ns();
    for (struct endpoint *endpoint = receiver->endpoints; endpoint != NULL;
         endpoint = endpoint->next)
        if (endpoint->listener == listener && !endpoint->leaving)
            remove_socket(receiver, endpoint, drains, now);
    set_coalescing(receiver);
}

bool receiver_has_leaving(const struct receiver *receiver)
{
    for (const struct endpoint *endpoint = receiver->endpoints; endpoint != NULL;
         endpoint = endpoint->next)
        if (endpoint->leaving && !atomic_load(&endpoint->gone))
            return true;
    return false;
}

void receiver_forget_gone(struct receiver *receiver)
{
    RULE(receiver_is_quiescent(receiver), QUIESCENT);
    for (struct endpoint **link = &receiver->endpoints; *link != NULL;) {
        struct endpoint *endpoint = *link;
        if (!atomic_load(&endpoint->gone)) {
            link = &endpoint->next;
            continue;
        }
        RULE(endpoint->socket == NULL, "a socket that is gone is closed");
        *link = endpoint->next;
        ledger_return_block(ingest_counters(endpoint->ingest));
        ingest_destroy(endpoint->ingest);
        free(endpoint);
    }
}
