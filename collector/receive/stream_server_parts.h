/*
 * The stream server's parts as data, for the files that make it up: stream_server.c makes, starts,
 * changes and stops it, stream_accept.c is how connections come, stream_loop.c what its threads do,
 * stream_end.c how a connection ends. For nobody else. Whose a connection is: stream_slots.h.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_STREAM_SERVER_PARTS_H
#define SLUICE_COLLECTOR_RECEIVE_STREAM_SERVER_PARTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/heartbeat.h"
#include "collector/log/log.h"
#include "collector/platform/clock.h"
#include "collector/receive/coalescing.h"
#include "collector/receive/stream_server.h"
#include "collector/receive/stream_slots.h"

/* Connections that a thread has in hand at a time. */
#define WORK_MOST 128

struct worker {
    struct stream_server *server;
    size_t index;
    struct thread *thread;
    struct ingest_thread *ingests;
    struct stream_worker stream;
    struct stream_slot *work[WORK_MOST];
    size_t count;
    size_t kept;            /* of these, the first ones: until keep_ns */
    int64_t keep_ns;        /* monotonic: when its rest ends */
    bool pauses;            /* as of its last round, so much comes that it does */
    bool reported_all;      /* the notifier has no other events for it */
    int64_t wake_ns;        /* when sinks are to be woken; INT64_MAX: for nothing */
    struct coalescing pace; /* how long it may rest */
    uint64_t frames_noted;  /* of the server's, for that */
    uint64_t bytes_noted;
    struct pause *pause; /* NULL: it cannot */
    size_t next_scan;    /* the slot that it looks at next */
    size_t scan_left;    /* slots that are left of a pass over all of them */
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

struct stream_server {
    struct stream_server_options options;
    struct stream_settings settings;
    char content_type[FRAME_STREAMS_TYPE_MOST]; /* of the settings */
    struct channel_kind kind_before;            /* a change: until its threads resume */
    struct notifier *notifier;
    struct worker *workers;
    _Atomic size_t started; /* threads */
    struct stream_slots slots;
    size_t block_frame; /* the longest message that the blocks have room for */

    struct mutex *accept_lock; /* of what follows: held while connections are accepted */
    struct listening *listening;
    size_t listening_count;

    _Atomic size_t paused;   /* connections that were left alone */
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

#endif
