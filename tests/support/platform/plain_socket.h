/*
 * A UDP socket without any handling of its own, for tests that use a socket incorrectly on purpose:
 * collector/platform/udp.h would prevent these errors. Each operating system implements this header
 * in a file of its own, chosen by CMake. A system error ends the program with a message.
 */
#ifndef SLUICE_TESTS_SUPPORT_PLATFORM_PLAIN_SOCKET_H
#define SLUICE_TESTS_SUPPORT_PLATFORM_PLAIN_SOCKET_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/base/address.h"
#include "collector/platform/wakeup.h"

struct plain_socket;

/* Opens a socket that is not bound yet. */
struct plain_socket *plain_socket_open(bool non_blocking);

/* Binds the socket to 127.0.0.1 and a port that the system chooses. Returns the address. */
struct address plain_socket_bind(struct plain_socket *socket);

/* The handle, for a notifier. */
wait_handle plain_socket_handle(const struct plain_socket *socket);

/* Whether a receive would return a datagram now. */
bool plain_socket_holds_data(const struct plain_socket *socket);

/* Receives one datagram, whose size is known. Returns false if it would block. */
bool plain_socket_receive(struct plain_socket *socket, size_t *size);

void plain_socket_close(struct plain_socket *socket);

#endif
