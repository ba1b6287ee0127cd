/* The stream listeners that a collector is told to have: some runs have them, most do not. */
#ifndef SLUICE_TESTS_SIMULATION_CONFIGURATION_TCP_H
#define SLUICE_TESTS_SIMULATION_CONFIGURATION_TCP_H

#include "tests/simulation/scenario.h"

/* The first one's port; the next one has the next one. */
#define TCP_PORT 6000

/* After everything else was chosen, by chances of its own: whatever else a seed makes of a run is
 * the same without it. */
void configuration_tcp_choose(struct scenario *scenario);

/* Changes, adds or takes away one of them, where there are any. */
void configuration_tcp_change(struct scenario *scenario);

/* Of the run: it has a place for such listeners. */
bool configuration_tcp_is_there(const struct scenario *scenario);

#endif
