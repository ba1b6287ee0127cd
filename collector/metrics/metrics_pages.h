/*
 * What the metrics' server answers with: makes each page out of a pipeline, and keeps what has to
 * be kept from one to the next. Main thread.
 */
#ifndef SLUICE_COLLECTOR_METRICS_METRICS_PAGES_H
#define SLUICE_COLLECTOR_METRICS_METRICS_PAGES_H

#include <stdbool.h>

#include "collector/health/health_watch.h"
#include "collector/metrics/metrics_text.h"
#include "collector/text/output.h"

struct metrics_pages;
struct pipeline;

/* The two outlive it; `version` is a literal. Returns NULL where memory is short. */
struct metrics_pages *metrics_pages_create(struct pipeline *pipeline,
                                           const struct health_watch *health, const char *version);
/* NULL is allowed. */
void metrics_pages_destroy(struct metrics_pages *pages);

/*
 * Each writes its page into memory that it allocates, out->data, which is the caller's to free.
 * Returns false, with nothing to free, where memory is short.
 */
bool metrics_pages_metrics(struct metrics_pages *pages, enum metrics_format format,
                           struct output *out);
bool metrics_pages_sources(struct metrics_pages *pages, struct output *out);
/* *serving is false where whoever sends should know better than to send here. */
bool metrics_pages_health(struct metrics_pages *pages, struct output *out, bool *serving);

#endif
