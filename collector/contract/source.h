/*
 * A source: the input of a listener.
 *
 * An interface. Each kind of listener implements it in one file, and collector/receive/sources.h
 * lists them; no other code depends on the kind of a listener. Either the receivers (threads that
 * several sources share) serve a source, or the source has threads of its own (a producer).
 *
 * Order: complete and refuse while the configuration is read; check before any source is opened;
 * prepare once for all listeners; open; announce after all threads have started; change or remove
 * while the receivers are paused. The pipeline starts, changes, stops, joins and destroys
 * producers. Main thread.
 */
#ifndef SLUICE_COLLECTOR_CONTRACT_SOURCE_H
#define SLUICE_COLLECTOR_CONTRACT_SOURCE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/address.h"
#include "collector/base/error.h"
#include "collector/contract/listener.h"
#include "collector/contract/listener_config.h"

struct ingest_counters;
struct ingest_thread;
struct ledger;
struct receiver;

/* The syntax of the part after the scheme and the colon in a source's URL. */
enum source_place {
    PLACE_ADDRESS, /* "//ADDR:PORT" */
    PLACE_NAME,    /* a non-empty text */
    PLACE_PATH,    /* the path of a file; it can be made absolute */
};

/* The groups of keys that a source has in addition to the keys of every listener. */
enum source_keys {
    SOURCE_KEYS_SOCKET = 1 << 0,
    SOURCE_KEYS_CAPTURE = 1 << 1,
    SOURCE_KEYS_STREAM = 1 << 8,
    SOURCE_KEYS_TCP = 1 << 14,   /* for streams over IP */
    SOURCE_KEYS_LOCAL = 1 << 15, /* for streams over a local socket */
    SOURCE_KEYS_DTLS = 1 << 16,  /* for encrypted datagrams */
};

/* A running listener. It is kept for the ledger after it has been removed. */
struct source {
    struct listener listener;
    const struct listener_config *config; /* its current settings; NULL if it was removed */
    char *name;                           /* `listener.name`; owned */
    char *schema_names;                   /* `listener.schema_names`; owned */
    struct schema_slot *schemas;
    struct rate_limit *rate_limit; /* `listener.rate_limit`, or NULL */
    struct sender_keys *keys;      /* `listener.keys`, or NULL */
    struct mismatch_hint *hint;    /* `listener.hint` */
    struct dtls_settings *dtls;    /* `listener.dtls`, or NULL */
    /*
     * During a reload, the former settings, until the change is kept or undone
     * (collector/receive/dtls_source.h).
     */
    struct dtls_settings *dtls_before;
    struct ingest_counters *at_end; /* counters of the main thread, for the final reads */
    bool leaving;                   /* it was removed, but its resources are not freed yet */

    /* Set by open. */
    struct address address; /* the bound address; zero if not bound */
    size_t granted;         /* bytes of each socket's receive buffer that the kernel granted */
    /* Its multicast group is not joined because the interface has disappeared. */
    _Atomic bool group_lost;
};

/* Services of the pipeline for its sources. */
struct source_host {
    struct ledger *ledger;
    struct receiver *const *receivers; /* indexed by the result of source_receiver */
    size_t receiver_count;
    const char *notifier; /* name of the receivers' notifier */

    /*
     * A producer calls these functions from its thread: `received` (may be NULL) after each
     * datagram, and `finished` once when its thread ends.
     */
    void (*received)(void *context, size_t datagrams);
    void (*finished)(void *context);
    void *context;

    /*
     * For tests; otherwise NULL. A producer calls this each time before it reads from a connection.
     */
    void (*before_receive)(void *context);
    void *hook_context;
};

/* Returns the index of the receiver that serves socket number `socket` (from 0) of the source. */
static inline size_t source_receiver(const struct source *source, size_t socket, size_t receivers)
{
    return (source->listener.index + socket) % receivers;
}

/* The operations of a source with threads of its own. */
struct producer_ops {
    /* Returns 0, or -1 with `error` filled. */
    int (*start)(void *producer, struct error *error);

    /*
     * Stops the input; data already received may wait for room until `deadline_ns` (monotonic). A
     * later call may only shorten the deadline. Any thread.
     */
    void (*stop)(void *producer, int64_t deadline_ns);

    /*
     * Like `stop`, for a listener that a reload removes; also finishes frames that have begun. NULL
     * if a reload cannot remove the listener.
     */
    void (*leave)(void *producer, int64_t deadline_ns);

    /* Returns true when all threads of the producer have ended. Any thread. */
    bool (*has_finished)(const void *producer);

    /*
     * Returns true if each thread of the producer waits, or has begun an iteration since the last
     * call. Main thread. NULL if that is unknown.
     */
    bool (*is_alive)(void *producer);

    /*
     * Returns true if the input was damaged, which the producer has logged. Called after it has
     * finished. NULL if the input cannot be damaged.
     */
    bool (*was_damaged)(const void *producer);

    /*
     * ask_to_quiesce makes the threads pass on all data and then pause, until `resume`.
     * is_quiescent returns true when all threads have paused; the host's `finished` is called then.
     * ask_to_quiesce may be called before the start, and the threads then begin paused. Later it
     * may only be called when all threads are awake again after the last pause (is_awake). All four
     * are NULL if the producer cannot pause; a reload can then change neither the producer nor the
     * sinks that it feeds.
     */
    void (*ask_to_quiesce)(void *producer);
    bool (*is_quiescent)(const void *producer);
    bool (*is_awake)(const void *producer);
    void (*resume)(void *producer);

    /*
     * Applies new settings while the producer's threads are paused. Returns 0, or -1 with `error`
     * filled; then some settings may have been applied, and the caller calls undo. NULL if a reload
     * cannot change the producer.
     */
    int (*change)(void *producer, const struct listener_config *to, struct error *error);

    /*
     * Undoes the last change, also one that failed, before the threads resume. `to` are the
     * settings from before the change. NULL if `change` is NULL.
     */
    void (*undo)(void *producer, const struct listener_config *to);

    /* Returns the number of open connections. NULL if there are no connections. */
    size_t (*connections)(const void *producer);

    /*
     * Returns the bytes of memory that the producer will have after a change to the settings `to`.
     * NULL if they are too few to be counted.
     */
    size_t (*memory_after)(const void *producer, const struct listener_config *to);

    void (*join)(void *producer);

    /* Called after join, or without a start. NULL is allowed. */
    void (*destroy)(void *producer);
};

struct source_ops {
    const char *scheme; /* "udp" */
    const char *syntax; /* "udp://ADDR:PORT", for messages; capitals are placeholders */
    const char *kind;   /* its name in the ledger */
    enum source_place place;
    const char *no_place; /* error message for a URL without a place */
    unsigned keys;        /* enum source_keys */
    bool ends;            /* it ends by itself after all input has been read */
    bool waits;           /* senders wait while the queues have no room; false: datagrams are lost
                           * then */

    /*
     * Returns the source that serves this place, if the scheme does not determine it (fd:). The
     * keys and operations of the returned source apply. May be called at any time. The pointer
     * is NULL if this source serves every place.
     */
    const struct source_ops *(*at_place)(const char *place);

    /*
     * Completes the settings before they are checked. Pure. NULL if there is nothing to complete.
     */
    void (*complete)(struct listener_config *listener);

    /*
     * Returns why the settings are invalid, or NULL if they are valid. Pure. The pointer is NULL if
     * all settings are valid.
     */
    const char *(*refuse)(const struct listener_config *listener);

    /* Returns true if two listeners of this source exclude each other. NULL if they never do. */
    bool (*conflict)(const struct listener_config *a, const struct listener_config *b);

    /*
     * Checks that this system supports the settings. Returns 0, or -1 with `error` filled. NULL if
     * every system does.
     */
    int (*check)(const struct listener_config *listener, struct error *error);

    /* Checks that the input can be read, without consuming it. Returns as check does. */
    int (*probe)(const struct listener_config *listener, struct error *error);

    /*
     * Called before any listener is opened, with all listeners of the configuration, even if the
     * source has no listener. Returns 0, or -1 with `error` filled. NULL if not needed.
     */
    int (*prepare)(const struct listener_config *listeners, size_t count, struct error *error);

    /* --- for sources that the receivers serve --- */

    /*
     * Returns the number of sockets, each served by one receiver at a time. NULL if there are none.
     */
    size_t (*sockets)(const struct listener_config *listener);

    /*
     * Returns how far sequence numbers of a sender may be out of order because its datagrams are
     * spread over the sockets. Returns 0, or is NULL, if they arrive in order.
     */
    uint64_t (*apart)(const struct listener_config *listener);

    /*
     * Opens the source, also while the receivers are paused. Returns 0, or -1 with `error` filled.
     * After a failure, parts of the source may stay open until remove is called.
     */
    int (*open)(struct source *source, const struct source_host *host, struct error *error);

    /*
     * Logs the address of the source, and values that the kernel did not grant as requested. Called
     * after all threads have started.
     */
    void (*announce)(const struct source *source, const struct source_host *host);

    /*
     * Returns the name of a key that differs and cannot be changed while the listener is open, or
     * NULL.
     */
    const char *(*fixed_key)(const struct listener_config *from, const struct listener_config *to);

    /*
     * Applies new settings. Returns 0, or -1 with `error` filled; then some settings may have been
     * applied, and the caller calls undo.
     */
    int (*change)(struct source *source, const struct source_host *host,
                  const struct listener_config *to, bool keeps_packets, struct error *error);

    /*
     * Undoes the last change, also one that failed. `to` and `keeps_packets` are those from before
     * the change.
     */
    void (*undo)(struct source *source, const struct source_host *host,
                 const struct listener_config *to, bool keeps_packets);

    /*
     * Stops the input. The sockets are closed when the receivers resume: immediately, or if
     * `drains`, after the queued data was received.
     */
    void (*remove)(const struct source *source, const struct source_host *host, bool drains);

    /* --- for sources that have threads of their own --- */

    /* NULL: the receivers serve the source. */
    const struct producer_ops *producer;

    /* Returns the number of the producer's threads. NULL if there is one. */
    size_t (*threads)(const struct listener_config *listener);

    /* Returns the size of the longest message in bytes. NULL if it is that of a datagram. */
    size_t (*longest)(const struct listener_config *listener);

    /* Returns the bytes that create allocates. NULL if they are too few to be counted. */
    size_t (*memory)(const struct listener_config *listener);

    /*
     * Creates the producer; each of its threads passes datagrams on through one element of
     * `threads`. Returns 0, or -1 with `error` filled.
     */
    int (*create)(void **producer, struct source *source, struct ingest_thread *threads,
                  const struct source_host *host, struct error *error);

    /*
     * Texts for messages: why the source has its own thread, and why a reload cannot change, add or
     * remove it. Each of the last three is NULL if a reload can do that.
     */
    const char *own_thread, *no_change, *no_arrival, *no_departure;
};

#endif
