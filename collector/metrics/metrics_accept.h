/* What form of a page a client wants, by its Accept headers (RFC 9110, 12.5.1 and 12.5.3). Pure. */
#ifndef SLUICE_COLLECTOR_METRICS_METRICS_ACCEPT_H
#define SLUICE_COLLECTOR_METRICS_METRICS_ACCEPT_H

#include <stdbool.h>

/*
 * Whether it names OpenMetrics and wants it no less than Prometheus' own text; NULL: it says
 * nothing. Of what cannot be read it is taken to have said nothing, too.
 */
bool metrics_accept_openmetrics(const char *accept);

/* Whether a client takes gzip, by Accept-Encoding; NULL: it says nothing, and does not. */
bool metrics_accept_gzip(const char *accept);

#endif
