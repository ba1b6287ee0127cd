/*
 * Requests of ProcessSocketNotifications, and the events in its packets, for the notifiers that use
 * that function. Only for this folder. Any thread.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_WINDOWS_PSN_REQUEST_H
#define SLUICE_COLLECTOR_PLATFORM_WINDOWS_PSN_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/platform/windows/socket_lookup.h"

/* Whether this system has the function: is_available of a backend. */
bool psn_request_is_available(void);

/*
 * Makes one request. Returns 0, or the error of the call, which has no effect then, or the error of
 * its row. A packet may come before this returns.
 */
DWORD psn_request(process_socket_notifications *notify, HANDLE port,
                  struct socket_registration row);

/*
 * The filter for these conditions (enum notifier_interest). NOTIFIER_IN also requests HANGUP: the
 * end of a connection can be read, but the system does not always report it as IN.
 */
uint16_t psn_request_filter(unsigned interests, bool listens);

/* The conditions that a packet reports. The end of a connection is readable. */
unsigned psn_request_ready(DWORD events);

#endif
