/*
 * Receives datagrams: the UDP sockets, their notifier, and the threads that serve them.
 *
 * A socket is registered edge-triggered before it is bound. It is drained until a receive would
 * block, or until the system reports that the next receive would. A drain stops earlier only if its
 * budget is spent. The socket then stays on its thread's ready list, and is served again after the
 * other sockets on it, without a new edge. At a high rate a thread may pause between two rounds
 * (coalescing.h).
 *
 * Several threads may wait on one notifier, if its backend supports that. One thread at a time
 * serves a socket: the first thread that is notified takes the socket's claim (base/claim.h). The
 * socket's open batch moves with the claim, and all threads use one fan-out, so a socket's records
 * keep their order.
 *
 * Lifecycle: create, receiver_add_socket for each socket (from then on the kernel queues
 * datagrams), optionally receiver_host_sink, start, stop, join, destroy. Functions are for the main
 * thread, unless another thread is named.
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
 * A thread serves a socket until one of these budgets is spent (a quantum), then the next socket on
 * its ready list. The time budget (nanoseconds) limits a sender whose datagrams are expensive to
 * decode.
 */
#define RECEIVER_BUDGET    1024 /* number of datagrams */
#define RECEIVER_BUDGET_NS INT64_C(2000000)

struct receiver;

struct receiver_options {
    const struct notifier_backend *notifier;

    /*
     * An array with an element for each thread. Several threads are only allowed if the notifier
     * can be shared; they then have one fan-out. The caller owns the array, keeps it longer than
     * the receiver, and sets `fan_out` before the start.
     */
    struct ingest_thread *threads;
    size_t thread_count;

    /*
     * The processors to which threads are bound: the first thread to the one at index
     * `first_processor`, the second to the next one, and so on, cyclically. If NULL or empty,
     * threads are not bound.
     */
    const struct processor_list *processors;
    size_t first_processor;

    /* Called by a receiving thread after each group of datagrams. May be NULL. */
    void (*received)(void *context, size_t datagrams);
    /* Called once by a receiving thread, when all threads have finished. */
    void (*finished)(void *context);
    /*
     * Called by a receiving thread when a refresh is complete, when a thread has become quiescent
     * or has resumed, or when a removed socket was closed.
     */
    void (*refreshed)(void *context);
    /* Called by a receiving thread after a permanent failure of a socket. The error was logged. */
    void (*failed)(void *context);
    void *context;

    /* For tests that need a slow receiver: called before each receive. May be NULL. */
    void (*before_receive)(void *context);
    void *hook_context;
};

/* Returns 0, or -1 with `error` filled. */
int receiver_create(struct receiver **out, const struct receiver_options *options,
                    struct error *error);

struct receiver_socket {
    const struct listener *listener;
    struct udp_socket_options options;
    struct ingest_counters *counters; /* a block of the listener that only this socket uses */
    _Atomic bool *group_lost; /* true while its multicast group is not joined; may be NULL */
    int64_t coalesce_ns;      /* upper limit of the delay of its datagrams at a high rate */
};

/*
 * Opens, registers and binds a socket, in this order. Returns 0, or -1 with `error` filled. Sets
 * *bound to the address with the port that the system chose, and *granted to the bytes of the
 * receive buffer; both pointers may be NULL. After a failure the counters belong to the ledger
 * again, unless the bind failed: then the socket stays registered until its listener's sockets are
 * removed.
 */
int receiver_add_socket(struct receiver *receiver, const struct receiver_socket *socket,
                        struct address *bound, size_t *granted, struct error *error);

/*
 * Makes the only thread of this receiver run the sink between its rounds. The rounds continue while
 * a write of the sink waits. The sink must get records only from this receiver's fan-out. Call this
 * before the start.
 */
void receiver_host_sink(struct receiver *receiver, struct sink_thread *sink);

/*
 * Requests that the threads pause until receiver_resume. When all threads are paused,
 * receiver_is_quiescent returns true and `refreshed` is called. The functions from here to
 * receiver_has_leaving, and receiver_add_socket, may only be called in this state after the start.
 */
void receiver_ask_to_quiesce(struct receiver *receiver);
bool receiver_is_quiescent(const struct receiver *receiver);
bool receiver_is_awake(const struct receiver *receiver); /* all threads have resumed */
void receiver_resume(struct receiver *receiver);

/* Hands all open batches to the sinks. */
void receiver_seal_all(struct receiver *receiver);

/*
 * Changes all sockets of a listener as udp_socket_change does. Returns 0, with *granted set if the
 * listener has sockets; or -1 with `error` filled, after which some sockets may be changed.
 */
int receiver_change_sockets(struct receiver *receiver, const struct receiver_socket *to,
                            size_t *granted, struct error *error);

/*
 * Removes the listener's sockets. The sockets refuse new datagrams; once the threads have resumed,
 * they drain and close the sockets and call `refreshed` for each. If `drains` is false, datagrams
 * in a socket that other processes share are left to these processes. receiver_forget_gone forgets
 * the closed sockets and returns their counters to the ledger.
 */
void receiver_remove_sockets(struct receiver *receiver, const struct listener *listener,
                             bool drains);
void receiver_forget_gone(struct receiver *receiver);

/* Main thread: returns true if any removed socket is still open. */
bool receiver_has_leaving(const struct receiver *receiver);

/* Returns 0, or -1 with `error` filled. */
int receiver_start(struct receiver *receiver, struct error *error);

/*
 * Any thread: requests that the threads read the kernel's drop counters into the ledger. Returns a
 * number for receiver_has_refreshed.
 */
uint64_t receiver_refresh(struct receiver *receiver);
bool receiver_has_refreshed(const struct receiver *receiver, uint64_t request);

/*
 * Any thread: stops the receiver. The sockets refuse new datagrams. Datagrams that have already
 * arrived are received, until `deadline_ns` (monotonic) at the latest. Then the sockets and the
 * fan-out are closed. A further call can only bring the deadline forward.
 */
void receiver_stop(struct receiver *receiver, int64_t deadline_ns);

/* Any thread: returns true if all threads have finished. */
bool receiver_has_finished(const struct receiver *receiver);

/*
 * Main thread: returns true if every thread is waiting, or has begun a round since the last call.
 * Otherwise a thread is stuck.
 */
bool receiver_is_alive(struct receiver *receiver);

void receiver_join(struct receiver *receiver);

/* Frees the receiver, after the join or instead of the start. NULL is allowed. */
void receiver_destroy(struct receiver *receiver);

#endif
