/*
 * All that the collector counts, as a page of text for Prometheus and whatever reads the same:
 * Prometheus' own format (version 0.0.4) or OpenMetrics 1.0.
 *
 * The counters come from the ledger's lists of terms, so that a new term is here by itself. Labels
 * are the names of listeners and sinks, and the ledger's reasons; nothing that a sender can choose.
 * Listeners, or sinks, of one name are one. Pure; any thread.
 */
#ifndef SLUICE_COLLECTOR_METRICS_METRICS_PAGE_H
#define SLUICE_COLLECTOR_METRICS_METRICS_PAGE_H

#include <stdint.h>

#include "collector/ledger/ledger.h"
#include "collector/metrics/metrics_text.h"
#include "collector/pipeline/pipeline_levels.h"
#include "collector/platform/process.h"
#include "collector/text/output.h"

struct metrics_facts {
    const char *version;            /* of the program */
    struct ledger_snapshot *ledger; /* those of one name are brought together in it */
    const struct pipeline_levels *levels;
    const struct process_usage *usage; /* NULL: the system does not say */
    int64_t now_ns;                    /* monotonic */
};

/* What an answer with such a page says that it is, by enum metrics_format. */
extern const char *const metrics_page_types[];

void metrics_page_write(const struct metrics_facts *facts, enum metrics_format format,
                        struct output *out);

#endif
