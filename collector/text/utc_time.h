/* Parses a time of RFC 3339. Pure; any thread. */
#ifndef SLUICE_COLLECTOR_TEXT_UTC_TIME_H
#define SLUICE_COLLECTOR_TEXT_UTC_TIME_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Parses "2026-11-21T06:43:36.38Z": UTC, with up to nine decimal places, from 1970 to 2261. Returns
 * false if the text is not such a time. *ns is nanoseconds since 1970 UTC.
 */
bool utc_time_parse(const char *text, int64_t *ns);

#endif
