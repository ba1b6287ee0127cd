#include <inttypes.h>

#include "collector/log/log.h"
#include "collector/receive/receiver_parts.h"

/* How often the kernel's drops are looked at for the log while there is traffic. */
#define DROP_CHECK_NS INT64_C(1000000000)

/* --- lists of sockets that a thread has claimed ----------------------------------------------- */

void receiver_list_socket(struct port_list *list, struct port *port)
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

void receiver_read_drops(struct port *port)
{
    if (port->refusing)
        return;
    struct intake_counters *counters = intake_counters(port->intake);
    counter_set(&counters->kernel_drops, port->drops_before + udp_socket_drops(port->socket));
    counter_set(&counters->receive_errors, port->errors_before + udp_socket_errors(port->socket));
}

/* --- closing ---------------------------------------------------------------------------------- */

void receiver_close_socket(struct port *port)
{
    struct intake_counters *counters = intake_counters(port->intake);
    receiver_read_drops(port); /* of one that refuses nothing; they are the full buffer's still */
    uint64_t before = counter_read(&counters->kernel_drops) - port->drops_before;
    if (port->refusing)
        counter_add(&counters->refused_while_stopping, udp_socket_drops(port->socket) - before);
    counter_set(&counters->receive_errors, port->errors_before + udp_socket_errors(port->socket));
    udp_socket_close(port->socket);
    port->socket = NULL;
}

void receiver_part_with(struct worker *worker, struct port *port)
{
    struct error error;
    intake_hand_to(port->intake, worker->intakes);
    intake_seal(port->intake);
    port->removing = true;
    if (notifier_remove(worker->receiver->notifier, udp_socket_handle(port->socket), port,
                        &error) == 0)
        return;
    port->removing = false;
    log_about(LOG_ERROR, LOG_OF_LISTENER, port->listener->name, "%s", error.text);
}

/* --- what the log hears of drops -------------------------------------------------------------- */

static void tell_drops(struct port *port, int64_t now)
{
    if (now - port->drops_checked_ns < DROP_CHECK_NS)
        return;
    port->drops_checked_ns = now;
    receiver_read_drops(port);
    uint64_t drops = counter_read(&intake_counters(port->intake)->kernel_drops);
    if (drops == port->drops_told)
        return;
    if (port->filtered)
        log_about(LOG_WARNING, LOG_OF_LISTENER, port->listener->name,
                  "the kernel dropped or filtered %" PRIu64
                  " datagrams: the receive buffer was full, or their senders may not send",
                  drops - port->drops_told);
    else
        log_about(LOG_WARNING, LOG_OF_LISTENER, port->listener->name,
                  "the kernel dropped %" PRIu64 " datagrams: the receive buffer was full",
                  drops - port->drops_told);
    port->drops_told = drops;
}

/* --- draining --------------------------------------------------------------------------------- */

/* What a turn at a socket has come to. */
struct turn {
    size_t taken;     /* datagrams */
    int64_t first_ns; /* when the first one of them came, since 1970 UTC */
};

/* Takes all of a group that was received. */
static void take_group(struct worker *worker, struct port *port, struct turn *turn)
{
    const struct receiver_options *options = &worker->receiver->options;
    const struct datagram_group *group = worker->group;
    uint64_t bytes = 0;
    if (turn->taken == 0)
        turn->first_ns = group->slots[0].received_ns;
    intake_begin(port->intake, group->more ? SIZE_MAX : group->count);
    for (size_t i = 0; i < group->count; i++) {
        intake_take(port->intake, &group->slots[i]);
        bytes += group->slots[i].sent_size;
    }
    coalescing_note(&worker->coalescing, group->count, bytes);
    turn->taken += group->count;
    if (options->received != NULL)
        options->received(options->context, group->count);
}

/* The system's clock may have been set back meanwhile. */
static void date_turns(struct worker *worker, int64_t now)
{
    struct turns *undated = &worker->undated;
    for (size_t i = 0; i < undated->count; i++) {
        int64_t latency = now + worker->wall_ahead_ns - undated->first_ns[i];
        histogram_note(&worker->intakes->measures->decode_latency, histogram_times,
                       latency < 0 ? 0 : (uint64_t)latency);
    }
    undated->count = 0;
    undated->datagrams = 0;
}

/* Before a group that would have the turns before it dated later than they may be. */
static void date_turns_before(struct worker *worker, const struct turn *turn, int64_t *turn_ends)
{
    const struct turns *undated = &worker->undated;
    if (undated->count == 0 ||
        undated->datagrams + turn->taken + worker->group->count <= TURNS_UNDATED)
        return;
    int64_t now = clock_monotonic_ns();
    date_turns(worker, now);
    *turn_ends = now + RECEIVER_BUDGET_NS; /* which had counted theirs */
}

static enum drain_result take_turn(struct worker *worker, struct port *port, int64_t now,
                                   struct turn *turn)
{
    const struct receiver_options *options = &worker->receiver->options;
    struct datagram_group *group = worker->group;
    int64_t turn_ends = now + RECEIVER_BUDGET_NS;
    while (turn->taken == 0 || group->more ||
           (turn->taken < RECEIVER_BUDGET && clock_monotonic_ns() < turn_ends)) {
        struct error error;
        if (options->before_receive != NULL)
            options->before_receive(options->hook_context);
        switch (udp_socket_receive(port->socket, group, &error)) {
        case RECEIVE_OK:
            break;
        case RECEIVE_WOULD_BLOCK:
            return DRAIN_DONE;
        case RECEIVE_LATER:
            worker->pressed = true;
            return DRAIN_AGAIN;
        case RECEIVE_FATAL:
            log_about(LOG_ERROR, LOG_OF_LISTENER, port->listener->name, "%s", error.text);
            port->failed = true;
            return DRAIN_FAILED;
        }
        date_turns_before(worker, turn, &turn_ends);
        take_group(worker, port, turn);
        if (group->emptied)
            return DRAIN_DONE;
    }
    return DRAIN_AGAIN;
}

static void measure_turn(struct worker *worker, struct port *port, const struct turn *turn,
                         bool drained)
{
    struct turns *undated = &worker->undated;
    port->drained += turn->taken;
    if (turn->taken != 0) {
        undated->first_ns[undated->count++] = turn->first_ns;
        undated->datagrams += turn->taken;
    }
    if (!drained)
        return;
    histogram_note(&worker->intakes->measures->drain_length, histogram_counts, port->drained);
    port->drained = 0;
}

void receiver_settle(struct worker *worker)
{
    intake_thread_settle(worker->intakes);
    date_turns(worker, clock_monotonic_ns());
}

int64_t receiver_look_at_clocks(struct worker *worker)
{
    int64_t now = clock_monotonic_ns();
    worker->wall_ahead_ns = clock_wall_ns() - now;
    return now;
}

enum drain_result receiver_drain(struct worker *worker, struct port *port, int64_t *now)
{
    struct turn turn = {0};
    intake_hand_to(port->intake, worker->intakes);
    enum drain_result result = take_turn(worker, port, *now, &turn);
    if (!worker->group->more)
        datagram_group_release(worker->group);
    measure_turn(worker, port, &turn, result == DRAIN_DONE);
    if (result != DRAIN_DONE || worker->undated.datagrams >= TURNS_UNDATED) {
        *now = clock_monotonic_ns();
        date_turns(worker, *now);
    }
    return result;
}

/* The socket itself is asked for nothing: what is queued there may be somebody else's now. */
void receiver_take_the_rest(struct worker *worker, struct port *port)
{
    struct turn turn = {0};
    struct error error;
    if (!udp_socket_holds_received(port->socket))
        return;
    receiver_look_at_clocks(worker);
    intake_hand_to(port->intake, worker->intakes);
    while (udp_socket_holds_received(port->socket) || worker->group->more)
        if (udp_socket_receive(port->socket, worker->group, &error) == RECEIVE_OK)
            take_group(worker, port, &turn);
    datagram_group_release(worker->group);
    measure_turn(worker, port, &turn, true);
    receiver_settle(worker);
    intake_seal(port->intake);
}

void receiver_give_up(struct worker *worker, struct port *port, int64_t due_ns)
{
    if (port->leaving) {
        receiver_part_with(worker, port);
        return;
    }
    atomic_store_explicit(&port->due_ns, due_ns, memory_order_relaxed);
    if (due_ns < worker->due_ns)
        worker->due_ns = due_ns;
    if (!claim_give_up(&port->claim))
        receiver_list_socket(&worker->ready, port);
}

/* From `now` on; returns the time when it was done. */
static int64_t serve(struct worker *worker, struct port *port, int64_t now)
{
    if (port->leaving && port->leaves_ns == LEAVE_AT_ONCE) {
        receiver_list_socket(&worker->drained, port);
        return now;
    }
    enum drain_result result = receiver_drain(worker, port, &now);
    tell_drops(port, now);
    if (result != DRAIN_DONE)
        intake_seal_if_due(port->intake, now);
    bool leaves = port->leaving && (result == DRAIN_FAILED || now >= port->leaves_ns);
    if (result == DRAIN_DONE || leaves)
        receiver_list_socket(&worker->drained, port);
    else if (result == DRAIN_AGAIN)
        receiver_list_socket(&worker->ready, port);
    else
        worker->receiver->options.failed(worker->receiver->options.context);
    return now;
}

/* --- a round of them -------------------------------------------------------------------------- */

static void prefetch_next(const struct port *port)
{
    udp_socket_prefetch_received(port->socket);
    intake_prefetch_next(port->intake);
}

void receiver_serve_ready(struct worker *worker)
{
    struct port *last = worker->ready.last;
    if (last == NULL)
        return;
    int64_t now = receiver_look_at_clocks(worker);
    int64_t end_ns = INT64_MAX;
    if (worker->receiver->sink != NULL) /* whose turn it is then: its queue has an end */
        end_ns = now + RECEIVER_BUDGET_NS;
    for (struct port *port; (port = take_first(&worker->ready)) != NULL;) {
        if (worker->ready.first != NULL)
            prefetch_next(worker->ready.first);
        now = serve(worker, port, now);
        if (port == last || now >= end_ns)
            break;
    }
    receiver_settle(worker);
}

/* What was sealed is written first. */
static void rest(struct worker *worker, int64_t now, int64_t until_ns)
{
    int64_t due_ns = receiver_hand_over(worker, now, until_ns);
    if (due_ns < until_ns)
        until_ns = due_ns;
    now = clock_monotonic_ns();
    if (now < until_ns)
        pause_wait(worker->pause, until_ns - now);
}

void receiver_let_drained_go(struct worker *worker)
{
    if (worker->ready.first != NULL)
        worker->rests = false;
    if (worker->drained.first == NULL)
        return;
    int64_t now = clock_monotonic_ns();
    int64_t rest_ns = 0;
    if (worker->ready.first == NULL && worker->pause != NULL)
        rest_ns = coalescing_rest(&worker->coalescing, now);
    worker->rests = rest_ns > 0;
    if (worker->rests && !worker->told_all)
        return;
    for (struct port *port = worker->drained.first; port != NULL; port = port->next_listed) {
        intake_drained(port->intake, now, now + rest_ns);
        port->due = intake_seal_if_due(port->intake, now);
    }
    intake_thread_drained(worker->intakes, now, now + rest_ns);
    if (rest_ns > 0)
        rest(worker, now, now + rest_ns);
    for (struct port *port; (port = take_first(&worker->drained)) != NULL;)
        receiver_give_up(worker, port, port->due);
}

/* Returns when the next is due. */
static int64_t seal_ports(struct worker *worker, int64_t now)
{
    int64_t first = INT64_MAX;
    for (struct port *port = worker->receiver->ports; port != NULL; port = port->next) {
        if (port->leaving)
            continue;
        int64_t due = atomic_load_explicit(&port->due_ns, memory_order_relaxed);
        if (due <= now && claim_try(&port->claim)) {
            intake_hand_to(port->intake, worker->intakes);
            due = intake_seal_if_due(port->intake, now);
            receiver_give_up(worker, port, due);
        }
        if (due > now && due < first)
            first = due;
    }
    return first;
}

/* What no other thread changes is not looked at before something there is due. */
int receiver_seal_overdue(struct worker *worker)
{
    int64_t now = clock_monotonic_ns();
    int64_t first = intake_thread_seal_if_due(worker->intakes, now);
    if (worker->receiver->options.thread_count > 1 || worker->due_ns <= now)
        worker->due_ns = seal_ports(worker, now);
    return milliseconds_until(worker->due_ns < first ? worker->due_ns : first, now);
}
