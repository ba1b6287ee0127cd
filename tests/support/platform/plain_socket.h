/*
 * A UDP socket that does nothing by itself, for tests that use one wrongly on purpose: what
 * collector/platform/udp.h keeps right is here for its caller to get wrong.
 *
 * Each operating system implements this header in a file of its own, chosen by CMake. What goes
 * wrong with the system ends the program with a message.
 */
#ifndef SLUICE_TESTS_SUPPORT_PLATFORM_PLAIN_SOCKET_H
#define SLUICE_TESTS_SUPPORT_PLATFORM_PLAIN_SOCKET_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/base/address.h"
#include "collector/platform/wakeup.h"

struct plain_socket;

/* Not yet bound. */
struct plain_socket *plain_socket_open(bool non_blocking);

/* To 127.0.0.1 and a port that the system chooses. Returns where. */
struct address plain_socket_bind(struct plain_socket *socket);

/* For a notifier. */
wait_handle plain_socket_handle(const struct plain_socket *socket);

/* Whether a receive would give a datagram now. */
bool plain_socket_holds_data(const struct plain_socket *socket);

/* One receive, of a datagram whose size is known. Returns false where it would block. */
bool plain_socket_receive(struct plain_socket *socket, size_t *size);

void plain_socket_close(struct plain_socket *socket);

#endif
