/* Which form of metrics a client wants, by its Accept header (RFC 9110, 12.5.1). Pure. */
#ifndef SLUICE_COLLECTOR_METRICS_METRICS_ACCEPT_H
#define SLUICE_COLLECTOR_METRICS_METRICS_ACCEPT_H

#include <stdbool.h>

/*
 * Whether it names OpenMetrics and wants it no less than Prometheus' own text; NULL: it says
 * nothing. Of what cannot be read it is taken to have said nothing, too.
 */
bool metrics_accept_openmetrics(const char *accept);

#endif
