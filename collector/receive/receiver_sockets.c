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

void receiver_part_with(struct member *member, struct port *port)
{
    struct error error;
    intake_hand_to(port->intake, member->intakes);
    intake_seal(port->intake);
    port->removing = true;
    if (notifier_remove(member->receiver->notifier, udp_socket_handle(port->socket), port,
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
static void take_group(struct member *member, struct port *port, struct turn *turn)
{
    const struct receiver_options *options = &member->receiver->options;
    const struct datagram_group *group = member->group;
    uint64_t bytes = 0;
    if (turn->taken == 0)
        turn->first_ns = group->slots[0].received_ns;
    intake_begin(port->intake, group->more ? SIZE_MAX : group->count);
    for (size_t i = 0; i < group->count; i++) {
        intake_take(port->intake, &group->slots[i]);
        bytes += group->slots[i].sent_size;
    }
    coalescing_note(&member->coalescing, group->count, bytes);
    turn->taken += group->count;
    if (options->received != NULL)
        options->received(options->context, group->count);
}

/* The system's clock may have been set back meanwhile. */
static void date_turns(struct member *member, int64_t now)
{
    struct turns *undated = &member->undated;
    for (size_t i = 0; i < undated->count; i++) {
        int64_t latency = now + member->wall_ahead_ns - undated->first_ns[i];
        histogram_note(&member->intakes->measures->decode_latency, histogram_times,
                       latency < 0 ? 0 : (uint64_t)latency);
    }
    undated->count = 0;
    undated->datagrams = 0;
}

/* Before a group that would have the turns before it dated later than they may be. */
static void date_turns_before(struct member *member, const struct turn *turn, int64_t *turn_ends)
{
    const struct turns *undated = &member->undated;
    if (undated->count == 0 ||
        undated->datagrams + turn->taken + member->group->count <= TURNS_UNDATED)
        return;
    int64_t now = clock_monotonic_ns();
    date_turns(member, now);
    *turn_ends = now + RECEIVER_BUDGET_NS; /* which had counted theirs */
}

static enum drain_result take_turn(struct member *member, struct port *port, int64_t now,
                                   struct turn *turn)
{
    const struct receiver_options *options = &member->receiver->options;
    struct datagram_group *group = member->group;
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
            member->pressed = true;
            return DRAIN_AGAIN;
        case RECEIVE_FATAL:
            log_about(LOG_ERROR, LOG_OF_LISTENER, port->listener->name, "%s", error.text);
            port->failed = true;
            return DRAIN_FAILED;
        }
        date_turns_before(member, turn, &turn_ends);
        take_group(member, port, turn);
        if (group->emptied)
            return DRAIN_DONE;
    }
    return DRAIN_AGAIN;
}

static void measure_turn(struct member *member, struct port *port, const struct turn *turn,
                         bool drained)
{
    struct turns *undated = &member->undated;
    port->drained += turn->taken;
    if (turn->taken != 0) {
        undated->first_ns[undated->count++] = turn->first_ns;
        undated->datagrams += turn->taken;
    }
    if (!drained)
        return;
    histogram_note(&member->intakes->measures->drain_length, histogram_counts, port->drained);
    port->drained = 0;
}

void receiver_settle(struct member *member)
{
    intake_thread_settle(member->intakes);
    date_turns(member, clock_monotonic_ns());
}

int64_t receiver_look_at_clocks(struct member *member)
{
    int64_t now = clock_monotonic_ns();
    member->wall_ahead_ns = clock_wall_ns() - now;
    return now;
}

enum drain_result receiver_drain(struct member *member, struct port *port, int64_t *now)
{
    struct turn turn = {0};
    intake_hand_to(port->intake, member->intakes);
    enum drain_result result = take_turn(member, port, *now, &turn);
    if (!member->group->more)
        datagram_group_release(member->group);
    measure_turn(member, port, &turn, result == DRAIN_DONE);
    if (result != DRAIN_DONE || member->undated.datagrams >= TURNS_UNDATED) {
        *now = clock_monotonic_ns();
        date_turns(member, *now);
    }
    return result;
}

/* The socket itself is asked for nothing: what is queued there may be somebody else's now. */
void receiver_take_the_rest(struct member *member, struct port *port)
{
    struct turn turn = {0};
    struct error error;
    if (!udp_socket_holds_received(port->socket))
        return;
    receiver_look_at_clocks(member);
    intake_hand_to(port->intake, member->intakes);
    while (udp_socket_holds_received(port->socket) || member->group->more)
        if (udp_socket_receive(port->socket, member->group, &error) == RECEIVE_OK)
            take_group(member, port, &turn);
    datagram_group_release(member->group);
    measure_turn(member, port, &turn, true);
    receiver_settle(member);
    intake_seal(port->intake);
}

void receiver_give_up(struct member *member, struct port *port, int64_t due_ns)
{
    if (port->leaving) {
        receiver_part_with(member, port);
        return;
    }
    atomic_store_explicit(&port->due_ns, due_ns, memory_order_relaxed);
    if (due_ns < member->due_ns)
        member->due_ns = due_ns;
    if (!claim_give_up(&port->claim))
        receiver_list_socket(&member->ready, port);
}

/* From `now` on; returns the time when it was done. */
static int64_t serve(struct member *member, struct port *port, int64_t now)
{
    if (port->leaving && port->leaves_ns == LEAVE_AT_ONCE) {
        receiver_list_socket(&member->drained, port);
        return now;
    }
    enum drain_result result = receiver_drain(member, port, &now);
    tell_drops(port, now);
    if (result != DRAIN_DONE)
        intake_seal_if_due(port->intake, now);
    bool leaves = port->leaving && (result == DRAIN_FAILED || now >= port->leaves_ns);
    if (result == DRAIN_DONE || leaves)
        receiver_list_socket(&member->drained, port);
    else if (result == DRAIN_AGAIN)
        receiver_list_socket(&member->ready, port);
    else
        member->receiver->options.failed(member->receiver->options.context);
    return now;
}

/* --- a round of them -------------------------------------------------------------------------- */

static void prefetch_next(const struct port *port)
{
    udp_socket_prefetch_received(port->socket);
    intake_prefetch_next(port->intake);
}

void receiver_serve_ready(struct member *member)
{
    struct port *last = member->ready.last;
    if (last == NULL)
        return;
    int64_t now = receiver_look_at_clocks(member);
    int64_t end_ns = INT64_MAX;
    if (member->receiver->sink != NULL) /* whose turn it is then: its queue has an end */
        end_ns = now + RECEIVER_BUDGET_NS;
    for (struct port *port; (port = take_first(&member->ready)) != NULL;) {
        if (member->ready.first != NULL)
            prefetch_next(member->ready.first);
        now = serve(member, port, now);
        if (port == last || now >= end_ns)
            break;
    }
    receiver_settle(member);
}

/* What was sealed is written first. */
static void rest(struct member *member, int64_t now, int64_t until_ns)
{
    int64_t due_ns = receiver_hand_over(member, now, until_ns);
    if (due_ns < until_ns)
        until_ns = due_ns;
    now = clock_monotonic_ns();
    if (now < until_ns)
        pause_wait(member->pause, until_ns - now);
}

void receiver_let_drained_go(struct member *member)
{
    if (member->ready.first != NULL)
        member->rests = false;
    if (member->drained.first == NULL)
        return;
    int64_t now = clock_monotonic_ns();
    int64_t rest_ns = 0;
    if (member->ready.first == NULL && member->pause != NULL)
        rest_ns = coalescing_rest(&member->coalescing, now);
    member->rests = rest_ns > 0;
    if (member->rests && !member->told_all)
        return;
    for (struct port *port = member->drained.first; port != NULL; port = port->next_listed) {
        intake_drained(port->intake, now, now + rest_ns);
        port->due = intake_seal_if_due(port->intake, now);
    }
    intake_thread_drained(member->intakes, now, now + rest_ns);
    if (rest_ns > 0)
        rest(member, now, now + rest_ns);
    for (struct port *port; (port = take_first(&member->drained)) != NULL;)
        receiver_give_up(member, port, port->due);
}

/* Returns when the next is due. */
static int64_t seal_ports(struct member *member, int64_t now)
{
    int64_t first = INT64_MAX;
    for (struct port *port = member->receiver->ports; port != NULL; port = port->next) {
        if (port->leaving)
            continue;
        int64_t due = atomic_load_explicit(&port->due_ns, memory_order_relaxed);
        if (due <= now && claim_try(&port->claim)) {
            intake_hand_to(port->intake, member->intakes);
            due = intake_seal_if_due(port->intake, now);
            receiver_give_up(member, port, due);
        }
        if (due > now && due < first)
            first = due;
    }
    return first;
}

/* What no other thread changes is not looked at before something there is due. */
int receiver_seal_overdue(struct member *member)
{
    int64_t now = clock_monotonic_ns();
    int64_t first = intake_thread_seal_if_due(member->intakes, now);
    if (member->receiver->options.thread_count > 1 || member->due_ns <= now)
        member->due_ns = seal_ports(member, now);
    return milliseconds_until(member->due_ns < first ? member->due_ns : first, now);
}
