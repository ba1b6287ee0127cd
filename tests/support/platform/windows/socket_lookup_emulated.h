/*
 * Controls of the emulation of ProcessSocketNotifications (socket_lookup_emulated.c), for tests.
 * Any thread.
 */
#ifndef SLUICE_TESTS_SUPPORT_PLATFORM_WINDOWS_SOCKET_LOOKUP_EMULATED_H
#define SLUICE_TESTS_SUPPORT_PLATFORM_WINDOWS_SOCKET_LOOKUP_EMULATED_H

#include <stdbool.h>
#include <stddef.h>
#include <winsock2.h>

/*
 * Posts a packet with these SOCKET_EVENT_... at once, whatever the socket's state is. REMOVE also
 * ends the registration, as if a removal had been requested. Returns false if the socket is not
 * registered.
 */
bool emulation_notify(SOCKET socket, DWORD events);

/*
 * The next call returns `returned` without an effect. If that is ERROR_SUCCESS or WAIT_TIMEOUT,
 * each of its registrations has `result`, and is carried out only if `result` is 0.
 */
void emulation_fail_next(DWORD returned, DWORD result);

/* The number of registrations so far with several operations, or without one trigger of each pair.
 */
size_t emulation_malformed(void);

/*
 * Posts a packet of another operation to the port of that socket. Returns false if the socket is
 * not registered.
 */
bool emulation_post_other(SOCKET socket, ULONG_PTR key, DWORD bytes, OVERLAPPED *operation);

/*
 * The number of registrations so far whose sockets were closed before their REMOVE packets, as far
 * as the sockets were closed by now.
 */
size_t emulation_abandoned(void);

/*
 * While held, no REMOVE packet comes, as on a busy system; afterwards it comes for the sockets that
 * are still open.
 */
void emulation_hold_removals(bool hold);

/* The next `count` requests to remove a registration fail, and do not change the registration. */
void emulation_fail_removals(size_t count);

/* From now on sockets of these kinds cannot be registered, as behind a layered provider. */
enum { EMULATION_REFUSES_STREAMS = 1, EMULATION_REFUSES_DATAGRAMS = 2 };
void emulation_refuse(unsigned kinds);

/* How often the emulation has checked its sockets: it does so only for a reason. */
size_t emulation_looks(void);

/* How often ProcessSocketNotifications was called. */
size_t emulation_calls(void);

#endif
