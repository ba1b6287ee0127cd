/*
 * The senders, and the path to the collector: it loses datagrams, duplicates them, and reorders
 * some.
 */
#ifndef SLUICE_TESTS_SIMULATION_SENDERS_H
#define SLUICE_TESTS_SIMULATION_SENDERS_H

#include <stdbool.h>

#include "collector/base/address.h"

/* Starts them, each for one of the listeners, whose ports are consecutive from `port`. */
void senders_begin(unsigned listeners, unsigned port);

/* Whether any of them continues. Datagrams in transit may arrive later. */
bool senders_go_on(void);

/* Where one of them sends from. */
struct address senders_address(unsigned index);

#endif
