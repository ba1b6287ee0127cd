/* Chooses the format of a page by the client's Accept headers (RFC 9110, 12.5.1, 12.5.3). Pure. */
#ifndef SLUICE_COLLECTOR_METRICS_METRICS_ACCEPT_H
#define SLUICE_COLLECTOR_METRICS_METRICS_ACCEPT_H

#include <stdbool.h>

/*
 * Whether the client accepts OpenMetrics, and prefers it at least as much as Prometheus' text
 * format. NULL (no header) and unreadable parts do not count.
 */
bool metrics_accept_openmetrics(const char *accept);

/* Whether the client accepts gzip, by Accept-Encoding; NULL (no header): it does not. */
bool metrics_accept_gzip(const char *accept);

#endif
