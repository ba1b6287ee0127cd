/*
 * Opens a socket on a loopback port and a sender to it, and returns its datagrams one by one. An
 * error fails the running cmocka test.
 */
#ifndef SLUICE_TESTS_SUPPORT_PLATFORM_RECEIVING_H
#define SLUICE_TESTS_SUPPORT_PLATFORM_RECEIVING_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/platform/udp.h"
#include "tests/support/platform/udp_sender.h"

#define RECEIVING_BUFFER ((size_t)4 * 1024 * 1024)

struct receiving {
    struct udp_sender *sender; /* IPv4 */
    struct datagram_group *group;
    struct udp_socket *socket;
    struct address to; /* the socket's address */
    size_t next;       /* index of the next slot in the group, of `count` filled slots */
    size_t count;
};

/* A cmocka setup and teardown: *state is a struct receiving without a socket. */
int receiving_set_up(void **state);
int receiving_tear_down(void **state);

/*
 * Open a socket and bind it to a loopback address. receiving_open_with uses the options of the
 * test.
 */
void receiving_open(struct receiving *receiving, enum address_family family, size_t max_datagram);
void receiving_open_with(struct receiving *receiving, const struct udp_socket_options *options);
void receiving_close_socket(struct receiving *receiving);

/*
 * Returns the next datagram, which is valid until the next call. Returns NULL if the socket would
 * block.
 */
const struct datagram_slot *receiving_next(struct receiving *receiving);

/* Returns true if this machine can bind ::1. */
bool loopback_has_ipv6(void);

#endif
