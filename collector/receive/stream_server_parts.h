/*
 * The state of a stream server, only for the server's files: stream_server.c creates, starts,
 * changes and stops it, stream_accept.c accepts connections, stream_loop.c runs the threads,
 * stream_end.c ends connections. stream_slots.h says which thread owns a connection.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_STREAM_SERVER_PARTS_H
#define SLUICE_COLLECTOR_RECEIVE_STREAM_SERVER_PARTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/heartbeat.h"
#include "collector/base/rule.h"
#include "collector/log/log.h"
#include "collector/platform/clock.h"
#include "collector/receive/coalescing.h"
#include "collector/receive/stream_server.h"
#include "collector/receive/stream_slots.h"

/* The maximum number of connections that a thread owns at a time. */
#define WORK_MOST 128

struct worker {
    struct rule_owner owner;
    struct stream_server *server;
    size_t index;
    struct thread *thread;
    struct ingest_thread *ingests;
    struct stream_worker stream;
    struct stream_slot *work[WORK_MOST];
    size_t count;
    struct stream_slot *arming[WORK_MOST]; /* connections to be armed together at the end of the
                                              round */
    unsigned arming_for[WORK_MOST];        /* their interests */
    size_t arming_count;
    bool has_events;        /* events were taken as connections were armed: no wait is due */
    size_t kept;            /* the first `kept` of `work` are not read before keep_ns */
    int64_t keep_ns;        /* monotonic: the end of the pause */
    bool pauses;            /* the rate at the last round was high enough for a pause */
    bool reported_all;      /* the notifier has no further events for this thread */
    int64_t wake_ns;        /* monotonic: when to wake the sinks; INT64_MAX: no need */
    struct coalescing pace; /* determines the length of pauses */
    uint64_t frames_noted;  /* `frames` and `bytes` of the server that `pace` has counted */
    uint64_t bytes_noted;
    struct pause *pause; /* NULL: the thread cannot pause */
    size_t next_scan;    /* the index of the slot that the scan visits next */
    size_t scan_left;    /* the number of slots that the scan has still to visit */
    int64_t scan_ns;     /* monotonic: the next scan; INT64_MAX: no connection that this thread
                            passed on has a deadline */
    int64_t scanned_ns;  /* monotonic: the earliest time of a scan after the last scan */
    bool scan_pauses;    /* the thread has paused a connection, and connections are paused */
    bool stops;          /* the thread knows that the server stops */
    struct wakeup *resumed;
    struct heartbeat heartbeat;
    uint64_t heartbeat_seen; /* the value that the main thread saw last */
    struct log_limit log, accept_log, refusal_log;
    struct log_limit end_logs[STREAM_END_COUNT]; /* one for each way in which a connection ends */
};

/* A listening socket. Its address in memory is the token of its events. */
struct listening {
    wait_handle socket;           /* NO_HANDLE: accepting has ended */
    struct local_listener *local; /* the owner of `socket`; NULL: this struct owns `socket` */
    struct address address;
    int64_t accept_ns; /* monotonic: the end of a pause in accepting; 0: no pause */
};

struct stream_server {
    struct stream_server_options options;
    struct stream_settings settings;
    char content_type[FRAME_STREAMS_TYPE_MOST]; /* a copy to which `settings` refers */
    struct channel_kind kind_before; /* the kind before a change, until the threads resume */
    struct notifier *notifier;
    struct worker *workers;
    _Atomic size_t started; /* the number of threads */
    struct stream_slots slots;
    size_t block_frame; /* the longest message that fits a block, in bytes */

    struct mutex *accept_lock; /* guards `listening` while connections are accepted */
    struct listening *listening;
    size_t listening_count;

    _Atomic size_t paused;   /* the number of paused connections */
    _Atomic uint64_t frames; /* frames handled by all threads, and their bytes */
    _Atomic uint64_t bytes;
    _Atomic size_t running;   /* the number of threads that serve */
    _Atomic size_t present;   /* the number of threads that have not ended */
    _Atomic size_t unremoved; /* notifier_unremoved, as far as it was counted */
    _Atomic size_t stops;     /* the number of threads that know of the stop */
    _Atomic bool quiesce_wanted;
    _Atomic size_t quiescent; /* the number of quiescent threads */
    _Atomic bool stopping;
    _Atomic bool patient; /* while stopping: the server waits for frames that have begun */
    _Atomic bool finished;
    struct deadline deadline;
};

/* Makes the thread scan the connections at this time (monotonic), or earlier. */
static inline void worker_scan_by(struct worker *worker, int64_t ns)
{
    if (ns < worker->scan_ns)
        worker->scan_ns = ns;
}

#endif
