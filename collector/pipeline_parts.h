/*
 * The pipeline's parts, shared by the three files that make it up: pipeline_check.c says what a
 * configuration needs and whether it can be had, pipeline_open.c makes and connects the parts,
 * pipeline.c starts, watches and stops them. For nobody else.
 */
#ifndef SLUICE_COLLECTOR_PIPELINE_PARTS_H
#define SLUICE_COLLECTOR_PIPELINE_PARTS_H

#include <stdatomic.h>

#include "collector/batch.h"
#include "collector/capture_player.h"
#include "collector/dead_letters.h"
#include "collector/feed.h"
#include "collector/intake.h"
#include "collector/memory_plan.h"
#include "collector/pipeline.h"
#include "collector/receiver.h"
#include "collector/schema_list.h"
#include "collector/sender_report.h"
#include "collector/sequence.h"
#include "collector/sink_thread.h"
#include "collector/tap.h"
#include "collector/wakeup.h"

struct source {
    struct listener listener;
    char *bound_name;   /* the listener's name where the system chose the port, else NULL */
    char *schema_names; /* the listener's */
    struct schema_slot *schemas;
    struct rate_limit *rate_limit; /* the listener's; NULL: none */
    struct address address;
    size_t granted;                  /* bytes of receive buffer, for each socket */
    struct intake_counters *settled; /* the main thread's: what is found at the end */
};

/* What fills batches for one feed: a receiver, of one thread or several, or a capture's player. */
struct producer {
    struct feed *feed;
    struct intake_thread *threads;
    size_t thread_count;
    struct receiver *receiver;
    struct capture_player *player;
    size_t listeners; /* that feed it */
};

struct outlet {
    struct sink_thread *sink;
    struct sink_counters *counters;
};

struct pipeline {
    struct pipeline_options options;
    const struct config *config;
    const struct notifier_backend *notifier;
    struct memory_plan plan;
    struct ledger *ledger;
    struct batch_pool *pool;
    struct sequence_table *sequences;
    struct tap *tap;               /* NULL: nobody may watch */
    struct sender_report *senders; /* NULL: nobody may ask */
    struct wakeup *refreshed;
    struct source *sources; /* by listener */
    struct producer *producers;
    size_t producer_count;
    size_t receiver_count;        /* of the producers, the first ones */
    size_t receiver_threads;      /* of each of them */
    struct outlet *outlets;       /* by sink */
    struct dead_letters *letters; /* NULL: none are kept */
    _Atomic uint64_t received;
    _Atomic bool limit_reached;
    _Atomic bool failed;
};

/* What a sink is by its configuration alone. */
struct sink_thread_options pipeline_sink_options(const struct sink_config *config);

/* Threads that share a notifier have one feed; others have each their own. */
void pipeline_count_needs(const struct config *config, const struct notifier_backend *notifier,
                          struct memory_needs *needs);

/* What no URL alone can tell. Returns 0, or -1 with `error` filled. */
int pipeline_check_config(const struct config *config, struct error *error);

/*
 * Makes, opens and connects all parts, in a pipeline that has its options and is zero otherwise.
 * Returns 0, or -1 with `error` filled; pipeline_destroy frees what there is.
 */
int pipeline_open(struct pipeline *pipeline, struct error *error);

/*
 * Makes the schemas of all listeners, of those that are told the same once, and checks that every
 * sink can show them as it was told to. Returns as many lists as there are listeners, in memory to
 * be freed, a reference in each, or NULL with `error` filled.
 */
struct schema_list **pipeline_make_schemas(const struct config *config, struct error *error);

/*
 * Sockets of a listener: one for each thread where several may share a port; elsewhere one, which
 * one thread serves at a time.
 */
size_t pipeline_sockets_of(const struct listener_config *listener);

/* What the parts' threads call, with the pipeline as their context. */
void pipeline_changed(void *pipeline);
void pipeline_refreshed(void *pipeline);
void pipeline_socket_failed(void *pipeline);
void pipeline_count_received(void *pipeline, size_t datagrams);

#endif
