/* Clients that connect to the collector in a simulated run, and send frames to it. */
#ifndef SLUICE_TESTS_SIMULATION_CLIENTS_H
#define SLUICE_TESTS_SIMULATION_CLIENTS_H

#include "collector/base/address.h"
#include "tests/simulation/scenario.h"

/* Starts some clients as tasks, if the scenario has stream listeners. */
void clients_begin(const struct scenario *scenario);

/* Returns true while a client is still active. */
bool clients_go_on(void);

/*
 * Returns the address of a connection's client. There are three hosts. Each host makes two
 * connections, then the next host makes two.
 */
struct address clients_address(unsigned connection);

#endif
