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
    SOURCE_KEYS_TCP = 1 << 14,   /* of streams over IP */
    SOURCE_KEYS_LOCAL = 1 << 15, /* of streams over a local socket */
    SOURCE_KEYS_DTLS = 1 << 16,  /* of encrypted datagrams */
};

/* A running listener. It is kept for the ledger after it has been removed. */
struct source {
    struct listener listener;
    const struct listener_config *config; /* its current settings; NULL: it was removed */
    char *name;                           /* `listener.name`; owned */
    char *schema_names;                   /* `listener.schema_names`; owned */
    struct schema_slot *schemas;
    struct rate_limit *rate_limit; /* `listener.rate_limit`; NULL: none */
    struct sender_keys *keys;      /* `listener.keys`; NULL: none */
    struct mismatch_hint *hint;    /* `listener.hint` */
    struct dtls_settings *dtls;    /* `listener.dtls`; NULL: none */
    /* The settings before a change that is not kept or undone yet
     * (collector/receive/dtls_source.h). */
    struct dtls_settings *dtls_before;
    struct ingest_counters *at_end; /* counters of the main thread, for the final reads */
    bool leaving;                   /* it was removed, and its resources are not freed yet */

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
     * For tests; otherwise NULL. Called before each receive of a producer that receives datagrams.
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
     * Stops the input, as `stop` does, for a listener that a reload removes; frames that have begun
     * are also finished. NULL: a reload cannot remove the listener.
     */
    void (*leave)(void *producer, int64_t deadline_ns);

    /* Returns whether all threads of the producer have ended. Any thread. */
    bool (*has_finished)(const void *producer);

    /*
     * Returns whether each thread of the producer waits, or has begun an iteration since the last
     * call. Main thread. NULL: unknown.
     */
    bool (*is_alive)(void *producer);

    /*
     * Returns whether the input was damaged; the producer has logged that. Called after it has
     * finished. NULL: never.
     */
    bool (*was_damaged)(const void *producer);

    /*
     * ask_to_quiesce makes the threads pause after they have passed on all data, until `resume`.
     * is_quiescent is true when all have paused; the host's `finished` is called then. Call
     * ask_to_quiesce only when all threads are awake again after the previous pause (is_awake), or
     * before the start; in the latter case the threads begin paused. All four are NULL if the
     * producer cannot pause; then a reload can change neither it nor the sinks that it feeds.
     */
    void (*ask_to_quiesce)(void *producer);
    bool (*is_quiescent)(const void *producer);
    bool (*is_awake)(const void *producer);
    void (*resume)(void *producer);

    /*
     * Applies new settings while the producer's threads are paused. Returns 0, or -1 with `error`
     * filled and the old settings kept; changing back to the old settings cannot fail. NULL: a
     * reload cannot change the producer.
     */
    int (*change)(void *producer, const struct listener_config *to, struct error *error);

    /* Returns the number of open connections. NULL: not applicable. */
    size_t (*connections)(const void *producer);

    /*
     * Returns the bytes of memory that the producer will have after a change to the settings `to`.
     * NULL: not worth counting.
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
    const char *no_place; /* error message for a URL with nothing after the scheme */
    unsigned keys;        /* enum source_keys */
    bool ends;            /* it ends by itself after all input has been read */
    bool waits;           /* senders wait while there is no room; false: data is lost */

    /*
     * Returns the source that serves this place, if the scheme does not determine it (fd:); the
     * keys and operations of the returned source apply. Called at any time after program start.
     * NULL: this source.
     */
    const struct source_ops *(*at_place)(const char *place);

    /*
     * Completes the settings before they are checked. Pure. NULL: the settings need no completion.
     */
    void (*complete)(struct listener_config *listener);

    /* Returns why the settings are invalid, or NULL. Pure. NULL: always valid. */
    const char *(*refuse)(const struct listener_config *listener);

    /* Returns whether two listeners of this source exclude each other. NULL: never. */
    bool (*conflict)(const struct listener_config *a, const struct listener_config *b);

    /*
     * Checks that this system supports the settings. Returns 0, or -1 with `error` filled. NULL:
     * they are always supported.
     */
    int (*check)(const struct listener_config *listener, struct error *error);

    /* Checks that the input can be read, without consuming it. Returns as check does. */
    int (*probe)(const struct listener_config *listener, struct error *error);

    /*
     * Called before any listener is opened, with all listeners of the configuration, even if the
     * source has no listener. Returns 0, or -1 with `error` filled. NULL: not needed.
     */
    int (*prepare)(const struct listener_config *listeners, size_t count, struct error *error);

    /* --- for sources that the receivers serve --- */

    /* Returns the number of sockets, each served by one receiver at a time. NULL: 0. */
    size_t (*sockets)(const struct listener_config *listener);

    /*
     * Returns how far sequence numbers of a sender may be out of order because its datagrams are
     * spread over the sockets. 0 or NULL: they arrive in order.
     */
    uint64_t (*apart)(const struct listener_config *listener);

    /*
     * Opens the source, also while the receivers are paused. Returns 0, or -1 with `error` filled;
     * after a failure, parts of the source may be open until remove.
     */
    int (*open)(struct source *source, const struct source_host *host, struct error *error);

    /*
     * Logs the address of the source, and requests that the kernel did not grant. Called after all
     * threads have started.
     */
    void (*announce)(const struct source *source, const struct source_host *host);

    /*
     * Returns the name of a key that differs and cannot be changed while the listener is open, or
     * NULL.
     */
    const char *(*fixed_key)(const struct listener_config *from, const struct listener_config *to);

    /*
     * Applies new settings. Returns 0, or -1 with `error` filled; then some settings may have been
     * applied, and the caller changes back to the old settings.
     */
    int (*change)(struct source *source, const struct source_host *host,
                  const struct listener_config *to, bool keeps_packets, struct error *error);

    /*
     * Stops the input. The sockets are closed when the receivers resume: if `drains`, after the
     * queued data was received; otherwise immediately.
     */
    void (*remove)(const struct source *source, const struct source_host *host, bool drains);

    /* --- for sources that have threads of their own --- */

    /* NULL: the receivers serve the source. */
    const struct producer_ops *producer;

    /* Returns the number of the producer's threads. NULL: 1. */
    size_t (*threads)(const struct listener_config *listener);

    /* Returns the bytes of the longest message. NULL: those of a datagram. */
    size_t (*longest)(const struct listener_config *listener);

    /* Returns the bytes that create allocates. NULL: not worth counting. */
    size_t (*memory)(const struct listener_config *listener);

    /*
     * Creates the producer; each of its threads passes datagrams on through one element of
     * `threads`. Returns 0, or -1 with `error` filled.
     */
    int (*create)(void **producer, struct source *source, struct ingest_thread *threads,
                  const struct source_host *host, struct error *error);

    /*
     * Texts for messages: why the source has its own thread, and why a reload cannot change, add or
     * remove it (NULL: a reload can).
     */
    const char *own_thread, *no_change, *no_arrival, *no_departure;
};

#endif
