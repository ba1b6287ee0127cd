/* Sends signals of the operator to the program in the simulated world. */
#ifndef SLUICE_TESTS_SIMULATION_SIGNALS_H
#define SLUICE_TESTS_SIMULATION_SIGNALS_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/platform/control.h"

/* Sends the program CONTROL_STOP, CONTROL_LEDGER or CONTROL_REOPEN. */
void signals_send(enum control_event event);

/* Returns how often this signal was sent between the two times. */
unsigned signals_came(enum control_event event, int64_t from_ns, int64_t to_ns);

#endif
