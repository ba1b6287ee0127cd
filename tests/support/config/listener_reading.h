/*
 * Reads a listener's URL with the tables of config_tables.h. Fails the running cmocka test if the
 * result is not the expected one.
 */
#ifndef SLUICE_TESTS_SUPPORT_CONFIG_LISTENER_READING_H
#define SLUICE_TESTS_SUPPORT_CONFIG_LISTENER_READING_H

#include "collector/config/config.h"

/*
 * Expects a valid URL. Returns the settings of its listener, which are valid until the next URL is
 * read.
 */
const struct listener_config *listener_accepted(const char *url,
                                                const struct config_registry *registry);

/* Expects that the URL is refused with this reason, at the place where `at` begins in it. */
void listener_refused(const char *url, const struct config_registry *registry, const char *at,
                      const char *why);

/* A cmocka teardown. */
int listener_reading_tear_down(void **state);

#endif
