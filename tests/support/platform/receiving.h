/*
 * A socket on a loopback port, a sender for it, and its datagrams one at a time. An error fails the
 * running cmocka test.
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
    size_t next;       /* the next slot of the group, and the number of slots in use */
    size_t count;
};

/* A cmocka setup and teardown: *state is a struct receiving without a socket. */
int receiving_set_up(void **state);
int receiving_tear_down(void **state);

/* Opens and binds a socket on loopback; the second function takes the test's own options. */
void receiving_open(struct receiving *receiving, enum address_family family, size_t max_datagram);
void receiving_open_with(struct receiving *receiving, const struct udp_socket_options *options);
void receiving_close_socket(struct receiving *receiving);

/* The next datagram, valid until the next call; NULL if the socket would block. */
const struct datagram_slot *receiving_next(struct receiving *receiving);

/* Whether ::1 can be bound on this machine. */
bool loopback_has_ipv6(void);

#endif
