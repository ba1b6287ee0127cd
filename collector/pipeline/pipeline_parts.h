/*
 * The pipeline's parts, shared by the files that make it up. Each file uses those above it alone:
 *
 *   pipeline_events.c     what the parts' threads report
 *   pipeline_sources.c    what the pipeline has for each listener
 *   pipeline_producers.c  who fills batches for listeners
 *   pipeline_relays.c     sinks that would send to a listener of ours
 *   pipeline_check.c      what a configuration needs, and whether it can be had
 *   pipeline_numbering.c  what senders' numbers mean from one configuration to the next
 *   pipeline_sinks.c      sinks, with a way to each from every producer
 *   pipeline_retired.c    what is left of listeners and sinks that were taken away
 *   pipeline_open.c       makes and connects all parts
 *   pipeline_change.c     what becomes of listeners and sinks by another configuration
 *   pipeline_quiesce.c    stops the threads that fill batches for a moment
 *   reload_prepare.c      makes what is new by it while the others run (reload.h)
 *   reload_sockets.c      changes the sockets
 *   reload_commit.c       puts all of it in place
 *   pipeline_reload.c     does all that in its order
 *   pipeline_levels.c     how all of it stands
 *   pipeline.c            starts, watches and stops it
 *
 * For nobody else.
 */
#ifndef SLUICE_COLLECTOR_PIPELINE_PIPELINE_PARTS_H
#define SLUICE_COLLECTOR_PIPELINE_PIPELINE_PARTS_H

#include <stdatomic.h>

#include "collector/contract/source.h"
#include "collector/output/fan_out.h"
#include "collector/output/sink_thread.h"
#include "collector/pipeline/memory_plan.h"
#include "collector/pipeline/pipeline.h"
#include "collector/platform/wakeup.h"
#include "collector/queue/tap.h"
#include "collector/receive/dead_letters.h"
#include "collector/receive/ingest.h"
#include "collector/receive/receiver.h"
#include "collector/record/batch.h"
#include "collector/record/mismatch_hint.h"
#include "collector/record/schema_list.h"
#include "collector/senders/sender_report.h"
#include "collector/senders/sequence.h"

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
    bool taken;       /* else the place is vacant: what its threads had stays for the next */
    bool leaving;     /* a reload has taken its listener away */
    size_t listeners; /* that feed it */
    uint64_t asked;   /* the receiver, the last time (pipeline_ask_receivers), and when */
    int64_t asked_ns;
};

/* A configuration that a reload has brought, owned, as long as parts of it are in use. */
struct generation {
    struct generation *next;
    struct config *config;
    size_t slots; /* that were made from it */
};

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
    bool opened;         /* and started, or that comes next; one before it may still write there */
    int64_t try_ns;      /* when that is tried again; 0: it was not tried */
    int64_t unopened_ns; /* monotonic: since when it cannot be opened; 0: it can, or was not tried */
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
    struct source **sources; /* by listener */
    struct producer
        *producers; /* with room for all that there can ever be: each stays in its place */
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
    int64_t deadline_ns;          /* of the stop */
    struct dead_letters *letters; /* NULL: none are kept */
    uint64_t max_datagrams;       /* 0: any number */
    _Atomic uint64_t received;
    _Atomic bool limit_reached;
    _Atomic bool failed;
};

/* --- making parts, also while others run (pipeline_sources.c, pipeline_sinks.c) --------------
 */

/*
 * Makes the source of the listener at `index` of a configuration, or takes up a retired one; the
 * list becomes its own in any case. Returns NULL with `error` filled.
 */
struct source *pipeline_add_source(struct pipeline *pipeline, const struct config *whole,
                                   size_t index, struct schema_list *list, struct error *error);

/* What of it follows from the configuration alone, while nobody uses it. */
void pipeline_set_source(struct pipeline *pipeline, struct source *source,
                         const struct listener_config *config);

/* Whether a sink writes datagrams whole, so that listeners are to keep them. */
bool pipeline_wants_packets(const struct config *config);

/* What the listener keeps for the configuration's sinks: datagrams whole, those not decoded. */
void pipeline_set_keeps(struct source *source, const struct config *whole);

/* Makes the limit that the configuration has. Returns 0 with *limit (NULL: none), or -1. */
int pipeline_make_rate_limit(const struct listener_config *config, struct rate_limit **limit,
                             struct error *error);

/*
 * Makes the sink at `index` of a configuration, with a queue from each producer, neither opened nor
 * fed. Returns NULL, as above.
 */
struct sink_slot *pipeline_make_sink(struct pipeline *pipeline, const struct config *whole,
                                     size_t index, size_t capacity, struct error *error);

/*
 * Connects a sink, which may run, with a producer that has taken its place. Returns 0, or -1 with
 * `error` filled.
 */
int pipeline_connect_sink(struct pipeline *pipeline, struct sink_slot *slot,
                          const struct producer *producer, size_t capacity, struct error *error);
void pipeline_destroy_sink(struct sink_slot *slot);

/* Of one that was made and offered nothing: the ledger is as if it had not been. */
void pipeline_cancel_entry(struct pipeline *pipeline, struct sink_slot *slot);

/* --- who fills batches (pipeline_producers.c) ------------------------------------------------- */

/* Threads of a source that has its own. */
size_t pipeline_threads_of(const struct listener_config *listener);

/* Sockets of a listener; 0: it has none. */
size_t pipeline_sockets_of(const struct listener_config *listener);

/*
 * What fills batches for a source: the number of its producers, and the one at `index`. One that is
 * served by receivers has one for each of its sockets, perhaps the same; another one has its own.
 */
size_t pipeline_producers_of(const struct source *source);
struct producer *pipeline_producer_of(const struct pipeline *pipeline, const struct source *source,
                                      size_t index);

/* Whether its threads can pause while what it feeds is changed. */
static inline bool pipeline_can_quiesce(const struct producer *producer)
{
    return producer->ops->ask_to_quiesce != NULL;
}

/* Counts the listeners of each producer. */
void pipeline_count_listeners(struct pipeline *pipeline);

/* Whether it runs, or is made to. */
static inline bool pipeline_is_live(const struct producer *producer)
{
    return producer->object != NULL;
}

/* Both: pipeline_quiesce has it pause. */
static inline bool pipeline_pauses(const struct producer *producer)
{
    return pipeline_is_live(producer) && pipeline_can_quiesce(producer);
}

/*
 * Takes a place for a producer of so many threads: a vacant one that has as many, and from which
 * no sink still has batches, or a new one.
 */
struct producer *pipeline_take_place(struct pipeline *pipeline, size_t threads);

/*
 * Makes what so many threads have that is not there, with a fan-out that has no sinks yet. Returns
 * 0, or -1 with `error` filled.
 */
int pipeline_make_producer(struct pipeline *pipeline, struct producer *producer, size_t threads,
                           enum fan_out_waiting waiting, struct error *error);

/* The same for a source that has its own: its place is taken. */
int pipeline_make_own(struct pipeline *pipeline, struct producer *producer, struct source *source,
                      struct error *error);

/* Makes what its threads run. Returns as above. */
int pipeline_create_producer(struct pipeline *pipeline, struct producer *producer,
                             struct error *error);

/* Of one that was not started: nothing will come of it. */
void pipeline_close_producer(struct producer *producer);
void pipeline_destroy_producer(struct producer *producer);

/* Of one that was not started, or has finished: its place is vacant. */
void pipeline_vacate(struct pipeline *pipeline, struct producer *producer);

/* --- what is retired (pipeline_retired.c) ----------------------------------------------------- */

/* The sink is offered nothing more: it writes what it has, until the deadline. */
void pipeline_retire_sink(struct pipeline *pipeline, struct sink_slot *slot, int64_t deadline_ns);

/*
 * Spills that no sink has, and that hold records: writes them to `levels`, unless it is NULL.
 * Returns how many there are at most. Freed with pipeline_forget_left_spills.
 */
struct left_level;
size_t pipeline_left_spills(const struct pipeline *pipeline, struct left_level *levels);
void pipeline_forget_left_spills(struct pipeline *pipeline);

/* The entry in the ledger of the sink that left the spill of this one, by its name, or -1. */
int pipeline_left_entry(const struct pipeline *pipeline, const struct sink_config *config);

/*
 * Where the records of the spill that this sink is to have are counted: it was left by a sink of the
 * same entry in the ledger. NULL: it was not.
 */
struct sink_counters *pipeline_left_counters(const struct pipeline *pipeline,
                                             const struct sink_slot *slot);

/* After a reload: a spill that a sink has again is not left any more. */
void pipeline_take_left_spills(struct pipeline *pipeline);

/* A sink has come to its end: notes and logs what stays in its spill, where no sink has that. */
void pipeline_leave_spill(struct pipeline *pipeline, const struct sink_slot *slot);

/* Whether it is not open yet, and has the spill of another one that still is. */
bool pipeline_waits_for_spill(const struct sink_slot *slot, const struct sink_slot *before);

/* Whether receivers still have sockets of listeners that were taken away. */
bool pipeline_sockets_leave(const struct pipeline *pipeline);

/* Whether what a source has for itself, or any of them (NULL), has not come to its end since a
 * reload took the listener away. */
bool pipeline_producer_leaves(const struct pipeline *pipeline, const struct source *source);

/* Frees what has come to its end, and opens what has waited for that. */
void pipeline_look_after(struct pipeline *pipeline);

/* Once no retired sink holds any: there are as many batches as the plan says. */
void pipeline_give_back_batches(struct pipeline *pipeline);

/* Frees the configurations that nobody uses any more, or all. */
void pipeline_free_generations(struct pipeline *pipeline, bool all);

/* Whether nothing is left that has not come to its end. */
bool pipeline_is_quiescent(const struct pipeline *pipeline);

/* --- what a configuration is (pipeline_check.c) ----------------------------------------------- */

/* What a sink is by its configuration alone. */
struct sink_thread_options pipeline_sink_options(const struct sink_config *config);

/*
 * The same with room for records of messages as long as the configuration has them: these are
 * written in a few times the bytes that they came in.
 */
struct sink_thread_options pipeline_sink_of(const struct config *config,
                                            const struct sink_config *sink);

/* Bytes that large batches need for the longest messages. */
size_t pipeline_large_batch(const struct config *config);

/*
 * Threads that share a notifier have one fan_out; others have each their own. Returns 0, or -1 with
 * `error` filled (EXIT_CODE_INTERNAL).
 */
int pipeline_count_needs(const struct config *config, const struct notifier_backend *notifier,
                         uint64_t reserved, struct memory_needs *needs, struct error *error);

/*
 * Whether no two of sinks, spills, dead letters, --control and captures use one file by two names,
 * as far as their files are there, or their folders. Returns 0, or -1 with `error` filled.
 */
int pipeline_check_places(const struct config *config, struct error *error);

/* Whether two sinks write to one place, by whatever names. */
bool pipeline_sinks_meet(const struct sink_config *a, const struct sink_config *b);

/*
 * Whether no sink passes datagrams on to one of the listeners: by their settings, or, where the
 * sources are open (else NULL), by where they are bound. Returns 0, or -1 with `error` filled.
 */
int pipeline_check_relays(const struct config *config, struct source *const *sources,
                          struct error *error);

/* What no URL alone can show. Returns 0, or -1 with `error` filled. */
int pipeline_check_config(const struct config *config, struct error *error);

/*
 * Makes, opens and connects all parts, in a pipeline that has its options and is zero otherwise.
 * Returns 0, or -1 with `error` filled; pipeline_destroy frees what there is.
 */
int pipeline_open(struct pipeline *pipeline, struct error *error);

/*
 * Makes the schemas of all listeners, of equal ones once, and checks that every
 * sink can show them as its keys say. Returns as many lists as there are listeners, in memory to
 * be freed, a reference in each, or NULL with `error` filled.
 */
struct schema_list **pipeline_make_schemas(const struct config *config, struct error *error);

/* Has the sources prepare for all listeners. Returns 0, or -1 with `error` filled. */
int pipeline_prepare_sources(const struct config *config, struct error *error);

/* --- what senders' numbers mean (pipeline_numbering.c) ----------------------------------------
 */

/*
 * Gives the schemas of so many lists, which no listener has yet, their numberings: those of the
 * listeners' present schemas where the numbers are the same. On the main thread, as the others.
 */
void pipeline_number_schemas(struct pipeline *pipeline, struct schema_list *const *lists,
                             size_t count);

/* Puts a list (NULL: none) in the place of the source's present one, and takes it over. */
void pipeline_put_schemas(struct pipeline *pipeline, struct source *source,
                          struct schema_list *list);

/* Closes the windows of senders whose numbering their listener no longer has. */
void pipeline_close_windows(struct pipeline *pipeline);

/* Counts what was unseen in a window that is closed; `context` is the pipeline. */
void pipeline_count_lost(void *context, uint32_t listener, uint64_t lost);

/* --- what becomes of them by another configuration (pipeline_change.c) ------------------------ */

#define PIPELINE_NEW SIZE_MAX

/* For each listener and each sink of the next configuration: which of the present one it was. */
struct change {
    size_t *listeners; /* the same address; its keys may differ */
    size_t *sinks;     /* the same in all */
    bool same_sinks;   /* no other, none more and none less */
};

/* Returns 0, the change to be cleared, or -1 with `error` filled where it cannot be made. */
int pipeline_compare(const struct pipeline *pipeline, const struct config *to,
                     struct change *change, struct error *error);
void pipeline_change_clear(struct change *change);

/* Whether one of `count` entries of a change's list is `index`, of the present configuration. */
bool pipeline_is_kept(const size_t *list, size_t count, size_t index);

/* --- what the parts' threads call, with the pipeline as their context (pipeline_events.c) ----- */
void pipeline_changed(void *pipeline);
void pipeline_pool_low(void *pipeline);
void pipeline_socket_failed(void *pipeline);
void pipeline_count_received(void *pipeline, size_t datagrams);

#endif
