#include "collector/receive/stream_server.h"

#include <stdlib.h>
#include <string.h>

#include "collector/base/rule.h"
#include "collector/platform/clock.h"
#include "collector/platform/notifier.h"
#include "collector/platform/tcp.h"
#include "collector/platform/thread.h"
#include "collector/platform/wakeup.h"
#include "collector/receive/stream_accept.h"
#include "collector/receive/stream_loop.h"
#include "collector/receive/stream_server_parts.h"
#include "collector/receive/stream_slots.h"

/* Bytes that the system buffers at least for a connection before its sender must wait. */
#define STREAM_WINDOW ((uint64_t)64 * 1024)

/* Blocks in addition to one per thread. Each thread needs one for the rest of a read. */
#define BLOCKS 8

size_t stream_server_memory(size_t threads, size_t max_connections, size_t max_frame)
{
    return sizeof(struct stream_server) + threads * sizeof(struct worker) +
           stream_slots_memory(max_connections) +
           stream_blocks_memory(BLOCKS + threads, stream_block_size(max_frame));
}

static size_t larger_size(size_t a, size_t b)
{
    return a > b ? a : b;
}

size_t stream_server_slots_after(const struct stream_server *server,
                                 const struct stream_limits *limits)
{
    return larger_size(server->slots.count, limits->max_connections);
}

size_t stream_server_memory_after(const struct stream_server *server,
                                  const struct stream_limits *limits)
{
    return stream_server_memory(server->options.thread_count,
                                stream_server_slots_after(server, limits),
                                larger_size(server->block_frame, limits->max_frame));
}

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
        worker->scan_ns = INT64_MAX;
        worker->pause = pause_create();
        coalescing_init(&worker->pace, clock_monotonic_ns());
        coalescing_set_stream(&worker->pace);
    }
    return 0;
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

static int make_server_parts(struct stream_server *server, struct error *error)
{
    const struct stream_server_options *options = &server->options;
    server->accept_lock = mutex_create();
    server->workers = calloc(options->thread_count, sizeof *server->workers);
    server->settings.blocks = make_blocks(server, options->limits.max_frame);
    server->block_frame = options->limits.max_frame;
    if (server->accept_lock == NULL || server->workers == NULL || server->settings.blocks == NULL ||
        stream_slots_init(&server->slots, error) != 0 ||
        !stream_slots_grow(&server->slots, options->limits.max_connections))
        return error_no_memory(error);
    return make_workers(server, error);
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
    if (make_server_parts(server, error) == 0) {
        follow_limits(server, &options->limits);
        if (stream_server_listen(server, bound, error) == 0) {
            /* The configuration owns the texts of these options, and the server may outlive it, so
             * the pointers are cleared. */
            server->options.inherited = NULL;
            server->options.local = NULL;
            server->options.access.owner = NULL;
            *out = server;
            return 0;
        }
    }
    stream_server_destroy(server);
    return -1;
}

int stream_server_start(struct stream_server *server, struct error *error)
{
    RULE(atomic_load(&server->started) == 0, "a stream server starts once");
    atomic_store(&server->running, server->options.thread_count);
    atomic_store(&server->present, server->options.thread_count);
    atomic_store(&server->started, server->options.thread_count);
    for (size_t i = 0; i < server->options.thread_count; i++) {
        struct worker *worker = &server->workers[i];
        if (thread_start(&worker->thread, "stream", stream_server_run, worker, error) == 0)
            continue;
        /* If a start fails, the thread that stops waits only for the threads that were started. */
        atomic_store(&server->started, i);
        atomic_fetch_sub(&server->running, server->options.thread_count - i);
        atomic_fetch_sub(&server->present, server->options.thread_count - i);
        stream_server_stop(server, clock_monotonic_ns());
        stream_server_resume(server);
        stream_server_join(server);
        return -1;
    }
    return 0;
}

/* Applies the settings to open connections. `blocks` are those that the connections had before. */
static void follow_settings(struct stream_server *server, struct stream_blocks *blocks)
{
    for (size_t i = 0; i < server->slots.made; i++) {
        struct stream_slot *slot = server->slots.all[i];
        if (stream_slot_phase(slot) == SLOT_FREE)
            continue;
        stream_connection_follow(&slot->connection, &server->settings, blocks);
        stream_slot_note_times(slot);
    }
}

int stream_server_change(struct stream_server *server, const struct stream_limits *limits,
                         const struct channel_kind *kind, struct error *error)
{
    RULE(stream_server_is_quiescent(server), "a stream server is quiescent while it is changed");
    RULE(server->kind_before.ops == NULL, "a stream server resumes before the next change");
    struct stream_blocks *before = server->settings.blocks;
    struct stream_blocks *blocks = before;
    if (!stream_slots_grow(&server->slots, limits->max_connections))
        return error_no_memory(error);
    if (limits->max_frame > server->block_frame) {
        blocks = make_blocks(server, limits->max_frame);
        if (blocks == NULL)
            return error_no_memory(error);
        server->block_frame = limits->max_frame;
    }
    server->settings.blocks = blocks;
    follow_limits(server, limits);
    server->kind_before = server->settings.kind;
    server->settings.kind = *kind;
    follow_settings(server, before);
    if (blocks != before)
        stream_blocks_destroy(before);
    return 0;
}

void stream_server_undo(struct stream_server *server, const struct stream_limits *limits)
{
    RULE(stream_server_is_quiescent(server), "a stream server is quiescent while it is changed");
    follow_limits(server, limits);
    if (server->kind_before.ops != NULL) {
        channel_kind_end(&server->settings.kind);
        server->settings.kind = server->kind_before;
        server->kind_before.ops = NULL;
    }
    follow_settings(server, server->settings.blocks);
}

int stream_server_set_access(struct stream_server *server, const struct local_access *access,
                             struct error *error)
{
    int result = 0;
    mutex_lock(server->accept_lock); /* a stop may close the listening sockets in another thread */
    for (size_t i = 0; i < server->listening_count && result == 0; i++)
        if (server->listening[i].local != NULL)
            result = local_listener_set_access(server->listening[i].local, access, error);
    mutex_unlock(server->accept_lock);
    return result;
}

/* Serves connections until `served_ns`. Their records may wait for room until `deadline_ns`. */
static void stop_server(struct stream_server *server, int64_t served_ns, int64_t deadline_ns,
                        bool patient)
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
    stop_server(server, deadline_ns - (left_ns > 0 ? left_ns / 2 : 0), deadline_ns, false);
}

void stream_server_leave(struct stream_server *server, int64_t deadline_ns)
{
    stop_server(server, deadline_ns, deadline_ns, true);
}

void stream_server_ask_to_quiesce(struct stream_server *server)
{
    atomic_store(&server->quiesce_wanted, true);
    fan_out_set_quiescing(server->options.threads->fan_out, true);
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
    fan_out_set_quiescing(server->options.threads->fan_out, false);
    atomic_store(&server->quiesce_wanted, false);
    for (size_t i = 0; i < atomic_load(&server->started); i++)
        wakeup_signal(server->workers[i].resumed);
}

bool stream_server_has_finished(const struct stream_server *server)
{
    return atomic_load(&server->finished);
}

/* Checks all threads, even after a stuck one, so that each is compared with its own last check. */
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
    return atomic_load(&server->slots.open);
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
    if (server->listening_count != 0)
        stream_server_stop_listening(server);
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
    mutex_destroy(server->accept_lock);
    stream_slots_destroy(&server->slots);
    free(server->workers);
    free(server);
}
