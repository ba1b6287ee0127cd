/*
 * Sends datagrams over the loopback interface, for tests. CMake chooses the implementation of the
 * operating system.
 *
 * A sender is bound to a loopback port that the system chose, so a test can query its source
 * address. An error ends the program with a message.
 */
#ifndef SLUICE_TESTS_SUPPORT_PLATFORM_UDP_SENDER_H
#define SLUICE_TESTS_SUPPORT_PLATFORM_UDP_SENDER_H

#include <stddef.h>

#include "collector/base/address.h"

struct udp_sender;

/* Returns 127.0.0.1 or ::1 with port 0. */
struct address loopback(enum address_family family);

struct udp_sender *udp_sender_open(enum address_family family);

/* Returns the sender's source address. */
struct address udp_sender_address(const struct udp_sender *sender);

/* Sends one datagram of 0 to 65,507 bytes to a loopback address of the sender's family. */
void udp_sender_send(struct udp_sender *sender, const struct address *to, const void *bytes,
                     size_t size);

/* Sends `count` datagrams. Datagram n contains n as four bytes in the machine's byte order. */
void udp_sender_send_numbers(struct udp_sender *sender, const struct address *to, size_t count);

/* Closes the sender, which may be NULL. */
void udp_sender_close(struct udp_sender *sender);

#endif
