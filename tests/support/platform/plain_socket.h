/*
 * A plain UDP socket for tests that use a socket incorrectly on purpose, which
 * collector/platform/udp.h would prevent. CMake chooses the implementation of the operating system.
 * A system error ends the program with a message.
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

/* Returns the handle, for a notifier. */
wait_handle plain_socket_handle(const struct plain_socket *socket);

/* Returns true if a receive would return a datagram now. */
bool plain_socket_holds_data(const struct plain_socket *socket);

/* Receives one datagram and sets its size. Returns false if the receive would block. */
bool plain_socket_receive(struct plain_socket *socket, size_t *size);

void plain_socket_close(struct plain_socket *socket);

#endif
