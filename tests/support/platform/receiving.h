/*
 * A socket on a loopback port, something that sends to it, and its datagrams one at a time.
 *
 * Fails the running cmocka test where something cannot be opened.
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
    struct address to; /* where the socket is bound */
    size_t next;       /* slot of the group to give, and how many it held of this socket */
    size_t count;
};

/* A cmocka setup and teardown: *state is a struct receiving without a socket. */
int receiving_set_up(void **state);
int receiving_tear_down(void **state);

/* Opens and binds a socket on loopback; or one with options of the test's own. */
void receiving_open(struct receiving *receiving, enum address_family family, size_t max_datagram);
void receiving_open_with(struct receiving *receiving, const struct udp_socket_options *options);
void receiving_close_socket(struct receiving *receiving);

/* The next datagram, valid until the next call; NULL where the socket would block. */
const struct datagram_slot *receiving_next(struct receiving *receiving);

/* Whether ::1 can be bound on this machine. */
bool loopback_has_ipv6(void);

#endif
