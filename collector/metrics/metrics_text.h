/*
 * Appends metrics in the text that Prometheus reads (version 0.0.4) or in OpenMetrics 1.0: families
 * with their help, samples with their labels. Both differ in a few words, which stand here.
 *
 * A family is begun, and then has its samples, all of them before the next one begins. Pure; one
 * thread.
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

/* A name is put together of these, which may be NULL: "sluice_" + of + "_" + what, e.g. */
struct metric {
    const char *prefix; /* "sluice_", "process_" */
    const char *of;     /* with a "_" after it */
    const char *what;
    enum metric_type type;
};

/* One whose name is NULL ends them. Values may be any bytes. */
struct metric_label {
    const char *name;
    const char *value;
};

/* A row of labels for one sample. */
#define METRIC_LABELS(...) ((const struct metric_label[]){__VA_ARGS__, {NULL, NULL}})
#define METRIC_NO_LABELS   ((const struct metric_label[]){{NULL, NULL}})

/* What the names of its samples end in: "_total" of a counter, "_info" of an info, or "". */
const char *metric_suffix(const struct metric *metric);

void metrics_text_begin(struct metrics_text *text, const struct metric *metric, const char *help);

/* Samples of it. An info's value is 1; a counter's name gets its "_total". */
void metrics_text_integer(struct metrics_text *text, const struct metric *metric,
                          const struct metric_label *labels, uint64_t value);
void metrics_text_number(struct metrics_text *text, const struct metric *metric,
                         const struct metric_label *labels, double value);

/* With one label. Times are written in seconds. */
void metrics_text_histogram(struct metrics_text *text, const struct metric *metric,
                            const struct metric_label *label, const uint64_t *bounds,
                            const struct histogram_totals *totals);

/* After the last family. */
void metrics_text_end(struct metrics_text *text);

#endif
