/*
 * The parts of a pipeline as data, shared by the files that work on them. What a file offers to the
 * others is in the header of its name. Each file uses those above it only:
 *
 *   pipeline_events.c       what the parts' threads report
 *   pipeline_numbering.c    what senders' numbers mean from one configuration to the next
 *   pipeline_sources.c      what the pipeline has for each listener
 *   pipeline_producers.c    what fills batches for listeners
 *   pipeline_relays.c       sinks that would send to a listener of ours
 *   pipeline_paths.c       whether parts of a configuration use one file
 *   pipeline_check.c        what a configuration needs, and whether it can be had
 *   pipeline_outputs.c      whether its outputs can be had, before a start
 *   pipeline_probe.c        whether its far ends are there
 *   pipeline_left_spills.c  spills that no sink has
 *   pipeline_sinks.c        sinks, with a way to each from every producer
 *   pipeline_retired.c      what is left of listeners and sinks that were taken away
 *   pipeline_open.c         makes and connects all parts
 *   pipeline_change.c       what becomes of listeners and sinks by another configuration
 *   pipeline_quiesce.c      stops the threads that fill batches for a moment
 *   reload_prepare.c        makes what is new while the others run (reload.h)
 *   reload_sockets.c        changes the sockets
 *   reload_commit.c         puts all of it in place
 *   pipeline_reload.c       runs a reload
 *   pipeline_levels.c       how full everything is
 *   pipeline.c              starts, watches and stops it
 *
 * The main thread owns all of it, but for the atomic members and what a part gives to its own
 * threads.
 */
#ifndef SLUICE_COLLECTOR_PIPELINE_PIPELINE_PARTS_H
#define SLUICE_COLLECTOR_PIPELINE_PIPELINE_PARTS_H

#include "collector/contract/source.h"
#include "collector/pipeline/pipeline.h"

/*
 * What fills batches for one fan-out: a receiver, of one thread or several, or what a source has
 * for itself.
 */
struct producer {
    struct fan_out *fan_out;
    struct ingest_thread *threads; /* NULL: not yet made */
    size_t thread_count;           /* that it has room for */
    const struct producer_ops *ops;
    void *object;              /* that they are about; NULL: not yet made */
    struct receiver *receiver; /* the same, where it is one; NULL: it is a source's own */
    struct source *source;     /* whose own it is */
    bool claimed;     /* else the place is vacant: what its threads had stays for the next */
    bool leaving;     /* a reload has taken its listener away */
    size_t listeners; /* that feed it */
    uint64_t asked;   /* the receiver, the last time (pipeline_refresh_receivers), and when */
    int64_t asked_ns;
};

/* Whether it runs, or is made to. */
static inline bool pipeline_is_live(const struct producer *producer)
{
    return producer->object != NULL;
}

/* Whether its threads can pause while what it feeds is changed. */
static inline bool pipeline_can_quiesce(const struct producer *producer)
{
    return producer->ops->ask_to_quiesce != NULL;
}

/* Both: pipeline_quiesce has it pause. */
static inline bool pipeline_pauses(const struct producer *producer)
{
    return pipeline_is_live(producer) && pipeline_can_quiesce(producer);
}

/* A sink and what leads to it. */
struct sink_slot {
    struct sink_slot *next;           /* of the retired ones */
    const struct sink_config *config; /* its own, which need not be the present one's */
    struct generation *generation;    /* whose that is; NULL: the first one, which outlives all */
    int index;                        /* in the ledger */
    bool counts_on;                   /* in the entry of the one that it is to replace */
    struct sink_thread *sink;
    struct sink_counters *counters;
    struct fan_out_sink *routes; /* to it, by producer */
    size_t route_count;
    bool opened;    /* and started, or that comes next; one before it may still write there */
    int64_t try_ns; /* when that is tried again; 0: it was not tried */
    int64_t
        unopened_ns; /* monotonic: since when it cannot be opened; 0: it can, or was not tried */
    int64_t deadline_ns; /* of its retirement; 0: it is not retired */
};

struct pipeline {
    struct pipeline_options options;
    const struct config *config;
    const struct notifier_backend *notifier;
    struct memory_plan plan;
    struct ledger *ledger;
    struct batch_pool *pool;
    struct encoding_groups *encodings;
    struct sequence_table *sequences;
    uint32_t next_numbering;       /* of the next schema whose numbers no other has */
    bool windows_end;              /* a listener no longer has a numbering that it had */
    struct schema_guess *guess;    /* NULL: no schemas are known to it */
    struct tap *tap;               /* NULL: nobody may watch */
    struct sender_report *senders; /* NULL: nobody may ask */
    struct wakeup *refreshed;
    struct source **known; /* by index in the ledger */
    size_t known_count;
    struct source **sources;    /* by listener */
    struct producer *producers; /* room for all that there can ever be: each keeps its place */
    size_t producer_count;
    size_t receiver_count;       /* of the producers, the first ones */
    size_t fixed_count;          /* with those that no reload touches, which come next */
    struct receiver **receivers; /* those of them */
    struct source_host host;     /* what sources are given */
    size_t receiver_threads;     /* of each of them */
    struct sink_slot **slots;    /* by sink */
    struct sink_slot *retired;   /* those that have not come to their end */
    struct left_spill *left;     /* spills that no sink has since a reload */
    struct generation *generations;
    int64_t groups_ns; /* when multicast groups are looked at again */
    bool stopping;
    int64_t deadline_ns;               /* of the stop */
    struct dead_letters *dead_letters; /* NULL: none are kept */
    uint64_t max_datagrams;            /* 0: any number */
    _Atomic uint64_t received;
    _Atomic bool limit_reached;
    _Atomic bool failed;
};

#endif
