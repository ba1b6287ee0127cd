/* Chooses the format of a page by the client's Accept headers (RFC 9110, 12.5.1, 12.5.3). Pure. */
#ifndef SLUICE_COLLECTOR_METRICS_METRICS_ACCEPT_H
#define SLUICE_COLLECTOR_METRICS_METRICS_ACCEPT_H

#include <stdbool.h>

/*
 * Returns true if the client accepts OpenMetrics, and prefers it at least as much as Prometheus'
 * text format. Returns false for NULL (no header). Ignores parts that are not valid.
 */
bool metrics_accept_openmetrics(const char *accept);

/* Returns true if the client accepts gzip, by Accept-Encoding; false for NULL (no header). */
bool metrics_accept_gzip(const char *accept);

#endif
