/*
 * Simulates the senders, and the network path to the collector, which loses, duplicates and
 * reorders some datagrams.
 */
#ifndef SLUICE_TESTS_SIMULATION_SENDERS_H
#define SLUICE_TESTS_SIMULATION_SENDERS_H

#include <stdbool.h>

#include "collector/base/address.h"

/*
 * Starts the senders. Each sends to one of the listeners, which use consecutive ports from `port`
 * on.
 */
void senders_begin(unsigned listeners, unsigned port);

/* Returns true while a sender is active. Datagrams in transit may arrive after that. */
bool senders_go_on(void);

/* Returns the source address of a sender. */
struct address senders_address(unsigned index);

#endif
