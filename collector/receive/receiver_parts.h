/*
 * The state of a receiver, only for the receiver's files: receiver.c creates, starts and stops it,
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
    /*
     * The members used in every quantum, next to each other because they are usually not in the
     * cache.
     */
    struct claim claim;
    bool failed;  /* the socket is not served any more; kept open until the end for its counters */
    bool leaving; /* set in quiescence: the socket is drained, closed and not served again */
    struct endpoint *next_listed; /* the next socket on the thread's list */
    struct udp_socket *socket;
    struct ingest *ingest;
    const struct listener *listener;
    uint64_t drained; /* datagrams received in the present drain */
    int64_t drops_checked_ns;
    int64_t due; /* monotonic: when the open batch must be sealed; used while claimed and drained */
    _Atomic int64_t due_ns; /* the same as `due`; used while the socket is not claimed */

    struct endpoint *next;       /* the next in the list of all sockets */
    enum udp_socket_group group; /* the state of the socket's multicast group at the last check */
    _Atomic bool *group_lost;
    int64_t coalesce_ns;
    size_t buffer;              /* bytes of receive buffer that were granted */
    bool filtered;              /* the kernel drops and counts datagrams of denied senders */
    bool refusing;              /* the socket refuses new datagrams; its final drops were read */
    bool removing;              /* the socket waits for its REMOVED event */
    bool emptied;               /* the last drain of the stop has emptied the socket */
    int64_t leaves_ns;          /* monotonic: when a socket that leaves is closed, even if it is not
                                   drained */
    uint64_t drops_before;      /* the ledger's drops before this socket's were added */
    uint64_t errors_before;     /* the ledger's errors before this socket's were added */
    uint64_t drops_logged;      /* the drops at the time of the last log line about drops */
    _Atomic uint64_t refreshed; /* the last refresh for which the socket's drops were read */
    _Atomic bool gone;          /* the socket has left, and is only in the list of all sockets */
};

/* The value of `leaves_ns` of a socket that leaves without a drain. */
#define LEAVE_AT_ONCE 0

/* A queue: first in, first out. */
struct endpoint_list {
    struct endpoint *first;
    struct endpoint *last;
};

/*
 * Quanta that have ended since the clock was last read. If many sockets have one datagram each,
 * reading the clock after each quantum would cost about as much as all other work. So the clock is
 * read once for several quanta: the end of a quantum is dated late by at most the time of
 * QUANTA_UNDATED datagrams, including its own.
 */
#define QUANTA_UNDATED 8
struct quanta {
    int64_t first_ns[QUANTA_UNDATED]; /* arrival of each quantum's first datagram, since 1970 UTC */
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
    struct endpoint_list drained; /* sockets drained in this round, whose claims are not yet
                                     released */
    bool coalesces;               /* the rate at the last drain was high enough for a pause */
    int64_t yielded_ns; /* time spent on waits for sinks since every queue was last less than half
                           full */
    bool reported_all;  /* the last wait returned all events that were pending */
    struct coalescing coalescing; /* determines the pause between two rounds */
    struct pause *pause;          /* NULL: the thread cannot pause */
    int64_t wall_ahead_ns;        /* wall clock minus monotonic clock, when last read */
    struct quanta undated;
    struct wakeup *resumed;
    bool pressed;   /* the kernel was short of memory: the thread waits a little before its next
                       try */
    int timeout_ms; /* how long until a batch must be sealed; -1: no limit */
    int64_t due_ns; /* monotonic: no open batch of the sockets that this thread released is due
                       before this time */
    struct heartbeat heartbeat;
    uint64_t heartbeat_seen; /* the value that the main thread saw last */
    struct log_limit wait_log;
};

struct receiver {
    struct receiver_options options;
    struct notifier *notifier;
    struct endpoint *endpoints;
    struct sink_thread *sink; /* run by the only thread; NULL: sinks have their own threads */

    _Atomic size_t running; /* the number of threads that have not left their loops */
    _Atomic bool quiesce_wanted;
    _Atomic size_t quiescent; /* the number of quiescent threads */
    _Atomic uint64_t refresh_wanted;
    _Atomic uint64_t refresh_done;
    _Atomic size_t unremoved; /* notifier_unremoved, as far as it was logged */
    _Atomic bool stopping;
    struct deadline deadline;
    _Atomic bool finished;
    struct worker workers[];
};

#endif
