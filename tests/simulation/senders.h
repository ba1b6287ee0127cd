/*
 * The senders, and the path to the collector: it loses datagrams, duplicates them, and reorders
 * some.
 */
#ifndef SLUICE_TESTS_SIMULATION_SENDERS_H
#define SLUICE_TESTS_SIMULATION_SENDERS_H

#include <stdbool.h>

#include "collector/base/address.h"

/*
 * Starts the senders. Each sends to one of the listeners, whose ports are consecutive from `port`.
 */
void senders_begin(unsigned listeners, unsigned port);

/* Whether any sender continues. Datagrams in transit may arrive later. */
bool senders_go_on(void);

/* The address that a sender sends from. */
struct address senders_address(unsigned index);

#endif
