/* Checks the datagrams that reach the targets of `udp:` sinks in the simulated world. */
#ifndef SLUICE_TESTS_SIMULATION_RELAYED_H
#define SLUICE_TESTS_SIMULATION_RELAYED_H

#include <stddef.h>
#include <stdint.h>

#include "tests/simulation/history.h"

/* The port of sink 0's target. Each next sink has the next port. */
#define RELAYED_PORT 7000

/* For each flow, its last datagram plus one. Must be zero-initialised. */
struct relayed_latest {
    int64_t of_flow[HISTORY_FLOWS];
};

/*
 * relayed_take is called when a datagram arrives at the port, relayed_note_failure when the system
 * could not send it.
 */
void relayed_take(uint16_t port, struct relayed_latest *latest, const uint8_t *bytes, size_t size);
void relayed_note_failure(uint16_t port, const uint8_t *bytes, size_t size);

#endif
