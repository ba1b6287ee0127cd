/* Checks the number of records that a sink was offered, while reloads add and remove sinks. */
#ifndef SLUICE_TESTS_SIMULATION_CHECK_OFFERED_H
#define SLUICE_TESTS_SIMULATION_CHECK_OFFERED_H

#include <jansson.h>
#include <stdint.h>

/*
 * Compares the sink's count of offered records with the number of records decoded while the sink
 * existed. `decoded` is the number of all decoded records. Returns the sink's count.
 */
uint64_t check_offered(json_t *sink, unsigned index, uint64_t decoded);

#endif
