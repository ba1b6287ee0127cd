/*
 * The keys and threads of a completion port, for the notifiers that use one. Only for
 * platform/windows/.
 *
 * Keys. Each notifier gives its registrations and its wake-ups keys of its own. PORT_KEY_OTHER is
 * never among them, and notifiers ignore a packet with this key. So a port could also carry
 * completions of other operations, of files or pipes: their handle would be associated with the
 * port and this key, a structure that begins with the OVERLAPPED would identify the operation, and
 * the notifier's translation of packets would handle the key.
 *
 * No operation uses this yet. Sinks write from threads of their own, because a thread of a port
 * must not wait for a disk. Anonymous pipes, which standard output and commands have, and consoles
 * have no overlapped operations. And a buffer that belongs to the system until a completion breaks
 * the order "readable, then read", on which the limits of memory rest.
 *
 * Threads. PORT_THREADS selects the system's own limit: at most one thread of a port for each
 * processor runs at a time. A thread that waits for something else (a lock, a pause) is not
 * counted, and the port lets another one run. With fewer threads than processors the limit has no
 * effect; with more, it avoids switches between threads. `processors=` needs no larger limit,
 * because a processor runs one thread at a time.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_WINDOWS_PORT_KEY_H
#define SLUICE_COLLECTOR_PLATFORM_WINDOWS_PORT_KEY_H

#include <winsock2.h>

#define PORT_KEY_OTHER ((ULONG_PTR)-1)

#define PORT_THREADS 0 /* CreateIoCompletionPort: as many as processors */

#endif
