/*
 * A listener's URL, read with the tables of config_tables.h; the running cmocka test fails where
 * what comes of it is not what it should be.
 */
#ifndef SLUICE_TESTS_SUPPORT_CONFIG_LISTENER_READING_H
#define SLUICE_TESTS_SUPPORT_CONFIG_LISTENER_READING_H

#include "collector/config/config.h"

/* The settings of the URL's listener; valid until the next URL is read. */
const struct listener_config *listener_accepted(const char *url,
                                                const struct config_registry *registry);

/* It is refused for that reason; the fault is where the URL goes on with `at`. */
void listener_refused(const char *url, const struct config_registry *registry, const char *at,
                      const char *why);

/* A cmocka teardown. */
int listener_reading_tear_down(void **state);

#endif
