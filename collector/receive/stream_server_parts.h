/*
 * The state of a stream server, internal to its files: stream_server.c creates, starts, changes and
 * stops it, stream_accept.c accepts connections, stream_loop.c runs the threads, stream_end.c ends
 * connections. stream_slots.h determines which thread owns a connection.
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

/* The upper limit of connections that a thread owns at a time. */
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
    struct stream_slot *arming[WORK_MOST]; /* connections to arm together at the end of the round */
    unsigned arming_for[WORK_MOST];        /* the interests for which to arm them */
    size_t arming_count;
    bool has_events;   /* arming has also returned events, so no wait is due */
    size_t kept;       /* the first `kept` elements of `work` are not read before keep_ns */
    int64_t keep_ns;   /* monotonic: end of the pause */
    bool pauses;       /* the rate in the last round was high enough for a pause */
    bool reported_all; /* the notifier has no more events for this thread */
    int64_t wake_ns;   /* monotonic: when to wake the sinks, or INT64_MAX */
    struct coalescing pace;
    uint64_t frames_noted; /* counts of struct stream_server that `pace` includes */
    uint64_t bytes_noted;
    struct pause *pause; /* NULL if the thread cannot pause */
    size_t next_scan;    /* index of the slot to scan next */
    size_t scan_left;    /* number of slots that the present scan must still visit */
    int64_t scan_ns; /* monotonic: next scan; INT64_MAX if no connection that this thread armed has
                        a deadline */
    int64_t scanned_ns; /* monotonic: no scan before this time */
    bool scan_pauses;   /* the thread has paused a connection, and some are still paused */
    bool stops;         /* the thread has noted the stop */
    struct wakeup *resumed;
    struct heartbeat heartbeat;
    uint64_t heartbeat_seen; /* the value that the main thread last saw */
    struct log_limit log, accept_log, refusal_log;
    struct log_limit end_logs[STREAM_END_COUNT]; /* one for each reason of an end */
};

/* A listening socket. Its address in memory is the token of its events. */
struct listening {
    wait_handle socket;           /* NO_HANDLE after accepting has ended */
    struct local_listener *local; /* owner of `socket`; if NULL, this struct owns it */
    struct address address;
    int64_t accept_ns; /* monotonic: end of the pause in accepting; 0 if there is none */
};

struct stream_server {
    struct stream_server_options options;
    struct stream_settings settings;
    char content_type[FRAME_STREAMS_TYPE_MOST]; /* copy to which `settings` refers */
    struct channel_kind kind_before; /* the kind before a change, until the threads resume */
    struct notifier *notifier;
    struct worker *workers;
    _Atomic size_t started; /* number of threads */
    struct stream_slots slots;
    size_t block_frame; /* upper limit in bytes of a message that fits a block */

    struct mutex *accept_lock; /* guards `listening` while connections are accepted */
    struct listening *listening;
    size_t listening_count;

    _Atomic size_t paused;
    _Atomic uint64_t frames; /* frames handled by all threads, and their bytes */
    _Atomic uint64_t bytes;
    _Atomic size_t running;   /* number of threads that serve */
    _Atomic size_t present;   /* number of threads that have not ended */
    _Atomic size_t unremoved; /* the value of notifier_unremoved that was last counted */
    _Atomic size_t stops;
    _Atomic bool quiesce_wanted;
    _Atomic size_t quiescent;
    _Atomic bool stopping;
    _Atomic bool patient; /* while stopping: wait for the rest of frames that have begun */
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
