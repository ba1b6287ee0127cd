/* Compares the ledger entries of stream listeners with the facts of the simulated network. */
#ifndef SLUICE_TESTS_SIMULATION_CHECK_TCP_H
#define SLUICE_TESTS_SIMULATION_CHECK_TCP_H

#include <jansson.h>
#include <stdint.h>

#include "tests/simulation/scenario.h"

/* Called after a stop. Returns the number of records offered to each sink. */
uint64_t check_tcp(const struct scenario *scenario, json_t *ledger);

#endif
