/* Checks the ledger's counts of sequence numbers. */
#ifndef SLUICE_TESTS_SIMULATION_CHECK_SEQUENCES_H
#define SLUICE_TESTS_SIMULATION_CHECK_SEQUENCES_H

#include <jansson.h>

/* Only for a listener whose datagrams were all decoded. */
void check_sequences(const json_t *listener, unsigned index);

#endif
