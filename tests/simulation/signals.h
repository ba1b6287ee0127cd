/* What an operator does to the program in the simulated world. */
#ifndef SLUICE_TESTS_SIMULATION_SIGNALS_H
#define SLUICE_TESTS_SIMULATION_SIGNALS_H

#include "collector/platform/control.h"

/* Sends it a signal: CONTROL_STOP, CONTROL_LEDGER or CONTROL_REOPEN. */
void signals_send(enum control_event event);

#endif
