/*
 * Lets tests control the emulation of ProcessSocketNotifications (socket_lookup_emulated.c). Any
 * thread.
 */
#ifndef SLUICE_TESTS_SUPPORT_PLATFORM_WINDOWS_SOCKET_LOOKUP_EMULATED_H
#define SLUICE_TESTS_SUPPORT_PLATFORM_WINDOWS_SOCKET_LOOKUP_EMULATED_H

#include <stdbool.h>
#include <stddef.h>
#include <winsock2.h>

/*
 * Posts a packet with these SOCKET_EVENT_... at once, whatever the state of the socket.
 * SOCKET_EVENT_REMOVE also ends the registration. Returns false if the socket is not registered.
 */
bool emulation_notify(SOCKET socket, DWORD events);

/*
 * Makes the next call return `returned`. If that is ERROR_SUCCESS or WAIT_TIMEOUT, each
 * registration of the call gets `result`, and is carried out only if `result` is 0. Otherwise the
 * call has no effect.
 */
void emulation_fail_next(DWORD returned, DWORD result);

/*
 * Returns the number of malformed registrations so far: those with several operations, and those
 * without exactly one trigger of each pair.
 */
size_t emulation_malformed(void);

/*
 * Posts a packet of another I/O operation to the completion port of this socket. Returns false if
 * the socket is not registered.
 */
bool emulation_post_other(SOCKET socket, ULONG_PTR key, DWORD bytes, OVERLAPPED *operation);

/*
 * Returns the number of registrations whose sockets were closed before their REMOVE packets came.
 * Detects sockets that were closed by now.
 */
size_t emulation_abandoned(void);

/*
 * While `hold` is set, no REMOVE packet comes, as on a busy system. When it is cleared, REMOVE
 * packets come for the sockets that are still open.
 */
void emulation_hold_removals(bool hold);

/* Makes the next `count` requests to remove a registration fail without an effect. */
void emulation_fail_removals(size_t count);

/* Makes later registrations of these kinds of sockets fail, as with a layered service provider. */
enum { EMULATION_REFUSES_STREAMS = 1, EMULATION_REFUSES_DATAGRAMS = 2 };
void emulation_refuse(unsigned kinds);

/* Returns how often the emulation has checked its sockets. It must do so only when needed. */
size_t emulation_looks(void);

/* Returns how often ProcessSocketNotifications was called. */
size_t emulation_calls(void);

#endif
