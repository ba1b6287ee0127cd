/*
 * Starts Winsock. Each file that opens a socket calls this first. Only for platform/windows/ and
 * the files for Windows in tools and tests.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_WINDOWS_SOCKET_STARTUP_H
#define SLUICE_COLLECTOR_PLATFORM_WINDOWS_SOCKET_STARTUP_H

/*
 * Starts Winsock 2.2 for this process; later calls return the result of the first call. Any thread.
 * The system stops Winsock when the process ends. Returns 0, or a Winsock error number.
 */
int socket_startup(void);

#endif
