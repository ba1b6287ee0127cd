/*
 * The receiver's parts, shared by the files that make it up: receiver.c makes, starts and stops it,
 * receiver_loop.c is what its threads do, receiver_sockets.c how they serve a socket,
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
#include "collector/platform/deadline.h"
#include "collector/platform/pause.h"
#include "collector/platform/thread.h"
#include "collector/log/log.h"
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

    struct endpoint *next; /* of all */
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

/* --- sockets, by a thread that has their claims (receiver_sockets.c) -------------------------- */

void receiver_list_socket(struct endpoint_list *list, struct endpoint *endpoint);

/* Reads the kernel's drops into the ledger. */
void receiver_read_drops(struct endpoint *endpoint);

enum drain_result { DRAIN_DONE, DRAIN_AGAIN, DRAIN_FAILED };

/* Before drains that follow one another. Returns the time, monotonic. */
int64_t receiver_look_at_clocks(struct worker *worker);

/*
 * Receives until the system has nothing left, or until the budget is spent, but at least one group.
 * *now is the time when it begins (monotonic), and then that when it is done, or was after one of
 * the few datagrams before: its quantum may be left undated.
 */
enum drain_result receiver_drain(struct worker *worker, struct endpoint *endpoint, int64_t *now);

/*
 * After drains that followed one another: all that they took is counted, and their quanta are
 * dated. Before a claim is given up.
 */
void receiver_commit(struct worker *worker);

/*
 * Of one that was drained; where another thread was notified of more meanwhile it is served again.
 * One that is leaving goes.
 */
void receiver_give_up(struct worker *worker, struct endpoint *endpoint, int64_t due_ns);

/* One that is leaving is drained for the last time: it is closed when the notifier has done with
 * it.
 */
void receiver_part_with(struct worker *worker, struct endpoint *endpoint);

/* Of one that the notifier has done with: what that has received itself, and not handed out. */
void receiver_take_the_rest(struct worker *worker, struct endpoint *endpoint);

/* Of one that has left: it is closed, and what the kernel counted is counted. */
void receiver_close_socket(struct endpoint *endpoint);

/* Every socket on the ready list has one quantum; one that is put back waits for the next round. */
void receiver_serve_ready(struct worker *worker);

/*
 * Where all are drained and much comes, the thread pauses before it waits for the next edge, but
 * not before the others that have one were served. It has the claims of all meanwhile: another
 * thread, which would come at once, is not notified of what arrives.
 */
void receiver_let_drained_go(struct worker *worker);

/*
 * Seals what has been open for too long, of any socket that no other thread has. Returns
 * milliseconds until the next is due, or -1.
 */
int receiver_seal_overdue(struct worker *worker);

/* --- sinks that are behind (receiver_yield.c) --------------------------------------------------
 */

/*
 * Whether a queue is half full and the thread may still wait for that: for as long in all as
 * records may be late, so that a sink that stays behind is not waited for again.
 */
bool receiver_is_ahead(struct worker *worker);

/*
 * Where it is ahead, leaves what arrived in the receive buffers for a moment, and returns true:
 * sinks that only need time catch up. Not where a socket that has more is half full.
 */
bool receiver_yield(struct worker *worker);

/* --- a thread (receiver_loop.c) --------------------------------------------------------------- */

/* All that it does; `argument` is its worker. */
void receiver_run(void *argument);

/* Stands still as long as that is wanted (receiver_quiesce.c). */
void receiver_quiesce_if_asked(struct worker *worker);

/* --- what was sealed (receiver_host.c) -------------------------------------------------------- */

/*
 * Has it written: wakes the sinks, or gives the one that this thread runs a quantum. Where more
 * comes at `next_ns` sinks may be left asleep for now (fan_out_hold); INT64_MAX: nothing is
 * expected. Times are monotonic. Returns when this is needed again at the latest; INT64_MAX: when
 * there is more.
 */
int64_t receiver_hand_over(struct worker *worker, int64_t now_ns, int64_t next_ns);

#endif
