/*
 * Reads the state of a pipeline that its ledger does not have: memory in use, how full the queues
 * are, which sinks wait, and whether the receivers answer. Used for health and metrics.
 *
 * Main thread, while the pipeline exists. The functions do not wait.
 */
#ifndef SLUICE_COLLECTOR_PIPELINE_PIPELINE_LEVELS_H
#define SLUICE_COLLECTOR_PIPELINE_PIPELINE_LEVELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/output/sink_thread.h"
#include "collector/pipeline/pipeline.h"
#include "collector/record/batch.h"

/* A listener with sockets. */
struct listener_level {
    const char *name; /* the listener's name in the ledger */
    size_t sockets;
    size_t buffer_asked;   /* bytes of receive buffer per socket, as configured */
    size_t buffer_granted; /* bytes per socket that the kernel granted */
    bool group_lost;       /* the listener's multicast group is not joined: its interface is gone */
};

/* A listener for connections (tcp:, unix:). */
struct stream_level {
    const char *name; /* the listener's name in the ledger */
    size_t open;      /* connections */
    size_t open_most;
};

/* All sinks of one name, added up. */
struct sink_level {
    const char *name;
    struct sink_condition condition; /* the worst of these sinks */
    char reason[SINK_REASON_SIZE];   /* why the last write of one of these sinks failed; "": no sink
                                        fails */
    struct sink_past past;           /* the latest of their past outages */
    struct queue_levels queue;
    struct delivery_figure_totals figures;
    bool limited;                /* series or times are limited, and `series` is filled */
    struct series_report series; /* the report of the first of these sinks with limits */
};

/* A spill that no sink uses because a reload has removed its sink. */
struct left_level {
    const char *name; /* the name of the removed sink */
    uint64_t records; /* in the spill */
};

struct pipeline_levels {
    size_t listener_count, stream_count, sink_count, left_count;
    struct listener_level *listeners;
    struct stream_level *streams;
    struct sink_level *sinks;
    struct left_level *left;
    struct batch_pool_levels pool;
    char *texts; /* all names */
};

/*
 * Returns the present levels, or NULL if memory is short. Freed with pipeline_levels_free. The
 * levels own their names, and so remain valid after a reload.
 */
struct pipeline_levels *pipeline_read_levels(const struct pipeline *pipeline);
/* NULL is allowed. */
void pipeline_levels_free(struct pipeline_levels *levels);

/*
 * Requests the kernel's drops from each receiver that has answered its last request. An answer also
 * shows that the receiver's thread is not stuck. Returns the time (monotonic) of the oldest request
 * without an answer, or INT64_MAX.
 */
int64_t pipeline_refresh_receivers(struct pipeline *pipeline, int64_t now_ns);

#endif
