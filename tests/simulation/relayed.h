/* Datagrams received by the targets of udp: sinks in the simulated world. */
#ifndef SLUICE_TESTS_SIMULATION_RELAYED_H
#define SLUICE_TESTS_SIMULATION_RELAYED_H

#include <stddef.h>
#include <stdint.h>

#include "tests/simulation/history.h"

/* The port of the target of sink 0; those of the other sinks follow. */
#define RELAYED_PORT 7000

/* For each flow of a sender, the last datagram, plus one. All 0 at the beginning. */
struct relayed_latest {
    int64_t of_flow[HISTORY_FLOWS];
};

/* A datagram has arrived at the port (take), or the system could not send it (note_failure). */
void relayed_take(uint16_t port, struct relayed_latest *latest, const uint8_t *bytes, size_t size);
void relayed_note_failure(uint16_t port, const uint8_t *bytes, size_t size);

#endif
