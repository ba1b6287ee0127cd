/*
 * Reads a listener's URL with a registry such as test_registry. Fails the running cmocka test if
 * the result is not the expected one.
 */
#ifndef SLUICE_TESTS_SUPPORT_CONFIG_LISTENER_READING_H
#define SLUICE_TESTS_SUPPORT_CONFIG_LISTENER_READING_H

#include "collector/config/config.h"

/* Expects a valid URL. Returns the settings of its listener, which the next call overwrites. */
const struct listener_config *listener_accepted(const char *url,
                                                const struct config_registry *registry);

/*
 * Expects that the URL is refused with the reason `why`, at the position where the text `at` begins
 * in the URL.
 */
void listener_refused(const char *url, const struct config_registry *registry, const char *at,
                      const char *why);

/* A cmocka teardown. */
int listener_reading_tear_down(void **state);

#endif
