#include "collector/receive/stream_loop.h"

#include <string.h>

#include "collector/base/rule.h"
#include "collector/log/log.h"
#include "collector/platform/clock.h"
#include "collector/platform/notifier.h"
#include "collector/platform/wakeup.h"
#include "collector/receive/stream_accept.h"
#include "collector/receive/stream_end.h"
#include "collector/receive/stream_server_parts.h"
#include "collector/receive/stream_slots.h"

/*
 * The upper limits of connections that a thread keeps during a pause (stream_server.h), and of
 * events that one wait returns.
 */
#define KEEP_MOST   64
#define EVENTS_MOST 32

/*
 * A connection with at least this number of frames in a round is kept during the pause: reading it
 * after the pause costs less than arming it.
 */
#define KEEP_FRAMES 2

/* Connections are not read while a queue is filled to this fraction. */
#define PAUSE_BACKLOG 0.75

/*
 * A thread scans for overdue and paused connections when the earliest known deadline has passed, so
 * that an idle server does not wake. The thread that paused a connection scans every PAUSED_SCAN_NS
 * until it continues. While the server stops, all threads scan every STOP_SCAN_NS (nanoseconds).
 */
#define PAUSED_SCAN_NS INT64_C(2000000)
#define STOP_SCAN_NS   INT64_C(5000000)

/* --- serving ---------------------------------------------------------------------------------- */

/*
 * Arms a connection. Returns true if that failed; the caller then still owns the connection and
 * must close it.
 */
static bool arm_fails(struct worker *worker, struct stream_slot *slot, unsigned interests)
{
    worker_scan_by(worker, slot->connection.due_ns);
    atomic_store(&slot->waits, stream_connection_awaits_remainder(&slot->connection));
    if (!stream_slot_arm(slot, worker->server->notifier, interests, false))
        return false;
    stream_connection_fail(&slot->connection);
    return true;
}

/* Arms a connection at once, or with others of the round (arm_together). Returns as arm_fails. */
static bool arm_in_round(struct worker *worker, struct stream_slot *slot, unsigned interests)
{
    struct stream_server *server = worker->server;
    if (!notifier_arms_together(server->notifier))
        return arm_fails(worker, slot, interests);
    RULE(worker->arming_count < WORK_MOST, "a round arms each of its connections once");
    worker->arming[worker->arming_count] = slot;
    worker->arming_for[worker->arming_count++] = interests;
    return false;
}

/* Owner: ends the pause of a connection, if it is paused. */
static void unpause_connection(struct stream_server *server, struct stream_slot *slot)
{
    if (!atomic_exchange(&slot->paused, false))
        return;
    size_t before = atomic_fetch_sub(&server->paused, 1);
    RULE(before != 0, "a paused connection is counted");
}

/*
 * Pauses a connection. Unless it backs off, it is armed for a hang-up, which is reported at most
 * once and so costs little. Returns true if arming failed; then the caller still owns the
 * connection.
 */
static bool pause_connection(struct worker *worker, struct stream_slot *slot, bool backs_off)
{
    struct stream_server *server = worker->server;
    RULE(!atomic_load(&slot->paused), "a connection is paused once");
    atomic_store(&slot->paused, true);
    atomic_fetch_add(&server->paused, 1);
    worker->scan_pauses = true;
    worker_scan_by(worker, clock_monotonic_ns() + PAUSED_SCAN_NS);
    if (backs_off || slot->hung_up) {
        stream_slot_park(slot);
        return false;
    }
    if (!arm_fails(worker, slot, NOTIFIER_HANGUP))
        return false;
    unpause_connection(server, slot);
    return true;
}

/*
 * Ends a connection's part of the round: sends answers, then arms, pauses or closes the connection.
 * Returns true if the caller still owns the connection.
 */
static bool finish_turn(struct worker *worker, struct stream_slot *slot, int64_t now_ns)
{
    struct stream_server *server = worker->server;
    unsigned interests = NOTIFIER_IN | NOTIFIER_HANGUP;
    switch (stream_connection_answer(&slot->connection, &server->settings, now_ns)) {
    case STREAM_AGAIN:
        return true;
    case STREAM_PAUSE:
        return pause_connection(worker, slot, false);
    case STREAM_BACK_OFF:
        return pause_connection(worker, slot, true);
    case STREAM_CLOSE:
        /* Another thread that armed the connection may still be in stream_slot_arm. */
        if (atomic_load(&slot->armers) != 0)
            return true;
        stream_server_close_connection(worker, slot);
        return false;
    case STREAM_WRITE:
        interests = NOTIFIER_OUT;
        break;
    case STREAM_READ:
        break;
    }
    return arm_in_round(worker, slot, interests);
}

/*
 * Reads each connection from `first` on. Returns the number of frames. Sets busy[i] if connection i
 * had several frames.
 */
static size_t read_connections(struct worker *worker, size_t first, int64_t now_ns, bool *busy)
{
    struct stream_server *server = worker->server;
    bool room = fan_out_backlog(worker->ingests->fan_out) < PAUSE_BACKLOG;
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
 * Adds an equal share of all threads' frames and bytes to this thread's pace. If each thread
 * counted only its own frames, an idle thread would not pause, and would take over, one by one, the
 * connections that a pausing thread leaves unread.
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

/* Returns how long to pause after the round, or 0 if a connection waits for the thread. */
static int64_t pause_ns(struct worker *worker, size_t frames, int64_t now_ns)
{
    struct stream_server *server = worker->server;
    note_pace(worker, frames);
    if (worker->pause == NULL || worker->stream.is_awaited || atomic_load(&server->stopping) ||
        atomic_load(&server->paused) != 0)
        return 0;
    return coalescing_delay(&worker->pace, fan_out_delay_ns(worker->ingests->fan_out), now_ns);
}

/* --- events and arming ------------------------------------------------------------------------ */

static void add_work(struct worker *worker, struct stream_slot *slot)
{
    RULE(worker->count < WORK_MOST, "a thread has room for each connection that it takes");
    unpause_connection(worker->server, slot);
    worker->work[worker->count++] = slot;
}

/*
 * Returns the listening socket of the event's token. Returns NULL if the token belongs to a
 * connection.
 */
static struct listening *listening_of(const struct stream_server *server, const void *token)
{
    for (size_t i = 0; i < server->listening_count; i++)
        if (token == &server->listening[i])
            return &server->listening[i];
    return NULL;
}

static void handle_events(struct worker *worker, const struct notifier_event *events, size_t count)
{
    struct stream_server *server = worker->server;
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
        add_work(worker, slot);
    }
}

static void arm_each(struct worker *worker)
{
    for (size_t i = 0; i < worker->arming_count; i++)
        if (arm_fails(worker, worker->arming[i], worker->arming_for[i]))
            worker->work[worker->count++] = worker->arming[i];
    worker->arming_count = 0;
}

/*
 * Arms the connections of a round and takes events with one call (notifier_arm_all). The call does
 * not wait: before it returns, other threads cannot claim these connections in a scan, so a wait
 * would keep overdue connections open.
 *
 * System calls for each frame, measured with ProcessSocketNotifications emulated and one frame in
 * flight for each connection: with 100 connections 0.09 instead of 1.12 (one thread) and 1.05
 * instead of 2.04 (two threads); with one connection 1.02 instead of 2.00 (one thread) and 1.74
 * instead of 2.11 (two threads).
 */
static void arm_together(struct worker *worker)
{
    struct stream_server *server = worker->server;
    struct notifier_arming armings[WORK_MOST];
    uint64_t numbers[WORK_MOST];
    struct notifier_event events[EVENTS_MOST];
    size_t count = worker->arming_count;
    size_t room = WORK_MOST - worker->count - count;
    if (count == 0 || room == 0) {
        arm_each(worker);
        return;
    }
    if (room > EVENTS_MOST)
        room = EVENTS_MOST;
    for (size_t i = 0; i < count; i++) {
        struct stream_slot *slot = worker->arming[i];
        worker_scan_by(worker, slot->connection.due_ns);
        atomic_store(&slot->waits, stream_connection_awaits_remainder(&slot->connection));
        armings[i] = (struct notifier_arming){.socket = slot->connection.channel.socket,
                                              .token = slot,
                                              .interests = worker->arming_for[i]};
        numbers[i] = stream_slot_begin_arming(slot);
    }
    size_t taken = notifier_arm_all(server->notifier, worker->index, armings, count, events, room);
    for (size_t i = 0; i < count; i++) {
        struct stream_slot *slot = worker->arming[i];
        if (!stream_slot_end_arming(slot, numbers[i], armings[i].failed))
            continue;
        stream_connection_fail(&slot->connection);
        worker->work[worker->count++] = slot;
    }
    worker->arming_count = 0;
    worker->has_events = taken != 0;
    worker->reported_all = taken < room;
    handle_events(worker, events, taken);
}

/* --- rounds ----------------------------------------------------------------------------------- */

/*
 * Serves connections for a round. All records of the round are handed to the sinks together, before
 * any of its connections is armed. Connections that were kept for the pause (stream_server.h) are
 * not read before the pause ends.
 */
static void serve_connections(struct worker *worker)
{
    struct stream_server *server = worker->server;
    RULE(rule_is_owner(&worker->owner), "a worker serves its connections in its own thread");
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
    size_t frames = read_connections(worker, first, now_ns, busy);
    ingest_seal(worker->stream.ingest);
    ingest_thread_commit(worker->ingests);
    if (frames != 0 && server->options.received != NULL)
        server->options.received(server->options.context, frames);
    now_ns = clock_monotonic_ns(); /* read again, because the hand-over may have waited for room */
    int64_t delay_ns = pause_ns(worker, frames, now_ns);
    worker->pauses = delay_ns > 0;
    if (first == 0)
        worker->keep_ns = now_ns + delay_ns;
    for (size_t i = first; i < worker->count; i++) {
        struct stream_slot *slot = worker->work[i];
        if (worker->pauses && busy[i] && worker->kept < KEEP_MOST)
            worker->work[worker->kept++] = slot;
        else if (finish_turn(worker, slot, now_ns))
            again[again_count++] = slot;
    }
    RULE(worker->kept + again_count <= worker->count, "a round adds no connections");
    worker->count = worker->kept + again_count;
    memcpy(worker->work + worker->kept, again, again_count * sizeof again[0]);
    arm_together(worker);
}

/* --- pauses ----------------------------------------------------------------------------------- */

/* Wakes the sinks for new records, or notes the time to wake them if that is soon enough. */
static void wake_sinks(struct worker *worker, int64_t now_ns, int64_t next_ns)
{
    struct fan_out *fan_out = worker->ingests->fan_out;
    bool may_hold = worker->pauses || fan_out_delay_ns(fan_out) != 0;
    worker->wake_ns =
        may_hold ? fan_out_hold(fan_out, now_ns, next_ns) : fan_out_hold(fan_out, 0, INT64_MAX);
}

/* Pauses after a round, so that the next one finds more input. Does not pause if work is left. */
static void pause_between_rounds(struct worker *worker)
{
    struct stream_server *server = worker->server;
    int64_t now_ns = clock_monotonic_ns();
    if (!worker->pauses || !worker->reported_all || worker->count != worker->kept ||
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

/* --- scanning connections --------------------------------------------------------------------- */

struct scan {
    int64_t now_ns;
    bool room;      /* the sinks' queues have room */
    bool are_short; /* a connection waits for a block */
    bool over;      /* the deadline of the stop has passed */
};

static bool is_due(const struct stream_server *server, const struct stream_slot *slot,
                   const struct scan *scan)
{
    if (scan->over || scan->now_ns >= atomic_load(&slot->due_ns) ||
        (scan->are_short && scan->now_ns >= atomic_load(&slot->pressure_ns)))
        return true;
    if (atomic_load(&slot->paused))
        return scan->room;
    return atomic_load(&server->stopping) &&
           !(atomic_load(&slot->waits) && atomic_load(&server->patient));
}

/*
 * Claims connections without an owner: paused ones if there is room, overdue ones, and all of them
 * during a stop. Notes the earliest deadline of the rest. A scan visits each slot once. If the
 * thread has no room for more connections, the scan continues after the round. The thread pauses
 * only between scans.
 */
static void scan_slots(struct worker *worker, int64_t now_ns)
{
    struct stream_server *server = worker->server;
    const struct scan scan = {
        .now_ns = now_ns,
        .room = fan_out_backlog(worker->ingests->fan_out) < PAUSE_BACKLOG,
        .are_short = stream_blocks_are_short(server->settings.blocks),
        .over = atomic_load(&server->stopping) && deadline_is_over(&server->deadline),
    };
    size_t made = stream_slots_made(&server->slots);
    if (worker->scan_left == 0) {
        worker->scan_left = made;
        worker->scan_pauses = worker->scan_pauses && atomic_load(&server->paused) != 0;
        worker->scan_ns = worker->scan_pauses ? now_ns + PAUSED_SCAN_NS : INT64_MAX;
    }
    for (; worker->scan_left != 0 && worker->count < WORK_MOST; worker->scan_left--) {
        struct stream_slot *slot = server->slots.all[worker->next_scan++ % made];
        if (stream_slot_phase(slot) != SLOT_ARMED)
            continue; /* the connection's owner notes its deadline */
        if (!is_due(server, slot, &scan))
            worker_scan_by(worker, atomic_load(&slot->due_ns));
        else if (stream_slot_claim(slot, false))
            add_work(worker, slot);
    }
    worker->next_scan %= made == 0 ? 1 : made;
}

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int wait_ms(const struct worker *worker)
{
    if (worker->count != worker->kept || worker->scan_left != 0)
        return 0;
    int64_t now_ns = clock_monotonic_ns();
    int64_t scan_ns = worker->scan_ns > worker->scanned_ns ? worker->scan_ns : worker->scanned_ns;
    if (atomic_load(&worker->server->stopping))
        scan_ns = now_ns + STOP_SCAN_NS;
    int64_t due_ns = earlier(worker->wake_ns, scan_ns);
    return milliseconds_until(worker->kept != 0 ? earlier(due_ns, worker->keep_ns) : due_ns,
                              now_ns);
}

static void take_stream_events(struct worker *worker)
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
        uint64_t suppressed;
        if (log_allowed(&worker->log, &suppressed))
            log_about(LOG_ERROR, LOG_OF_LISTENER, server->options.listener->name,
                      "a thread cannot wait for connections; trying again every millisecond");
        count = 0;
    }
    worker->reported_all = count < most;
    handle_events(worker, events, count);
}

/* --- threads ---------------------------------------------------------------------------------- */

/*
 * Notes the stop, which makes this thread's waits short. Other threads may wait without a limit,
 * and a wake-up reaches only one thread, possibly the one that sent it. So the wake-up is sent
 * again until all threads have noted the stop.
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

static void note_unremoved(struct worker *worker)
{
    struct stream_server *server = worker->server;
    size_t unremoved = notifier_unremoved(server->notifier);
    size_t before = atomic_load(&server->unremoved);
    do {
        if (unremoved <= before)
            return;
    } while (!atomic_compare_exchange_weak(&server->unremoved, &before, unremoved));
    counter_add(&worker->stream.counters->not_removed, unremoved - before);
    log_about(LOG_ERROR, LOG_OF_LISTENER, server->options.listener->name,
              "the system has not ended the registration of %zu sockets in time; closed them",
              unremoved - before);
}

/*
 * Waits, for a limited time, until the system has ended all registrations. Only the last thread
 * calls this, after all threads have left the notifier.
 */
static void finish_notifier(struct worker *worker)
{
    struct stream_server *server = worker->server;
    stream_server_stop_listening(server);
    notifier_finish(server->notifier);
    note_unremoved(worker);
}

static void end_thread(struct worker *worker)
{
    struct stream_server *server = worker->server;
    struct fan_out *fan_out = worker->ingests->fan_out;
    RULE(worker->count == 0, "a thread ends without connections");
    notifier_leave(server->notifier, worker->index);
    ingest_seal(worker->stream.ingest);
    fan_out_wake_sinks(fan_out);
    ingest_thread_close(worker->ingests);
    bool last = atomic_fetch_sub(&server->running, 1) == 1;
    if (last) {
        fan_out_close(fan_out);
        finish_notifier(worker);
    }
    atomic_fetch_sub(&server->present, 1);
    if (last)
        atomic_store(&server->finished, true);
    else if (atomic_load(&server->quiesce_wanted))
        notifier_wake(server->notifier); /* because this thread may have taken the wake-up that was
                                          * meant to end its pause */
    server->options.finished(server->options.context);
    heartbeat_wait(&worker->heartbeat);
}

/*
 * Waits while the server is to be quiescent. The thread keeps its connections. Each thread wakes
 * the next one, because a wake-up reaches only one sleeping thread.
 */
static void quiesce_if_asked(struct worker *worker)
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
    worker->scan_ns = 0; /* a reload may have changed the deadlines */
    heartbeat_work(&worker->heartbeat);
    if (atomic_fetch_sub(&server->quiescent, 1) == 1)
        server->options.finished(server->options.context);
}

/* The pause grows with the number of slots, so that scans take only a small part of the time. */
static int64_t scan_pause_ns(struct stream_server *server)
{
    return PAUSED_SCAN_NS + (int64_t)(stream_slots_made(&server->slots) / 1000) * INT64_C(1000000);
}

static void scan_if_due(struct worker *worker, int64_t now_ns)
{
    bool due = worker->stops || worker->scan_left != 0 || now_ns >= worker->scan_ns;
    if (!due || now_ns < worker->scanned_ns)
        return;
    scan_slots(worker, now_ns);
    if (!worker->stops)
        worker_scan_by(worker, stream_server_accept_again(worker, now_ns));
    if (worker->scan_left == 0)
        worker->scanned_ns = now_ns + scan_pause_ns(worker->server);
}

void stream_server_run(void *argument)
{
    struct worker *worker = argument;
    quiesce_if_asked(worker); /* the server may be quiescent when the thread starts */
    while (!is_done(worker)) {
        heartbeat_work(&worker->heartbeat);
        if (worker->count < WORK_MOST && !worker->has_events)
            take_stream_events(worker);
        worker->has_events = false;
        quiesce_if_asked(worker);
        note_stop(worker);
        scan_if_due(worker, clock_monotonic_ns());
        note_unremoved(worker);
        if (worker->count != 0)
            serve_connections(worker);
        pause_between_rounds(worker);
    }
    end_thread(worker);
}
