/*
 * Makes the pages of the metrics server from a pipeline, and keeps the state that they need from
 * one request to the next. Main thread.
 */
#ifndef SLUICE_COLLECTOR_METRICS_METRICS_PAGES_H
#define SLUICE_COLLECTOR_METRICS_METRICS_PAGES_H

#include <stdbool.h>

#include "collector/health/health_watch.h"
#include "collector/metrics/metrics_text.h"
#include "collector/text/output.h"

struct metrics_pages;
struct pipeline;

/*
 * `pipeline` and `health` outlive the pages; `version` is a literal. Returns NULL if memory is
 * short.
 */
struct metrics_pages *metrics_pages_create(struct pipeline *pipeline,
                                           const struct health_watch *health, const char *version);
/* NULL is allowed. */
void metrics_pages_destroy(struct metrics_pages *pages);

/*
 * Each of these functions allocates out->data for its page; the caller frees it. Returns false,
 * without allocated memory, if memory is short.
 */
bool metrics_pages_metrics(struct metrics_pages *pages, enum metrics_format format,
                           struct output *out);
bool metrics_pages_sources(struct metrics_pages *pages, struct output *out);
bool metrics_pages_health(struct metrics_pages *pages, struct output *out,
                          enum health_status *status);

#endif
