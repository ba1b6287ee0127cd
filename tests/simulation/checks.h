/* Whether a simulated run kept the promises of the README. */
#ifndef SLUICE_TESTS_SIMULATION_CHECKS_H
#define SLUICE_TESTS_SIMULATION_CHECKS_H

#include "tests/simulation/scenario.h"

/*
 * Called after each life, and before a power cut: fails the world if a promise is broken, and notes
 * the lines that must survive.
 */
void checks_after_life(const struct scenario *scenario);

/* Called after a power cut: everything that had been synced must still be there. */
void checks_after_power_cut(const struct scenario *scenario);

#endif
