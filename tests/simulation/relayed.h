/* Datagrams received by the targets of udp: sinks in the simulated world. */
#ifndef SLUICE_TESTS_SIMULATION_RELAYED_H
#define SLUICE_TESTS_SIMULATION_RELAYED_H

#include <stddef.h>
#include <stdint.h>

#include "tests/simulation/history.h"

/* The port that a sink's datagrams go to, by its number. */
#define RELAYED_PORT 7000

/* A sender's datagrams: for each flow the last one, plus one. All 0 at the beginning. */
struct relayed_latest {
    int64_t of_flow[HISTORY_FLOWS];
};

/* A datagram has come to the port; or the system did not send it. */
void relayed_take(uint16_t port, struct relayed_latest *latest, const uint8_t *bytes, size_t size);
void relayed_note_failure(uint16_t port, const uint8_t *bytes, size_t size);

#endif
