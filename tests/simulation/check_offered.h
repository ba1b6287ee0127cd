/* The records offered to sinks, which reloads may add and remove. */
#ifndef SLUICE_TESTS_SIMULATION_CHECK_OFFERED_H
#define SLUICE_TESTS_SIMULATION_CHECK_OFFERED_H

#include <jansson.h>
#include <stdint.h>

/*
 * Holds what the sink's part of the ledger says that it was offered against what was decoded while
 * it was there, of `decoded` records in all. Returns it.
 */
uint64_t check_offered(json_t *sink, unsigned index, uint64_t decoded);

#endif
