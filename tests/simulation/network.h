/* Datagrams of the simulated world: their senders, and the sockets' buffers. */
#ifndef SLUICE_TESTS_SIMULATION_NETWORK_H
#define SLUICE_TESTS_SIMULATION_NETWORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/address.h"

/* The outcome of a datagram. */
enum network_fate {
    NETWORK_QUEUED,  /* in the receive buffer of a socket */
    NETWORK_DROPPED, /* the buffer was full: the socket counts it */
    NETWORK_NOBODY,  /* the port is closed, or all its sockets refuse it */
};

#define NETWORK_DATAGRAM_MAX 2000

/* Sends a datagram to the port. `number` is for network_received. */
enum network_fate network_send(uint16_t port, const struct address *source, const uint8_t *bytes,
                               size_t size, uint32_t number);

/* How often somebody has begun to listen on the port. */
unsigned network_generation(uint16_t port);

/* Called for each datagram that the program was handed. */
extern void (*network_received)(uint32_t number);

/*
 * In a thousand: receives that ask to be repeated, receives that fail, and waits of the notifier
 * that report a socket without a reason.
 */
struct network_faults {
    unsigned later, error, needless;
};
void network_set_faults(const struct network_faults *faults);

/*
 * Datagrams that sockets dropped or refused, as of the last time that the program read their
 * number.
 */
uint64_t network_drops(void);

/* Datagrams that were in sockets when these were closed after having been served. */
uint64_t network_left_behind(void);

#endif
