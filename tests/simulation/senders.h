/*
 * Who sends to the collector, and the way from there: it loses datagrams, doubles them, and lets
 * some overtake others.
 */
#ifndef SLUICE_TESTS_SIMULATION_SENDERS_H
#define SLUICE_TESTS_SIMULATION_SENDERS_H

#include <stdbool.h>

#include "collector/base/address.h"

/* Starts them, each for one of so many listeners, whose ports follow each other from `port` on. */
void senders_begin(unsigned listeners, unsigned port);

/* Whether any goes on. What is on its way may come later. */
bool senders_go_on(void);

/* Where one of them sends from. */
struct address senders_address(unsigned index);

#endif
