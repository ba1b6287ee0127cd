/* Chooses the stream listeners of the collector, which some runs have. */
#ifndef SLUICE_TESTS_SIMULATION_CONFIGURATION_TCP_H
#define SLUICE_TESTS_SIMULATION_CONFIGURATION_TCP_H

#include "tests/simulation/scenario.h"

/* The port of the first stream listener. The other ones use the ports after it. */
#define TCP_PORT 6000

/*
 * Called after everything else was chosen. Uses its own random numbers, so that the rest of the run
 * does not depend on it.
 */
void configuration_tcp_choose(struct scenario *scenario);

/* Changes, adds or removes a stream listener, if the run has any. */
void configuration_tcp_change(struct scenario *scenario);

/* Returns true if the run has stream listeners, or may get them by a reload. */
bool configuration_tcp_is_there(const struct scenario *scenario);

#endif
