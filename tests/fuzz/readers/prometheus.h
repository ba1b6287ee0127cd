/*
 * Strict readers of Prometheus' text exposition format 0.0.4 (prometheus.io, "Exposition formats")
 * and of OpenMetrics 1.0.
 */
#ifndef SLUICE_TESTS_FUZZ_READERS_PROMETHEUS_H
#define SLUICE_TESTS_FUZZ_READERS_PROMETHEUS_H

#include <stddef.h>

/* What is wrong with a sample's line, which is without its newline; NULL: nothing. */
const char *prometheus_wrong(const char *line, size_t size);

/*
 * The same of a whole exposition of OpenMetrics: each family stands together and is named once, has
 * samples of its type's names, and "# EOF" is the end. Their order is not looked at.
 */
const char *openmetrics_wrong(const char *text, size_t size);

#endif
