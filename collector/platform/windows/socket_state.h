/* A stream socket's state, for the notifiers. Only for this folder. */
#ifndef SLUICE_COLLECTOR_PLATFORM_WINDOWS_SOCKET_STATE_H
#define SLUICE_COLLECTOR_PLATFORM_WINDOWS_SOCKET_STATE_H

#include <stdbool.h>
#include <winsock2.h>

/* Whether the socket accepts connections. */
bool socket_state_listens(SOCKET socket);

/*
 * The conditions (enum notifier_interest) that a receive with MSG_PEEK shows: data, or the end; all
 * if the connection is broken; 0: neither data nor the end yet.
 */
unsigned socket_state_to_read(SOCKET socket);

#endif
