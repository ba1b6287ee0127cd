/*
 * The keys and threads of a completion port, for the notifiers that use one. Only for this folder.
 *
 * Keys. Each notifier gives its registrations and its wake-ups keys of its own. PORT_KEY_OTHER is
 * not among them: notifiers skip a packet with this key, so that a port may also carry completions
 * of other operations, of files or pipes. A handle of such operations is associated with the port
 * and this key, and the OVERLAPPED of each operation begins a structure whose next member says what
 * the structure is: this common header tells operations apart. A notifier that should report such
 * completions would handle the key in its translation of packets, and call what the header names.
 *
 * No operation of the program uses this. Sinks write from threads of their own, as a port's thread
 * must not wait for a disk; anonymous pipes, which standard output and commands have, and consoles
 * have no overlapped operations; and a completion gives up the order "readable, then read", on
 * which the limits of memory rest, because its buffer belongs to the system until it completes.
 *
 * Threads. PORT_THREADS is the system's own limit: at most one thread of a port for each processor
 * runs at a time. A thread that waits for something else (a lock, a pause) is not counted, and the
 * port lets another one run. With fewer threads than processors it has no effect; with more, it
 * saves switches between threads that could not run anyway. `processors=` needs no larger limit: a
 * processor runs one thread at a time.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_WINDOWS_PORT_KEY_H
#define SLUICE_COLLECTOR_PLATFORM_WINDOWS_PORT_KEY_H

#include <winsock2.h>

#define PORT_KEY_OTHER ((ULONG_PTR)-1)

#define PORT_THREADS 0 /* CreateIoCompletionPort: the number of processors */

#endif
