#include "collector/receive/stream_server.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "collector/base/heartbeat.h"
#include "collector/base/networks.h"
#include "collector/base/rule.h"
#include "collector/log/log.h"
#include "collector/platform/clock.h"
#include "collector/platform/deadline.h"
#include "collector/platform/inherited_sockets.h"
#include "collector/platform/mutex.h"
#include "collector/platform/notifier.h"
#include "collector/platform/pause.h"
#include "collector/platform/tcp_connection.h"
#include "collector/platform/tcp_listener.h"
#include "collector/platform/thread.h"
#include "collector/platform/wakeup.h"
#include "collector/receive/coalescing.h"

/*
 * Connections that a thread has in hand at a time, those of them that it keeps while it rests, and
 * events that it takes with one wait.
 */
#define WORK_MOST   128
#define KEEP_MOST   64
#define EVENTS_MOST 32

/* A connection that had so many frames for a round is kept: it costs less to read than to arm. */
#define KEEP_FRAMES 2

/* Bytes that the system takes of a connection at least before who sends has to wait. */
#define STREAM_WINDOW ((uint64_t)64 * 1024)

/* Connections that are accepted before others are served. */
#define ACCEPT_MOST 32

/* Where a queue is filled to this share, nothing more is read. */
#define HOLD_BACKLOG 0.75

/* Blocks for large frames, besides the one that each thread has for the rest of a read. */
#define BLOCKS 8

/* How often the first thread looks for connections whose time is over, or that are held. */
#define LOOK_MS      50
#define HELD_LOOK_MS 2
#define STOP_LOOK_MS 5

/* How long nobody is accepted after the system had no means for it. */
#define ACCEPT_PAUSE_NS INT64_C(100000000)

/*
 * Whose a connection is. It is armed by a thread that has to have done with it before another one
 * may close it: ARMING. A notifier's event is the proof that it was armed, so its taker need not
 * wait for ARMED. Each arming has a number, which tells an old event from a new one.
 */
enum phase { PHASE_FREE, PHASE_OWNED, PHASE_ARMING, PHASE_ARMED };
#define PHASES 4

struct slot {
    _Atomic uint64_t state;   /* number of the arming * PHASES + phase */
    _Atomic unsigned givers;  /* threads that are about to have given it away */
    _Atomic int64_t due_ns;   /* the connection's, while nobody owns it */
    _Atomic int64_t hurry_ns; /* the same */
    _Atomic bool held;        /* it was left alone; the first thread takes it up again */
    _Atomic bool waits;       /* for the rest of a frame, although the listener stops */
    bool hung_up;             /* its hang-up was reported: it is not armed for that again */
    struct slot *next;        /* the next one that is free */
    struct stream_connection connection;
};

struct worker {
    struct stream_server *server;
    size_t index;
    struct thread *thread;
    struct ingest_thread *ingests;
    struct stream_worker stream;
    struct slot *work[WORK_MOST];
    size_t count;
    size_t kept;            /* of these, the first ones: until keep_ns */
    int64_t keep_ns;        /* monotonic: when its rest ends */
    bool rests;             /* as of its last round, so much comes that it does */
    bool reported_all;      /* the notifier has no other events for it */
    int64_t wake_ns;        /* when sinks are to be woken; INT64_MAX: for nothing */
    struct coalescing pace; /* how long it may rest */
    uint64_t frames_noted;  /* of the server's, for that */
    uint64_t bytes_noted;
    struct pause *pause; /* NULL: it cannot */
    size_t next_look;    /* the slot that it looks at first */
    bool stops;          /* it has seen that the server stops */
    struct wakeup *resumed;
    struct heartbeat heartbeat;
    uint64_t heartbeat_seen; /* by the main thread */
    struct log_limit log;
};

/* A socket that others connect to: its own is the token of its events. */
struct listening {
    wait_handle socket; /* NO_HANDLE: nobody is accepted any more */
    struct address address;
    int64_t accept_ns; /* when accepting is tried again; 0: it is not put off */
};

/* Slots that were made together: each stays where it is, for the notifier knows it. */
struct slot_group {
    struct slot_group *next;
    struct slot slots[];
};

struct stream_server {
    struct stream_server_options options;
    struct stream_settings settings;
    char content_type[FRAME_STREAMS_TYPE_MOST]; /* of the settings */
    struct channel_kind kind_before;            /* a change: until its threads resume */
    struct notifier *notifier;
    struct worker *workers;
    _Atomic size_t started; /* threads */
    struct slot_group *groups;
    struct slot **slots; /* of all groups */
    size_t slot_count;
    size_t block_frame; /* the longest message that the blocks have room for */

    struct mutex *accept_lock; /* of what follows: held while connections are accepted */
    struct listening *listening;
    size_t listening_count;

    struct mutex *lock; /* of what follows: taken when a connection comes or goes */
    struct slot *free;
    size_t made; /* slots that were ever used: the first ones */

    _Atomic size_t open;     /* connections */
    _Atomic size_t held;     /* of these */
    _Atomic uint64_t frames; /* taken, by all threads; and their bytes */
    _Atomic uint64_t bytes;
    _Atomic size_t running; /* threads that serve */
    _Atomic size_t present; /* threads that have not done all they will do */
    _Atomic size_t stops;   /* of these, those that know of the stop */
    _Atomic bool quiesce_wanted;
    _Atomic size_t quiescent; /* threads that stand still */
    _Atomic bool stopping;
    _Atomic bool patient; /* stopping: frames that have begun are waited for */
    _Atomic bool finished;
    struct deadline deadline;
};

size_t stream_server_memory(size_t threads, size_t max_connections, size_t max_frame)
{
    return sizeof(struct stream_server) + threads * sizeof(struct worker) +
           max_connections * (sizeof(struct slot) + sizeof(struct slot *)) +
           stream_blocks_memory(BLOCKS + threads, stream_block_size(max_frame));
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

size_t stream_server_slots_after(const struct stream_server *server,
                                 const struct stream_limits *limits)
{
    return larger(server->slot_count, limits->max_connections);
}

size_t stream_server_memory_after(const struct stream_server *server,
                                  const struct stream_limits *limits)
{
    return stream_server_memory(server->options.thread_count,
                                stream_server_slots_after(server, limits),
                                larger(server->block_frame, limits->max_frame));
}

/* --- slots ------------------------------------------------------------------------------------ */

static enum phase phase_of(uint64_t state)
{
    return (enum phase)(state % PHASES);
}

static uint64_t in_phase(uint64_t state, enum phase phase)
{
    return state - state % PHASES + phase;
}

/* An event was taken, or the first thread has a reason. Returns whether it is the caller's now. */
static bool claim(struct slot *slot, bool by_event)
{
    uint64_t state = atomic_load(&slot->state);
    while (phase_of(state) == PHASE_ARMED || (by_event && phase_of(state) == PHASE_ARMING))
        if (atomic_compare_exchange_weak(&slot->state, &state, in_phase(state, PHASE_OWNED)))
            return true;
    return false;
}

static void note_times(struct slot *slot)
{
    atomic_store(&slot->due_ns, slot->connection.due_ns);
    atomic_store(&slot->hurry_ns, slot->connection.hurry_ns);
}

/* The owner gives it away by arming it. Returns whether it is still the caller's, as that failed.
 */
static bool give(struct stream_server *server, struct slot *slot, unsigned interests, bool is_new)
{
    struct error error;
    wait_handle socket = slot->connection.channel.socket;
    note_times(slot);
    atomic_fetch_add(&slot->givers, 1);
    uint64_t arming = in_phase(atomic_load(&slot->state) + PHASES, PHASE_ARMING);
    atomic_store(&slot->state, arming);
    int result =
        (is_new ? notifier_watch : notifier_arm)(server->notifier, socket, slot, interests, &error);
    uint64_t expected = arming;
    bool ours = atomic_compare_exchange_strong(
        &slot->state, &expected, in_phase(arming, result == 0 ? PHASE_ARMED : PHASE_OWNED));
    atomic_fetch_sub(&slot->givers, 1);
    return ours && result != 0;
}

static struct slot *take_slot(struct stream_server *server)
{
    struct slot *slot = NULL;
    mutex_lock(server->lock);
    bool allowed = atomic_load(&server->open) < server->options.limits.max_connections;
    if (allowed && server->free != NULL) {
        slot = server->free;
        server->free = slot->next;
    } else if (allowed) {
        slot = server->slots[server->made++];
    }
    mutex_unlock(server->lock);
    return slot;
}

static size_t slots_made(struct stream_server *server)
{
    mutex_lock(server->lock);
    size_t made = server->made;
    mutex_unlock(server->lock);
    return made;
}

/* Whoever is connected stays where it is noted until its slot is free, which takes the lock. */
static size_t count_of_address(struct stream_server *server, const struct address *peer)
{
    size_t count = 0;
    mutex_lock(server->lock);
    for (size_t i = 0; i < server->made; i++)
        count += phase_of(atomic_load(&server->slots[i]->state)) != PHASE_FREE &&
                 address_same_host(&server->slots[i]->connection.peer, peer);
    mutex_unlock(server->lock);
    return count;
}

/* --- how connections end ---------------------------------------------------------------------- */

static void count_end(struct worker *worker, enum stream_end end)
{
    struct ingest_counters *counters = worker->stream.counters;
    struct counter *const ends[] = {
        [STREAM_CLOSED] = &counters->closed,
        [STREAM_FRAME_CUT] = &counters->frame_cut,
        [STREAM_RESET] = &counters->reset,
        [STREAM_IDLE] = &counters->idle,
        [STREAM_FRAME_TIMEOUT] = &counters->frame_timeout,
        [STREAM_BAD_FRAME] = &counters->bad_frame,
        [STREAM_CONTENT_TYPE] = &counters->content_type,
        [STREAM_CHANNEL_FAILED] = &counters->tls_failed,
        [STREAM_STOPPED] = &counters->stopped,
        [STREAM_UNWATCHED] = &counters->unwatched,
    };
    counter_add(ends[end], 1);
}

static void log_about_peer(struct worker *worker, const struct address *peer, const char *what)
{
    char text[ADDRESS_TEXT_SIZE];
    uint64_t held;
    if (!log_allowed(&worker->log, &held))
        return;
    address_format(peer, text);
    log_about(LOG_WARNING, LOG_OF_LISTENER, worker->server->options.listener->name,
              "connection from %s: %s", text, what);
}

static void say_why(struct worker *worker, const struct stream_connection *connection)
{
    static const char *const texts[] = {
        [STREAM_FRAME_CUT] = "it ended within a frame, which is lost",
        [STREAM_FRAME_TIMEOUT] = "closed, as a frame took longer than frame_timeout=, or was slow "
                                 "while others waited for room",
        [STREAM_BAD_FRAME] = "closed, as where its next frame begins is not known",
        [STREAM_CONTENT_TYPE] = "closed, as its messages have another content type",
        [STREAM_UNWATCHED] = "closed, as the system cannot watch it",
    };
    char text[CHANNEL_FAILURE_SIZE + sizeof "closed, as "] = "closed, as ";
    const char *what = texts[connection->end];
    if (connection->end == STREAM_CHANNEL_FAILED) {
        const struct stream_channel *channel = &connection->channel;
        channel->ops->failure(channel, text + strlen(text));
        what = text;
    }
    if (what != NULL)
        log_about_peer(worker, &connection->peer, what);
}

static void give_back_slot(struct stream_server *server, struct slot *slot)
{
    mutex_lock(server->lock);
    atomic_store(&slot->state, in_phase(atomic_load(&slot->state), PHASE_FREE));
    slot->next = server->free;
    server->free = slot;
    atomic_fetch_sub(&server->open, 1);
    mutex_unlock(server->lock);
}

/* The socket is closed last but the slot: until then nobody else gets its number. */
static void release(struct worker *worker, struct slot *slot)
{
    struct stream_server *server = worker->server;
    stream_connection_end(&slot->connection, &server->settings);
    notifier_unwatch(server->notifier, slot->connection.channel.socket);
    tcp_connection_close(slot->connection.channel.socket);
    give_back_slot(server, slot);
}

static void close_connection(struct worker *worker, struct slot *slot)
{
    count_end(worker, slot->connection.end);
    say_why(worker, &slot->connection);
    release(worker, slot);
}

/* --- accepting -------------------------------------------------------------------------------- */

/* Why one that wants to connect may not, a counter of the listener's; NULL: it may. */
static struct counter *refusal(struct worker *worker, const struct address *peer)
{
    struct stream_server *server = worker->server;
    struct ingest_counters *counters = worker->stream.counters;
    const struct networks *senders = server->options.listener->senders;
    if (senders != NULL && !networks_hold(senders, peer))
        return &counters->denied;
    if (count_of_address(server, peer) >= server->options.limits.max_per_address)
        return &counters->over_address_limit;
    return NULL;
}

static void refuse(struct worker *worker, wait_handle socket, const struct address *peer,
                   struct counter *why)
{
    const struct ingest_counters *counters = worker->stream.counters;
    counter_add(why, 1);
    if (why == &counters->over_limit)
        log_about_peer(worker, peer, "refused, as max_connections= are open");
    else if (why == &counters->over_address_limit)
        log_about_peer(worker, peer,
                       "refused, as its address has max_connections_per_address= open");
    else if (why == &counters->tls_failed)
        log_about_peer(worker, peer, "refused, as there is no memory for its TLS");
    tcp_connection_close(socket);
}

static void admit(struct worker *worker, const struct listening *from, wait_handle socket,
                  const struct address *peer)
{
    struct stream_server *server = worker->server;
    counter_add(&worker->stream.counters->connections, 1);
    struct counter *why = refusal(worker, peer);
    struct slot *slot = why == NULL ? take_slot(server) : NULL;
    if (slot == NULL) {
        refuse(worker, socket, peer, why != NULL ? why : &worker->stream.counters->over_limit);
        return;
    }
    atomic_fetch_add(&server->open, 1);
    if (!stream_connection_begin(&slot->connection, socket, peer, clock_monotonic_ns(),
                                 &server->settings)) {
        give_back_slot(server, slot);
        refuse(worker, socket, peer, &worker->stream.counters->tls_failed);
        return;
    }
    slot->connection.own = &from->address;
    slot->hung_up = false;
    atomic_store(&slot->held, false);
    atomic_store(&slot->waits, false);
    atomic_store(&slot->state, in_phase(atomic_load(&slot->state), PHASE_OWNED));
    if (give(server, slot, NOTIFIER_IN | NOTIFIER_HANGUP, true)) {
        counter_add(&worker->stream.counters->unwatched, 1);
        release(worker, slot);
    }
}

static void put_off(struct worker *worker, struct listening *listening, const struct error *error)
{
    uint64_t held;
    counter_add(&worker->stream.counters->accept_errors, 1);
    listening->accept_ns = clock_monotonic_ns() + ACCEPT_PAUSE_NS;
    if (log_allowed(&worker->log, &held))
        log_about(LOG_ERROR, LOG_OF_LISTENER, worker->server->options.listener->name,
                  "%s; trying again", error->text);
}

/* The socket is the caller's until it is armed again, or closed. Locked. */
static void accept_from_queue(struct worker *worker, struct listening *listening)
{
    struct stream_server *server = worker->server;
    struct error error;
    enum accept_result result = ACCEPT_OK;
    for (int i = 0; i < ACCEPT_MOST && result == ACCEPT_OK && !atomic_load(&server->stopping);
         i++) {
        wait_handle socket;
        struct address peer;
        result = tcp_connection_accept(listening->socket, &socket, &peer, &error);
        if (result == ACCEPT_OK)
            admit(worker, listening, socket, &peer);
    }
    if (result == ACCEPT_NO_MEANS ||
        notifier_arm(server->notifier, listening->socket, listening, NOTIFIER_IN, &error) != 0)
        put_off(worker, listening, &error);
}

static void accept_some(struct worker *worker, struct listening *listening)
{
    struct stream_server *server = worker->server;
    mutex_lock(server->accept_lock);
    if (listening->socket != NO_HANDLE)
        accept_from_queue(worker, listening);
    mutex_unlock(server->accept_lock);
}

/*
 * Who wants to connect is refused by the system from now on, or waits for whoever else has the
 * socket: then the notifier would still report it, were it only closed.
 */
static void stop_listening(struct stream_server *server)
{
    mutex_lock(server->accept_lock);
    for (size_t i = 0; i < server->listening_count; i++) {
        struct listening *listening = &server->listening[i];
        if (listening->socket == NO_HANDLE)
            continue;
        notifier_unwatch(server->notifier, listening->socket);
        tcp_listener_close(listening->socket);
        listening->socket = NO_HANDLE;
    }
    mutex_unlock(server->accept_lock);
}

/* --- serving ---------------------------------------------------------------------------------- */

/* Gives it away. Returns whether it is still the caller's: it ends, as nobody can watch it. */
static bool fails_to_give(struct stream_server *server, struct slot *slot, unsigned interests)
{
    atomic_store(&slot->waits, stream_connection_waits_for_rest(&slot->connection));
    if (!give(server, slot, interests, false))
        return false;
    stream_connection_fail(&slot->connection);
    return true;
}

/* One that was held is taken up again; its owner is the caller. */
static void unhold(struct stream_server *server, struct slot *slot)
{
    if (atomic_exchange(&slot->held, false))
        atomic_fetch_sub(&server->held, 1);
}

/* It is left alone. Its hang-up is reported once, so that this costs nothing while it lasts. */
static bool hold(struct worker *worker, struct slot *slot)
{
    struct stream_server *server = worker->server;
    atomic_store(&slot->held, true);
    atomic_fetch_add(&server->held, 1);
    if (slot->hung_up) {
        note_times(slot);
        atomic_store(&slot->state, in_phase(atomic_load(&slot->state) + PHASES, PHASE_ARMED));
        return false;
    }
    if (!fails_to_give(server, slot, NOTIFIER_HANGUP))
        return false;
    unhold(server, slot);
    return true;
}

/* Returns whether it stays in the caller's hands. */
static bool pass_on(struct worker *worker, struct slot *slot, int64_t now_ns)
{
    struct stream_server *server = worker->server;
    unsigned interests = NOTIFIER_IN | NOTIFIER_HANGUP;
    switch (stream_connection_answer(&slot->connection, &server->settings, now_ns)) {
    case STREAM_AGAIN:
        return true;
    case STREAM_HOLD:
        return hold(worker, slot);
    case STREAM_CLOSE:
        /* Who armed it may not have come back from that, though its event was here. */
        if (atomic_load(&slot->givers) != 0)
            return true;
        close_connection(worker, slot);
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
    struct slot *again[WORK_MOST];
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
        struct slot *slot = worker->work[i];
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

static void take(struct worker *worker, struct slot *slot)
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

static bool is_wanted(const struct stream_server *server, const struct slot *slot,
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

/* Of what nobody owns: what is held, where there is room, and whose time is over; at the end all.
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
    size_t made = slots_made(server);
    size_t first = worker->next_look;
    for (size_t i = 0; i < made && worker->count < WORK_MOST; i++) {
        size_t place = (first + i) % made;
        struct slot *slot = server->slots[place];
        if (phase_of(atomic_load(&slot->state)) != PHASE_ARMED || !is_wanted(server, slot, &look) ||
            !claim(slot, false))
            continue;
        take(worker, slot);
        worker->next_look = place + 1; /* each in its turn, where there is not enough for all */
    }
}

static void accept_again(struct stream_server *server, int64_t now_ns)
{
    struct error error;
    mutex_lock(server->accept_lock);
    for (size_t i = 0; i < server->listening_count; i++) {
        struct listening *listening = &server->listening[i];
        if (listening->accept_ns == 0 || now_ns < listening->accept_ns)
            continue;
        listening->accept_ns = 0;
        if (listening->socket != NO_HANDLE &&
            notifier_arm(server->notifier, listening->socket, listening, NOTIFIER_IN, &error) != 0)
            listening->accept_ns = now_ns + ACCEPT_PAUSE_NS;
    }
    mutex_unlock(server->accept_lock);
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
    if (worker->count != worker->kept)
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
    worker->reported_all = count < most;
    for (size_t i = 0; i < count; i++) {
        if (events[i].type == NOTIFIER_WOKEN)
            continue;
        struct listening *listening = listening_of(server, events[i].token);
        if (listening != NULL) {
            accept_some(worker, listening);
            continue;
        }
        struct slot *slot = events[i].token;
        if (!claim(slot, true))
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
        stop_listening(server);
}

static bool is_done(const struct worker *worker)
{
    const struct stream_server *server = worker->server;
    return atomic_load(&server->stopping) && worker->count == 0 && atomic_load(&server->open) == 0;
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

/* To look at very many connections takes its time. */
static int64_t look_pause_ns(struct stream_server *server)
{
    return (HELD_LOOK_MS + (int64_t)(slots_made(server) / 1000)) * INT64_C(1000000);
}

static void run(void *argument)
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
                accept_again(server, now_ns);
            look_ns = now_ns + look_pause_ns(server);
        }
        if (worker->count != 0)
            serve(worker);
        rest(worker);
    }
    leave(worker);
}

/* --- from the main thread --------------------------------------------------------------------- */

static int make_workers(struct stream_server *server, struct error *error)
{
    const struct stream_server_options *options = &server->options;
    for (size_t i = 0; i < options->thread_count; i++) {
        struct worker *worker = &server->workers[i];
        struct ingest_thread *ingests = &options->threads[i];
        struct ingest_counters *counters = ingests->counters[options->listener->index];
        worker->server = server;
        worker->index = i;
        worker->ingests = ingests;
        worker->stream.counters = counters;
        worker->stream.ingest = ingest_create(ingests, options->listener, counters);
        if (worker->stream.ingest == NULL)
            return error_no_memory(error);
        if (wakeup_create(&worker->resumed, error) != 0)
            return -1;
        worker->wake_ns = INT64_MAX;
        worker->pause = pause_create();
        coalescing_init(&worker->pace, clock_monotonic_ns());
        coalescing_set_stream(&worker->pace);
    }
    return 0;
}

/* Returns false, nothing changed, where memory is short. */
static bool grow_slots(struct stream_server *server, size_t count)
{
    if (count <= server->slot_count)
        return true;
    struct slot **grown = realloc(server->slots, count * sizeof(struct slot *));
    if (grown == NULL)
        return false;
    server->slots = grown;
    size_t more = count - server->slot_count;
    struct slot_group *group = calloc(1, sizeof *group + more * sizeof group->slots[0]);
    if (group == NULL)
        return false;
    group->next = server->groups;
    server->groups = group;
    for (size_t i = 0; i < more; i++)
        server->slots[server->slot_count++] = &group->slots[i];
    return true;
}

static struct stream_blocks *make_blocks(const struct stream_server *server, size_t max_frame)
{
    return stream_blocks_create(BLOCKS + server->options.thread_count,
                                stream_block_size(max_frame));
}

static void copy_content_type(struct stream_server *server, const char *type)
{
    size_t size = type == NULL ? 0 : strlen(type);
    if (size != 0)
        memcpy(server->content_type, type, size);
    server->options.content_type = NULL;
    server->settings.content_type = (struct text){server->content_type, size};
}

static int make_parts(struct stream_server *server, struct error *error)
{
    const struct stream_server_options *options = &server->options;
    server->lock = mutex_create();
    server->accept_lock = mutex_create();
    server->workers = calloc(options->thread_count, sizeof *server->workers);
    server->settings.blocks = make_blocks(server, options->limits.max_frame);
    server->block_frame = options->limits.max_frame;
    if (server->lock == NULL || server->accept_lock == NULL || server->workers == NULL ||
        server->settings.blocks == NULL || !grow_slots(server, options->limits.max_connections))
        return error_no_memory(error);
    return make_workers(server, error);
}

/* The next of its sockets, which is the server's. Returns 0, or -1 with `error` filled. */
static int watch(struct stream_server *server, wait_handle socket, const struct address *address,
                 struct error *error)
{
    struct listening *listening = &server->listening[server->listening_count++];
    *listening = (struct listening){.socket = socket, .address = *address};
    return notifier_watch(server->notifier, socket, listening, NOTIFIER_IN, error);
}

static int open_own(struct stream_server *server, struct error *error)
{
    const struct stream_server_options *options = &server->options;
    struct address bound;
    wait_handle socket = tcp_listener_open(&options->address, options->ipv6_only, &bound, error);
    return socket == NO_HANDLE ? -1 : watch(server, socket, &bound, error);
}

/* Those that the process was started with, and that have the name. */
static int adopt_all(struct stream_server *server, struct error *error)
{
    const struct stream_server_options *options = &server->options;
    for (size_t i = 0; i < inherited_socket_count(); i++) {
        struct address bound;
        struct error why;
        char text[ADDRESS_TEXT_SIZE];
        if (!inherited_socket_is(i, options->inherited))
            continue;
        wait_handle socket = tcp_listener_adopt(inherited_socket_at(i).handle, &bound, &why);
        if (socket == NO_HANDLE) {
            error_set(error, why.code, "%s: %s", options->listener->name, why.text);
            return -1;
        }
        if (watch(server, socket, &bound, error) != 0)
            return -1;
        address_format(&bound, text);
        log_about(LOG_INFO, LOG_OF_LISTENER, options->listener->name,
                  "a socket that is bound to %s", text);
    }
    return 0;
}

static int listen_on(struct stream_server *server, struct address *bound, struct error *error)
{
    const struct stream_server_options *options = &server->options;
    const struct notifier_backend *backend = notifier_choose_for_streams(error);
    if (backend == NULL ||
        notifier_create(&server->notifier, backend, options->thread_count, error) != 0)
        return -1;
    server->listening = calloc(options->inherited != NULL ? inherited_socket_count() : 1,
                               sizeof *server->listening);
    if (server->listening == NULL)
        return error_no_memory(error);
    int result = options->inherited != NULL ? adopt_all(server, error) : open_own(server, error);
    *bound = server->listening[0].address;
    return result;
}

static void follow_limits(struct stream_server *server, const struct stream_limits *limits)
{
    server->options.limits = *limits;
    server->settings.answering = limits->answering;
    server->settings.max_frame = limits->max_frame;
    server->settings.idle_ns = limits->idle_ns;
    server->settings.frame_ns = limits->frame_ns;
    for (size_t i = 0; i < server->options.thread_count; i++) {
        coalescing_forget_sockets(&server->workers[i].pace);
        coalescing_add_socket(&server->workers[i].pace, limits->coalesce_ns, STREAM_WINDOW);
    }
}

int stream_server_create(struct stream_server **out, const struct stream_server_options *options,
                         struct address *bound, struct error *error)
{
    struct stream_server *server = calloc(1, sizeof *server);
    struct channel_kind kind = options->kind;
    if (server == NULL) {
        channel_kind_end(&kind);
        return error_no_memory(error);
    }
    server->options = *options;
    deadline_init(&server->deadline);
    server->settings.framing = options->framing;
    server->settings.kind = kind;
    copy_content_type(server, options->content_type);
    if (make_parts(server, error) == 0) {
        follow_limits(server, &options->limits);
        if (listen_on(server, bound, error) == 0) {
            *out = server;
            return 0;
        }
    }
    stream_server_destroy(server);
    return -1;
}

int stream_server_start(struct stream_server *server, struct error *error)
{
    atomic_store(&server->running, server->options.thread_count);
    atomic_store(&server->present, server->options.thread_count);
    atomic_store(&server->started, server->options.thread_count);
    for (size_t i = 0; i < server->options.thread_count; i++) {
        struct worker *worker = &server->workers[i];
        if (thread_start(&worker->thread, "stream", run, worker, error) == 0)
            continue;
        atomic_store(&server->started, i); /* nobody waits for the others */
        atomic_fetch_sub(&server->running, server->options.thread_count - i);
        atomic_fetch_sub(&server->present, server->options.thread_count - i);
        stream_server_stop(server, clock_monotonic_ns());
        stream_server_resume(server);
        stream_server_join(server);
        return -1;
    }
    return 0;
}

bool stream_server_keeps_kind(const struct stream_server *server, const void *made_of)
{
    return server->kind_before.ops != NULL && server->kind_before.made_of == made_of;
}

static void follow_kind(struct stream_server *server, const struct channel_kind *kind)
{
    if (kind->ops != NULL) {
        channel_kind_end(&server->kind_before);
        server->kind_before = server->settings.kind;
        server->settings.kind = *kind;
        return;
    }
    RULE(server->kind_before.ops != NULL, "a kind is gone back to once after it was changed");
    channel_kind_end(&server->settings.kind);
    server->settings.kind = server->kind_before;
    server->kind_before.ops = NULL;
}

int stream_server_change(struct stream_server *server, const struct stream_limits *limits,
                         const struct channel_kind *kind, struct error *error)
{
    struct stream_blocks *before = server->settings.blocks;
    struct stream_blocks *blocks = before;
    if (!grow_slots(server, limits->max_connections))
        return error_no_memory(error);
    if (limits->max_frame > server->block_frame) {
        blocks = make_blocks(server, limits->max_frame);
        if (blocks == NULL)
            return error_no_memory(error);
        server->block_frame = limits->max_frame;
    }
    server->settings.blocks = blocks;
    follow_limits(server, limits);
    follow_kind(server, kind);
    for (size_t i = 0; i < server->made; i++) {
        struct slot *slot = server->slots[i];
        if (phase_of(atomic_load(&slot->state)) == PHASE_FREE)
            continue;
        stream_connection_follow(&slot->connection, &server->settings, before);
        note_times(slot);
    }
    if (blocks == before)
        return 0;
    for (size_t i = 0; i < server->options.thread_count; i++) {
        stream_blocks_give(before, server->workers[i].stream.spare);
        server->workers[i].stream.spare = NULL;
    }
    stream_blocks_destroy(before);
    return 0;
}

/* Connections are served until `served_ns`; what they bring waits for room to the deadline. */
static void stop(struct stream_server *server, int64_t served_ns, int64_t deadline_ns, bool patient)
{
    deadline_bring_forward(&server->deadline, served_ns);
    atomic_store(&server->patient, patient);
    atomic_store(&server->stopping, true);
    fan_out_set_deadline(server->options.threads->fan_out, deadline_ns);
    notifier_wake(server->notifier);
}

void stream_server_stop(struct stream_server *server, int64_t deadline_ns)
{
    int64_t left_ns = deadline_ns - clock_monotonic_ns();
    stop(server, deadline_ns - (left_ns > 0 ? left_ns / 2 : 0), deadline_ns, false);
}

void stream_server_leave(struct stream_server *server, int64_t deadline_ns)
{
    stop(server, deadline_ns, deadline_ns, true);
}

void stream_server_ask_to_quiesce(struct stream_server *server)
{
    atomic_store(&server->quiesce_wanted, true);
    notifier_wake(server->notifier);
}

bool stream_server_is_quiescent(const struct stream_server *server)
{
    return atomic_load(&server->quiescent) == atomic_load(&server->present);
}

bool stream_server_is_awake(const struct stream_server *server)
{
    return atomic_load(&server->quiescent) == 0;
}

void stream_server_resume(struct stream_server *server)
{
    channel_kind_end(&server->kind_before);
    atomic_store(&server->quiesce_wanted, false);
    for (size_t i = 0; i < atomic_load(&server->started); i++)
        wakeup_signal(server->workers[i].resumed);
}

bool stream_server_has_finished(const struct stream_server *server)
{
    return atomic_load(&server->finished);
}

/* All are asked, so that each is asked anew the next time. */
bool stream_server_is_alive(struct stream_server *server)
{
    bool alive = true;
    for (size_t i = 0; i < server->options.thread_count; i++) {
        struct worker *worker = &server->workers[i];
        alive = heartbeat_advanced(&worker->heartbeat, &worker->heartbeat_seen) && alive;
    }
    return fan_out_has_paused(server->options.threads->fan_out) || alive;
}

size_t stream_server_connections(const struct stream_server *server)
{
    return atomic_load(&server->open);
}

void stream_server_join(struct stream_server *server)
{
    size_t started = atomic_load(&server->started);
    for (size_t i = 0; i < started; i++)
        thread_join(server->workers[i].thread);
    atomic_store(&server->started, 0);
}

void stream_server_destroy(struct stream_server *server)
{
    if (server == NULL)
        return;
    RULE(atomic_load(&server->started) == 0, "a stream server is joined before it is destroyed");
    for (size_t i = 0; i < server->listening_count; i++)
        if (server->listening[i].socket != NO_HANDLE)
            tcp_listener_close(server->listening[i].socket);
    free(server->listening);
    notifier_destroy(server->notifier);
    for (size_t i = 0; server->workers != NULL && i < server->options.thread_count; i++) {
        ingest_destroy(server->workers[i].stream.ingest);
        wakeup_destroy(server->workers[i].resumed);
        pause_destroy(server->workers[i].pause);
    }
    channel_kind_end(&server->settings.kind);
    channel_kind_end(&server->kind_before);
    stream_blocks_destroy(server->settings.blocks);
    mutex_destroy(server->lock);
    mutex_destroy(server->accept_lock);
    while (server->groups != NULL) {
        struct slot_group *group = server->groups;
        server->groups = group->next;
        free(group);
    }
    free(server->slots);
    free(server->workers);
    free(server);
}
