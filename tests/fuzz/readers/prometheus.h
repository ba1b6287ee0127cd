/*
 * Check Prometheus' text exposition format 0.0.4 (prometheus.io, "Exposition formats") and
 * OpenMetrics 1.0 strictly.
 */
#ifndef SLUICE_TESTS_FUZZ_READERS_PROMETHEUS_H
#define SLUICE_TESTS_FUZZ_READERS_PROMETHEUS_H

#include <stddef.h>

/* Returns the error in a sample's line, which is given without its newline, or NULL. */
const char *prometheus_wrong(const char *line, size_t size);

/*
 * Returns the error in a complete OpenMetrics exposition, or NULL. Each family must be contiguous
 * and have a unique name; its samples must have the names of its type; and "# EOF" must be the end.
 * The order of families is not checked.
 */
const char *openmetrics_wrong(const char *text, size_t size);

#endif
