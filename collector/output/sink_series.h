/*
 * Counts the samples that the limits of a sink's series and times leave out or change. Logs them at
 * growing intervals, with the senders and labels that cause most of them. Only for the sink's
 * thread.
 */
#ifndef SLUICE_COLLECTOR_OUTPUT_SINK_SERIES_H
#define SLUICE_COLLECTOR_OUTPUT_SINK_SERIES_H

#include "collector/contract/encoder.h"
#include "collector/ledger/ledger.h"
#include "collector/log/log.h"

struct series_guard;

struct sink_series {
    struct series_guard *guard; /* NULL if there are no limits */
    struct log_limit series_log, time_log;
};

/* Creates the guard, if there are limits. Returns 0, or -1 with `error` filled. */
int sink_series_init(struct sink_series *series, const struct series_limits *limits,
                     struct error *error);
void sink_series_destroy(struct sink_series *series);

/*
 * Counts and logs the samples of a record that were left out or changed. `name` is the sink's name.
 */
void sink_series_count(struct sink_series *series, const char *name, struct sink_counters *counters,
                       const struct encoded *encoded);

#endif
