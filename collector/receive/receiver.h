/*
 * Receiving: UDP sockets, their notifier, and the threads that serve them.
 *
 * A socket is registered edge-triggered before it is bound, and is drained until a receive would
 * block, or the system says that it would. A drain stops early only on its budget; the socket then
 * stays on its thread's ready list and is served again after the others there, without a new edge.
 * At a high rate a thread may pause between two rounds (collector/receive/coalescing.h).
 *
 * Several threads may wait on one notifier, if its backend supports that. One thread at a time
 * serves a socket: the one that is notified first takes its claim (collector/base/claim.h). The
 * socket's open batch is passed on with the claim, and all threads offer to one fan-out, so that a
 * socket's records keep their order.
 *
 * Lifecycle: create, receiver_add_socket for each socket (from then on the kernel queues
 * datagrams), perhaps receiver_host_sink, start, stop, join, destroy. Main thread, except where
 * another is named.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_RECEIVER_H
#define SLUICE_COLLECTOR_RECEIVE_RECEIVER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "collector/base/error.h"
#include "collector/contract/listener.h"
#include "collector/platform/notifier.h"
#include "collector/platform/thread.h"
#include "collector/platform/udp.h"
#include "collector/receive/ingest.h"

/*
 * The quantum of a socket ends when either budget is spent; the next socket on the ready list
 * follows. The time limits datagrams that are expensive to decode, of which a sender may send many.
 */
#define RECEIVER_BUDGET    1024 /* datagrams */
#define RECEIVER_BUDGET_NS INT64_C(2000000)

struct receiver;

struct receiver_options {
    const struct notifier_backend *notifier;

    /*
     * One for each thread; several only if the notifier is shared, and then they have one fan-out.
     * The caller's; they outlive the receiver, and `fan_out` is set before the start.
     */
    struct ingest_thread *threads;
    size_t thread_count;

    /*
     * The processors that threads are bound to: the first thread to the one at index
     * `first_processor`, and so on, cyclically. NULL or empty: not bound.
     */
    const struct processor_list *processors;
    size_t first_processor;

    /* Called from a receiving thread after each group of datagrams. May be NULL. */
    void (*received)(void *context, size_t datagrams);
    /* Called once from a receiving thread, when all threads have finished. */
    void (*finished)(void *context);
    /*
     * Called from a receiving thread: a refresh is complete, a thread has become quiescent or has
     * resumed, or a socket that leaves was closed.
     */
    void (*refreshed)(void *context);
    /* Called from a receiving thread: a socket has failed for good; the error was logged. */
    void (*failed)(void *context);
    void *context;

    /* For tests that need a slow receiver: called before each receive. NULL otherwise. */
    void (*before_receive)(void *context);
    void *hook_context;
};

/* Returns 0, or -1 with `error` filled. */
int receiver_create(struct receiver **out, const struct receiver_options *options,
                    struct error *error);

/* A socket of a listener. */
struct receiver_socket {
    const struct listener *listener;
    struct udp_socket_options options;
    struct ingest_counters *counters; /* a block of the listener's, only for this socket */
    _Atomic bool *group_lost;         /* set while its multicast group is not joined; may be NULL */
    int64_t coalesce_ns;              /* how long its datagrams may wait at a high rate */
};

/*
 * Opens, registers and binds a socket, in this order. Returns 0, or -1 with `error` filled. *bound
 * is the address with the port that the system chose, *granted the bytes of receive buffer; both
 * may be NULL. A socket that cannot be bound may stay registered until its listener's sockets are
 * removed.
 */
int receiver_add_socket(struct receiver *receiver, const struct receiver_socket *socket,
                        struct address *bound, size_t *granted, struct error *error);

/*
 * Has the only thread of this receiver run the sink, which only this receiver's fan-out feeds: the
 * sink has a quantum between rounds, and the rounds continue while a write waits. Before the start.
 */
void receiver_host_sink(struct receiver *receiver, struct sink_thread *sink);

/*
 * Asks the threads to pause until receiver_resume. All are paused once receiver_is_quiescent
 * returns true; `refreshed` is called then. The functions from here to receiver_has_leaving may
 * only be called in that state; receiver_add_socket is allowed too.
 */
void receiver_ask_to_quiesce(struct receiver *receiver);
bool receiver_is_quiescent(const struct receiver *receiver);
bool receiver_is_awake(const struct receiver *receiver); /* all threads have resumed */
void receiver_resume(struct receiver *receiver);

/* Offers all open batches to the sinks. */
void receiver_seal_all(struct receiver *receiver);

/*
 * Changes all sockets of a listener as udp_socket_change does. Returns 0 with *granted set if there
 * are any, or -1 with `error` filled: then some may be changed.
 */
int receiver_change_sockets(struct receiver *receiver, const struct receiver_socket *to,
                            size_t *granted, struct error *error);

/*
 * Removes the listener's sockets: they refuse new datagrams, and the threads drain and close them
 * after they resume. If `drains` is false, datagrams queued in a socket that other processes share
 * are left to those. `refreshed` is also called when a socket has left. Counters return to the
 * ledger when receiver_forget_gone forgets the sockets that have left.
 */
void receiver_remove_sockets(struct receiver *receiver, const struct listener *listener,
                             bool drains);
void receiver_forget_gone(struct receiver *receiver);

/* Main thread: whether sockets that were removed are still open. */
bool receiver_has_leaving(const struct receiver *receiver);

/* Returns 0, or -1 with `error` filled. */
int receiver_start(struct receiver *receiver, struct error *error);

/*
 * Any thread: requests that the kernel's drop counters are read into the ledger. Returns a number
 * for receiver_has_refreshed.
 */
uint64_t receiver_refresh(struct receiver *receiver);
bool receiver_has_refreshed(const struct receiver *receiver, uint64_t request);

/*
 * Any thread: refuses new datagrams, drains those that have arrived until `deadline_ns`
 * (monotonic), closes the sockets and then the fan-out. A further call can only bring the deadline
 * forward.
 */
void receiver_stop(struct receiver *receiver, int64_t deadline_ns);

/* Any thread. */
bool receiver_has_finished(const struct receiver *receiver);

/*
 * Main thread: whether every thread waits or has begun a round since the last call. A thread that
 * is stuck has done neither.
 */
bool receiver_is_alive(struct receiver *receiver);

void receiver_join(struct receiver *receiver);

/* Frees it, after the join or instead of the start. NULL is allowed. */
void receiver_destroy(struct receiver *receiver);

#endif
