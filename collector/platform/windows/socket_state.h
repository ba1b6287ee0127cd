/* Reports the state of a stream socket, for the notifiers. Only for platform/windows/. */
#ifndef SLUICE_COLLECTOR_PLATFORM_WINDOWS_SOCKET_STATE_H
#define SLUICE_COLLECTOR_PLATFORM_WINDOWS_SOCKET_STATE_H

#include <stdbool.h>
#include <winsock2.h>

/* Returns true if the socket accepts connections. */
bool socket_state_listens(SOCKET socket);

/*
 * Returns the conditions (enum notifier_interest) that a receive with MSG_PEEK shows: data or the
 * end; all if the connection is broken; 0 if there is neither data nor an end yet.
 */
unsigned socket_state_to_read(SOCKET socket);

#endif
