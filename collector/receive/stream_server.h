/*
 * The connections of a stream listener, and the threads that serve them.
 *
 * Each connection is registered with one notifier and armed for one event at a time. The thread
 * that takes the event owns the connection until it arms the connection again. Any number of
 * threads can therefore serve all connections without a lock on the data path, and each frame of a
 * connection may be served by a different thread. A connection is armed again only after its
 * records were handed to the sinks, so each sink gets the records in the order in which they were
 * sent. Listening sockets are owned in the same way.
 *
 * At a high rate a thread pauses between its rounds, so that each round finds more input
 * (coalescing.h). It pauses for as long as the listener and all sinks allow, but not while an
 * answer must be sent. It keeps busy connections during the pause and reads them after it, so no
 * other thread is woken for these connections, and they need not be armed. All records of a kept
 * connection have been handed over.
 *
 * No frame is dropped: while a sink's queue is nearly full, connections are not read, and their
 * senders wait. Such connections are armed only for a hang-up, and their time limits are suspended.
 *
 * Lifecycle: create (the server then listens), start, stop or wait for its end, join, destroy.
 * Functions are for the main thread, unless another thread is named.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_STREAM_SERVER_H
#define SLUICE_COLLECTOR_RECEIVE_STREAM_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/address.h"
#include "collector/base/error.h"
#include "collector/contract/listener.h"
#include "collector/platform/local_listener.h"
#include "collector/receive/ingest_thread.h"
#include "collector/receive/stream_connection.h"

struct stream_server;

/* Settings that may change while the server runs. */
struct stream_limits {
    const struct schema_ops *answering; /* as in struct stream_settings */
    size_t max_frame;
    size_t max_connections;
    size_t max_per_address;
    int64_t idle_ns;
    int64_t frame_ns;
    int64_t coalesce_ns; /* upper limit of the delay of input at a high rate; 0 means no delay */
};

struct stream_server_options {
    const struct listener *listener;
    struct ingest_thread *threads; /* one for each thread; their fan-out waits for room */
    size_t thread_count;
    struct address address;
    bool ipv6_only;
    const char *inherited;      /* name of inherited sockets, used instead of `address`; or NULL */
    const char *local;          /* path of a local socket, used instead of `address`; may be NULL */
    struct local_access access; /* permissions and owner of the local socket's file */
    enum framing framing;
    const char *content_type; /* for frame streams; at most FRAME_STREAMS_TYPE_MOST bytes, copied;
                                 NULL means any type of protobuf */
    /* See struct stream_settings. The server owns it from its creation on. */
    struct channel_kind kind;
    struct stream_limits limits;

    /*
     * Called by the server's threads. `received` (may be NULL) is called after frames were handled;
     * `finished` when all threads have become quiescent, have resumed, or have ended.
     */
    void (*received)(void *context, size_t frames);
    void (*finished)(void *context);
    void *context;

    /* For tests: called before each read of a connection. May be NULL. */
    void (*before_receive)(void *context);
    void *hook_context;
};

/*
 * Return the bytes that a server allocates, and the bytes that this server has after a change to
 * these limits.
 */
size_t stream_server_memory(size_t threads, size_t max_connections, size_t max_frame);
size_t stream_server_memory_after(const struct stream_server *server,
                                  const struct stream_limits *limits);

/*
 * Returns the number of connections for which the server has memory after a change to these limits.
 * A change never lowers this number.
 */
size_t stream_server_slots_after(const struct stream_server *server,
                                 const struct stream_limits *limits);

/*
 * Creates a server that listens. *bound becomes its address, or the first if there are several.
 * Returns 0; or -1 with `error` filled, and ends the kind.
 */
int stream_server_create(struct stream_server **out, const struct stream_server_options *options,
                         struct address *bound, struct error *error);

/* Returns 0, or -1 with `error` filled. */
int stream_server_start(struct stream_server *server, struct error *error);

/*
 * Applies changed limits. The server must be quiescent. No connection is closed: while more are
 * open than allowed, no other is accepted. A frame that has begun keeps its limit. Memory is kept.
 * New connections use `kind`, which the server then owns. It keeps the kind from before the change
 * until it resumes. Returns 0, or -1 with `error` filled and limits and kind unchanged.
 */
int stream_server_change(struct stream_server *server, const struct stream_limits *limits,
                         const struct channel_kind *kind, struct error *error);

/*
 * Undoes the last change, also one that failed, before the server resumes. `limits` are those from
 * before the change.
 */
void stream_server_undo(struct stream_server *server, const struct stream_limits *limits);

/*
 * Changes the permissions and owner of a local socket's file. No effect on other sockets. Returns
 * 0, or -1 with `error` filled and nothing changed.
 */
int stream_server_set_access(struct stream_server *server, const struct local_access *access,
                             struct error *error);

/*
 * Any thread: stops accepting. Input that has arrived is handled and answered, then connections are
 * closed. Peers that continue to send are served for half of the time left until `deadline_ns`
 * (monotonic). The other half is for the sinks, which must still write the answered records. A
 * further call can only bring the deadline forward.
 */
void stream_server_stop(struct stream_server *server, int64_t deadline_ns);

/*
 * Any thread: stops the server like stream_server_stop, but waits until the deadline for the rest
 * of frames that have begun, because the sinks continue.
 */
void stream_server_leave(struct stream_server *server, int64_t deadline_ns);

/*
 * Requests that the threads pause until stream_server_resume, after they have handed over all their
 * records. A thread that waits for room in a queue first gets it. If called before the start, the
 * threads begin paused.
 */
void stream_server_ask_to_quiesce(struct stream_server *server);
bool stream_server_is_quiescent(const struct stream_server *server);
bool stream_server_is_awake(const struct stream_server *server); /* all threads have resumed */
void stream_server_resume(struct stream_server *server);

/* Any thread: returns true if all threads have ended. */
bool stream_server_has_finished(const struct stream_server *server);

/*
 * Main thread: returns true if each thread is waiting (for events or for room in a queue), or has
 * begun a round since the last call. Otherwise a thread is stuck.
 */
bool stream_server_is_alive(struct stream_server *server);

/* Any thread: returns the number of open connections. */
size_t stream_server_connections(const struct stream_server *server);

void stream_server_join(struct stream_server *server);

/* Frees the server, after the join or instead of the start. NULL is allowed. */
void stream_server_destroy(struct stream_server *server);

#endif
