/* A moment as RFC 3339 has it. Pure; any thread. */
#ifndef SLUICE_COLLECTOR_CONFIG_TESTS_CONFIG_TEST_TIME_H
#define SLUICE_COLLECTOR_CONFIG_TESTS_CONFIG_TEST_TIME_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Reads "2026-11-21T06:43:36.38Z": UTC, with up to nine digits of a second, from 1970 to 2261.
 * Returns false where the text is none. *ns is nanoseconds since 1970 UTC.
 */
bool config_test_time_parse(const char *text, int64_t *ns);

#endif
