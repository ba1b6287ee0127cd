/*
 * Checks after a simulated run that a delivery (a sink that waits for acknowledgements) has lost,
 * repeated and counted records only as documented.
 */
#ifndef SLUICE_TESTS_SIMULATION_CHECK_DELIVERY_H
#define SLUICE_TESTS_SIMULATION_CHECK_DELIVERY_H

#include <jansson.h>
#include <stdint.h>

#include "tests/simulation/scenario.h"

/*
 * Called after each life, and before a power cut. `ledger` is the sink's entry in the ledger, or
 * NULL if the program was killed.
 */
void check_delivery(const struct scenario_sink *sink, unsigned index, json_t *ledger,
                    uint64_t decoded);

void check_delivery_after_power_cut(const struct scenario_sink *sink, unsigned index);

#endif
