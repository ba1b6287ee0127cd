/*
 * The state of a receiver, only for its own files: receiver.c creates, starts and stops it,
 * receiver_loop.c runs its threads, receiver_sockets.c serves a socket, receiver_host.c runs a sink
 * between rounds, receiver_yield.c gives sinks time, receiver_quiesce.c pauses the threads for
 * changes.
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
 * A socket. Its address in memory is its token, so it never moves. Members that are not atomic
 * belong to the thread that has the claim. A socket on a thread's list stays claimed by that
 * thread, and a failed socket stays claimed for good.
 */
struct endpoint {
    /* Used in every quantum, and adjacent because they are usually not in the cache. */
    struct claim claim;
    bool failed;  /* not served any more; open until the end because of its counters */
    bool leaving; /* set in quiescence: it is drained, closed and not served again */
    struct endpoint *next_listed; /* on its list */
    struct udp_socket *socket;
    struct ingest *ingest;
    const struct listener *listener;
    uint64_t drained; /* datagrams so far in the present drain */
    int64_t drops_checked_ns;
    int64_t due; /* monotonic; while claimed and drained: when its open batch must be sealed */
    _Atomic int64_t due_ns; /* the same while it is not claimed */

    struct endpoint *next;       /* in the list of all sockets */
    enum udp_socket_group group; /* as of the last check */
    _Atomic bool *group_lost;
    int64_t coalesce_ns;
    size_t buffer;              /* bytes of receive buffer that were granted */
    bool filtered;              /* the kernel filters denied senders, and counts them as drops */
    bool refusing;              /* refuses new datagrams, to be closed; its final drops were read */
    bool removing;              /* its REMOVED event is awaited */
    bool emptied;               /* by the last drain of the stop */
    int64_t leaves_ns;          /* monotonic: when it leaves at the latest, even if more arrives */
    uint64_t drops_before;      /* its counter's value before this socket counted there */
    uint64_t errors_before;     /* the same */
    uint64_t drops_logged;      /* as of the last log line about them */
    _Atomic uint64_t refreshed; /* the last refresh for which its drops were read */
    _Atomic bool gone;          /* it has left, and is only in the list of all sockets */
};

/* `leaves_ns` of a socket that is not drained first. */
#define LEAVE_AT_ONCE 0

/* First in, first out. */
struct endpoint_list {
    struct endpoint *first;
    struct endpoint *last;
};

/*
 * Quanta that have ended since the clock was last read. With one datagram for each of many sockets,
 * reading the clock for each would cost about as much as the rest. The end of a quantum may be
 * dated late by at most QUANTA_UNDATED datagrams, including its own.
 */
#define QUANTA_UNDATED 8
struct quanta {
    int64_t first_ns[QUANTA_UNDATED]; /* arrival of the first datagram of each, since 1970 UTC */
    size_t count;
    size_t datagrams;
};

/* The state of one thread. */
struct worker {
    struct rule_owner owner;
    struct receiver *receiver;
    size_t number;
    struct ingest_thread *ingests;
    struct datagram_group *group;
    struct thread *thread;
    struct endpoint_list ready;
    struct endpoint_list drained; /* in this round; their claims are not yet released */
    bool coalesces;               /* the rate at the last drain was high enough for a pause */
    int64_t yielded_ns; /* time given to the sinks since the last time that no sink was behind */
    bool reported_all;  /* the last wait returned all events there were */
    struct coalescing coalescing; /* determines the pause between two rounds */
    struct pause *pause;          /* NULL: it cannot pause */
    int64_t wall_ahead_ns;        /* wall clock minus monotonic clock, as of the last look */
    struct quanta undated;
    struct wakeup *resumed;
    bool pressed;   /* the kernel was short of memory: wait a little before the next try */
    int timeout_ms; /* until a batch must be sealed, or -1 */
    int64_t due_ns; /* monotonic: no socket that it released has a batch to be sealed before */
    struct heartbeat heartbeat;
    uint64_t heartbeat_seen; /* by the main thread */
    struct log_limit wait_log;
};

struct receiver {
    struct receiver_options options;
    struct notifier *notifier;
    struct endpoint *endpoints;
    struct sink_thread *sink; /* hosted by the only thread; NULL: sinks have their own threads */

    _Atomic size_t running; /* threads that have not left their loops */
    _Atomic bool quiesce_wanted;
    _Atomic size_t quiescent; /* threads that are quiescent */
    _Atomic uint64_t refresh_wanted;
    _Atomic uint64_t refresh_done;
    _Atomic bool stopping;
    struct deadline deadline;
    _Atomic bool finished;
    struct worker workers[];
};

#endif
