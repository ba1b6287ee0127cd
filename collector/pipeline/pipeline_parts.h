/*
 * The data of a pipeline, shared by the files that work on it. Each file uses only files that are
 * above it in this list:
 *
 *   pipeline_events.c       callbacks of the parts' threads
 *   pipeline_numbering.c    keeps or closes senders' sequences when the configuration changes
 *   pipeline_producers.c    the threads that fill batches for listeners
 *   pipeline_sources.c      the state of each listener
 *   pipeline_keys.c         the keys of senders of sealed datagrams
 *   pipeline_relays.c       finds sinks that would send to one of our listeners
 *   pipeline_paths.c        finds parts of a configuration that use the same file
 *   pipeline_check.c        what a configuration needs, and whether it can run
 *   pipeline_outputs.c      checks before a start whether outputs can be opened
 *   pipeline_probe.c        checks whether the sinks' far ends can be reached
 *   pipeline_left_spills.c  spills that no sink uses
 *   pipeline_sinks.c        sinks, and a queue to each from every producer
 *   pipeline_room.c         divides the batches while removed sinks still hold some
 *   pipeline_retired.c      removed listeners and sinks until they have ended
 *   pipeline_open.c         makes and connects all parts
 *   pipeline_change.c       compares two configurations
 *   pipeline_quiesce.c      pauses the threads that fill batches
 *   reload_prepare.c        makes the new parts while the others run (reload.h)
 *   reload_sockets.c        changes the sockets
 *   reload_commit.c         puts the new parts in place
 *   reload_report.c         the changes of a reload, for the log
 *   pipeline_reload.c       runs a reload
 *   pipeline_levels.c       how full queues, buffers and spills are
 *   pipeline.c              starts, watches and stops the pipeline
 *
 * The main thread owns everything except the atomic members and what a part passes to its own
 * threads.
 */
#ifndef SLUICE_COLLECTOR_PIPELINE_PIPELINE_PARTS_H
#define SLUICE_COLLECTOR_PIPELINE_PIPELINE_PARTS_H

#include "collector/contract/source.h"
#include "collector/pipeline/pipeline.h"

/*
 * Fills batches for one fan-out: a receiver with one or more threads, or the threads of one source.
 */
struct producer {
    struct fan_out *fan_out;
    struct ingest_thread *threads; /* NULL until the memory is allocated */
    size_t thread_count;           /* capacity of `threads` */
    const struct producer_ops *ops;
    void *object;              /* first argument of `ops`; NULL until it is created */
    struct receiver *receiver; /* `object` if it is a receiver, otherwise NULL */
    struct source *source;     /* the only source that the producer serves; NULL if the producer is
                                * a receiver */
    bool claimed;              /* false: the producer is vacant, but keeps the memory of its
                                * threads */
    bool leaving;              /* a reload has removed the producer's listener */
    size_t listeners;          /* number of listeners that it serves */
    uint64_t asked;            /* number of the latest request for the kernel's drops, and its
                                * time */
    int64_t asked_ns;
};

/* Returns true if the producer's object exists: the producer runs, or is about to run. */
static inline bool pipeline_is_live(const struct producer *producer)
{
    return producer->object != NULL;
}

/* Returns true if the producer's threads can pause while its fan-out is changed. */
static inline bool pipeline_can_quiesce(const struct producer *producer)
{
    return producer->ops->ask_to_quiesce != NULL;
}

/* Returns true if pipeline_quiesce pauses the producer. */
static inline bool pipeline_pauses(const struct producer *producer)
{
    return pipeline_is_live(producer) && pipeline_can_quiesce(producer);
}

/* A sink and the queues that lead to it. */
struct sink_slot {
    struct sink_slot *next;           /* the next in the list of retired sinks */
    const struct sink_config *config; /* may belong to an earlier configuration */
    struct generation *generation;    /* owns `config`. NULL: `config` is the configuration of the
                                       * start, which outlives all sinks */
    int index;                        /* the index of the sink's ledger entry */
    bool counts_on;                   /* true: this sink replaces a live sink and shares its ledger
                                       * entry */
    struct sink_thread *sink;
    struct sink_counters *counters;
    struct fan_out_sink *routes; /* queues to this sink, by producer */
    size_t route_count;
    bool successor;      /* true: the sink was added while removed sinks were ending, and some of
                          * them still are */
    bool opened;         /* true: the sink is open, and is running or about to run. false: an
                          * earlier sink may still use its file */
    int64_t try_ns;      /* monotonic: the next attempt to open the sink; 0: not yet tried */
    int64_t unopened_ns; /* monotonic: when opening began to fail; 0: opened, or not yet tried */
    int64_t deadline_ns; /* monotonic: the end of the sink's retirement; 0: not retired */
};

struct pipeline {
    struct pipeline_options options;
    const struct config *config;
    const struct notifier_backend *notifier;
    struct memory_plan plan;
    struct ledger *ledger;
    struct batch_pool *pool;
    struct sequence_table *sequences;
    uint32_t next_numbering;       /* the next new numbering (pipeline_numbering.h) */
    bool windows_end;              /* pipeline_close_windows has windows to close */
    struct schema_guess *guess;    /* NULL: the configuration has no schemas to suggest */
    struct tap *tap;               /* NULL: no `control` */
    struct sender_report *senders; /* NULL: neither `control` nor `metrics` */
    struct wakeup *refreshed;      /* signalled by pipeline_changed */
    struct source **known;         /* sources by index in the ledger */
    size_t known_count;
    struct source **sources;    /* sources by index in the configuration */
    struct producer *producers; /* allocated for the largest number, so they never move */
    size_t producer_count;
    size_t receiver_count; /* the number of receivers, which are the first producers */
    size_t fixed_count;    /* the number of producers, from the first, that no reload changes */
    struct receiver **receivers; /* array of receiver_count receivers */
    struct source_host host;     /* the functions and data that sources get from the pipeline */
    size_t receiver_threads;     /* number of threads of each receiver */
    struct sink_slot **slots;    /* sinks by index in the configuration */
    struct sink_slot *retired;   /* sinks that a reload has removed and that have not ended, the
                                    latest first */
    struct left_spill *left;     /* list of spills left by removed sinks */
    struct key_state *states;    /* list of open state files (pipeline_keys.h) */
    struct generation *generations;
    int64_t groups_ns; /* monotonic: the next check of multicast groups */
    bool stopping;
    bool quiesced;                     /* producers are paused (pipeline_quiesce.h) */
    int64_t deadline_ns;               /* monotonic: the deadline of pipeline_stop */
    struct dead_letters *dead_letters; /* NULL: none are kept */
    uint64_t max_datagrams;            /* 0: any number */
    _Atomic uint64_t received;
    _Atomic bool limit_reached;
    _Atomic bool failed;
};

#endif
