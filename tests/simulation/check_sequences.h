/* What the ledger says of the senders' numbers. */
#ifndef SLUICE_TESTS_SIMULATION_CHECK_SEQUENCES_H
#define SLUICE_TESTS_SIMULATION_CHECK_SEQUENCES_H

#include <jansson.h>

/* Of a listener whose datagrams were decoded, all that can be. */
void check_sequences(const json_t *listener, unsigned index);

#endif
