/*
 * Sends datagrams over the loopback interface, for tests. Each operating system implements this
 * header in a file of its own, chosen by CMake.
 *
 * A sender is bound to a loopback port that the system chose, so its source address is known. An
 * error ends the program with a message: these are tests.
 */
#ifndef SLUICE_TESTS_SUPPORT_PLATFORM_UDP_SENDER_H
#define SLUICE_TESTS_SUPPORT_PLATFORM_UDP_SENDER_H

#include <stddef.h>

#include "collector/base/address.h"

struct udp_sender;

/* 127.0.0.1 or ::1 of a family, port 0. */
struct address loopback(enum address_family family);

struct udp_sender *udp_sender_open(enum address_family family);

/* Its source address. */
struct address udp_sender_address(const struct udp_sender *sender);

/* Sends one datagram of 0 to 65,507 bytes to a loopback address of the sender's family. */
void udp_sender_send(struct udp_sender *sender, const struct address *to, const void *bytes,
                     size_t size);

/* Sends `count` datagrams; each contains its number, in four bytes in the machine's byte order. */
void udp_sender_send_numbers(struct udp_sender *sender, const struct address *to, size_t count);

/* NULL is allowed. */
void udp_sender_close(struct udp_sender *sender);

#endif
