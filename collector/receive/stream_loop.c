#include "collector/receive/stream_loop.h"

#include <string.h>

#include "collector/log/log.h"
#include "collector/platform/clock.h"
#include "collector/platform/notifier.h"
#include "collector/platform/wakeup.h"
#include "collector/receive/stream_accept.h"
#include "collector/receive/stream_end.h"
#include "collector/receive/stream_server_parts.h"
#include "collector/receive/stream_slots.h"

/* Connections that a thread keeps while it rests, and events that it takes with one wait. */
#define KEEP_MOST   64
#define EVENTS_MOST 32

/* A connection that had so many frames for a round is kept: it costs less to read than to arm. */
#define KEEP_FRAMES 2

/* Where a queue is filled to this share, nothing more is read. */
#define HOLD_BACKLOG 0.75

/* How often the first thread looks for connections whose time is over, or that are held. */
#define LOOK_MS      50
#define HELD_LOOK_MS 2
#define STOP_LOOK_MS 5

/* --- serving ---------------------------------------------------------------------------------- */

/* Gives it away. Returns whether it is still the caller's: it ends, as nobody can watch it. */
static bool fails_to_give(struct stream_server *server, struct stream_slot *slot,
                          unsigned interests)
{
    atomic_store(&slot->waits, stream_connection_waits_for_rest(&slot->connection));
    if (!stream_slot_give(slot, server->notifier, interests, false))
        return false;
    stream_connection_fail(&slot->connection);
    return true;
}

/* One that was held is taken up again; its owner is the caller. */
static void unhold(struct stream_server *server, struct stream_slot *slot)
{
    if (atomic_exchange(&slot->held, false))
        atomic_fetch_sub(&server->held, 1);
}

/*
 * It is left alone; unless it rests, its hang-up is watched for, and reported once, so that this
 * costs nothing while it lasts.
 */
static bool hold(struct worker *worker, struct stream_slot *slot, bool rests)
{
    struct stream_server *server = worker->server;
    atomic_store(&slot->held, true);
    atomic_fetch_add(&server->held, 1);
    if (rests || slot->hung_up) {
        stream_slot_leave(slot);
        return false;
    }
    if (!fails_to_give(server, slot, NOTIFIER_HANGUP))
        return false;
    unhold(server, slot);
    return true;
}

/* Returns whether it stays in the caller's hands. */
static bool pass_on(struct worker *worker, struct stream_slot *slot, int64_t now_ns)
{
    struct stream_server *server = worker->server;
    unsigned interests = NOTIFIER_IN | NOTIFIER_HANGUP;
    switch (stream_connection_answer(&slot->connection, &server->settings, now_ns)) {
    case STREAM_AGAIN:
        return true;
    case STREAM_HOLD:
        return hold(worker, slot, false);
    case STREAM_REST:
        return hold(worker, slot, true);
    case STREAM_CLOSE:
        /* Who armed it may not have come back from that, though its event was here. */
        if (atomic_load(&slot->givers) != 0)
            return true;
        stream_server_close_connection(worker, slot);
        return false;
    case STREAM_WRITE:
        interests = NOTIFIER_OUT;
        break;
    case STREAM_READ:
        break;
    }
    return fails_to_give(server, slot, interests);
}

/* What a round reads of each connection. Returns frames in all; `busy`: who had several of them. */
static size_t read_all(struct worker *worker, size_t first, int64_t now_ns, bool *busy)
{
    struct stream_server *server = worker->server;
    bool room = fan_out_backlog(worker->ingests->fan_out) < HOLD_BACKLOG;
    bool stopping = atomic_load(&server->stopping);
    bool patient = atomic_load(&server->patient);
    bool over = stopping && deadline_is_over(&server->deadline);
    size_t frames = 0;
    for (size_t i = first; i < worker->count; i++) {
        struct stream_connection *connection = &worker->work[i]->connection;
        connection->draining = connection->draining || stopping;
        connection->patient = patient;
        if (over)
            stream_connection_give_up(connection);
        if (server->options.before_receive != NULL)
            server->options.before_receive(server->options.hook_context);
        size_t taken =
            stream_connection_read(connection, &server->settings, &worker->stream, room, now_ns);
        if (connection->channel.is_named && !worker->work[i]->is_named)
            stream_slots_name(&server->slots, worker->work[i], &server->settings);
        busy[i] = taken >= KEEP_FRAMES && connection->next == STREAM_READ;
        frames += taken;
    }
    return frames;
}

/*
 * Its pace is that of all threads, of which each has its share: were it its own, what one leaves
 * alone while it rests would go, one by one, to another that had little to do.
 */
static void note_pace(struct worker *worker, size_t frames)
{
    struct stream_server *server = worker->server;
    uint64_t threads = server->options.thread_count;
    uint64_t all_frames = atomic_fetch_add(&server->frames, frames) + frames;
    uint64_t all_bytes =
        atomic_fetch_add(&server->bytes, worker->stream.received) + worker->stream.received;
    uint64_t frame_share = (all_frames - worker->frames_noted) / threads;
    uint64_t byte_share = (all_bytes - worker->bytes_noted) / threads;
    worker->frames_noted += frame_share * threads;
    worker->bytes_noted += byte_share * threads;
    coalescing_note(&worker->pace, frame_share, byte_share);
}

/* How long it may rest after a round: not while somebody would wait for it. */
static int64_t rest_ns(struct worker *worker, size_t frames, int64_t now_ns)
{
    struct stream_server *server = worker->server;
    note_pace(worker, frames);
    if (worker->pause == NULL || worker->stream.is_awaited || atomic_load(&server->stopping) ||
        atomic_load(&server->held) != 0)
        return 0;
    return coalescing_delay(&worker->pace, fan_out_delay_ns(worker->ingests->fan_out), now_ns);
}

/*
 * All records of a round are offered together, before any of its connections is given away. Those
 * that are kept are read when the rest is over, not in the rounds before that.
 */
static void serve(struct worker *worker)
{
    struct stream_server *server = worker->server;
    struct stream_slot *again[WORK_MOST];
    bool busy[WORK_MOST];
    size_t again_count = 0;
    int64_t now_ns = clock_monotonic_ns();
    if (now_ns >= worker->keep_ns || atomic_load(&server->stopping))
        worker->kept = 0;
    size_t first = worker->kept;
    if (first == worker->count)
        return;
    worker->stream.received = 0;
    worker->stream.is_awaited = false;
    size_t frames = read_all(worker, first, now_ns, busy);
    ingest_seal(worker->stream.ingest);
    ingest_thread_commit(worker->ingests);
    if (frames != 0 && server->options.received != NULL)
        server->options.received(server->options.context, frames);
    now_ns = clock_monotonic_ns(); /* to offer them may have taken its time */
    int64_t delay_ns = rest_ns(worker, frames, now_ns);
    worker->rests = delay_ns > 0;
    if (first == 0)
        worker->keep_ns = now_ns + delay_ns;
    for (size_t i = first; i < worker->count; i++) {
        struct stream_slot *slot = worker->work[i];
        if (worker->rests && busy[i] && worker->kept < KEEP_MOST)
            worker->work[worker->kept++] = slot;
        else if (pass_on(worker, slot, now_ns))
            again[again_count++] = slot;
    }
    worker->count = worker->kept + again_count;
    memcpy(worker->work + worker->kept, again, again_count * sizeof again[0]);
}

/* --- resting ---------------------------------------------------------------------------------- */

/* Sinks are woken for what was offered, or later, where that is soon enough: it is noted when. */
static void wake_sinks(struct worker *worker, int64_t now_ns, int64_t next_ns)
{
    struct fan_out *fan_out = worker->ingests->fan_out;
    bool may_hold = worker->rests || fan_out_delay_ns(fan_out) != 0;
    worker->wake_ns =
        may_hold ? fan_out_hold(fan_out, now_ns, next_ns) : fan_out_hold(fan_out, 0, INT64_MAX);
}

/* After a round: the next one finds more. It goes on at once where there is anything left to do. */
static void rest(struct worker *worker)
{
    struct stream_server *server = worker->server;
    int64_t now_ns = clock_monotonic_ns();
    if (!worker->rests || !worker->reported_all || worker->count != worker->kept ||
        atomic_load(&server->quiesce_wanted) || now_ns >= worker->keep_ns) {
        wake_sinks(worker, now_ns, now_ns);
        return;
    }
    wake_sinks(worker, now_ns, worker->keep_ns);
    int64_t until_ns = worker->wake_ns < worker->keep_ns ? worker->wake_ns : worker->keep_ns;
    now_ns = clock_monotonic_ns();
    if (now_ns >= until_ns)
        return;
    heartbeat_wait(&worker->heartbeat);
    pause_wait(worker->pause, until_ns - now_ns);
}

/* --- looking after connections ---------------------------------------------------------------- */

static void take(struct worker *worker, struct stream_slot *slot)
{
    unhold(worker->server, slot);
    worker->work[worker->count++] = slot;
}

/* Reasons to take connections from where they wait. */
struct look {
    int64_t now_ns;
    bool room;      /* in the sinks' queues */
    bool are_short; /* of blocks: somebody waits for one */
    bool over;      /* the time that stopping may take */
};

static bool is_wanted(const struct stream_server *server, const struct stream_slot *slot,
                      const struct look *look)
{
    if (look->over || look->now_ns >= atomic_load(&slot->due_ns) ||
        (look->are_short && look->now_ns >= atomic_load(&slot->hurry_ns)))
        return true;
    if (atomic_load(&slot->held))
        return look->room;
    return atomic_load(&server->stopping) &&
           !(atomic_load(&slot->waits) && atomic_load(&server->patient));
}

/*
 * Takes connections that no thread owns: held ones where there is room, and expired ones; at a stop
 * all. A pass looks at each slot once. It is interrupted where the worker has no room for more, and
 * goes on after the round: passes have pauses between them, the parts of one have none.
 */
static void look_after(struct worker *worker, int64_t now_ns)
{
    struct stream_server *server = worker->server;
    const struct look look = {
        .now_ns = now_ns,
        .room = fan_out_backlog(worker->ingests->fan_out) < HOLD_BACKLOG,
        .are_short = stream_blocks_are_short(server->settings.blocks),
        .over = atomic_load(&server->stopping) && deadline_is_over(&server->deadline),
    };
    size_t made = stream_slots_made(&server->slots);
    if (worker->look_left == 0)
        worker->look_left = made;
    for (; worker->look_left != 0 && worker->count < WORK_MOST; worker->look_left--) {
        struct stream_slot *slot = server->slots.all[worker->next_look++ % made];
        if (stream_slot_phase(slot) == SLOT_ARMED && is_wanted(server, slot, &look) &&
            stream_slot_claim(slot, false))
            take(worker, slot);
    }
    worker->next_look %= made == 0 ? 1 : made;
}

/* Until it looks after connections; negative: it does not. */
static int until_look_ms(const struct worker *worker)
{
    struct stream_server *server = worker->server;
    if (atomic_load(&server->stopping))
        return STOP_LOOK_MS;
    if (worker->index != 0)
        return -1;
    return atomic_load(&server->held) != 0 ? HELD_LOOK_MS : LOOK_MS;
}

static int wait_ms(const struct worker *worker)
{
    if (worker->count != worker->kept || worker->look_left != 0)
        return 0;
    int64_t due_ns = worker->wake_ns;
    if (worker->kept != 0 && worker->keep_ns < due_ns)
        due_ns = worker->keep_ns;
    int look_ms = until_look_ms(worker);
    if (due_ns == INT64_MAX)
        return look_ms;
    int due_ms = milliseconds_until(due_ns, clock_monotonic_ns());
    return look_ms < 0 || due_ms < look_ms ? due_ms : look_ms;
}

/* What the token of an event is, where it is no connection's. */
static struct listening *listening_of(const struct stream_server *server, const void *token)
{
    for (size_t i = 0; i < server->listening_count; i++)
        if (token == &server->listening[i])
            return &server->listening[i];
    return NULL;
}

static void take_events(struct worker *worker)
{
    struct stream_server *server = worker->server;
    struct notifier_event events[EVENTS_MOST];
    size_t most = WORK_MOST - worker->count;
    if (most > EVENTS_MOST)
        most = EVENTS_MOST;
    int timeout_ms = wait_ms(worker);
    heartbeat_wait(&worker->heartbeat);
    size_t count = notifier_wait(server->notifier, worker->index, events, most, timeout_ms);
    heartbeat_work(&worker->heartbeat);
    if (count == NOTIFIER_FAILED) {
        uint64_t held;
        if (log_allowed(&worker->log, &held))
            log_about(LOG_ERROR, LOG_OF_LISTENER, server->options.listener->name,
                      "the system does not let a thread wait for connections; it asks again every "
                      "millisecond");
        count = 0;
    }
    worker->reported_all = count < most;
    for (size_t i = 0; i < count; i++) {
        if (events[i].type == NOTIFIER_WOKEN)
            continue;
        struct listening *listening = listening_of(server, events[i].token);
        if (listening != NULL) {
            stream_server_accept(worker, listening);
            continue;
        }
        struct stream_slot *slot = events[i].token;
        if (!stream_slot_claim(slot, true))
            continue;
        slot->hung_up = slot->hung_up || (events[i].ready & NOTIFIER_HANGUP) != 0;
        take(worker, slot);
    }
}

/* --- threads ---------------------------------------------------------------------------------- */

/*
 * From then on its waits are short. Others may wait for ever, and a wake-up is for one of them, or
 * for who sends it: it is sent until all of them know.
 */
static void note_stop(struct worker *worker)
{
    struct stream_server *server = worker->server;
    if (!atomic_load(&server->stopping))
        return;
    if (!worker->stops)
        atomic_fetch_add(&server->stops, 1);
    worker->stops = true;
    if (atomic_load(&server->stops) < server->started)
        notifier_wake(server->notifier);
    if (worker->index == 0)
        stream_server_stop_listening(server);
}

static bool is_done(const struct worker *worker)
{
    const struct stream_server *server = worker->server;
    return atomic_load(&server->stopping) && worker->count == 0 &&
           atomic_load(&server->slots.open) == 0;
}

static void leave(struct worker *worker)
{
    struct stream_server *server = worker->server;
    struct fan_out *fan_out = worker->ingests->fan_out;
    notifier_leave(server->notifier, worker->index);
    ingest_seal(worker->stream.ingest);
    fan_out_wake_sinks(fan_out);
    ingest_thread_close(worker->ingests);
    bool last = atomic_fetch_sub(&server->running, 1) == 1;
    if (last)
        fan_out_close(fan_out);
    atomic_fetch_sub(&server->present, 1);
    if (last)
        atomic_store(&server->finished, true);
    else if (atomic_load(&server->quiesce_wanted))
        notifier_wake(server->notifier); /* it was perhaps the one that was woken for that */
    server->options.finished(server->options.context);
    heartbeat_wait(&worker->heartbeat);
}

/*
 * Stands still for as long as that is wanted. What it has in hand stays there. Others may sleep in
 * their waits, and a wake-up is for one of them.
 */
static void stand_still(struct worker *worker)
{
    struct stream_server *server = worker->server;
    if (!atomic_load(&server->quiesce_wanted))
        return;
    fan_out_wake_sinks(worker->ingests->fan_out);
    if (atomic_fetch_add(&server->quiescent, 1) + 1 == atomic_load(&server->present))
        server->options.finished(server->options.context);
    else
        notifier_wake(server->notifier);
    heartbeat_wait(&worker->heartbeat);
    while (atomic_load(&server->quiesce_wanted))
        wakeup_wait(worker->resumed, NO_HANDLE, false, -1);
    heartbeat_work(&worker->heartbeat);
    if (atomic_fetch_sub(&server->quiescent, 1) == 1)
        server->options.finished(server->options.context);
}

/* Between two passes over the slots: to look at very many costs a small share of the time. */
static int64_t look_pause_ns(struct stream_server *server)
{
    return (HELD_LOOK_MS + (int64_t)(stream_slots_made(&server->slots) / 1000)) * INT64_C(1000000);
}

void stream_server_run(void *argument)
{
    struct worker *worker = argument;
    struct stream_server *server = worker->server;
    int64_t look_ns = 0;
    stand_still(worker); /* it may be started so */
    while (!is_done(worker)) {
        heartbeat_work(&worker->heartbeat);
        if (worker->count < WORK_MOST)
            take_events(worker);
        int64_t now_ns = clock_monotonic_ns();
        stand_still(worker);
        note_stop(worker);
        if ((worker->index == 0 || worker->stops) && now_ns >= look_ns) {
            look_after(worker, now_ns);
            if (!worker->stops)
                stream_server_accept_again(worker, now_ns);
            if (worker->look_left == 0)
                look_ns = now_ns + look_pause_ns(server);
        }
        if (worker->count != 0)
            serve(worker);
        rest(worker);
    }
    leave(worker);
}
