/* Clients that connect to the collector in a simulated run, and send frames to it. */
#ifndef SLUICE_TESTS_SIMULATION_CLIENTS_H
#define SLUICE_TESTS_SIMULATION_CLIENTS_H

#include "collector/base/address.h"
#include "tests/simulation/scenario.h"

/* Starts some clients, each a task, if the scenario has listeners for them. */
void clients_begin(const struct scenario *scenario);

/* Whether a client still has something to do. */
bool clients_go_on(void);

/* The address of a connection's client: three hosts take turns, with two connections each. */
struct address clients_address(unsigned connection);

#endif
