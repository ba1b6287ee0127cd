/*
 * One reload: another configuration replaces the present one while datagrams arrive. These files
 * share it, in the order in which they work:
 *
 *   reload_prepare.c    makes the new parts while the others run; starts or cancels them
 *   pipeline_quiesce.c  pauses the threads that fill batches
 *   reload_sockets.c    binds and changes sockets, which can still fail
 *   reload_commit.c     puts everything in place; cannot fail
 *   reload_report.c     the changes, for the log
 *   pipeline_reload.c   runs these steps
 *
 * Ownership: the first step gives the new configuration to the pipeline, in a generation, because
 * cancelled parts may use it until they have ended. Every other new part belongs to the reload
 * until reload_commit passes it on and sets the reload's pointer to NULL. reload_cancel undoes the
 * entries in the pipeline and its ledger; reload_clear frees the rest in either case. Kept parts
 * belong to the pipeline throughout. Main thread.
 */
#ifndef SLUICE_COLLECTOR_PIPELINE_RELOAD_H
#define SLUICE_COLLECTOR_PIPELINE_RELOAD_H

#include "collector/pipeline/pipeline_change.h"
#include "collector/pipeline/pipeline_parts.h"

struct reload {
    struct pipeline *pipeline;
    struct config *to;             /* owned by its generation */
    struct generation *generation; /* owned by the pipeline */
    struct change change;
    struct memory_plan plan;

    /*
     * These arrays are indexed by listener. The reload owns `lists`, `limits` and `keys`. A new
     * source takes its list and keys when it is made; kept sources get theirs at the commit. A
     * limit of NULL means that the limit is unchanged or that there is none. The sources belong to
     * the pipeline. `producers` has the claimed producer of each new listener that has its own
     * threads; other entries are NULL.
     */
    struct schema_list **lists;
    struct rate_limit **limits;
    struct sender_keys **keys;
    struct source **sources;
    struct producer **producers;

    /* Indexed by sink. The reload owns new slots; the pipeline owns kept slots. */
    struct sink_slot **slots;

    /* Space for the routes of one producer, so that the commit cannot fail. */
    struct fan_out_sink *routes;
};

static inline bool reload_adds_listener(const struct reload *reload, size_t index)
{
    return reload->change.listeners[index] == PIPELINE_NEW;
}

static inline bool reload_adds_sink(const struct reload *reload, size_t index)
{
    return reload->change.sinks[index] == PIPELINE_NEW;
}

/* --- reload_prepare.c ------------------------------------------------------------------------- */

/*
 * Compares the configurations and makes all new parts: schemas, sources, producers, sinks and
 * memory. Returns 0, or -1 with `error` filled; the caller then calls reload_cancel.
 */
int reload_prepare(struct reload *reload, struct error *error);

/*
 * Starts new producers, which stay paused until pipeline_resume, and new sinks. Returns 0, or -1
 * with `error` filled and the producers stopped.
 */
int reload_start(const struct reload *reload, struct error *error);

/*
 * Stops and destroys all new parts. Called instead of reload_commit, after any of the other
 * steps.
 */
void reload_cancel(struct reload *reload);

/* Frees what the reload still owns, after the commit or after reload_cancel. */
void reload_clear(struct reload *reload);

/* --- reload_sockets.c, while the producers are paused ----------------------------------------- */

/* Binds and changes sockets. Returns 0, or -1 with `error` filled and the changes undone. */
int reload_set_sockets(struct reload *reload, struct error *error);

/* Undoes a successful reload_set_sockets when a later step fails. */
void reload_roll_back_sockets(struct reload *reload);

/* --- reload_commit.c, while the producers are paused ------------------------------------------ */

/*
 * Passes the new configuration, and the listeners and sinks that were made of it, to the pipeline.
 * Removed listeners and sinks are retired: pipeline_retired.c owns them until they have ended.
 */
void reload_commit(struct reload *reload);

#endif
