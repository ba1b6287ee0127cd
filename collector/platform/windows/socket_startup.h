/*
 * Winsock has to be started before anything of it is used. Of platform/windows, and of the tools'
 * and tests' own files for Windows: whoever opens a socket calls this first.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_WINDOWS_SOCKET_STARTUP_H
#define SLUICE_COLLECTOR_PLATFORM_WINDOWS_SOCKET_STARTUP_H

/*
 * Starts Winsock 2.2 for this process; every call but the first only says how that one went. Any
 * thread. The system ends it with the process. Returns 0, or one of Winsock's error numbers.
 */
int socket_startup(void);

#endif
