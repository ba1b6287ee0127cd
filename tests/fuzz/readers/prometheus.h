/*
 * Strict readers of Prometheus' text exposition format 0.0.4 (prometheus.io, "Exposition formats")
 * and of OpenMetrics 1.0.
 */
#ifndef SLUICE_TESTS_FUZZ_READERS_PROMETHEUS_H
#define SLUICE_TESTS_FUZZ_READERS_PROMETHEUS_H

#include <stddef.h>

/* The error in a sample's line, given without its newline; NULL: none. */
const char *prometheus_wrong(const char *line, size_t size);

/*
 * The same for a complete OpenMetrics exposition: each family is contiguous and named once, has
 * samples with its type's names, and "# EOF" is the end. The order of families is not checked.
 */
const char *openmetrics_wrong(const char *text, size_t size);

#endif
