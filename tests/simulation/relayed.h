/* What comes to the targets of udp: sinks of the simulated world. */
#ifndef SLUICE_TESTS_SIMULATION_RELAYED_H
#define SLUICE_TESTS_SIMULATION_RELAYED_H

#include <stddef.h>
#include <stdint.h>

#include "tests/simulation/history.h"

/* The port that a sink's datagrams go to, by its number. */
#define RELAYED_PORT 7000

/* What one sender has sent: of each flow the last datagram, plus one. All 0 to begin with. */
struct relayed_latest {
    int64_t of_flow[HISTORY_FLOWS];
};

/* A datagram has come to the port; or the system did not send it. */
void relayed_take(uint16_t port, struct relayed_latest *latest, const uint8_t *bytes, size_t size);
void relayed_note_failure(uint16_t port, const uint8_t *bytes, size_t size);

#endif
