/*
 * Appends metrics in Prometheus' text format (version 0.0.4) or in OpenMetrics 1.0: families with
 * their help, samples with their labels. The few differences between the two formats are handled
 * here.
 *
 * Begin a family, then write all of its samples, before the next family. Pure; one thread.
 */
#ifndef SLUICE_COLLECTOR_METRICS_METRICS_TEXT_H
#define SLUICE_COLLECTOR_METRICS_METRICS_TEXT_H

#include <stdint.h>

#include "collector/base/histogram.h"
#include "collector/text/output.h"

enum metrics_format { METRICS_PROMETHEUS, METRICS_OPENMETRICS };

enum metric_type { METRIC_COUNTER, METRIC_GAUGE, METRIC_HISTOGRAM, METRIC_INFO };

struct metrics_text {
    struct output *out;
    enum metrics_format format;
};

/* The parts of a metric's name; each may be NULL. */
struct metric {
    const char *prefix; /* "sluice_", "process_" */
    const char *of;     /* "listener_" */
    const char *what;   /* "received" */
    enum metric_type type;
};

/* A label. The name NULL ends a list of labels. Values may contain any bytes. */
struct metric_label {
    const char *name;
    const char *value;
};

/* The labels of one sample. */
#define METRIC_LABELS(...) ((const struct metric_label[]){__VA_ARGS__, {NULL, NULL}})
#define METRIC_NO_LABELS   ((const struct metric_label[]){{NULL, NULL}})

/*
 * Returns the suffix of the names of the metric's samples: "_total" for a counter, "_info" for an
 * info, else "".
 */
const char *metric_suffix(const struct metric *metric);

void metrics_text_begin(struct metrics_text *text, const struct metric *metric, const char *help);

/* Writes one sample. The value of an info is 1. */
void metrics_text_integer(struct metrics_text *text, const struct metric *metric,
                          const struct metric_label *labels, uint64_t value);
void metrics_text_number(struct metrics_text *text, const struct metric *metric,
                         const struct metric_label *labels, double value);

/* Writes all samples of a histogram with one label. Times are written in seconds. */
void metrics_text_histogram(struct metrics_text *text, const struct metric *metric,
                            const struct metric_label *label, const uint64_t *bounds,
                            const struct histogram_totals *totals);

/* Ends the page; called after the last family. */
void metrics_text_end(struct metrics_text *text);

#endif
