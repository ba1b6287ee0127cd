/* Simulates the UDP network: the datagrams of the senders, and the receive buffers of sockets. */
#ifndef SLUICE_TESTS_SIMULATION_NETWORK_H
#define SLUICE_TESTS_SIMULATION_NETWORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/address.h"

/* The outcome of a datagram. */
enum network_fate {
    NETWORK_QUEUED,  /* it is in the receive buffer of a socket */
    NETWORK_DROPPED, /* the receive buffer was full; the socket counts the drop */
    NETWORK_NOBODY,  /* the port is closed, or all its sockets refuse the datagram */
};

#define NETWORK_DATAGRAM_MAX 2000

/* Sends a datagram to the port. `number` is passed to network_received. */
enum network_fate network_send(uint16_t port, const struct address *source, const uint8_t *bytes,
                               size_t size, uint32_t number);

/* Returns how often a program has begun to listen on the port. */
unsigned network_generation(uint16_t port);

/* Called for each datagram that the program has received. */
extern void (*network_received)(uint32_t number);

/*
 * Faults in a thousand calls: receives that must be repeated, receives that fail, and waits of the
 * notifier that report a socket that is not ready.
 */
struct network_faults {
    unsigned later, error, needless;
};
void network_set_faults(const struct network_faults *faults);

/*
 * Returns the number of datagrams that sockets dropped or refused, according to the counters that
 * the program read last.
 */
uint64_t network_drops(void);

/*
 * Returns the number of unread datagrams in sockets that the program had read from and then closed.
 */
uint64_t network_left_behind(void);

#endif
