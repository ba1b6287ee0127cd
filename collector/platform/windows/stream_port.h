/*
 * The common part of the notifiers for streams on Windows (collector/platform/notifier.h): a
 * completion port for their events and wake-ups, and the registrations of sockets. Only for this
 * folder.
 *
 * A packet has a key instead of a pointer to a registration. The key contains the registration's
 * slot and a number that changes with each registration in that slot. So a thread that handles a
 * packet late cannot report one socket's event for another socket. The memory of a registration is
 * reused; it is freed only with the port.
 *
 * Any thread may call these functions, unless a function says otherwise.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_WINDOWS_STREAM_PORT_H
#define SLUICE_COLLECTOR_PLATFORM_WINDOWS_STREAM_PORT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <winsock2.h>

#include "collector/platform/notifier.h"

/*
 * The first member of each backend's registration struct. The backend's own members are zero in new
 * memory, and keep their old values in reused memory.
 */
struct stream_registration {
    struct stream_registration *next; /* next with the same hash, or next free one */
    SRWLOCK lock;                     /* protects the members below and the backend's own */
    ULONG_PTR key;
    SOCKET socket;
    void *token;
    bool listens;
};

#define STREAM_PORT_HASHES 4096

struct stream_port;

/*
 * A backend's operations on its registrations. arm and translate are called with the registration's
 * lock held.
 */
struct stream_port_ops {
    size_t size;              /* bytes of the backend's notifier */
    size_t registration_size; /* bytes of a registration */

    /*
     * Arms the registration for these conditions. Returns 0, or the system's error; on error the
     * registration is not armed.
     */
    DWORD(*arm)
    (struct stream_port *port, struct stream_registration *registration, unsigned interests);

    /*
     * Fills the event from a packet of the registration. Returns false if the packet reports no
     * event.
     */
    bool (*translate)(struct stream_port *port, struct stream_registration *registration,
                      DWORD bits, struct notifier_event *event);

    /*
     * Optional (may be NULL). Called before the registration's memory is freed, when no thread
     * waits any more.
     */
    void (*finish)(struct stream_registration *registration);
};

/* The first member of each backend's notifier struct. */
struct stream_port {
    struct notifier base;
    const struct stream_port_ops *ops;
    HANDLE port;
    size_t threads;
    _Atomic bool wake_posted;

    SRWLOCK lock; /* protects the members below; take no registration's lock under it */
    struct stream_registration **registrations;
    size_t count;
    size_t capacity;
    struct stream_registration *free;
    struct stream_registration *by_socket[STREAM_PORT_HASHES];
};

/*
 * Creates a notifier for `threads` threads, with the backend's own members zero. Returns 0, or -1
 * with `error` filled.
 */
int stream_port_create(struct notifier **out, size_t threads, const struct stream_port_ops *ops,
                       struct error *error);

/* Operations of struct notifier_backend (also stream_port_wait, below). */
void stream_port_destroy(struct notifier *base);
int stream_port_watch(struct notifier *base, wait_handle socket, void *token, unsigned interests,
                      struct error *error);
int stream_port_arm(struct notifier *base, wait_handle socket, void *token, unsigned interests,
                    struct error *error);
void stream_port_wake(struct notifier *base);

/*
 * Takes packets once and makes events of them. May return 0 before the timeout, because not every
 * packet is an event. If several threads wait, each call takes one packet, so that the threads
 * share the work. Returns the number of events, or NOTIFIER_FAILED.
 */
size_t stream_port_take(struct stream_port *port, struct notifier_event *events, size_t capacity,
                        DWORD timeout_ms);

/* Returns the number of packets that one call may take if `capacity` events fit. */
ULONG stream_port_room(const struct stream_port *port, size_t capacity);

/* Makes events of packets. `events` has room for `count` events. Returns the number of events. */
size_t stream_port_translate(struct stream_port *port, const OVERLAPPED_ENTRY *packets, ULONG count,
                             struct notifier_event *events);

/* Waits for an event, or until the timeout. */
size_t stream_port_wait(struct notifier *base, size_t thread, struct notifier_event *events,
                        size_t capacity, int timeout_ms);

struct stream_registration *stream_port_find(struct stream_port *port, SOCKET socket);

/*
 * Removes a registration from the socket table. After that the socket may be closed, and its number
 * may be registered again.
 */
void stream_port_forget(struct stream_port *port, struct stream_registration *registration);

/* Makes the memory of a removed registration available for reuse. */
void stream_port_release(struct stream_port *port, struct stream_registration *registration);

/*
 * Gives the registration a new key, so that earlier packets no longer belong to it. Called with its
 * lock held.
 */
void stream_port_new_key(struct stream_registration *registration);

bool stream_port_post(struct stream_port *port, ULONG_PTR key, DWORD bits);

/* Fills the error with `what` and the system's text for `code`. Returns -1. */
int stream_port_fail(struct error *error, const char *what, DWORD code);

#endif
