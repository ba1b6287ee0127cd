/*
 * What tests may ask of the emulation of ProcessSocketNotifications (socket_lookup_emulated.c),
 * beside what the system itself offers. Any thread.
 */
#ifndef SLUICE_TESTS_SUPPORT_PLATFORM_WINDOWS_SOCKET_LOOKUP_EMULATED_H
#define SLUICE_TESTS_SUPPORT_PLATFORM_WINDOWS_SOCKET_LOOKUP_EMULATED_H

#include <stdbool.h>
#include <stddef.h>
#include <winsock2.h>

/*
 * Posts a packet with these SOCKET_EVENT_... at once, whatever the socket's state is. With REMOVE
 * among them its registration is gone, as if that had been asked for. False: not registered.
 */
bool emulation_notify(SOCKET socket, DWORD events);

/*
 * The next call returns `returned` and does nothing; where that is ERROR_SUCCESS or WAIT_TIMEOUT,
 * each of its registrations has `result`, and none is carried out unless `result` is 0.
 */
void emulation_fail_next(DWORD returned, DWORD result);

/* How often the emulation has looked at its sockets: it does so when there is a reason. */
size_t emulation_looks(void);

#endif
