/*
 * A source: what a listener's datagrams come in by.
 *
 * An interface. Each kind of listener implements it, one file each, and collector/receive/sources.h
 * lists all of them; nothing outside such a file asks what kind a listener is. A source is served
 * by the receivers, which all such sources share, or it has a thread of its own.
 *
 * Order: parse and refuse while the configuration is read; check before anything is opened; prepare
 * once for all listeners; open; announce when all threads run; while the receivers stand still
 * change, or remove; a producer of its own is started, changed, stopped, joined and destroyed by
 * the pipeline. Main thread.
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

/* What follows the scheme and its colon. */
enum source_place {
    PLACE_ADDRESS, /* "//ADDR:PORT" */
    PLACE_NAME,    /* a text that is not empty */
    PLACE_PATH,    /* the same, of a file: it is made absolute where that is wanted */
};

/* Which keys it has, beside those that every listener has. */
enum source_keys {
    SOURCE_KEYS_SOCKET = 1 << 0,
    SOURCE_KEYS_CAPTURE = 1 << 1,
    SOURCE_KEYS_STREAM = 1 << 8,
};

/* A listener as it runs. It stays, as it is in the ledger, when it is retired. */
struct source {
    struct listener listener;
    const struct listener_config *config; /* of the present configuration; NULL: it is retired */
    char *name;                           /* the listener's; owned */
    char *schema_names;                   /* the listener's; owned */
    struct schema_slot *schemas;
    struct rate_limit *rate_limit;  /* the listener's; NULL: none */
    struct mismatch_hint *hint;     /* the listener's */
    struct ingest_counters *at_end; /* the main thread's: what is found at the end */
    bool leaving;                   /* retired, and what it holds is not yet given back */

    /* Set by open. */
    struct address address;  /* that it is bound to; zero: to none */
    size_t granted;          /* bytes of receive buffer, for each socket */
    _Atomic bool group_lost; /* its multicast group is not joined: the interface has gone */
};

/* What the pipeline has for its sources. */
struct source_host {
    struct ledger *ledger;
    struct receiver *const *receivers; /* in the order of source_receiver */
    size_t receiver_count;
    const char *notifier; /* the name of what the receivers wait by */

    /* A producer calls these from its thread: after each datagram, where it is not NULL; and once,
     * when it has done all it will do. */
    void (*received)(void *context, size_t datagrams);
    void (*finished)(void *context);
    void *context;

    /* For tests, NULL otherwise: called before each receive of a producer's that has any. */
    void (*before_receive)(void *context);
    void *hook_context;
};

/* Of the receivers, the one that serves the source's socket of that number, counted from 0. */
static inline size_t source_receiver(const struct source *source, size_t socket, size_t receivers)
{
    return (source->listener.index + socket) % receivers;
}

/* What fills batches by a thread of its own, or by several. */
struct producer_ops {
    /* Returns 0, or -1 with `error` filled. */
    int (*start)(void *producer, struct error *error);

    /*
     * Any thread: no more is taken in; what was may wait for room until `deadline_ns` (monotonic).
     * Calling it again brings the deadline forward.
     */
    void (*stop)(void *producer, int64_t deadline_ns);

    /*
     * The same of a listener that a reload takes away: what has begun is finished, too. NULL: no
     * reload does.
     */
    void (*leave)(void *producer, int64_t deadline_ns);

    /* Any thread. */
    bool (*has_finished)(const void *producer);

    /*
     * Main thread: whether each of its threads waits, or has begun a turn since this was last
     * asked. NULL: that is not known of it.
     */
    bool (*is_alive)(void *producer);

    /* After it has finished: its input was damaged, as the log said. NULL: it never is. */
    bool (*was_damaged)(const void *producer);

    /*
     * Has its threads stand still, with all that they took offered, until it resumes: they do when
     * is_quiescent says so, and the host's `finished` is called then. They are asked when all of
     * them are awake, from the last time; or before the start, and then they begin so. NULL, all
     * four: it cannot, and no reload changes it, or what it feeds.
     */
    void (*ask_to_quiesce)(void *producer);
    bool (*is_quiescent)(const void *producer);
    bool (*is_awake)(const void *producer);
    void (*resume)(void *producer);

    /*
     * While they stand still: it follows its new settings. Returns 0, or -1 with `error` filled and
     * nothing changed; to change it back cannot fail. NULL: no reload changes it.
     */
    int (*change)(void *producer, const struct listener_config *to, struct error *error);

    /* Connections that are open, at this moment. NULL: it has none. */
    size_t (*connections)(const void *producer);

    /* Bytes that it then takes. NULL: none worth counting. */
    size_t (*memory_after)(const void *producer, const struct listener_config *to);

    void (*join)(void *producer);

    /* After the join, or instead of the start. NULL is allowed. */
    void (*destroy)(void *producer);
};

struct source_ops {
    const char *scheme; /* "udp" */
    const char *syntax; /* "udp://ADDR:PORT", for people; capitals are placeholders */
    const char *kind;   /* what the ledger calls it */
    enum source_place place;
    const char *no_place; /* what is wrong where the place is empty, for people */
    unsigned keys;        /* enum source_keys */
    bool ends;            /* by itself, when all was read */
    bool waits;           /* whoever sends waits where there is no room; else that is lost */

    /*
     * Who serves the place, where that is not said by the scheme alone: its keys are those, and its
     * operations. Any time after the start. NULL: this source does.
     */
    const struct source_ops *(*at_place)(const char *place);

    /* Completes what was written, before it is looked at. Pure. NULL: nothing is to be done. */
    void (*complete)(struct listener_config *listener);

    /* Why what was written cannot be, or NULL. Pure. NULL: nothing is refused. */
    const char *(*refuse)(const struct listener_config *listener);

    /* Whether two listeners of this source cannot both be had. NULL: they always can. */
    bool (*conflict)(const struct listener_config *a, const struct listener_config *b);

    /* Whether this system can do it. Returns 0, or -1 with `error` filled. NULL: it can. */
    int (*check)(const struct listener_config *listener, struct error *error);

    /* Whether what it reads can be read, as far as that is seen without using it up. As above. */
    int (*probe)(const struct listener_config *listener, struct error *error);

    /*
     * Before any listener is opened, with all that the configuration has, also where none of them
     * is of this source.
     * Returns 0, or -1 with `error` filled. NULL: nothing is to be done.
     */
    int (*prepare)(const struct listener_config *listeners, size_t count, struct error *error);

    /* --- of sources that the receivers serve --- */

    /* The sockets that it has, each served by one receiver at a time. NULL: it has none. */
    size_t (*sockets)(const struct listener_config *listener);

    /*
     * By how much a number of a sender may come late as its datagrams are spread over the sockets.
     * 0, and NULL: they come as they were sent.
     */
    uint64_t (*apart)(const struct listener_config *listener);

    /*
     * Opens it, also while the receivers stand still. Returns 0, or -1 with `error` filled: some of
     * it may be open all the same, until it is removed.
     */
    int (*open)(struct source *source, const struct source_host *host, struct error *error);

    /* When all runs: says in the log where it listens, and what was not granted. */
    void (*announce)(const struct source *source, const struct source_host *host);

    /* The key that differs and that no listener which is open can change, or NULL. */
    const char *(*fixed_key)(const struct listener_config *from, const struct listener_config *to);

    /*
     * Has it follow its new settings. Returns 0, or -1 with `error` filled: then some of them may
     * hold. The caller changes it back.
     */
    int (*change)(struct source *source, const struct source_host *host,
                  const struct listener_config *to, bool keeps_packets, struct error *error);

    /*
     * It takes nothing new, and leaves when the receivers resume: `drains`, when what is queued was
     * received; else at once.
     */
    void (*remove)(const struct source *source, const struct source_host *host, bool drains);

    /* --- of sources that have a thread of their own --- */

    /* NULL: the receivers serve it. */
    const struct producer_ops *producer;

    /* Its threads. NULL: there is one. */
    size_t (*threads)(const struct listener_config *listener);

    /* Bytes of the longest message that it takes. NULL: those of a datagram. */
    size_t (*longest)(const struct listener_config *listener);

    /* Bytes that its producer takes when it is made. NULL: none worth counting. */
    size_t (*memory)(const struct listener_config *listener);

    /*
     * Makes its producer, each thread of which passes datagrams on by one of `threads`. Returns 0,
     * or -1 with `error` filled.
     */
    int (*create)(void **producer, struct source *source, struct ingest_thread *threads,
                  const struct source_host *host, struct error *error);

    /* Why it has one, and why a reload cannot change, add or end it (NULL: it can); for people. */
    const char *own_thread, *no_change, *no_arrival, *no_departure;
};

#endif
