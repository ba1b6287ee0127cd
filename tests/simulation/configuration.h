/*
 * The collector's options, and a configuration file, which the operator changes while it runs.
 */
#ifndef SLUICE_TESTS_SIMULATION_CONFIGURATION_H
#define SLUICE_TESTS_SIMULATION_CONFIGURATION_H

#include "tests/simulation/scenario.h"

/* Chooses all of it, for the first life. */
void configuration_choose(struct scenario *scenario);

/* Listeners that there are, or can be: the first ones. */
unsigned configuration_listeners(const struct scenario *scenario);

/* Puts the file, if the scenario has one, where the program reads it. */
void configuration_write(const struct scenario *scenario);

/* Changes some of it at random, so that it can still be started with. */
void configuration_change(struct scenario *scenario);

#endif
