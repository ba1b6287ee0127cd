/*
 * Checks the output, the ledger and the exit code of the collector after each life of a simulated
 * run. They must agree with what the README promises.
 */
#ifndef SLUICE_TESTS_SIMULATION_CHECKS_H
#define SLUICE_TESTS_SIMULATION_CHECKS_H

#include "tests/simulation/scenario.h"

/*
 * Called after each life, and before a power cut. Fails the world if a promise is broken. Notes the
 * lines that must survive.
 */
void checks_after_life(const struct scenario *scenario);

/* Called after a power cut. Fails the world if synced data is missing. */
void checks_after_power_cut(const struct scenario *scenario);

#endif
