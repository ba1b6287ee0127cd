/*
 * The receiver's parts as data, for the files that make it up: receiver.c makes, starts and stops
 * it, receiver_loop.c is what its threads do, receiver_sockets.c how they serve a socket,
 * receiver_host.c how one runs a sink between its rounds, receiver_quiesce.c how they stand still
 * while something is changed. For nobody else.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_RECEIVER_PARTS_H
#define SLUICE_COLLECTOR_RECEIVE_RECEIVER_PARTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "collector/base/claim.h"
#include "collector/base/heartbeat.h"
#include "collector/base/rule.h"
#include "collector/log/log.h"
#include "collector/platform/clock.h"
#include "collector/receive/coalescing.h"
#include "collector/receive/receiver.h"

/*
 * A socket. Its address in memory is its token: it is never moved. What is not atomic here belongs
 * to the thread that has the claim; a socket on a list of a thread's stays claimed by it, and one
 * that has failed for ever.
 */
struct endpoint {
    /* What every quantum needs, close together: of many sockets' each has left the cache. */
    struct claim claim;
    bool failed;  /* served no more; open until the end for its counters' sake */
    bool leaving; /* said while all are quiescent: it is closed when it is drained, and not served
                     again */
    struct endpoint *next_listed; /* on the list where it is */
    struct udp_socket *socket;
    struct ingest *ingest;
    const struct listener *listener;
    uint64_t drained; /* datagrams so far in the drain that it is in */
    int64_t drops_checked_ns;
    int64_t due;            /* while claimed and drained: when what is open must be sealed */
    _Atomic int64_t due_ns; /* the same while unclaimed */

    struct endpoint *next;       /* of all */
    enum udp_socket_group group; /* as last looked at */
    _Atomic bool *group_lost;
    int64_t coalesce_ns;
    size_t buffer; /* bytes that were granted */
    bool filtered; /* the kernel refuses who may not send, and counts that as drops */
    bool refusing; /* all that comes, to be closed; its drops have been read for the last time */
    bool removing; /* its REMOVED event is awaited */
    bool emptied;  /* in the last drain of the stop */
    int64_t leaves_ns;          /* at the latest, whatever still comes */
    uint64_t drops_before;      /* what its counters said before it counted there */
    uint64_t errors_before;     /* the same */
    uint64_t drops_logged;      /* when the log last spoke of them */
    _Atomic uint64_t refreshed; /* the last refresh that its drops were read for */
    _Atomic bool gone;          /* it has left: nobody knows it but the list of all */
};

/* When a socket leaves that is not drained before. */
#define LEAVE_AT_ONCE 0

/* First in, first out. */
struct endpoint_list {
    struct endpoint *first;
    struct endpoint *last;
};

/*
 * Quanta that have ended since the clock was looked at: where many sockets have a datagram each,
 * that look would cost as much as much of the rest. A quantum is dated so many datagrams late at
 * most, itself among them.
 */
#define QUANTA_UNDATED 8
struct quanta {
    int64_t first_ns[QUANTA_UNDATED]; /* when the first datagram of each came, since 1970 UTC */
    size_t count;
    size_t datagrams;
};

/* One of the threads. */
struct worker {
    struct rule_owner owner;
    struct receiver *receiver;
    size_t number;
    struct ingest_thread *ingests;
    struct datagram_group *group;
    struct thread *thread;
    struct endpoint_list ready;
    struct endpoint_list drained; /* in this round; their claims are still to be given up */
    bool coalesces;               /* so much comes that it does, as of the last drain */
    int64_t yielded_ns;           /* to the sinks, since none of them was behind */
    bool reported_all;            /* the notifier has reported all; it reports a little at a time */
    struct coalescing coalescing; /* how long it may wait between two rounds */
    struct pause *pause;          /* NULL: it cannot */
    int64_t wall_ahead_ns;        /* of the monotonic clock, as last looked at */
    struct quanta undated;
    struct wakeup *resumed;
    bool pressed;   /* the kernel was short of memory: wait a little before the next try */
    int timeout_ms; /* until a batch must be sealed, or -1 */
    int64_t due_ns; /* before that no socket that it gave up has anything to be sealed */
    struct heartbeat heartbeat;
    uint64_t heartbeat_seen; /* by the main thread */
    struct log_limit wait_log;
};

struct receiver {
    struct receiver_options options;
    struct notifier *notifier;
    struct endpoint *endpoints;
    struct sink_thread *sink; /* that the only thread runs; NULL: sinks have threads */

    _Atomic size_t running; /* threads that have not left their loops */
    _Atomic bool quiesce_wanted;
    _Atomic size_t quiescent; /* threads that stand still */
    _Atomic uint64_t refresh_wanted;
    _Atomic uint64_t refresh_done;
    _Atomic bool stopping;
    struct deadline deadline;
    _Atomic bool finished;
    struct worker workers[];
};

#endif
