/*
 * The connections of a stream listener, and the threads that serve them.
 *
 * Each connection is registered with one notifier, armed for one event at a time. The thread that
 * takes the event owns the connection until it arms it again, so any number of threads serve all of
 * them without a lock on the way of data, and a connection may be served by another thread at each
 * frame. It is armed again only when its records were offered to the sinks: they reach each sink in
 * the order in which they were sent. The listening socket is owned in the same way.
 *
 * Where much comes a thread rests between its rounds, so that each finds more (coalescing.h). It
 * rests for as long as the listener and all sinks allow, and not while an answer is owed. It keeps
 * connections that bring much and reads them again after the rest: no other thread is woken for
 * them, and they need not be armed. All records of a connection that it keeps were offered.
 *
 * Nothing is lost on the way: where a sink's queue is nearly full, connections are not read, and
 * those who send wait. They are armed for a hang-up alone, and their times do not run.
 *
 * Lifecycle: create (it listens), start, stop or wait for its end, join, destroy. Main thread,
 * except where another is named.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_STREAM_SERVER_H
#define SLUICE_COLLECTOR_RECEIVE_STREAM_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/address.h"
#include "collector/base/error.h"
#include "collector/contract/listener.h"
#include "collector/receive/ingest_thread.h"
#include "collector/receive/stream_connection.h"

struct stream_server;

/* What may be changed while it runs. */
struct stream_limits {
    const struct schema_ops *answering; /* as in struct stream_settings */
    size_t max_frame;
    size_t max_connections;
    size_t max_per_address;
    int64_t idle_ns;
    int64_t frame_ns;
    int64_t coalesce_ns; /* what comes may wait for so long at a high rate; 0: not at all */
};

struct stream_server_options {
    const struct listener *listener;
    struct ingest_thread *threads; /* one for each thread; they share a fan-out that waits */
    size_t thread_count;
    struct address address; /* that it listens at */
    bool ipv6_only;
    const char *inherited; /* else the name of sockets that do so already; NULL: none */
    enum framing framing;
    const char *content_type; /* of frame streams, at most FRAME_STREAMS_TYPE_MOST bytes; copied.
                                 NULL: any of protobuf's */
    struct channel_kind kind; /* as in struct stream_settings; the server's from its creation on */
    struct stream_limits limits;

    /* Called from its threads: after frames were taken, where it is not NULL; and when all of them
     * stand still, or have done all they will do. */
    void (*received)(void *context, size_t frames);
    void (*finished)(void *context);
    void *context;

    /* For tests, NULL otherwise: called before what has come over a connection is received. */
    void (*before_receive)(void *context);
    void *hook_context;
};

/* Bytes that it allocates; and those of one that is there, when it follows the limits. */
size_t stream_server_memory(size_t threads, size_t max_connections, size_t max_frame);
size_t stream_server_memory_after(const struct stream_server *server,
                                  const struct stream_limits *limits);

/* Connections that there is memory for then: it is kept where fewer may be open than before. */
size_t stream_server_slots_after(const struct stream_server *server,
                                 const struct stream_limits *limits);

/*
 * Listens; *bound is where, or the first of several. Returns 0, or -1 with `error` filled: the kind
 * is ended then, too.
 */
int stream_server_create(struct stream_server **out, const struct stream_server_options *options,
                         struct address *bound, struct error *error);

/* Returns 0, or -1 with `error` filled. */
int stream_server_start(struct stream_server *server, struct error *error);

/*
 * While it stands still: it follows the limits. No connection is closed: where more are open than
 * may be, no other is accepted; a frame that has begun may be as long as it might be then. Memory
 * that it has is kept. New connections have the kind, which is the server's then; one without ops:
 * the kind that it had before, which it keeps until it resumes. Returns 0, or -1 with `error`
 * filled and nothing changed.
 */
int stream_server_change(struct stream_server *server, const struct stream_limits *limits,
                         const struct channel_kind *kind, struct error *error);

/* Whether the kind that it had before a change, and still keeps, was made of these settings. */
bool stream_server_keeps_kind(const struct stream_server *server, const void *made_of);

/*
 * Any thread: no connection is accepted any more. Of those that are open, what has come is taken
 * and answered, and they are closed. Who goes on sending is served for half of the time that is
 * left until `deadline_ns` (monotonic); the other half is for the sinks to write what was answered.
 * Calling it again brings the deadline forward.
 */
void stream_server_stop(struct stream_server *server, int64_t deadline_ns);

/* The same while the sinks go on: the rest of a frame that has begun is waited for to the
 * deadline. */
void stream_server_leave(struct stream_server *server, int64_t deadline_ns);

/*
 * Has its threads stand still, with all that they took offered, until it resumes. One that waits
 * for room in a queue does so first. Before the start: they begin so.
 */
void stream_server_ask_to_quiesce(struct stream_server *server);
bool stream_server_is_quiescent(const struct stream_server *server);
bool stream_server_is_awake(const struct stream_server *server); /* from the last time */
void stream_server_resume(struct stream_server *server);

/* Any thread. */
bool stream_server_has_finished(const struct stream_server *server);

/*
 * Main thread: whether each of its threads waits, for events or for room in a queue, or has begun a
 * round since this was last asked.
 */
bool stream_server_is_alive(struct stream_server *server);

/* Any thread: connections that are open. */
size_t stream_server_connections(const struct stream_server *server);

void stream_server_join(struct stream_server *server);

/* After the join, or instead of the start. NULL is allowed. */
void stream_server_destroy(struct stream_server *server);

#endif
