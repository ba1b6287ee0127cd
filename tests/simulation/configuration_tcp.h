/* The stream listeners of a collector. Some runs have them, most do not. */
#ifndef SLUICE_TESTS_SIMULATION_CONFIGURATION_TCP_H
#define SLUICE_TESTS_SIMULATION_CONFIGURATION_TCP_H

#include "tests/simulation/scenario.h"

/* The first stream listener's port; the others have the ports after it. */
#define TCP_PORT 6000

/*
 * Called after everything else was chosen. It draws from random numbers of its own, so that
 * everything else in the run is the same as without streams.
 */
void configuration_tcp_choose(struct scenario *scenario);

/* Changes, adds or removes a stream listener, if the run has any. */
void configuration_tcp_change(struct scenario *scenario);

/* Whether the run has stream listeners, or may get them. */
bool configuration_tcp_is_there(const struct scenario *scenario);

#endif
