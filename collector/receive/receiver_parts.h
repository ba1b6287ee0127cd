/*
 * The state of a receiver, internal to its files: receiver.c creates, starts and stops it,
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
 * A socket. Its address in memory is its token in the notifier, so it never moves. Members that are
 * not atomic belong to the thread that has the claim. A socket on a thread's list stays claimed by
 * that thread, and a failed socket stays claimed until the end.
 */
struct endpoint {
    /*
     * Members that are used each time the socket is served. They are adjacent, because they are
     * usually not in the processor's cache.
     */
    struct claim claim;
    bool failed;  /* the socket is not served; it stays open for its counters */
    bool leaving; /* set in quiescence; the socket is drained, closed and not served again */
    struct endpoint *next_listed; /* next socket on the thread's list */
    struct udp_socket *socket;
    struct ingest *ingest;
    const struct listener *listener;
    uint64_t drained; /* number of datagrams received in the present drain */
    int64_t drops_checked_ns;
    int64_t due; /* monotonic time at which the open batch must be sealed; used while claimed and
                    drained */
    _Atomic int64_t due_ns; /* like `due`; used while the socket is not claimed */

    struct endpoint *next;       /* next in the list of all sockets */
    enum udp_socket_group group; /* state of the multicast group at the last check */
    _Atomic bool *group_lost;
    int64_t coalesce_ns;
    size_t buffer;         /* bytes of the receive buffer that the system granted */
    bool buffers;          /* the kernel counts a drop for each buffer of datagrams (gro=on) */
    bool filtered;         /* the kernel drops and counts datagrams of denied senders */
    bool refusing;         /* the socket refuses new datagrams, and its final drops were read */
    bool removing;         /* the socket waits for its REMOVED event */
    bool emptied;          /* the last drain of the stop has emptied the socket */
    int64_t leaves_ns;     /* monotonic time at which a removed socket is closed, even if it is not
                              drained */
    uint64_t drops_before; /* drops in the ledger before those of this socket */
    uint64_t buffers_before;    /* of them, drops of buffers */
    uint64_t errors_before;     /* errors in the ledger before those of this socket */
    uint64_t drops_logged;      /* drops at the time of the last log line about them */
    _Atomic uint64_t refreshed; /* number of the latest refresh for which this socket's drops were
                                 * read */
    _Atomic bool gone;          /* the socket is closed, and is only in the list of all sockets */
};

/* The value of `leaves_ns` for a removed socket that is closed without being drained. */
#define LEAVE_AT_ONCE 0

/* A list of sockets: the one that was added first is taken first. */
struct endpoint_list {
    struct endpoint *first;
    struct endpoint *last;
};

/*
 * Quanta that ended since the clock was last read. If many sockets have one datagram each, reading
 * the clock after each quantum would cost about as much as all other work. The clock is therefore
 * read once for several quanta. The recorded end of a quantum is late by at most the time that
 * QUANTA_UNDATED datagrams take, including its own.
 */
#define QUANTA_UNDATED 8
struct quanta {
    int64_t first_ns[QUANTA_UNDATED]; /* arrival of each quantum's first datagram, in ns since 1970
                                         UTC */
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
    struct endpoint_list drained; /* sockets drained in this round that are still claimed */
    bool coalesces;               /* the rate at the last drain was high enough for a pause */
    int64_t yielded_ns; /* nanoseconds of waits for sinks since all queues were last less than half
                         * full */
    bool reported_all;  /* the last wait returned all pending events */
    struct coalescing coalescing;
    struct pause *pause;   /* NULL if the thread cannot pause */
    int64_t wall_ahead_ns; /* wall clock minus monotonic clock, at the last reading */
    struct quanta undated;
    struct wakeup *resumed;
    bool pressed;   /* the kernel is short of memory: wait a little before the next attempt */
    int timeout_ms; /* time until a batch must be sealed; -1 means no limit */
    int64_t due_ns; /* monotonic time before which no open batch of sockets released by this thread
                       is due */
    struct heartbeat heartbeat;
    uint64_t heartbeat_seen; /* the value that the main thread last saw */
    struct log_limit wait_log;
};

struct receiver {
    struct receiver_options options;
    struct notifier *notifier;
    struct endpoint *endpoints;
    struct sink_thread *sink; /* run by the only thread; NULL if sinks have their own threads */

    _Atomic size_t running; /* number of threads that have not left their loops */
    _Atomic bool quiesce_wanted;
    _Atomic size_t quiescent;
    _Atomic uint64_t refresh_wanted;
    _Atomic uint64_t refresh_done;
    _Atomic size_t unremoved; /* the value of notifier_unremoved that was last logged */
    _Atomic bool stopping;
    struct deadline deadline;
    _Atomic bool finished;
    struct worker workers[];
};

#endif
