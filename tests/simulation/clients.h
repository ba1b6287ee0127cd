/* Those who connect to the collector in a simulated run, and send it frames. */
#ifndef SLUICE_TESTS_SIMULATION_CLIENTS_H
#define SLUICE_TESTS_SIMULATION_CLIENTS_H

#include "collector/base/address.h"
#include "tests/simulation/scenario.h"

/* Some, each a task, where the scenario has listeners for them. */
void clients_begin(const struct scenario *scenario);

/* Whether one of them has something left to do. */
bool clients_go_on(void);

/* Where a connection of the run comes from: three hosts have them in turn, two at a time. */
struct address clients_address(unsigned connection);

#endif
