#include "collector/receive/receiver.h"

#include <stdlib.h>

#include "collector/base/rule.h"
#include "collector/platform/clock.h"
#include "collector/platform/notifier.h"
#include "collector/platform/thread.h"
#include "collector/platform/wakeup.h"
#include "collector/receive/receiver_loop.h"
#include "collector/receive/receiver_parts.h"

int receiver_create(struct receiver **out, const struct receiver_options *options,
                    struct error *error)
{
    size_t count = options->thread_count;
    struct receiver *receiver = calloc(1, sizeof *receiver + count * sizeof *receiver->workers);
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
        struct worker *worker = &receiver->workers[i];
        *worker = (struct worker){.receiver = receiver,
                                  .number = i,
                                  .ingests = &options->threads[i],
                                  .group = datagram_group_create(),
                                  .pause = pause_create(),
                                  .timeout_ms = -1,
                                  .due_ns = INT64_MAX};
        coalescing_init(&worker->coalescing, clock_monotonic_ns());
        error_set(error, EXIT_CODE_INTERNAL, "no memory to receive into");
        if (worker->group != NULL && wakeup_create(&worker->resumed, error) == 0)
            continue;
        receiver_destroy(receiver);
        return -1;
    }
    *out = receiver;
    return 0;
}

static void destroy_endpoint(struct endpoint *endpoint)
{
    if (endpoint == NULL)
        return;
    udp_socket_close(endpoint->socket);
    ingest_destroy(endpoint->ingest);
    free(endpoint);
}

/* Makes an endpoint without a socket. Returns NULL with the error filled if out of memory. */
static struct endpoint *create_endpoint(struct receiver *receiver,
                                        const struct receiver_socket *socket, struct error *error)
{
    struct endpoint *endpoint = calloc(1, sizeof *endpoint);
    if (endpoint != NULL)
        endpoint->ingest =
            ingest_create(receiver->workers[0].ingests, socket->listener, socket->counters);
    if (endpoint == NULL || endpoint->ingest == NULL) {
        destroy_endpoint(endpoint);
        error_set(error, EXIT_CODE_INTERNAL, "no memory for a listener");
        return NULL;
    }
    claim_init(&endpoint->claim);
    atomic_init(&endpoint->due_ns, INT64_MAX);
    endpoint->listener = socket->listener;
    endpoint->buffers = socket->options.gro;
    endpoint->filtered = socket->options.only_from != NULL;
    endpoint->coalesce_ns = socket->coalesce_ns;
    endpoint->group_lost = socket->group_lost;
    endpoint->drops_before = endpoint->drops_logged = counter_read(&socket->counters->kernel_drops);
    endpoint->buffers_before = counter_read(&socket->counters->dropped_buffers);
    endpoint->errors_before = counter_read(&socket->counters->receive_errors);
    return endpoint;
}

int receiver_add_socket(struct receiver *receiver, const struct receiver_socket *socket,
                        struct address *bound, size_t *granted, struct error *error)
{
    RULE(receiver->workers[0].thread == NULL || receiver_is_quiescent(receiver),
         "a socket is added before the start, or while the receiver is quiescent");
    struct endpoint *endpoint = create_endpoint(receiver, socket, error);
    if (endpoint == NULL || udp_socket_open(&endpoint->socket, &socket->options, error) != 0 ||
        notifier_add(receiver->notifier, udp_socket_handle(endpoint->socket), endpoint, error) !=
            0) {
        destroy_endpoint(endpoint);
        ledger_return_block(socket->counters);
        return -1;
    }
    /* The notifier has the socket now, so the socket stays in the list until it is removed. */
    endpoint->next = receiver->endpoints;
    receiver->endpoints = endpoint;
    if (udp_socket_bind(endpoint->socket, error) != 0)
        return -1;
    endpoint->buffer = udp_socket_receive_buffer(endpoint->socket);
    ingest_answer_by(endpoint->ingest, endpoint->socket);
    for (size_t i = 0; i < receiver->options.thread_count; i++)
        coalescing_add_socket(&receiver->workers[i].coalescing, endpoint->coalesce_ns,
                              endpoint->buffer);
    if (bound != NULL)
        *bound = udp_socket_address(endpoint->socket);
    if (granted != NULL)
        *granted = endpoint->buffer;
    return 0;
}

/* --- functions for other threads -------------------------------------------------------------- */

/* If a thread cannot be started, the threads started before it end as after a stop. */
int receiver_start(struct receiver *receiver, struct error *error)
{
    RULE(receiver->workers[0].thread == NULL, "a receiver starts once");
    size_t count = receiver->options.thread_count;
    atomic_store(&receiver->running, count);
    for (size_t i = 0; i < count; i++) {
        struct worker *worker = &receiver->workers[i];
        if (thread_start(&worker->thread, "receiver", receiver_run, worker, error) == 0)
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

bool receiver_is_alive(struct receiver *receiver)
{
    bool alive = true;
    for (size_t i = 0; i < receiver->options.thread_count; i++) {
        struct worker *worker = &receiver->workers[i];
        alive = heartbeat_advanced(&worker->heartbeat, &worker->heartbeat_seen) && alive;
    }
    return alive;
}

void receiver_join(struct receiver *receiver)
{
    for (size_t i = 0; i < receiver->options.thread_count; i++) {
        thread_join(receiver->workers[i].thread);
        receiver->workers[i].thread = NULL;
    }
}

void receiver_destroy(struct receiver *receiver)
{
    if (receiver == NULL)
        return;
    while (receiver->endpoints != NULL) {
        struct endpoint *endpoint = receiver->endpoints;
        receiver->endpoints = endpoint->next;
        destroy_endpoint(endpoint);
    }
    for (size_t i = 0; i < receiver->options.thread_count; i++) {
        RULE(receiver->workers[i].thread == NULL, "a receiver is joined before it is destroyed");
        datagram_group_destroy(receiver->workers[i].group);
        pause_destroy(receiver->workers[i].pause);
        wakeup_destroy(receiver->workers[i].resumed);
    }
    notifier_destroy(receiver->notifier);
    free(receiver);
}
