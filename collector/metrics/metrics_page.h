/*
 * Writes all metrics of the collector as a page in Prometheus' text format (version 0.0.4) or
 * OpenMetrics 1.0.
 *
 * The counters come from the ledger's lists of terms, so new terms appear automatically. Labels are
 * names of listeners and sinks, and reasons of the ledger. Only the metrics of sinks with limits of
 * series or times have labels that senders influence: addresses of senders and names of labels,
 * each only for the few with the most. Listeners, and sinks, of the same name are merged. Pure; any
 * thread.
 */
#ifndef SLUICE_COLLECTOR_METRICS_METRICS_PAGE_H
#define SLUICE_COLLECTOR_METRICS_METRICS_PAGE_H

#include <stdint.h>

#include "collector/ledger/ledger.h"
#include "collector/metrics/metrics_text.h"
#include "collector/pipeline/pipeline_levels.h"
#include "collector/platform/process.h"
#include "collector/platform/sandbox.h"
#include "collector/text/output.h"

struct metrics_facts {
    const char *version;                 /* of the program */
    const struct sandbox_state *sandbox; /* NULL: not known */
    struct ledger_snapshot *ledger;      /* rows of the same name are merged in place */
    const struct pipeline_levels *levels;
    const struct process_usage *usage; /* NULL: not available */
    int64_t now_ns;                    /* monotonic */
};

/* The Content-Type of a page, by enum metrics_format. */
extern const char *const metrics_page_types[];

void metrics_page_write(const struct metrics_facts *facts, enum metrics_format format,
                        struct output *out);

#endif
