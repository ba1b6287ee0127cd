/*
 * Checks whether sockets can be registered with ProcessSocketNotifications. The function supports
 * only sockets of Microsoft's provider: with a layered service provider it exists, but refuses
 * sockets. Only for platform/windows/.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_WINDOWS_PSN_PROBE_H
#define SLUICE_COLLECTOR_PLATFORM_WINDOWS_PSN_PROBE_H

#include <stdint.h>

#include "collector/base/error.h"

/*
 * Registers a socket of this type (SOCK_STREAM or SOCK_DGRAM) of each family that the system has,
 * with this trigger (SOCKET_TRIGGER_...), and removes it again. Returns 0, or -1 with `error`
 * filled (EXIT_CODE_CONFIG). Any thread.
 */
int psn_probe(int type, uint8_t trigger, struct error *error);

#endif
