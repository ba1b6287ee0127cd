/*
 * Makes requests with ProcessSocketNotifications and interprets the events in its packets, for the
 * notifiers that use that function. Only for platform/windows/. Any thread.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_WINDOWS_PSN_REQUEST_H
#define SLUICE_COLLECTOR_PLATFORM_WINDOWS_PSN_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/platform/windows/socket_lookup.h"

/* Returns true if this system has the function. Used as is_available of the backends. */
bool psn_request_is_available(void);

/*
 * Makes one request. Returns 0, or the error of the call or of its row; then the request has no
 * effect. A packet may come before this returns.
 */
DWORD psn_request(process_socket_notifications *notify, HANDLE port,
                  struct socket_registration row);

/*
 * Returns the filter for these conditions (enum notifier_interest). NOTIFIER_IN includes HANGUP:
 * the end of a connection is readable, but the system does not always report it as IN.
 */
uint16_t psn_request_filter(unsigned interests, bool listens);

/* Returns the conditions that a packet reports. The end of a connection is readable. */
unsigned psn_request_ready(DWORD events);

#endif
