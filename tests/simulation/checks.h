/* Whether a simulated run kept the promises of the README. */
#ifndef SLUICE_TESTS_SIMULATION_CHECKS_H
#define SLUICE_TESTS_SIMULATION_CHECKS_H

#include "tests/simulation/scenario.h"

/* After each life: fails the world where a promise is broken, and notes what is to stay. Before the
 * power is cut, where it is. */
void checks_after_life(const struct scenario *scenario);

/* After that: what had been synced is still there. */
void checks_after_power_cut(const struct scenario *scenario);

#endif
