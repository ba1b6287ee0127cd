/*
 * Chooses the collector's options and its configuration file, and changes the file during the run.
 */
#ifndef SLUICE_TESTS_SIMULATION_CONFIGURATION_H
#define SLUICE_TESTS_SIMULATION_CONFIGURATION_H

#include "tests/simulation/scenario.h"

/* Chooses the whole configuration for the first life. */
void configuration_choose(struct scenario *scenario);

/*
 * Returns the number of UDP listeners that exist or that a reload may add. They are the first ones
 * in `listeners`.
 */
unsigned configuration_listeners(const struct scenario *scenario);

/* Writes the configuration file, if the scenario has one, to the path that the program reads. */
void configuration_write(const struct scenario *scenario);

/* Changes a part of the configuration at random. It stays valid. */
void configuration_change(struct scenario *scenario);

#endif
