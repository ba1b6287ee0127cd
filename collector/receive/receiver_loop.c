#include "collector/receive/receiver_loop.h"

#include "collector/base/rule.h"
#include "collector/log/log.h"
#include "collector/platform/clock.h"
#include "collector/platform/notifier.h"
#include "collector/receive/receiver_host.h"
#include "collector/receive/receiver_parts.h"
#include "collector/receive/receiver_quiesce.h"
#include "collector/receive/receiver_sockets.h"
#include "collector/receive/receiver_yield.h"
#include "collector/text/compiler.h"

static void report_unremoved(struct receiver *receiver)
{
    size_t unremoved = notifier_unremoved(receiver->notifier);
    size_t before = atomic_exchange(&receiver->unremoved, unremoved);
    if (unremoved > before)
        log_line(LOG_ERROR,
                 "the system has not ended the registration of %zu sockets in time; closing them",
                 unremoved - before);
}

static void close_removed(struct worker *worker, struct endpoint *endpoint)
{
    struct receiver *receiver = worker->receiver;
    receiver_close_socket(endpoint);
    ingest_hand_to(endpoint->ingest, worker->ingests);
    ingest_finish(endpoint->ingest);
    atomic_store(&endpoint->gone, true);
    receiver->options.refreshed(receiver->options.context);
}

/*
 * Prefetches the data that will be read when this socket is served, while another socket is still
 * served. With many sockets of low rates, most of this data has left the processor's cache since
 * the last round.
 */
static void prefetch_socket(const struct endpoint *endpoint)
{
    prefetch_all(endpoint->listener, sizeof *endpoint->listener);
    ingest_prefetch(endpoint->ingest);
    udp_socket_prefetch(endpoint->socket);
}

/*
 * Waits for events of sockets for at most `timeout_ms` (negative: no limit), and lists the
 * sockets.
 */
static void take_socket_events(struct worker *worker, int timeout_ms)
{
    struct notifier_event events[NOTIFIER_WAIT_MOST];
    struct receiver *receiver = worker->receiver;
    heartbeat_wait(&worker->heartbeat);
    size_t count =
        notifier_wait(receiver->notifier, worker->number, events, NOTIFIER_WAIT_MOST, timeout_ms);
    heartbeat_work(&worker->heartbeat);
    if (count == NOTIFIER_FAILED) {
        uint64_t suppressed;
        if (log_allowed(&worker->wait_log, &suppressed))
            log_line(LOG_ERROR,
                     "a receiver cannot wait for datagrams; trying again every millisecond");
        count = 0;
    }
    worker->reported_all = count < (receiver->options.thread_count > 1 ? 1 : NOTIFIER_WAIT_MOST);
    for (size_t i = 0; i < count; i++)
        if (events[i].token != NULL)
            prefetch_all(events[i].token, offsetof(struct endpoint, next));
    for (size_t i = 0; i < count; i++) {
        struct endpoint *endpoint = events[i].token;
        switch (events[i].type) {
        case NOTIFIER_READY:
            if (claim_take_or_mark(&endpoint->claim)) {
                receiver_list_socket(&worker->ready, endpoint);
                prefetch_socket(endpoint);
            }
            break;
        case NOTIFIER_REMOVED:
            endpoint->removing = false;
            report_unremoved(receiver);
            if (endpoint->leaving)
                close_removed(worker, endpoint);
            break;
        case NOTIFIER_WOKEN:
            break;
        }
    }
}

/* --- reading the kernel's drops for the ledger ------------------------------------------------ */

/*
 * Reads the drops of a socket for the refresh number `wanted`. Returns false if another thread has
 * the socket.
 */
static bool refresh_endpoint(struct worker *worker, struct endpoint *endpoint, uint64_t wanted)
{
    if (endpoint->leaving || atomic_load(&endpoint->refreshed) >= wanted)
        return true;
    if (!claim_try(&endpoint->claim))
        return false;
    receiver_read_drops(endpoint);
    atomic_store(&endpoint->refreshed, wanted);
    receiver_release_socket(worker, endpoint,
                            atomic_load_explicit(&endpoint->due_ns, memory_order_relaxed));
    return true;
}

static bool is_to_refresh(const struct receiver *receiver)
{
    return atomic_load(&receiver->refresh_wanted) != atomic_load(&receiver->refresh_done);
}

/*
 * Reads the drops for a requested refresh. Begins with the sockets on this thread's ready list,
 * because this thread has their claims. Other threads read the drops of the sockets on their lists
 * in their next round.
 */
static void refresh(struct worker *worker)
{
    struct receiver *receiver = worker->receiver;
    uint64_t wanted = atomic_load(&receiver->refresh_wanted);
    if (!is_to_refresh(receiver))
        return;
    for (struct endpoint *endpoint = worker->ready.first; endpoint != NULL;
         endpoint = endpoint->next_listed) {
        receiver_read_drops(endpoint);
        atomic_store(&endpoint->refreshed, wanted);
    }
    bool all = true;
    for (struct endpoint *endpoint = receiver->endpoints; endpoint != NULL;
         endpoint = endpoint->next)
        all = refresh_endpoint(worker, endpoint, wanted) && all;
    if (!all)
        return;
    uint64_t done = atomic_load(&receiver->refresh_done);
    while (done < wanted && !atomic_compare_exchange_weak(&receiver->refresh_done, &done, wanted)) {
    }
    receiver->options.refreshed(receiver->options.context);
}

/* --- stopping: only the last thread, after the others have left ------------------------------- */

/*
 * Returns the time at which the last drain must end. If sockets cannot refuse new datagrams, a
 * flood could continue the drain until the deadline, so half of the remaining time is reserved for
 * the sinks.
 */
static int64_t end_of_drain(const struct receiver *receiver, bool refusing)
{
    int64_t now = clock_monotonic_ns();
    int64_t deadline = atomic_load(&receiver->deadline.ns);
    return refusing || deadline <= now ? deadline : now + (deadline - now) / 2;
}

/*
 * Sets a filter in every socket before the first one is drained, so that all sockets stop listening
 * at the same time. Drops counted before the filter are due to a full buffer, later ones to the
 * filter. Returns true if all sockets refuse new datagrams.
 */
static bool refuse_all(struct receiver *receiver)
{
    bool refusing = true;
    for (struct endpoint *endpoint = receiver->endpoints; endpoint != NULL;
         endpoint = endpoint->next) {
        if (endpoint->leaving)
            continue;
        receiver_read_drops(endpoint);
        endpoint->refusing = udp_socket_refuse_all(endpoint->socket);
        refusing = endpoint->refusing && refusing;
    }
    return refusing;
}

static bool drain_on(struct worker *worker, struct endpoint *endpoint, int64_t end_ns)
{
    struct receiver *receiver = worker->receiver;
    int64_t now = receiver_read_clocks(worker);
    if (now >= end_ns || deadline_is_over(&receiver->deadline))
        return false;
    endpoint->emptied = receiver_drain(worker, endpoint, &now) != DRAIN_AGAIN;
    receiver_commit(worker);
    if (worker->pressed)
        take_socket_events(worker, 1);
    worker->pressed = false;
    receiver_hand_over(worker, now, INT64_MAX); /* if the thread hosts a sink, the sink may end in
                                                 * this call */
    return !endpoint->emptied;
}

static bool is_to_drain(const struct endpoint *endpoint)
{
    bool leaves = endpoint->leaving && endpoint->leaves_ns == LEAVE_AT_ONCE;
    return endpoint->socket != NULL && !endpoint->removing && !endpoint->failed &&
           !endpoint->emptied && !leaves;
}

/*
 * Each socket is drained for one quantum in turn, because a socket that cannot refuse new datagrams
 * may never become empty.
 */
static void last_drain(struct worker *worker)
{
    struct receiver *receiver = worker->receiver;
    int64_t end_ns = end_of_drain(receiver, refuse_all(receiver));
    bool more = true;
    while (more) {
        more = false;
        for (struct endpoint *endpoint = receiver->endpoints; endpoint != NULL;
             endpoint = endpoint->next)
            if (is_to_drain(endpoint) && drain_on(worker, endpoint, end_ns))
                more = true;
    }
}

/*
 * Waits for a socket's REMOVED event, but only until `end_ns`, because the system might not send
 * the event and the stop must end. The socket can then be closed without the event, because no
 * thread waits for events any more.
 */
static void await_removals(struct worker *worker, struct endpoint *endpoint, int64_t end_ns)
{
    while (endpoint->removing && clock_monotonic_ns() < end_ns)
        take_socket_events(worker, milliseconds_until(end_ns, clock_monotonic_ns()));
    if (!endpoint->removing)
        return;
    endpoint->removing = false;
    log_about(LOG_ERROR, LOG_OF_LISTENER, endpoint->listener->name,
              "the system has not ended the socket's registration within %d ms; closing it",
              NOTIFIER_FINISH_MS);
}

static void close_endpoints(struct worker *worker)
{
    struct receiver *receiver = worker->receiver;
    for (struct endpoint *endpoint = receiver->endpoints; endpoint != NULL;
         endpoint = endpoint->next) {
        struct error error;
        if (endpoint->removing || endpoint->socket == NULL)
            continue;
        if (notifier_remove(receiver->notifier, udp_socket_handle(endpoint->socket), endpoint,
                            &error) == 0)
            endpoint->removing = true;
        else
            log_about(LOG_ERROR, LOG_OF_LISTENER, endpoint->listener->name, "%s", error.text);
    }
    int64_t end_ns = clock_monotonic_ns() + NOTIFIER_FINISH_MS * INT64_C(1000000);
    for (struct endpoint *endpoint = receiver->endpoints; endpoint != NULL;
         endpoint = endpoint->next) {
        await_removals(worker, endpoint, end_ns);
        if (endpoint->socket != NULL) {
            receiver_close_socket(endpoint);
        }
        atomic_store(&endpoint->gone, true);
    }
}

static void end_receiver(struct worker *worker)
{
    struct receiver *receiver = worker->receiver;
    RULE(atomic_load(&receiver->running) == 0, "the last thread ends the receiver");
    last_drain(worker);
    close_endpoints(worker);
    for (struct endpoint *endpoint = receiver->endpoints; endpoint != NULL;
         endpoint = endpoint->next) {
        ingest_hand_to(endpoint->ingest, worker->ingests);
        ingest_finish(endpoint->ingest);
    }
    for (size_t i = 0; i < receiver->options.thread_count; i++) {
        ingest_thread_seal(receiver->workers[i].ingests);
        ingest_thread_close(receiver->workers[i].ingests);
    }
    fan_out_close(worker->ingests->fan_out);
    atomic_store(&receiver->finished, true);
    receiver->options.finished(receiver->options.context);
}

/* --- the loop --------------------------------------------------------------------------------- */

static void stay_on_processor(const struct worker *worker)
{
    const struct receiver_options *options = &worker->receiver->options;
    if (options->processors == NULL || options->processors->count == 0)
        return;
    size_t index = (options->first_processor + worker->number) % options->processors->count;
    unsigned number = options->processors->numbers[index];
    if (!processor_stay_on(number))
        log_line(LOG_WARNING, "cannot bind a receiving thread to processor %u", number);
}

/* Returns the shorter of two times in milliseconds; a negative time means no limit. */
static int shorter(int a_ms, int b_ms)
{
    if (a_ms < 0 || b_ms < 0)
        return a_ms < 0 ? b_ms : a_ms;
    return a_ms < b_ms ? a_ms : b_ms;
}

static int time_to_wait(const struct worker *worker, int64_t due_ns)
{
    if (worker->pressed || is_to_refresh(worker->receiver))
        return 1;
    if (worker->ready.first != NULL || worker->drained.first != NULL)
        return 0;
    if (due_ns == INT64_MAX)
        return worker->timeout_ms;
    return shorter(worker->timeout_ms, milliseconds_until(due_ns, clock_monotonic_ns()));
}

static void make_round(struct worker *worker)
{
    receiver_quiesce_if_asked(worker);
    bool may_hold = worker->coalesces || fan_out_delay_ns(worker->ingests->fan_out) != 0;
    int64_t now = may_hold ? clock_monotonic_ns() : INT64_MAX;
    int64_t due_ns = receiver_hand_over(worker, now, now);
    int timeout_ms = time_to_wait(worker, due_ns);
    worker->pressed = false;
    bool yields = receiver_yield(worker);
    take_socket_events(worker, timeout_ms);
    if (!yields)
        receiver_serve_ready(worker);
    receiver_release_drained(worker);
    refresh(worker);
    worker->timeout_ms = receiver_seal_overdue(worker);
}

void receiver_run(void *argument)
{
    struct worker *worker = argument;
    struct receiver *receiver = worker->receiver;
    stay_on_processor(worker);
    while (!atomic_load(&receiver->stopping))
        make_round(worker);
    notifier_wake(receiver->notifier); /* wakes the next thread, which may be asleep */
    if (atomic_fetch_sub(&receiver->running, 1) != 1) {
        heartbeat_wait(&worker->heartbeat);
        notifier_leave(receiver->notifier, worker->number);
        return;
    }
    end_receiver(worker);
    if (receiver->sink != NULL)
        sink_thread_finish(receiver->sink);
    heartbeat_wait(&worker->heartbeat);
}
