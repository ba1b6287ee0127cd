/*
 * How a pipeline stands beside its ledger: what of its memory is taken, how full its queues are,
 * which sinks wait, and whether its receivers answer. For whoever reports its health and its
 * metrics.
 *
 * Main thread, while the pipeline lives. Nothing here waits.
 */
#ifndef SLUICE_COLLECTOR_PIPELINE_PIPELINE_LEVELS_H
#define SLUICE_COLLECTOR_PIPELINE_PIPELINE_LEVELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/output/sink_thread.h"
#include "collector/pipeline/pipeline.h"
#include "collector/record/batch.h"

/* A listener that is a socket. */
struct listener_level {
    const char *name; /* as in the ledger */
    size_t sockets;
    size_t buffer_asked;   /* bytes of receive buffer, for each socket */
    size_t buffer_granted; /* the same */
    bool group_lost;       /* its multicast group is not joined: the interface has gone */
};

/* A listener of connections. */
struct stream_level {
    const char *name; /* as in the ledger */
    size_t open;      /* connections */
    size_t open_most;
};

/* All sinks of one name. */
struct sink_level {
    const char *name;
    struct sink_condition condition; /* the worst of them */
    struct queue_levels queue;
    struct delivery_figure_totals figures;
};

/* A spill that no sink has, since a reload took away the one that had it. */
struct left_level {
    const char *name; /* of that sink */
    uint64_t records; /* that stay in it */
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
 * At this moment; NULL where memory is short. Freed with pipeline_levels_free. The names are its
 * own, and it remains valid over a reload.
 */
struct pipeline_levels *pipeline_read_levels(const struct pipeline *pipeline);
/* NULL is allowed. */
void pipeline_levels_free(struct pipeline_levels *levels);

/*
 * Asks each receiver that has answered to read the kernel's drops anew, which is a sign of life,
 * too. Returns since when (monotonic) one has been asked that has not answered, INT64_MAX: none.
 */
int64_t pipeline_refresh_receivers(struct pipeline *pipeline, int64_t now_ns);

#endif
