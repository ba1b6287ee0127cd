/*
 * Receiving: sockets, their notifier, and the thread or threads that serve them.
 *
 * A socket is registered edge-triggered before it is bound and is drained until it says
 * would-block, or that it would. A drain stops early only on its budget; the socket then stays on
 * its thread's ready list and is served again, after the others there, without waiting for an edge.
 * Between two rounds a thread may pause, where so much comes that it pays
 * (collector/receive/coalescing.h).
 *
 * Several threads wait on one notifier, where its backend is made for that. A socket is served by
 * one of them at a time, whichever is notified first and takes its claim (collector/base/claim.h);
 * the batch that is open for it is handed on with the claim, and all threads offer to one fan_out,
 * so that a socket's records keep their order.
 *
 * Lifecycle: create, one receiver_add_socket each (from then on the kernel queues), perhaps
 * receiver_host_sink, start, stop, join, destroy. Main thread, except where another is named.
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
 * The quantum of a socket: what it may take at a time, whichever is spent first; the next socket on
 * the ready list follows. The time is for datagrams that are expensive to decode: a sender may send
 * many.
 */
#define RECEIVER_BUDGET    1024 /* datagrams */
#define RECEIVER_BUDGET_NS INT64_C(2000000)

struct receiver;

struct receiver_options {
    const struct notifier_backend *notifier;

    /* One for each thread; more than one only where the notifier is shared, and then they have one
     * fan-out. The caller's, outlive the receiver; `fan_out` is set before the start. */
    struct ingest_thread *threads;
    size_t thread_count;

    /* Where each thread stays, the first one on the one at `first_processor`, and so on, in turn;
     * none: wherever the system likes. */
    const struct processor_list *processors;
    size_t first_processor;

    /* Called from a receiving thread after each group: so many datagrams were received. May be
     * NULL. */
    void (*received)(void *context, size_t datagrams);
    /* Called once from a receiving thread: all is done. */
    void (*finished)(void *context);
    /* Called from a receiving thread: what receiver_refresh asked for is done. */
    void (*refreshed)(void *context);
    /* Called from a receiving thread: a socket is of no use any more (`error` was logged). */
    void (*failed)(void *context);
    void *context;

    /* For tests that need a slow receiver: called before each receive. NULL otherwise. */
    void (*before_receive)(void *context);
    void *hook_context;
};

/* Returns 0, or -1 with `error` filled. */
int receiver_create(struct receiver **out, const struct receiver_options *options,
                    struct error *error);

/* A socket of a listener's. */
struct receiver_socket {
    const struct listener *listener;
    struct udp_socket_options options;
    struct ingest_counters *counters; /* a block of the listener's for it alone */
    _Atomic bool *group_lost;         /* raised while its multicast group is not joined; NULL */
    int64_t coalesce_ns; /* its datagrams may be kept waiting for so long at a high rate */
};

/*
 * Opens, registers and binds it, in this order. Returns 0, or -1 with `error` filled. *bound is the
 * address with the port that the system chose, *granted the bytes of receive buffer; each may be
 * NULL. One that cannot be bound may be there all the same, until its listener's are removed.
 */
int receiver_add_socket(struct receiver *receiver, const struct receiver_socket *socket,
                        struct address *bound, size_t *granted, struct error *error);

/*
 * The one thread of this receiver runs this sink, which its fan-out alone feeds: it has a quantum
 * between the rounds, and while a write waits the rounds go on. Before the start.
 */
void receiver_host_sink(struct receiver *receiver, struct sink_thread *sink);

/*
 * Has its threads stand still, until it resumes: they have done so when receiver_is_quiescent says
 * so, and `refreshed` is called then. What stands below up to the next paragraph is for that time,
 * and receiver_add_socket may be then, too.
 */
void receiver_ask_to_quiesce(struct receiver *receiver);
bool receiver_is_quiescent(const struct receiver *receiver);
bool receiver_is_awake(const struct receiver *receiver); /* all of them, from the last time */
void receiver_resume(struct receiver *receiver);

/* Offers what is open to the sinks. */
void receiver_seal_all(struct receiver *receiver);

/*
 * Changes all sockets of a listener's, as udp_socket_change does. Returns 0 with *granted, where it
 * has any, or -1 with `error` filled: then some may be changed.
 */
int receiver_change_sockets(struct receiver *receiver, const struct receiver_socket *to,
                            size_t *granted, struct error *error);

/*
 * The listener's sockets leave: they take nothing new, are drained by the threads when they resume,
 * and closed; without `drains` what is queued in a socket that others hold, too, is left to them;
 * `refreshed` is also called when one has left. Their counters return to the ledger when those that
 * are gone are forgotten.
 */
void receiver_remove_sockets(struct receiver *receiver, const struct listener *listener,
                             bool drains);
void receiver_forget_gone(struct receiver *receiver);

/* Main thread: some that are to leave are still there. */
bool receiver_has_leaving(const struct receiver *receiver);

/* Returns 0, or -1 with `error` filled. */
int receiver_start(struct receiver *receiver, struct error *error);

/*
 * Any thread: asks for the kernel's drop counters to be read into the ledger. Returns a number for
 * receiver_has_refreshed.
 */
uint64_t receiver_refresh(struct receiver *receiver);
bool receiver_has_refreshed(const struct receiver *receiver, uint64_t request);

/*
 * Any thread: refuse what arrives, drain what has arrived until `deadline_ns` (monotonic), close
 * the sockets and then the fan_out. Calling it again brings the deadline forward.
 */
void receiver_stop(struct receiver *receiver, int64_t deadline_ns);

/* Any thread. */
bool receiver_has_finished(const struct receiver *receiver);

/*
 * Main thread: whether every thread waits, or has come round since this was last asked. One that is
 * stuck has not, whatever waits for it.
 */
bool receiver_is_alive(struct receiver *receiver);

void receiver_join(struct receiver *receiver);

/* Frees it, after the join or instead of the start. NULL is allowed. */
void receiver_destroy(struct receiver *receiver);

#endif
