#include "collector/receive/receiver_sockets.h"

#include <inttypes.h>

#include "collector/base/rule.h"
#include "collector/log/log.h"
#include "collector/platform/clock.h"
#include "collector/receive/receiver_host.h"
#include "collector/receive/receiver_parts.h"
#include "collector/receive/receiver_yield.h"

/* Nanoseconds between two checks of the kernel's drops for the log, while there is traffic. */
#define DROP_CHECK_NS INT64_C(1000000000)

/* --- lists of sockets that a thread has claimed ----------------------------------------------- */

void receiver_list_socket(struct endpoint_list *list, struct endpoint *endpoint)
{
    RULE(claim_is_held(&endpoint->claim), "a socket on a list is claimed");
    endpoint->next_listed = NULL;
    if (list->last == NULL)
        list->first = endpoint;
    else
        list->last->next_listed = endpoint;
    list->last = endpoint;
}

static struct endpoint *take_first(struct endpoint_list *list)
{
    struct endpoint *endpoint = list->first;
    if (endpoint == NULL)
        return NULL;
    list->first = endpoint->next_listed;
    if (list->first == NULL)
        list->last = NULL;
    return endpoint;
}

/* --- the kernel's drops ----------------------------------------------------------------------- */

/* Joins the multicast group again after its interface has gone away and come back. */
static void keep_group(struct endpoint *endpoint)
{
    struct error error;
    const char *name = endpoint->listener->name;
    enum udp_socket_group before = endpoint->group;
    endpoint->group = udp_socket_keep_group(endpoint->socket, &error);
    if (endpoint->group == before)
        return;
    atomic_store(endpoint->group_lost, endpoint->group != GROUP_JOINED);
    switch (endpoint->group) {
    case GROUP_NO_INTERFACE:
        log_about(
            LOG_WARNING, LOG_OF_LISTENER, name,
            "the interface has gone, and with it the multicast group; waiting for it to return");
        break;
    case GROUP_REFUSED:
        log_about(LOG_WARNING, LOG_OF_LISTENER, name, "%s; trying again", error.text);
        break;
    case GROUP_JOINED:
        log_about(LOG_INFO, LOG_OF_LISTENER, name, "joined the multicast group again");
        break;
    }
}

void receiver_read_drops(struct endpoint *endpoint)
{
    if (endpoint->refusing)
        return;
    if (endpoint->group_lost != NULL)
        keep_group(endpoint);
    struct ingest_counters *counters = ingest_counters(endpoint->ingest);
    uint64_t drops = udp_socket_drops(endpoint->socket);
    counter_set(&counters->kernel_drops, endpoint->drops_before + drops);
    if (endpoint->buffers)
        counter_set(&counters->dropped_buffers, endpoint->buffers_before + drops);
    counter_set(&counters->receive_errors,
                endpoint->errors_before + udp_socket_errors(endpoint->socket));
}

/* --- closing ---------------------------------------------------------------------------------- */

void receiver_close_socket(struct endpoint *endpoint)
{
    RULE(endpoint->socket != NULL && !endpoint->removing,
         "a socket is closed once, and after it was removed");
    struct ingest_counters *counters = ingest_counters(endpoint->ingest);
    ingest_take_leave(endpoint->ingest);
    /* If the socket does not refuse datagrams, its last drops are due to a full buffer. */
    receiver_read_drops(endpoint);
    uint64_t before = counter_read(&counters->kernel_drops) - endpoint->drops_before;
    if (endpoint->refusing)
        counter_add(&counters->refused_while_stopping, udp_socket_drops(endpoint->socket) - before);
    counter_set(&counters->receive_errors,
                endpoint->errors_before + udp_socket_errors(endpoint->socket));
    udp_socket_close(endpoint->socket);
    endpoint->socket = NULL;
}

void receiver_unwatch_socket(struct worker *worker, struct endpoint *endpoint)
{
    struct error error;
    RULE(endpoint->leaving && !endpoint->removing, "a socket that leaves is removed once");
    ingest_hand_to(endpoint->ingest, worker->ingests);
    ingest_seal(endpoint->ingest);
    endpoint->removing = true;
    if (notifier_remove(worker->receiver->notifier, udp_socket_handle(endpoint->socket), endpoint,
                        &error) == 0)
        return;
    endpoint->removing = false;
    log_about(LOG_ERROR, LOG_OF_LISTENER, endpoint->listener->name, "%s", error.text);
}

/* --- logging drops ---------------------------------------------------------------------------- */

static void log_drops(struct endpoint *endpoint, int64_t now)
{
    if (now - endpoint->drops_checked_ns < DROP_CHECK_NS)
        return;
    endpoint->drops_checked_ns = now;
    receiver_read_drops(endpoint);
    uint64_t drops = counter_read(&ingest_counters(endpoint->ingest)->kernel_drops);
    if (drops == endpoint->drops_logged)
        return;
    size_t buffer_kib = udp_socket_receive_buffer(endpoint->socket) / 1024;
    const char *unit = endpoint->buffers ? "buffers of datagrams" : "datagrams";
    if (endpoint->filtered)
        log_about(LOG_WARNING, LOG_OF_LISTENER, endpoint->listener->name,
                  "the kernel dropped or filtered %" PRIu64
                  " %s: the receive buffer of %zu KiB was full (raise receive_buffer=), "
                  "or their senders are denied",
                  drops - endpoint->drops_logged, unit, buffer_kib);
    else
        log_about(LOG_WARNING, LOG_OF_LISTENER, endpoint->listener->name,
                  "the kernel dropped %" PRIu64
                  " %s: the receive buffer of %zu KiB was full (raise receive_buffer=)",
                  drops - endpoint->drops_logged, unit, buffer_kib);
    endpoint->drops_logged = drops;
}

/* --- draining --------------------------------------------------------------------------------- */

struct quantum {
    size_t taken;
    int64_t first_ns; /* arrival of the first datagram, in ns since 1970 UTC */
};

static void take_group(struct worker *worker, struct endpoint *endpoint, struct quantum *quantum)
{
    const struct receiver_options *options = &worker->receiver->options;
    const struct datagram_group *group = worker->group;
    uint64_t bytes = 0;
    RULE(group->count != 0, "a receive that succeeded has datagrams");
    if (quantum->taken == 0)
        quantum->first_ns = group->slots[0].received_ns;
    ingest_begin(endpoint->ingest, group->more ? SIZE_MAX : group->count);
    for (size_t i = 0; i < group->count; i++) {
        ingest_take(endpoint->ingest, &group->slots[i]);
        bytes += group->slots[i].sent_size;
    }
    coalescing_note(&worker->coalescing, group->count, bytes);
    quantum->taken += group->count;
    if (options->received != NULL)
        options->received(options->context, group->count);
}

/*
 * Adds the latencies of the quanta that are not dated yet to the histogram. A negative latency,
 * which is possible if the wall clock was set back, counts as 0.
 */
static void date_quanta(struct worker *worker, int64_t now)
{
    struct quanta *undated = &worker->undated;
    for (size_t i = 0; i < undated->count; i++) {
        int64_t latency = now + worker->wall_ahead_ns - undated->first_ns[i];
        histogram_note(&worker->ingests->measures->decode_latency, histogram_times,
                       latency < 0 ? 0 : (uint64_t)latency);
    }
    undated->count = 0;
    undated->datagrams = 0;
}

/*
 * Call this before a received group is handled. Dates the undated quanta now if they would
 * otherwise exceed QUANTA_UNDATED datagrams with this group.
 */
static void date_quanta_before(struct worker *worker, const struct quantum *quantum,
                               int64_t *quantum_ends)
{
    const struct quanta *undated = &worker->undated;
    if (undated->count == 0 ||
        undated->datagrams + quantum->taken + worker->group->count <= QUANTA_UNDATED)
        return;
    int64_t now = clock_monotonic_ns();
    date_quanta(worker, now);
    *quantum_ends = now + RECEIVER_BUDGET_NS; /* the time that has passed until now belongs to
                                               * earlier quanta */
}

static enum drain_result take_quantum(struct worker *worker, struct endpoint *endpoint, int64_t now,
                                      struct quantum *quantum)
{
    const struct receiver_options *options = &worker->receiver->options;
    struct datagram_group *group = worker->group;
    int64_t quantum_ends = now + RECEIVER_BUDGET_NS;
    while (quantum->taken == 0 || group->more ||
           (quantum->taken < RECEIVER_BUDGET && clock_monotonic_ns() < quantum_ends &&
            !receiver_is_ahead(worker))) {
        struct error error;
        if (options->before_receive != NULL)
            options->before_receive(options->hook_context);
        switch (udp_socket_receive(endpoint->socket, group, &error)) {
        case RECEIVE_OK:
            break;
        case RECEIVE_WOULD_BLOCK:
            return DRAIN_DONE;
        case RECEIVE_LATER:
            worker->pressed = true;
            return DRAIN_AGAIN;
        case RECEIVE_FATAL:
            log_about(LOG_ERROR, LOG_OF_LISTENER, endpoint->listener->name, "%s", error.text);
            endpoint->failed = true;
            return DRAIN_FAILED;
        }
        date_quanta_before(worker, quantum, &quantum_ends);
        take_group(worker, endpoint, quantum);
        if (group->emptied)
            return DRAIN_DONE;
    }
    return DRAIN_AGAIN;
}

static void measure_quantum(struct worker *worker, struct endpoint *endpoint,
                            const struct quantum *quantum, bool drained)
{
    struct quanta *undated = &worker->undated;
    endpoint->drained += quantum->taken;
    if (quantum->taken != 0) {
        RULE(undated->count < QUANTA_UNDATED, "quanta are dated before there are too many");
        undated->first_ns[undated->count++] = quantum->first_ns;
        undated->datagrams += quantum->taken;
    }
    if (!drained)
        return;
    histogram_note(&worker->ingests->measures->drain_length, histogram_counts, endpoint->drained);
    endpoint->drained = 0;
}

void receiver_commit(struct worker *worker)
{
    ingest_thread_commit(worker->ingests);
    date_quanta(worker, clock_monotonic_ns());
}

int64_t receiver_read_clocks(struct worker *worker)
{
    int64_t now = clock_monotonic_ns();
    worker->wall_ahead_ns = clock_wall_ns() - now;
    return now;
}

enum drain_result receiver_drain(struct worker *worker, struct endpoint *endpoint, int64_t *now)
{
    struct quantum quantum = {0};
    RULE(endpoint->socket != NULL && !endpoint->removing, "only an open socket is drained");
    ingest_hand_to(endpoint->ingest, worker->ingests);
    enum drain_result result = take_quantum(worker, endpoint, *now, &quantum);
    measure_quantum(worker, endpoint, &quantum, result == DRAIN_DONE);
    if (result != DRAIN_DONE || worker->undated.datagrams >= QUANTA_UNDATED) {
        *now = clock_monotonic_ns();
        date_quanta(worker, *now);
    }
    return result;
}

void receiver_release_socket(struct worker *worker, struct endpoint *endpoint, int64_t due_ns)
{
    if (endpoint->leaving) {
        receiver_unwatch_socket(worker, endpoint);
        return;
    }
    RULE(claim_is_held(&endpoint->claim), "only the holder of a claim releases it");
    atomic_store_explicit(&endpoint->due_ns, due_ns, memory_order_relaxed);
    if (due_ns < worker->due_ns)
        worker->due_ns = due_ns;
    if (!claim_give_up(&endpoint->claim))
        receiver_list_socket(&worker->ready, endpoint);
}

static int64_t serve_socket(struct worker *worker, struct endpoint *endpoint, int64_t now)
{
    if (endpoint->leaving && endpoint->leaves_ns == LEAVE_AT_ONCE) {
        receiver_list_socket(&worker->drained, endpoint);
        return now;
    }
    enum drain_result result = receiver_drain(worker, endpoint, &now);
    log_drops(endpoint, now);
    if (result != DRAIN_DONE)
        ingest_seal_if_due(endpoint->ingest, now);
    bool leaves = endpoint->leaving && (result == DRAIN_FAILED || now >= endpoint->leaves_ns);
    if (result == DRAIN_DONE || leaves)
        receiver_list_socket(&worker->drained, endpoint);
    else if (result == DRAIN_AGAIN)
        receiver_list_socket(&worker->ready, endpoint);
    else
        worker->receiver->options.failed(worker->receiver->options.context);
    return now;
}

/* --- one round of all sockets ----------------------------------------------------------------- */

void receiver_serve_ready(struct worker *worker)
{
    RULE(rule_is_owner(&worker->owner), "a worker serves its sockets in its own thread");
    struct endpoint *last = worker->ready.last;
    if (last == NULL)
        return;
    int64_t now = receiver_read_clocks(worker);
    int64_t end_ns = INT64_MAX;
    /*
     * If the thread hosts a sink, the round stops early, so that the sink runs before its queue
     * fills up.
     */
    if (worker->receiver->sink != NULL)
        end_ns = now + RECEIVER_BUDGET_NS;
    for (struct endpoint *endpoint; (endpoint = take_first(&worker->ready)) != NULL;) {
        if (worker->ready.first != NULL)
            ingest_prefetch_next(worker->ready.first->ingest);
        now = serve_socket(worker, endpoint, now);
        if (endpoint == last || now >= end_ns)
            break;
    }
    receiver_commit(worker);
}

static void coalesce(struct worker *worker, int64_t now, int64_t until_ns)
{
    int64_t due_ns = receiver_hand_over(worker, now, until_ns);
    if (due_ns < until_ns)
        until_ns = due_ns;
    now = clock_monotonic_ns();
    if (now < until_ns)
        pause_wait(worker->pause, until_ns - now);
}

void receiver_release_drained(struct worker *worker)
{
    if (worker->ready.first != NULL)
        worker->coalesces = false;
    if (worker->drained.first == NULL)
        return;
    int64_t now = clock_monotonic_ns();
    int64_t delay_ns = 0;
    if (worker->ready.first == NULL && worker->pause != NULL)
        delay_ns =
            coalescing_delay(&worker->coalescing, fan_out_delay_ns(worker->ingests->fan_out), now);
    worker->coalesces = delay_ns > 0;
    if (worker->coalesces && !worker->reported_all)
        return;
    for (struct endpoint *endpoint = worker->drained.first; endpoint != NULL;
         endpoint = endpoint->next_listed) {
        ingest_drained(endpoint->ingest, now, now + delay_ns);
        endpoint->due = ingest_seal_if_due(endpoint->ingest, now);
    }
    ingest_thread_drained(worker->ingests, now, now + delay_ns);
    if (delay_ns > 0)
        coalesce(worker, now, now + delay_ns);
    for (struct endpoint *endpoint; (endpoint = take_first(&worker->drained)) != NULL;)
        receiver_release_socket(worker, endpoint, endpoint->due);
}

/*
 * Seals overdue batches of sockets that no thread has claimed. Returns the time at which the next
 * batch is due.
 */
static int64_t seal_ports(struct worker *worker, int64_t now)
{
    int64_t first = INT64_MAX;
    for (struct endpoint *endpoint = worker->receiver->endpoints; endpoint != NULL;
         endpoint = endpoint->next) {
        if (endpoint->leaving)
            continue;
        int64_t due = atomic_load_explicit(&endpoint->due_ns, memory_order_relaxed);
        if (due <= now && claim_try(&endpoint->claim)) {
            ingest_hand_to(endpoint->ingest, worker->ingests);
            due = ingest_seal_if_due(endpoint->ingest, now);
            receiver_release_socket(worker, endpoint, due);
        }
        if (due > now && due < first)
            first = due;
    }
    return first;
}

/*
 * Several threads may change the times at which batches are due, so with several threads all
 * sockets are visited. A single thread visits them only when a batch is due.
 */
int receiver_seal_overdue(struct worker *worker)
{
    int64_t now = clock_monotonic_ns();
    int64_t first = ingest_thread_seal_if_due(worker->ingests, now);
    if (worker->receiver->options.thread_count > 1 || worker->due_ns <= now)
        worker->due_ns = seal_ports(worker, now);
    return milliseconds_until(worker->due_ns < first ? worker->due_ns : first, now);
}
